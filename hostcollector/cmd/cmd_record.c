/* SPDX-License-Identifier: BSD-2-Clause */
/* collector record: attach, sample into a file, report later. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/session.h"
#include "render/text.h"

#define DEFAULT_FILE "tprof.tprof"

static int help(void)
{
    (void)fputs("collector record --serial PATH [--elf FILE] [option...]\n"
                "\n"
                "Samples into a recording, " DEFAULT_FILE " unless -o names "
                "one, until --duration,\n"
                "Ctrl-C, or the guest's end. 'collector report FILE' makes "
                "everything else from it.\n"
                "\n",
                stdout);
    options_help(stdout, COMMAND_RECORD);
    return EXIT_DONE;
}

/* One line: what is in the file, and what to do with it. */
static void summarize(const struct outputs *out, const struct profile *p)
{
    const char *path = out->recording;
    uint64_t samples = 0, ticks = 0;
    char count[TEXT_NUMBER], lost[TEXT_NUMBER];

    for (size_t i = 0; i < p->core_count; i++) {
        samples += p->cores[i].account.samples;
        ticks += account_ticks(&p->cores[i].account);
    }
    (void)fprintf(stderr,
                  "collector: %s holds %s samples of %.1f s, %s lost; next: "
                  "collector report %s\n",
                  path, text_count(count, samples), p->duration_s,
                  text_count(lost, ticks - samples), path);
}

static int run_record(int argc, char **argv)
{
    struct options o;
    struct outputs out;
    struct err e = {""};
    struct source *source;

    if (options_parse(&o, COMMAND_RECORD, argc, argv, &e) != 0)
        goto usage;
    if (o.help)
        return help();
    if (outputs_plan(&out, &o, false, &e) != 0)
        goto usage;
    if (out.recording == NULL)
        out.recording = DEFAULT_FILE;
    if (o.serial == NULL) {
        (void)err_set(&e, "where from? type: collector record --serial PATH "
                          "--elf FILE");
        goto usage;
    }
    source = source_serial(o.serial, &e);
    if (source == NULL)
        goto usage;
    return session_run("collector record", source, &o, &out, summarize);

usage:
    (void)fprintf(stderr, "collector record: %s\n", e.text);
    return EXIT_USAGE;
}

const struct command cmd_record = {"record", run_record};
