/* SPDX-License-Identifier: BSD-2-Clause */
/* collector complete: prints words that may come next, for cli/completion/. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/option_table.h"
#include "recording/spool/each_name.h"
#include "recording/spool/spool_name.h"
#include "session/sampling.h"
#include "session/session_options.h"
#include "util/text.h"

/* Printed instead of file names: the shell completes these. */
#define FILES         ":files"
#define FUNCTIONS_MAX 2000u
#define GUESTS_MAX    256u

/* The words after the command's name. The shell completes the last one. */
struct line {
    const struct subcommand *command;
    char **words;
    int count; /* 1 or more */
};

/* Print (word) and the start of its (help). */
static void put(const char *word, const char *help)
{
    size_t length = strcspn(help, ";");
    const char *end = strstr(help, " (");

    if (end != NULL && end < help + length)
        length = (size_t)(end - help);
    (void)printf("%s\t%.*s\n", word, (int)length, help);
}

/* Commands and options */

static void put_commands(void)
{
    const struct subcommand *command;

    for (size_t i = 0; (command = cmd_at(i)) != NULL; i++)
        put(command->name, "");
}

static void put_options(const struct line *l)
{
    const struct option_row *row;
    char name[64];
    size_t offset;

    for (size_t i = 0;
         (row = option_at(l->command->options, i, &offset)) != NULL; i++) {
        (void)snprintf(name, sizeof name, "--%s", row->name);
        put(name, row->help);
    }
}

/* Return the option whose argument is word (i) of (l): the word before it, or
 * the beginning of --OPTION=ARGUMENT, whose length is (*len). NULL if word (i)
 * is not an argument. */
static const struct option_row *option_of(const struct line *l, int i,
                                          size_t *len)
{
    const struct option_row *row = NULL;
    const char *word = l->words[i];
    size_t offset;

    *len = 0;
    if (word[0] == '-' && word[1] == '-' && strchr(word, '=') != NULL) {
        *len = strcspn(word, "=");
        row = option_find(l->command->options, word, (*len)++, &offset);
    } else if (i > 0 && l->words[i - 1][0] == '-') {
        word = l->words[i - 1];
        row = option_find(l->command->options, word, strlen(word), &offset);
    }
    return row != NULL && row->argument != NULL ? row : NULL;
}

/* Return the argument of the last option (name) before the last word; NULL if
 * there is none. */
static const char *typed(const struct line *l, const char *name)
{
    const char *last = NULL;
    size_t len;

    for (int i = 0; i < l->count - 1; i++) {
        const struct option_row *row = option_of(l, i, &len);

        if (row != NULL && strcmp(row->name, name) == 0)
            last = l->words[i] + len;
    }
    return last;
}

/* Functions and threads of a recording */

/* Print the names of all functions without their arguments, the busiest
 * first. */
static void write_functions(struct render *to, const struct report *r)
{
    const struct view_scope *all = &r->view->total;

    for (size_t i = 0; i < all->row_count && i < FUNCTIONS_MAX; i++) {
        const struct view_function *f =
            &r->view->functions[all->rows[i].function];
        size_t length = strcspn(f->name, "(");

        if (all->rows[i].function >= VIEW_MARKS && !f->nameless && length != 0)
            (void)fprintf(to->out, "%.*s\t\n", (int)length, f->name);
    }
}

static void write_threads(struct render *to, const struct report *r)
{
    char name[4 * THREAD_NAME];

    for (size_t i = 0; i < r->profile->thread_count; i++)
        if (r->profile->threads[i].name[0] != '\0')
            (void)fprintf(
                to->out, "%s\t\n",
                text_escape(name, sizeof name, r->profile->threads[i].name));
}

static const struct render_ops functions = {.name = "functions",
                                            .write = write_functions};
static const struct render_ops threads = {.name = "threads",
                                          .write = write_threads};

/* Return the first word, except the last one, that is neither an option nor an
 * argument of an option. With (file) the word must name a file, without (file)
 * it must not. NULL if there is none. */
static const char *plain_word(const struct line *l, bool file)
{
    struct stat st;
    size_t len;

    for (int i = 0; i < l->count - 1; i++)
        if (option_of(l, i, &len) == NULL && l->words[i][0] != '-' &&
            (stat(l->words[i], &st) == 0 && S_ISREG(st.st_mode)) == file)
            return l->words[i];
    return NULL;
}

/* Return the recording that (l) names; NULL if there is none. */
static const char *recording_of(const struct line *l)
{
    const char *input = typed(l, "input");

    if (input == NULL)
        input = plain_word(l, true);
    return input != NULL ? input : session_default_recording(true);
}

/* Print (what) of the recording. The process enters the sandbox to read. */
static void put_recorded(const struct line *l, const struct render_ops *what)
{
    struct options o = OPTIONS_DEFAULT;
    struct outputs out = {0};
    const struct sampling_job job = {
        .command = "collector complete", .options = &o, .outputs = &out};
    const char *elf = typed(l, "elf");
    struct err e;

    o.from.input = recording_of(l);
    o.output.quiet = o.shown.no_pager = true;
    /* ask no server while the user types */
    (void)unsetenv("DEBUGINFOD_URLS");
    if (o.from.input != NULL &&
        (elf == NULL || guests_option(&o.from.guests, "elf", elf, &e) == 0) &&
        guests_finish(&o.from.guests, &e) == 0 &&
        outputs_plan_only(&out, &o, what, &e) == 0)
        (void)sampling_run(&job);
    options_fini(&o);
}

/* Guests of a spool */

struct guest_names {
    char list[GUESTS_MAX][SPOOL_GUEST_MAX + 1];
    size_t count;
};

static int take_guest(void *context, const char *file, struct err *e)
{
    struct guest_names *names = context;
    struct spool_name n;
    size_t i = 0;

    (void)e;
    if (!spool_name_parse(file, &n) || n.guest_length > SPOOL_GUEST_MAX ||
        names->count == GUESTS_MAX)
        return 0;
    char *name = names->list[names->count];

    (void)snprintf(name, SPOOL_GUEST_MAX + 1, "%.*s", (int)n.guest_length,
                   file);
    while (strcmp(names->list[i], name) != 0)
        i++;
    names->count += i == names->count && spool_name_is_guest(name);
    return 0;
}

static void put_guests(const struct line *l)
{
    static struct guest_names names;
    const char *folder = typed(l, "spool");
    int fd =
        folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct err e;

    if (fd < 0)
        return;
    (void)each_name(fd, take_guest, &names, &e);
    (void)close(fd);
    for (size_t i = 0; i < names.count; i++)
        put(names.list[i], "");
}

/* Arguments */

/* Print the words of (row)'s argument. Returns whether it has a list of
 * words. */
static bool put_choices(const struct option_row *row)
{
    char words[OPTION_CHOICES] = "";

    if (row->kind->choices != NULL)
        row->kind->choices(row, words);
    else if (islower((unsigned char)row->argument[0]) &&
             strchr(row->argument, '|') != NULL)
        (void)snprintf(words, sizeof words, "%s", row->argument);
    for (char *word = strtok(words, " ,|"); word != NULL;
         word = strtok(NULL, " ,|"))
        put(word, "");
    return words[0] != '\0';
}

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(name, *list) != 0)
        list++;
    return *list != NULL;
}

static void put_argument(const struct line *l, const struct option_row *row)
{
    static const char *const of_functions[] = {"function", "callers-of",
                                               "exclude", NULL};
    static const char *const of_files[] = {"FILE", "PATH", "DIR", "SOCKET",
                                           NULL};
    char first[16];

    if (put_choices(row))
        return;
    (void)snprintf(first, sizeof first, "%.*s",
                   (int)strcspn(row->argument, "|:"), row->argument);
    if (is_one_of(row->name, of_functions))
        put_recorded(l, &functions);
    else if (strcmp(row->name, "thread") == 0)
        put_recorded(l, &threads);
    else if (strcmp(row->name, "guest") == 0)
        put_guests(l);
    else if (is_one_of(first, of_files))
        put(FILES, "");
}

/* Print the words that the last word of (l) may become if it is neither an
 * option nor an argument. */
static void put_words(const struct line *l)
{
    if (l->command == &cmd_live && l->count == 1)
        put_commands();
    /* annotate takes a function and a recording */
    bool both = l->command == &cmd_annotate;

    if (both && plain_word(l, false) == NULL)
        put_recorded(l, &functions);
    if (l->command->options->word != NULL &&
        !(both && plain_word(l, true) != NULL))
        put(FILES, "");
}

static int run_complete(int argc, char **argv)
{
    struct line l = {argc > 1 ? cmd_find(argv[0]) : NULL, argv + 1, argc - 1};
    size_t len;

    if (argc == 0)
        return EXIT_USAGE;
    if (l.command == NULL)
        l = (struct line){&cmd_live, argv, argc};
    if (l.command->options == NULL) { /* collector help */
        put_commands();
        return EXIT_DONE;
    }
    const char *last = l.words[l.count - 1];
    const struct option_row *row = option_of(&l, l.count - 1, &len);

    if (row != NULL)
        put_argument(&l, row);
    else if (last[0] == '-')
        put_options(&l);
    else
        put_words(&l);
    return EXIT_DONE;
}

const struct subcommand cmd_complete = {"complete", NULL, run_complete};
