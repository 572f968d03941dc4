/* SPDX-License-Identifier: BSD-2-Clause */
/* collector check: what a profile of this image will and will not show. */
#include <stdio.h>

#include "check/gather.h"
#include "check/report.h"
#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "image/file/image.h"

static const struct help help = {
    COMMAND_CHECK,
    "collector check --elf FILE [--all]\n"
    "\n"
    "Looks at a kernel's image, ELF or PE (EFI), and says what a profile of it "
    "will and will not show: names, lines, callers; and what to type about the "
    "rest. Nothing is run. Exit status 0 means that FILE was looked at, "
    "whatever it lacks; 1 that it cannot be read, that tprof would damage "
    "this kernel, or that a part of tprof would not be loaded.",
    NULL};

/* Images come from anywhere, too: give up what reading them does not take. */
static int confine(const struct options *o)
{
    struct err e;
    int result = signals_fill_standard(&e);

    if (result == 0)
        result = confine_prepare_check(o, &e);
    if (result == 0)
        result = confine_check(o, &e);
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector check: %s\n", e.text);
    return result;
}

static int check_image(const char *path, bool all, struct err *e)
{
    struct image *img;
    struct check_facts facts;

    if (image_open(&img, path, e) != 0)
        return -1;
    if (check_gather(&facts, img) != 0) {
        image_close(img);
        return err_set(e, "%s: out of memory", path);
    }
    check_report(stdout, path, &facts, all);
    int status = fflush(stdout) == 0 ? check_refuse(&facts, path, e)
                                     : err_sys(e, "standard output");
    check_facts_fini(&facts);
    image_close(img);
    return status;
}

/* Each image by itself; one that cannot be read does not hide the others. */
static int check_all(const struct options *o)
{
    const struct elf_path *elf = o->guests.elfs;
    int result = EXIT_DONE;

    if (confine(o) != 0)
        return EXIT_FAILED;
    for (const struct elf_path *next = elf; next != NULL; next = next->next) {
        struct err e = {""};

        if (next != elf)
            (void)putchar('\n');
        if (check_image(next->path, o->all, &e) == 0)
            continue;
        (void)fprintf(stderr, "collector check: %s\n", e.text);
        result = EXIT_FAILED;
    }
    return result;
}

static int run_check(int argc, char **argv)
{
    struct options o;
    struct err e = {""};
    int result = EXIT_USAGE;

    if (options_parse(&o, COMMAND_CHECK, argc, argv, &e) != 0)
        (void)fprintf(stderr, "collector check: %s\n", e.text);
    else if (o.help)
        result = help_print(&help);
    else if (o.guests.elfs == NULL)
        (void)fputs("collector check: which image? type: collector check "
                    "--elf FILE\n",
                    stderr);
    else
        result = check_all(&o);
    options_fini(&o);
    return result;
}

const struct subcommand cmd_check = {"check", run_check};
