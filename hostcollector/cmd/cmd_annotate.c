/* SPDX-License-Identifier: BSD-2-Clause */
/* collector annotate: the lines and basic blocks of one function. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "annotate/annotate_output.h"
#include "annotate/annotate_part.h"
#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "fleet/mcp/mcp.h"
#include "session/sampling.h"
#include "session/session_options.h"

#define AT(m) offsetof(struct options, m)

/* Take a word: FUNCTION comes before the recording. */
static int take_word(void *config, const char *word, struct err *e)
{
    struct options *o = config;

    if (o->shown.function != NULL)
        return session_recording_word(config, word, e);
    o->shown.function = o->from.input;
    o->from.input = word;
    return OPTION_READ;
}

static const struct option_row own_rows[] = {
    {"source", 0, "DIR", &option_text, AT(from.sources), 0, 0,
     "the folder of source files (default: where compiled)"},
    {"output", 'o', "FILE", &option_output, AT(output), 0, 0,
     "write FILE: .txt, .json or .html; - is standard output"},
    {"format", 0, "txt|json|html", &option_text, AT(output.format), 0, 0,
     "format of FILE, or without -o of standard output"},
    {.name = NULL}};

static const struct option_row all_rows[] = {
    {"all", 0, NULL, &option_flag, AT(shown.all), 0, 0,
     "show every line and block, also those without samples"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Recordings and images:"),
    OPTION_ROWS(recorded_elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(own_rows, 0),
    OPTION_TITLE("What to show:"),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(time_rows, AT(selection)),
    OPTION_ROWS(all_rows, 0),
    OPTION_ROWS(of_rows, AT(shown)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_ROWS(text_rows, AT(output)),
    OPTION_ROWS(pager_rows, AT(shown)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " annotate", .groups = groups, .word = take_word};

static const struct help help = {
    &options,
    "collector annotate [FUNCTION] [FILE] [option...]\n"
    "\n"
    "Shows one function of the recording FILE (default: tprof.tprof): "
    "its source lines and the basic blocks of its code, each with its "
    "share of the samples and the error of the share. FUNCTION is a "
    "name or a part of one (default: the busiest function). The code "
    "comes from the recording, or from the image that the guest ran.",
    "  collector annotate\n"
    "  collector annotate memcpy\n"
    "  collector annotate memcpy monday.tprof -o memcpy.html\n",
    "Exit status: 0 done, 1 failed, 2 the command line is wrong, 3 no samples, "
    "or no such function."};

/* The formats that the command writes. */
static const struct render_ops *const formats[] = {
    &render_annotate_txt, &render_annotate_json, &render_html, NULL};

/* Was FILE typed before FUNCTION? */
static bool is_turned(const struct options *o)
{
    return o->shown.function != NULL && access(o->from.input, F_OK) != 0 &&
           access(o->shown.function, F_OK) == 0;
}

/* Is the only word a function, and not a file? */
static bool lacks_file(const struct options *o)
{
    const char *end = strrchr(o->from.input, '.');

    return o->shown.function == NULL && strcmp(o->from.input, "-") != 0 &&
           strchr(o->from.input, '/') == NULL &&
           (end == NULL || strcmp(end, ".tprof") != 0) &&
           access(o->from.input, F_OK) != 0;
}

/* Find the word that names the recording. Returns 0; -1 with (e) filled. */
static int plan_words(struct options *o, struct err *e)
{
    const char *word = o->from.input;

    if (word == NULL || lacks_file(o)) {
        o->shown.function = word;
        o->from.input = session_default_recording(o->output.quiet);
        return o->from.input != NULL
                   ? 0
                   : err_set(e,
                             "which recording? no tprof.tprof is here; type: "
                             "collector annotate %s "
                             "FILE",
                             word != NULL ? word : "FUNCTION");
    }
    if (is_turned(o)) {
        o->from.input = o->shown.function;
        o->shown.function = word;
    }
    return 0;
}

static int plan_annotate(struct outputs *out, void *config, struct err *e)
{
    struct options *o = config;

    if (plan_words(o, e) != 0 ||
        outputs_plan(out, o, o->output.count == 0, e) != 0)
        return -1;
    outputs_plan_code(out, o);
    o->from.reads_sources = true;
    return outputs_choose(out, "annotate", formats, e);
}

static int work_annotate(void *config, struct outputs *out)
{
    const struct options *o = config;
    const struct sampling_job job = {.command = "collector annotate",
                                     .options = o,
                                     .outputs = out,
                                     .part = &annotate_part};

    return sampling_run(&job);
}

static const struct command_plan planned = {"collector annotate", &help,
                                            plan_annotate, work_annotate};

int cmd_annotate_answer(const struct mcp_ask *ask)
{
    struct options o = OPTIONS_DEFAULT;

    mcp_ask_options(ask, &o);
    int result = command_run(&planned, &o, &o.from.guests);

    options_fini(&o);
    return result;
}

static int run_annotate(int argc, char **argv)
{
    struct options o = OPTIONS_DEFAULT;

    o.shown.page_code = OPTIONS_PAGE_USUAL;
    int result = command_main(&planned, &o, &o.from.guests, argc, argv);

    options_fini(&o);
    return result;
}

const struct subcommand cmd_annotate = {"annotate", &options, run_annotate};
