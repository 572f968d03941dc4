/* SPDX-License-Identifier: BSD-2-Clause */
/* collector check: what a profile of this image will and will not show. */
#include <stdio.h>

#include "check/report.h"
#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/help.h"
#include "cli/option_kinds.h"
#include "cli/signals.h"
#include "cli/text_style.h"
#include "fleet/mcp/mcp.h"
#include "session/session_options.h"

struct check_options {
    struct guests guests; /* their images alone */
    bool all;
    enum sandbox_mode sandbox;
};

#define AT(m) offsetof(struct check_options, m)

/* Take an image, with or without --elf. */
static int take_image(void *config, const char *word, struct err *e)
{
    struct check_options *o = config;

    return guests_option(&o->guests, "elf", word, e);
}

static const struct option_row own_rows[] = {
    {"elf", 0, "FILE", &option_guest, AT(guests), 0, 0,
     "the image to look at, and again for another"},
    {"all", 0, NULL, &option_flag, AT(all), 0, 0,
     "every compile unit (default: the 20 largest)"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_ROWS(own_rows, 0), OPTION_ROWS(sandbox_rows, AT(sandbox)),
    OPTION_ROWS(help_rows, 0), OPTION_END};

static const struct option_set options = {
    .command = " check", .groups = groups, .word = take_image};

static const struct help help = {
    &options,
    "collector check --elf FILE [--all]\n"
    "\n"
    "Reads a kernel's image, ELF or PE (EFI), and says which names, lines and "
    "callers a profile will show, and what to type for the rest. Nothing is "
    "run. Exit status: 0 FILE was read, whatever is missing in it; 1 FILE "
    "cannot "
    "be read, tprof would damage this kernel, a part of tprof would not be "
    "loaded, or tprof_init() would fail; 2 the command line is wrong.",
    "  collector check --elf kernel.elf\n"
    "  collector check kernel.elf app.elf\n"
    "  collector check --elf kernel.elf --all\n",
    NULL};

/* Drop all rights that reading images does not need, because images may come
 * from anywhere. */
static int confine(const struct check_options *o)
{
    struct err e;
    int result = signals_fill_standard(&e);

    if (result == 0)
        result = confine_prepare_check(o->sandbox, o->guests.elfs, &e);
    if (result == 0)
        result = confine_reader(o->sandbox, &e);
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector check: %s\n", e.text);
    return result;
}

/* Check each image separately. An image that cannot be read does not stop the
 * others. */
static int check_all(const struct check_options *o)
{
    const struct elf_path *elf = o->guests.elfs;
    int result = EXIT_DONE;

    if (confine(o) != 0)
        return EXIT_FAILED;
    for (const struct elf_path *next = elf; next != NULL; next = next->next) {
        struct err e = {""};

        if (next != elf)
            (void)putchar('\n');
        if (check_file(next->path, text_style_columns(), o->all, &e) == 0)
            continue;
        (void)fprintf(stderr, "collector check: %s\n", e.text);
        result = EXIT_FAILED;
    }
    return result;
}

int cmd_check_answer(const struct mcp_ask *ask)
{
    struct check_options o = {.sandbox = ask->config->from.sandbox};
    struct err e = {""};
    int result = EXIT_FAILED;

    if (take_image(&o, ask->image, &e) == 0)
        result = check_all(&o);
    else
        (void)fprintf(stderr, "collector check: %s\n", e.text);
    guests_fini(&o.guests);
    return result;
}

static int run_check(int argc, char **argv)
{
    struct check_options o = {.all = false};
    struct err e = {""};
    int result = option_parse(&o, &options, argc, argv, &e);

    if (result == OPTION_READ && o.guests.elfs == NULL)
        result = err_set(&e, "which image? type: collector check --elf FILE");
    if (result == OPTION_HELP)
        result = help_print(&help);
    else if (result == OPTION_READ)
        result = check_all(&o);
    else
        result = EXIT_USAGE;
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector check: %s\n", e.text);
    guests_fini(&o.guests);
    return result;
}

const struct subcommand cmd_check = {"check", &options, run_check};
