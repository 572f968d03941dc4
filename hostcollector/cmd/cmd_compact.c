/* SPDX-License-Identifier: BSD-2-Clause */
/* collector compact: windows of a spool, many in a file. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"
#include "fleet/serve/merge_process.h"
#include "util/text.h"

#define NAME "collector compact"

static const struct help help = {
    COMMAND_COMPACT,
    "collector compact DIR [option...]\n"
    "\n"
    "Merges windows that collector serve has kept in DIR into files of ten "
    "minutes, which take half the bytes; collector report --spool and "
    "collector push read both. Windows that collector push has not yet sent to "
    "all of its receivers stay as they are.",
    "Exit status: 0 done, 1 failed, 2 the line makes no sense."};

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

static int compact(const struct options *o, struct err *e)
{
    struct compact_sums sums = {0};
    int result = merge_process_once(o, o->inputs[0], NAME, &sums, e);

    /* what was merged before an error is worth telling, and no more */
    if (result == 0)
        print_sums(&sums);
    else if (sums.windows != 0)
        tell_merged(&sums);
    return result;
}

static int run_compact(int argc, char **argv)
{
    struct options o;
    struct err e = {""};
    int result = EXIT_USAGE;

    if (options_parse(&o, COMMAND_COMPACT, argc, argv, &e) == 0) {
        e.text[0] = '\0';
        if (o.help)
            result = help_print(&help);
        else if (o.input_count != 1)
            (void)err_set(&e, "which folder? type: collector compact DIR");
        else
            result = compact(&o, &e) == 0 ? EXIT_DONE : EXIT_FAILED;
    }
    if (e.text[0] != '\0' && result != EXIT_DONE)
        (void)fprintf(stderr, NAME ": %s\n", e.text);
    options_fini(&o);
    return result;
}

const struct subcommand cmd_compact = {"compact", run_compact};
