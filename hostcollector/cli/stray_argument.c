/* SPDX-License-Identifier: BSD-2-Clause */
/* Error messages for words of the command line that fit nowhere. */
#include "cli/stray_argument.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "guard/magic.h"

/* Returns false if (word) is no file that a command would read. */
static bool refuse_file(const char *word, struct err *e)
{
    struct stat st;

    if (stat(word, &st) != 0)
        return false;
    if (S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode)) {
        (void)err_set(e, "'%s' is a %s: type --serial %s", word,
                      S_ISSOCK(st.st_mode) ? "socket" : "terminal", word);
        return true;
    }
    switch (magic_of_file(word)) {
    case MAGIC_RECORDING:
        (void)err_set(e, "'%s' is a recording: type 'collector report %s'",
                      word, word);
        return true;
    case MAGIC_CORE:
        (void)err_set(e,
                      "'%s' is a core file: type 'collector report --memory "
                      "%s'",
                      word, word);
        return true;
    case MAGIC_ELF:
    case MAGIC_PE:
        (void)err_set(e, "'%s' is an image: type --elf %s", word, word);
        return true;
    default:
        return false;
    }
}

/* Does (word) end as recordings do? */
static bool is_called_recording(const char *word)
{
    size_t length = strlen(word);

    return length > 6 && strcmp(word + length - 6, ".tprof") == 0;
}

int stray_argument_error(const char *word, const char *command,
                         const char *(*nearest)(const char *word),
                         struct err *e)
{
    const char *near = nearest != NULL ? nearest(word) : NULL;

    if (refuse_file(word, e))
        return -1;
    if (is_called_recording(word))
        return err_set(e,
                       "what is '%s'? 'collector report %s' reports on a "
                       "recording",
                       word, word);
    if (near != NULL)
        return err_set(e,
                       "no command '%s': did you mean '%s'? 'collector "
                       "--help' lists all",
                       word, near);
    return err_set(e, "what is '%s'? 'collector%s --help' tells what to type",
                   word, command);
}
