/* SPDX-License-Identifier: BSD-2-Clause */
/* collector compact: merges windows of a spool into larger files. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/option_kinds.h"
#include "fleet/serve/merge_process.h"
#include "util/text.h"

#define NAME "collector compact"

struct compact_options {
    const char *folder; /* NULL: not said */
    bool several;       /* there are further words after the folder */
    enum sandbox_mode sandbox;
};

#define AT(m) offsetof(struct compact_options, m)

static int take_folder(void *config, const char *word, struct err *e)
{
    struct compact_options *o = config;

    (void)e;
    o->several = o->folder != NULL;
    o->folder = word;
    return OPTION_READ;
}

static const struct option_group groups[] = {
    OPTION_ROWS(sandbox_rows, AT(sandbox)), OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " compact", .groups = groups, .word = take_folder};

static const struct help help = {
    &options,
    "collector compact DIR [option...]\n"
    "\n"
    "Merges windows that collector serve has kept in DIR into files of ten "
    "minutes, which take half the bytes; collector report --spool and "
    "collector push read both. Windows that collector push has not yet sent to "
    "all of its receivers stay as they are.",
    "  collector compact /var/lib/tprof\n"
    "  collector compact spool --sandbox required\n"
    "  collector compact ./spool && collector report --spool ./spool\n",
    "Exit status: 0 done, 1 failed, 2 the command line is wrong."};

static void tell_merged(const struct compact_sums *s)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER];

    (void)printf("%s windows merged into %s file%s: %s bytes instead of %s",
                 text_count(a, s->windows), text_count(b, s->files),
                 text_plural(s->files), text_count(c, s->bytes),
                 text_count(d, s->bytes_before));
    if (s->unsent != 0)
        (void)printf("; %s wait%s for collector push", text_count(a, s->unsent),
                     s->unsent == 1 ? "s" : "");
    if (s->unusable != 0)
        (void)printf("; %s %s damaged", text_count(a, s->unusable),
                     s->unusable == 1 ? "is" : "are");
    (void)putchar('\n');
}

static void print_sums(const struct compact_sums *s)
{
    char early[TEXT_NUMBER];

    if (s->early == 0 || s->windows + s->unsent + s->unusable != 0)
        tell_merged(s);
    else
        (void)printf("nothing to merge: %s window%s of the last ten minutes\n",
                     text_count(early, s->early),
                     s->early == 1 ? " is" : "s are");
}

static int compact(const struct compact_options *o, struct err *e)
{
    struct compact_sums sums = {0};
    int result = merge_process_once(o->sandbox, o->folder, NAME, &sums, e);

    /* after an error, print only the sums of merged windows */
    if (result == 0)
        print_sums(&sums);
    else if (sums.windows != 0)
        tell_merged(&sums);
    return result;
}

static int run_compact(int argc, char **argv)
{
    struct compact_options o = {.folder = NULL};
    struct err e = {""};
    int result = option_parse(&o, &options, argc, argv, &e);

    if (result == OPTION_READ && (o.folder == NULL || o.several))
        result = err_set(&e, "which folder? type: collector compact DIR");
    if (result == OPTION_HELP)
        result = help_print(&help);
    else if (result == OPTION_READ)
        result = compact(&o, &e) == 0 ? EXIT_DONE : EXIT_FAILED;
    else
        result = EXIT_USAGE;
    if (e.text[0] != '\0' && result != EXIT_DONE)
        (void)fprintf(stderr, NAME ": %s\n", e.text);
    return result;
}

const struct subcommand cmd_compact = {"compact", &options, run_compact};
