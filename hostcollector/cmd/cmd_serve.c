/* SPDX-License-Identifier: BSD-2-Clause */
/* collector serve: samples many guests without end. */
#include <stdio.h>
#include <string.h>

#include "cli/amount.h"
#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "fleet/serve/serve_config.h"
#include "fleet/serve/serve_wanted.h"
#include "session/session_options.h"

#define DEFAULT_HZ 97u
#define WINDOW_MAX 3600 /* seconds */

#define AT(m) offsetof(struct serve_config, m)

static const struct option_row guests_rows[] = {
    {"watch", 0, "DIR", &option_text, AT(watch), 0, 0,
     "sample the guests whose Unix sockets appear in DIR"},
    {"guests", 0, "FILE", &option_guests, AT(from.guests), 0, 0,
     "guests from FILE, one a line; SIGHUP reads FILE again"},
    {.name = NULL}};

static const struct option_row elf_row[] = {
    {"elf", 0, "FILE", &option_guest, AT(from.guests), 0, 0,
     "the guests' ELF files, for busy time and names in pages"},
    {.name = NULL}};

static const struct option_row rate_row[] = {
    {"rate", 0, "HZ", &option_count, AT(from.rate_hz), 1, 100000,
     "samples a second on each core, 1 to 100000 (default: 97)"},
    {.name = NULL}};

static const struct option_row own_rows[] = {
    {"budget", 0, "PERCENT", &option_text, AT(budget), 0, 0,
     "percent of a core's time for sampling, such as 0.1"},
    {"spool", 0, "DIR", &option_text, AT(spool), 0, 0,
     "keep windows in DIR: a recording for each guest and time"},
    {"window", 0, "TIME", &option_text, AT(window), 0, 0,
     "length of a window, 1s to 1h (default: 10s)"},
    {"spool-size", 0, "SIZE", &option_text, AT(spool_size), 0, 0,
     "remove the oldest windows beyond this size (default: 1G)"},
    {"spool-age", 0, "TIME", &option_text, AT(spool_age), 0, 0,
     "remove windows that are older (default: 7d)"},
    {"listen", 0, "ADDRESS", &option_text, AT(listen), 0, 0,
     "serve pages and /metrics at 127.0.0.1:9797 or unix:PATH"},
    {"token-file", 0, "FILE", &option_text, AT(token_file), 0, 0,
     "answer only clients with the token in FILE's first line"},
    {"page-code", 0, NULL, &option_flag, AT(shows_code), 0, 0,
     "show code in pages, also to clients without a token"},
    {"memory", 0, "SIZE", &option_size, AT(from.memory), 0, 0,
     "memory for guests and their windows (default: 1G)"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Guests and images:"),
    OPTION_MADE(session_source_with_agent, AT(from)),
    OPTION_ROWS(guests_rows, 0),
    OPTION_ROWS(guest_name_rows, AT(from)),
    OPTION_ROWS(elf_row, 0),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_TITLE("What to sample:"),
    OPTION_ROWS(rate_row, 0),
    OPTION_ROWS(depth_rows, AT(from)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(own_rows, 0),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(connect_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {.command = " serve",
                                          .groups = groups};

static const struct help help = {
    &options,
    "collector serve --watch DIR [option...]\n"
    "collector serve --guests FILE [option...]\n"
    "collector serve --vsock 3..200 [option...]\n"
    "\n"
    "Attaches to each guest that appears, samples it at a low rate, and counts "
    "received and lost samples, until Ctrl-C. A guest that leaves or sends "
    "nonsense is tried again, less and less often. On SIGHUP serve reads FILE "
    "again, and goes on with the guests that are still in FILE.",
    "  collector serve --watch /run/guests --listen 127.0.0.1:9797\n"
    "  collector serve --guests guests.txt --spool /var/lib/tprof\n"
    "  collector serve --watch /run/guests --budget 0.1 --elf kernel.elf\n",
    "Exit status: 0 done, 1 failed, 2 the command line is wrong."};

static const char *or_else(const char *given, const char *usual)
{
    return given != NULL ? given : usual;
}

static int read_amounts(struct serve_config *o, struct err *e)
{
    if (o->spool == NULL &&
        (o->spool_size != NULL || o->spool_age != NULL || o->window != NULL))
        return err_set(e, "--spool-size, --spool-age and --window go with "
                          "--spool DIR");
    if ((o->budget != NULL &&
         amount_percent("budget", o->budget, &o->budget_percent, e) != 0) ||
        amount_size("spool-size", or_else(o->spool_size, "1G"), &o->spool_bytes,
                    e) != 0 ||
        amount_time("spool-age", or_else(o->spool_age, "7d"), &o->spool_age_s,
                    e) != 0 ||
        amount_time("window", or_else(o->window, "10s"), &o->window_s, e) != 0)
        return -1;
    if (o->window_s < 1 || o->window_s > WINDOW_MAX || o->spool_age_s < 1)
        return err_set(e, "--window takes 1s to 1h, and --spool-age no less "
                          "than 1s");
    return 0;
}

static int plan_serve(struct outputs *out, void *config, struct err *e)
{
    struct serve_config *o = config;
    (void)out;
    if (o->from.guests.count == 0 && o->watch == NULL)
        return err_set(e, "which guests? type: collector serve --watch DIR");
    for (size_t i = 0; i < o->from.guests.count; i++)
        if (serve_check(&o->from.guests.list[i], e) != 0)
            return -1;
    if (o->from.rate_hz == 0)
        o->from.rate_hz = DEFAULT_HZ;
    return read_amounts(o, e);
}

static int work_serve(void *config, struct outputs *out)
{
    const struct serve_config *o = config;
    (void)out;
    return serve_session_run(o);
}

static int run_serve(int argc, char **argv)
{
    static const struct command_plan planned = {"collector serve", &help,
                                                plan_serve, work_serve};
    struct serve_config o = {.from = GUEST_CONFIG_DEFAULT,
                             .write_page = cmd_report_page};
    int result = command_main(&planned, &o, &o.from.guests, argc, argv);

    guests_fini(&o.from.guests);
    return result;
}

const struct subcommand cmd_serve = {"serve", &options, run_serve};
