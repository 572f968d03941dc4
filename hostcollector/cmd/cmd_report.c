/* SPDX-License-Identifier: BSD-2-Clause */
/* collector report: what a recording, or a captured stream, tells. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "cli/when.h"
#include "recording/spool/spool_list.h"
#include "session/sampling.h"
#include "session/session_options.h"
#include "util/clock.h"

#define NAME "collector report"

#define AT(m) offsetof(struct options, m)

static const struct option_row own_rows[] = {
    {"spool", 0, "DIR", &option_text, AT(windows), 0, 0,
     "windows that collector serve has kept in DIR; they have no names: "
     "--symbols or --elf gives them"},
    {"guest", 0, "NAME", &option_text, AT(windows_guest), 0, 0,
     "of this guest (default: the only one in DIR)"},
    {"since", 0, "WHEN", &option_text, AT(since), 0, 0,
     "windows that begin then or later: -1h, -90m, today, @1700000000 or "
     "2026-11-24T10:00, which is UTC with a Z behind it (default: all)"},
    {"until", 0, "WHEN", &option_text, AT(until), 0, 0,
     "windows that begin before that (default: all)"},
    {"build", 0, "ID", &option_text, AT(from.build), 0, 0,
     "of the image whose build-id begins so (default: that of the first "
     "window)"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_ROWS(input_rows, AT(from)),
    OPTION_ROWS(own_rows, 0),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(source_rows, AT(from)),
    OPTION_ROWS(output_rows, 0),
    OPTION_ROWS(force_rows, 0),
    OPTION_ROWS(core_rows, 0),
    OPTION_ROWS(time_rows, 0),
    OPTION_ROWS(dead_memory_rows, AT(from)),
    OPTION_ROWS(report_rows, 0),
    OPTION_ROWS(of_rows, 0),
    OPTION_ROWS(colour_rows, 0),
    OPTION_ROWS(pager_rows, 0),
    OPTION_ROWS(names_rows, 0),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " report", .groups = groups, .word = session_recording_word};

static const struct help help = {
    &options,
    "collector report FILE [option...]\n"
    "\n"
    "Reports on a recording, or on the bytes captured from a one-way channel "
    "(QEMU's -chardev file); FILE may be a pipe, and - is standard input. With "
    "-o it writes those files and prints nothing; -o NEW.tprof is the "
    "recording with the names of --elf in it.\n"
    "\n"
    "With --memory FILE it reports on a guest that is dead, by its memory; "
    "with --spool DIR on windows that collector serve has kept, as on one "
    "recording: collector report --spool DIR --guest web --since -1h.",
    CMD_STATUS};

/* Check the options that select windows of a spool, and read their times. */
static int plan_windows(struct options *o, struct err *e)
{
    uint64_t now_ms = clock_wall_ns() / 1000000;

    if (o->windows == NULL && (o->windows_guest != NULL || o->since != NULL ||
                               o->until != NULL || o->from.build != NULL))
        return err_set(e, "--guest, --since, --until and --build go with "
                          "--spool DIR");
    if (o->windows == NULL)
        return 0;
    if (o->from.input != NULL)
        return err_set(e, "one at a time: '%s' or --spool %s?", o->from.input,
                       o->windows);
    if ((o->since != NULL &&
         when_parse("since", o->since, now_ms, &o->since_ms, e) != 0) ||
        (o->until != NULL &&
         when_parse("until", o->until, now_ms, &o->until_ms, e) != 0))
        return -1;
    if (o->until != NULL && o->until_ms <= o->since_ms)
        return err_set(e, "--until %s is not behind --since %s", o->until,
                       o->since != NULL ? o->since : "@0");
    if (o->from.build != NULL &&
        (o->from.build[0] == '\0' ||
         o->from.build[strspn(o->from.build, "0123456789abcdefABCDEF")] !=
             '\0'))
        return err_set(e,
                       "--build: '%s' is not the beginning of a build-id, in "
                       "hexadecimal digits",
                       o->from.build);
    return 0;
}

static int plan(struct outputs *out, void *config, struct err *e)
{
    struct options *o = config;
    if (plan_windows(o, e) != 0)
        return -1;
    if (o->from.input == NULL && o->windows == NULL)
        return err_set(e, "which recording? type: collector report FILE; or "
                          "--memory FILE for a guest that is dead, or --spool "
                          "DIR");
    if (outputs_plan(out, o, o->output.count == 0, e) != 0)
        return -1;
    if (out->recording != NULL && options_select(o))
        return err_set(e,
                       "-o %s: a recording holds all that was sampled: leave "
                       "--core and --time to the reports on it",
                       out->recording);
    outputs_plan_code(out, o);
    return 0;
}

static int work(const void *config, struct outputs *out)
{
    const struct options *o = config;
    const struct spool_pick pick = {.folder = o->windows,
                                    .guest = o->windows_guest,
                                    .since_ms = o->since_ms,
                                    .until_ms = o->until_ms};
    struct options with = *o;
    struct spool_list list;
    struct err e;

    if (o->windows == NULL)
        return sampling_run(NAME, o, out, NULL);
    if (spool_list_open(&list, &pick, &e) != 0) {
        (void)fprintf(stderr, NAME ": %s\n", e.text);
        return EXIT_FAILED;
    }
    with.from.listed = &list;
    int result = sampling_run(NAME, &with, out, NULL);

    spool_list_fini(&list);
    return result;
}

static int run_report(int argc, char **argv)
{
    static const struct command_plan planned = {NAME, &help, plan, work};
    struct options o;

    options_init(&o);
    o.page_code = OPTIONS_PAGE_USUAL;
    int result = command_main(&planned, &o, &o.from.guests, argc, argv);

    options_fini(&o);
    return result;
}

const struct subcommand cmd_report = {"report", &options, run_report};
