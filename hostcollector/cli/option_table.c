/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a command line by a table of options. */
#include "cli/option_table.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "guard/magic.h"
#include "util/text.h"

/* Row (i) of (group); NULL after the last. */
static const struct option_row *row_of(const struct option_group *group,
                                       size_t i)
{
    if (group->title != NULL)
        return NULL;
    if (group->made != NULL)
        return group->made(i);
    return group->rows[i].name != NULL ? &group->rows[i] : NULL;
}

const struct option_row *option_at(const struct option_set *set, size_t i,
                                   size_t *offset)
{
    for (const struct option_group *g = set->groups;
         g->rows != NULL || g->made != NULL || g->title != NULL; g++) {
        const struct option_row *row;
        size_t n = 0;

        while ((row = row_of(g, n)) != NULL && n < i)
            n++;
        if (row != NULL) {
            *offset = g->base + row->offset;
            return row;
        }
        i -= n;
    }
    return NULL;
}

const struct option_row *option_find(const struct option_set *set,
                                     const char *word, size_t len,
                                     size_t *offset)
{
    const struct option_row *row;

    for (size_t i = 0; (row = option_at(set, i, offset)) != NULL; i++) {
        bool is_long = word[1] == '-' && strlen(row->name) == len - 2 &&
                       strncmp(row->name, word + 2, len - 2) == 0;
        bool is_short = len == 2 && row->letter != 0 && word[1] == row->letter;

        if (is_long || is_short)
            return row;
    }
    return NULL;
}

/* The row whose name is most similar to the (len) bytes at (name), without
 * dashes; NULL if none is similar. */
static const struct option_row *nearest(const struct option_set *set,
                                        const char *name, size_t len)
{
    const struct option_row *best = NULL;
    const struct option_row *row;
    unsigned best_distance = TEXT_FAR;
    size_t offset;

    for (size_t i = 0; (row = option_at(set, i, &offset)) != NULL; i++) {
        unsigned d = text_near_edits(name, len, row->name);

        if (d < best_distance && d < len) {
            best = row;
            best_distance = d;
        }
    }
    return best;
}

/* The command of (set), as typed after "collector help". */
static const char *name_of(const struct option_set *set)
{
    return set->command[0] != '\0' ? set->command : " live";
}

static int refuse_option(const struct option_set *set, const char *word,
                         size_t len, struct err *e)
{
    const struct option_row *row = NULL;
    char guess[64] = "";

    if (word[0] == '-' && word[1] == '-')
        row = nearest(set, word + 2, len - 2);
    if (row != NULL)
        (void)snprintf(guess, sizeof guess, " did you mean --%s?", row->name);
    return err_set(e, "no option '%.*s';%s 'collector help%s' lists all",
                   (int)len, word, guess, name_of(set));
}

/* Word (i), the argument of the option (row) before it. NULL with (e) filled if
 * there is no word, or if the word is an option. */
static const char *argument_of(const struct option_set *set,
                               const struct option_row *row, int argc,
                               char **argv, int i, struct err *e)
{
    const char *option = argv[i - 1];
    const char *word = i < argc ? argv[i] : NULL;
    size_t offset;
    bool is_option =
        word != NULL && word[0] == '-' &&
        option_find(set, word, strcspn(word, "="), &offset) != NULL;

    if (word != NULL && !is_option)
        return word;
    (void)err_set(e, "%s wants %s after it%s%s%s", option, row->argument,
                  is_option ? ", not the option " : "", is_option ? word : "",
                  is_option ? " (a file of that name is ./-...)" : "");
    return NULL;
}

/* Read the option at argv[*i] and its argument, and move (*i). Returns an enum
 * option_result; -1 with (e) filled. */
static int take_option(void *config, const struct option_set *set, int argc,
                       char **argv, int *i, struct err *e)
{
    const char *word = argv[*i];
    bool is_long = word[1] == '-';
    size_t len = is_long ? strcspn(word, "=") : 2, offset;
    const struct option_row *row = option_find(set, word, len, &offset);

    if (row == NULL)
        return refuse_option(set, word, is_long ? len : strlen(word), e);

    const char *value = word[len] == '\0' ? NULL : word + len + is_long;
    if (row->argument == NULL && value != NULL)
        return err_set(e, "--%s takes no argument", row->name);
    if (row->argument != NULL && value == NULL) {
        value = argument_of(set, row, argc, argv, ++*i, e);
        if (value == NULL)
            return -1;
    }
    return row->kind->read((char *)config + offset, row, value, e);
}

/* Returns false if (word) is no file that a command can read. */
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

/* Does (word) end like the name of a recording? */
static bool is_called_recording(const char *word)
{
    size_t length = strlen(word);

    return length > 6 && strcmp(word + length - 6, ".tprof") == 0;
}

/* Refuse (word), for which (set) has no place. (word) may be a file for an
 * option or for another command, or a mistyped command. Reads the first bytes
 * of a file with that name. Returns -1, with (e) saying what to type
 * instead. */
static int refuse_word(const struct option_set *set, const char *word,
                       struct err *e)
{
    const char *near = set->nearest != NULL ? set->nearest(word) : NULL;

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
    return err_set(e, "what is '%s'? 'collector help%s' tells what to type",
                   word, name_of(set));
}

int option_parse(void *config, const struct option_set *set, int argc,
                 char **argv, struct err *e)
{
    int result = OPTION_READ;

    for (int i = 0; i < argc && result == OPTION_READ; i++) {
        const char *word = argv[i];
        bool is_word = word[0] != '-' || word[1] == '\0' ||
                       (set->dashes && strcmp(word, "--") == 0);

        if (!is_word)
            result = take_option(config, set, argc, argv, &i, e);
        else
            result = set->word != NULL ? set->word(config, word, e)
                                       : refuse_word(set, word, e);
    }
    return result;
}

int option_words_begin(const struct option_set *set, int argc, char **argv)
{
    int i = 0;

    for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
        bool is_long = argv[i][1] == '-';
        size_t len = is_long ? strcspn(argv[i], "=") : 2, offset;
        const struct option_row *row = option_find(set, argv[i], len, &offset);

        if (row != NULL && row->argument != NULL && argv[i][len] == '\0' &&
            i + 1 < argc)
            i++;
    }
    return i;
}
