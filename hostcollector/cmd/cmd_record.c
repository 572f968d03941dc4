/* SPDX-License-Identifier: BSD-2-Clause */
/* collector record: samples a guest into a file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/amount.h"
#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "session/sampling.h"
#include "session/session_options.h"
#include "util/text.h"

#define LEAST (64u << 10) /* bytes: what --max-size takes */

struct record_config {
    struct options options;
    const char *max_size; /* as typed; NULL: not */
};

#define AT(m) offsetof(struct record_config, options.m)

static const struct option_row own_rows[] = {
    {"max-size", 0, "SIZE", &option_text,
     offsetof(struct record_config, max_size), 0, 0,
     "stop when a recording has this size, 64K or more"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Guests and images:"),
    OPTION_MADE(session_source, AT(from)),
    OPTION_ROWS(guests_file_rows, AT(from)),
    OPTION_ROWS(guest_name_rows, AT(from)),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(source_rows, AT(from)),
    OPTION_TITLE("What to sample:"),
    OPTION_ROWS(duration_rows, offsetof(struct record_config, options)),
    OPTION_ROWS(own_rows, 0),
    OPTION_ROWS(wait_rows, AT(from)),
    OPTION_ROWS(rate_rows, AT(from)),
    OPTION_ROWS(depth_rows, AT(from)),
    OPTION_ROWS(unwind_rows, AT(from)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(output_rows, AT(output)),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_ROWS(names_rows, offsetof(struct record_config, options)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(connect_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {.command = " record",
                                          .groups = groups};

static const struct help help = {
    &options,
    "collector record --serial PATH [--elf FILE] [option...]\n"
    "\n"
    "Samples into a recording, " SESSION_RECORDING
    " unless -o names one (NAME.GUEST.tprof for each of several guests), until "
    "--duration, Ctrl-C, or the guest's end. 'collector report FILE' makes "
    "everything else from it.",
    "  collector record --serial tprof.sock --elf kernel.elf -d 10s\n"
    "  collector record --vsock 3 --elf kernel.elf -o monday.tprof\n"
    "  collector record --gdb gdb.sock --elf kernel.elf --rate 97 -d 1m\n",
    CMD_STATUS};

/* Print one line: the contents of the file, and the next command. */
static void summarize(const char *path, const struct profile *p)
{
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

static int plan_size(struct record_config *c, struct err *e)
{
    uint64_t *bytes = &c->options.max_bytes;

    if (c->max_size == NULL)
        return 0;
    if (amount_size("max-size", c->max_size, bytes, e) != 0)
        return -1;
    return *bytes >= LEAST ? 0
                           : err_set(e, "--max-size: less than 64K has no room "
                                        "for a guest");
}

static int plan_record(struct outputs *out, void *config, struct err *e)
{
    struct record_config *c = config;
    struct options *o = &c->options;

    for (unsigned i = 0; i < o->output.count; i++)
        if (strcmp(o->output.paths[i], "-") == 0 &&
            o->output.formats[i] == NULL && o->output.format == NULL)
            return err_set(e, "-o -: a recording goes into a file, not to "
                              "standard output");
    if (outputs_plan(out, o, false, e) != 0)
        return -1;
    if (out->recording == NULL)
        out->recording = SESSION_RECORDING;
    outputs_plan_code(out, o);
    if (plan_size(c, e) != 0)
        return -1;
    if (o->from.guests.count == 0)
        return err_set(e, "where from? type: collector record --serial PATH "
                          "--elf FILE");
    return 0;
}

static int work_record(void *config, struct outputs *out)
{
    const struct record_config *c = config;
    const struct sampling_job job = {.command = "collector record",
                                     .options = &c->options,
                                     .outputs = out,
                                     .max_size = c->max_size,
                                     .done = summarize};

    return sampling_run(&job);
}

static int run_record(int argc, char **argv)
{
    static const struct command_plan planned = {"collector record", &help,
                                                plan_record, work_record};
    struct record_config c = {.options = OPTIONS_DEFAULT};
    int result = command_main(&planned, &c, &c.options.from.guests, argc, argv);

    options_fini(&c.options);
    return result;
}

const struct subcommand cmd_record = {"record", &options, run_record};
