/* SPDX-License-Identifier: BSD-2-Clause */
/* collector serve: many guests, for ever. */
#include <stdio.h>
#include <string.h>

#include "cli/amount.h"
#include "cli/command.h"
#include "cli/command_main.h"
#include "fleet/serve/serve_session.h"
#include "fleet/serve/serve_wanted.h"

#define DEFAULT_HZ 97u
#define WINDOW_MAX 3600 /* seconds */

static const struct help help = {
    COMMAND_SERVE,
    "collector serve --watch DIR [option...]\n"
    "collector serve --guests FILE [option...]\n"
    "collector serve --vsock 3..200 [option...]\n"
    "\n"
    "Attaches to guests as they come, samples each at a low rate, and counts "
    "what came and what was lost, until Ctrl-C. A guest that leaves or sends "
    "nonsense is tried again, less and less often. SIGHUP has FILE read again; "
    "guests that stay in it are not touched.",
    "Exit status: 0 done, 1 failed, 2 the line makes no sense."};

static const char *or_else(const char *given, const char *usual)
{
    return given != NULL ? given : usual;
}

static int read_amounts(struct options *o, struct err *e)
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

static int plan(struct outputs *out, struct options *o, struct err *e)
{
    (void)out;
    if (o->guests.count == 0 && o->watch == NULL)
        return err_set(e, "which guests? type: collector serve --watch DIR");
    for (size_t i = 0; i < o->guests.count; i++)
        if (serve_check(&o->guests.list[i], e) != 0)
            return -1;
    if (o->rate_hz == 0)
        o->rate_hz = DEFAULT_HZ;
    return read_amounts(o, e);
}

static int work(const struct options *o, struct outputs *out)
{
    (void)out;
    return serve_session_run(o);
}

static int run_serve(int argc, char **argv)
{
    static const struct command_plan planned = {"collector serve", &help, plan,
                                                work};

    return command_main(&planned, argc, argv);
}

const struct subcommand cmd_serve = {"serve", run_serve};
