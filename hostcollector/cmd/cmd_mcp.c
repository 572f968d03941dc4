/* SPDX-License-Identifier: BSD-2-Clause */
/* collector mcp: answers a developer's assistant. */
#include <stddef.h>

#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "fleet/mcp/mcp.h"
#include "session/session_options.h"

#define AT(m) offsetof(struct mcp_config, m)

static int take_folder(void *config, const char *word, struct err *e)
{
    struct mcp_config *c = config;

    return option_words_add(&c->folders, OPTION_WORDS, word) == 0
               ? OPTION_READ
               : err_set(e, "more than %d folders", OPTION_WORDS);
}

static const struct option_row own_rows[] = {
    {"elf", 0, "FILE", &option_guest, AT(from.guests), 0, 0,
     "an image that check may look at"},
    {"spool", 0, "DIR", &option_text, AT(spool), 0, 0,
     "windows that collector serve keeps"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_ROWS(own_rows, 0),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " mcp", .groups = groups, .word = take_folder};

static const struct help help = {
    &options,
    "collector mcp [FOLDER...] [option...]\n"
    "\n"
    "Answers a developer's assistant about the recordings in each FOLDER "
    "(default: this folder) and below, by the Model Context Protocol on "
    "standard input and output. The assistant's program starts this command. "
    "Its tools are list_recordings, report, function, annotate, diff and "
    "check. Nothing is written, and no source file is opened.",
    "  collector mcp ~/profiles\n"
    "  collector mcp --spool /var/lib/tprof/spool --elf kernel.elf\n",
    "Exit status: 0 standard input ended, 1 failed, 2 the command line is "
    "wrong."};

static int plan_mcp(struct outputs *out, void *config, struct err *e)
{
    struct mcp_config *c = config;
    (void)out;
    (void)e;

    if (c->folders.count == 0 && c->spool == NULL)
        c->folders.list[c->folders.count++] = ".";
    return 0;
}

static int work_mcp(void *config, struct outputs *out)
{
    (void)out;
    return mcp_run(config);
}

static int run_mcp(int argc, char **argv)
{
    static const struct command_plan planned = {"collector mcp", &help,
                                                plan_mcp, work_mcp};
    struct mcp_config c = {.from = GUEST_CONFIG_DEFAULT,
                           .report = cmd_report_answer,
                           .annotate = cmd_annotate_answer,
                           .diff = cmd_diff_answer,
                           .check = cmd_check_answer};
    int result = command_main(&planned, &c, &c.from.guests, argc, argv);

    guests_fini(&c.from.guests);
    return result;
}

const struct subcommand cmd_mcp = {"mcp", &options, run_mcp};
