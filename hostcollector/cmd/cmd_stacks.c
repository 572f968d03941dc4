/* SPDX-License-Identifier: BSD-2-Clause */
/* collector stacks: shows the current stack of every core. */
#include <math.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "guest/source/source.h"
#include "session/session_options.h"
#include "stacks/snapshot_output.h"
#include "stacks/stacks_session.h"

#define DEFAULT_LOOK_S     2.0
#define DEFAULT_INTERVAL_S 1.0
#define DEFAULT_WAIT_S     2.0
/* Rate of samples between two looks. Each sample of a guest without an agent
 * stops the guest, and samples between looks are not needed. At this rate or a
 * lower one, the samples of one stop arrive together. */
#define SAMPLES_A_LOOK     8.0
#define OUTSIDE_RATE       50.0

#define AT(m)  offsetof(struct stacks_config, options.m)
#define OWN(m) offsetof(struct stacks_config, m)

static const struct option_row look_rows[] = {
    {"duration", 'd', "SECONDS", &option_seconds, AT(duration_s), 1, 0,
     "how long to wait for a guest's cores (default: 2)"},
    {"registers", 0, NULL, &option_flag, OWN(registers), 0, 0,
     "registers, too, with --gdb, --qmp or --memory"},
    {"count", 'n', "N", &option_count, OWN(looks), 1, 1000000,
     "look so often (default: once)"},
    {"interval", 'i', "SECONDS", &option_seconds, OWN(interval_s), 1, 0,
     "from one look to the next (default: 1)"},
    {"wait", 0, "SECONDS", &option_seconds, AT(from.wait_s), 0, 0,
     "how long a guest may take to answer (default: 2)"},
    {.name = NULL}};

static const struct option_row own_output_rows[] = {
    {"output", 'o', "FILE", &option_output, AT(output), 0, 0,
     "write FILE: .txt or .json; - is standard output"},
    {"format", 0, "txt|json", &option_text, AT(output.format), 0, 0,
     "format of FILE, or without -o of standard output"},
    {.name = NULL}};

static const struct option_row own_time_rows[] = {
    {"time", 0, "A..B", &option_span, AT(selection.time), 0, 0,
     "last stacks in seconds A to B of a recording, such as 2..5"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Guests and images:"),
    OPTION_MADE(session_source, AT(from)),
    OPTION_ROWS(guests_file_rows, AT(from)),
    OPTION_ROWS(guest_name_rows, AT(from)),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_TITLE("What to sample:"),
    OPTION_ROWS(look_rows, 0),
    OPTION_ROWS(rate_rows, AT(from)),
    OPTION_ROWS(depth_rows, AT(from)),
    OPTION_ROWS(unwind_rows, AT(from)),
    OPTION_TITLE("What to show:"),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(own_time_rows, 0),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(own_output_rows, 0),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_ROWS(text_rows, AT(output)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(dead_memory_rows, AT(from)),
    OPTION_ROWS(connect_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " stacks", .groups = groups, .word = session_recording_word};

static const struct help help = {
    &options,
    "collector stacks --serial PATH --elf FILE [option...]\n"
    "collector stacks FILE [option...]\n"
    "collector stacks --memory FILE --elf FILE [option...]\n"
    "\n"
    "Shows the stack of every core of a guest at this moment, or the "
    "last stack of each core in a recording. A core whose interrupts "
    "are off sends no sample, and is reported as such. With --gdb or "
    "--qmp such a core is seen, too, and the guest needs no agent. With "
    "--memory and an ELF core it shows the cores of a dead guest.",
    "  collector stacks --serial tprof.sock --elf kernel.elf\n"
    "  collector stacks --gdb gdb.sock --elf kernel.elf --registers\n"
    "  collector stacks --memory vm.core --elf kernel.elf\n",
    CMD_STATUS};

static const struct render_ops *const formats[] = {&render_txt,
                                                   &render_snapshot_json, NULL};

/* Are all guests sampled without an agent? Only then are there registers. */
static bool all_outside(const struct options *o)
{
    bool all = o->from.guests.count != 0;

    for (size_t i = 0; i < o->from.guests.count; i++)
        all &= source_kind_find(o->from.guests.list[i].kind)->need ==
               SOURCE_NEEDS_SAMPLER;
    return all;
}

static uint32_t rate_outside(const struct stacks_config *c)
{
    double rate = c->looks > 1 ? SAMPLES_A_LOOK / c->interval_s : OUTSIDE_RATE;

    return (uint32_t)fmax(1, fmin(rate, OUTSIDE_RATE));
}

static int plan_stacks(struct outputs *out, void *config, struct err *e)
{
    struct stacks_config *c = config;
    struct options *o = &c->options;
    bool guests = o->from.guests.count != 0;

    if (!guests && o->from.input == NULL)
        return err_set(e, "of which guest? type: collector stacks --serial "
                          "PATH --elf FILE");
    if (guests && o->from.input != NULL)
        return err_set(e, "a guest or a recording, not both");
    if (!guests && (c->looks != 0 || c->interval_s > 0))
        return err_set(e, "-n and -i are for guests: a recording has one end");
    if (guests && (o->selection.time.from_s > 0 || o->selection.time.to_s > 0))
        return err_set(e, "--time is for recordings: of a guest this is now");
    if (c->registers && !all_outside(o) && !o->from.input_is_memory)
        return err_set(e, "--registers is for guests by --gdb, --qmp or "
                          "--memory: agents and recordings have none");
    /* registers distinguish a dead core from an idle one */
    o->from.keep_registers = true;
    if (c->looks == 0)
        c->looks = 1;
    if (c->interval_s <= 0)
        c->interval_s = DEFAULT_INTERVAL_S;
    if (o->from.rate_hz == 0 && all_outside(o))
        o->from.rate_hz = rate_outside(c);
    if (o->duration_s <= 0)
        o->duration_s = DEFAULT_LOOK_S;
    if (o->from.wait_s < 0)
        o->from.wait_s = DEFAULT_WAIT_S;
    if (outputs_plan(out, o, o->output.count == 0, e) != 0)
        return -1;
    return outputs_choose(out, "stacks", formats, e);
}

static int work_stacks(void *config, struct outputs *out)
{
    return stacks_session_run("collector stacks", config, out);
}

static int run_stacks(int argc, char **argv)
{
    static const struct command_plan planned = {"collector stacks", &help,
                                                plan_stacks, work_stacks};
    struct stacks_config c = {.options = OPTIONS_DEFAULT};
    int result = command_main(&planned, &c, &c.options.from.guests, argc, argv);

    options_fini(&c.options);
    return result;
}

const struct subcommand cmd_stacks = {"stacks", &options, run_stacks};
