/* SPDX-License-Identifier: BSD-2-Clause */
/* collector top: shows the current work of a guest on a terminal. */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "annotate/annotate_part.h"
#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/confine/confine.h"
#include "cli/option_kinds.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "guard/sandbox.h"
#include "outside/sampler_process.h"
#include "session/session_options.h"
#include "top/curses.h"
#include "top/top_session.h"
#include "util/host_clock.h"
#include "util/text.h"

#define ONE_STOP      500000000u /* nanoseconds */
#define SLOW_TERMINAL 50         /* milliseconds between pictures */

#define AT(m) offsetof(struct options, m)

static const struct option_row own_rows[] = {
    {"output", 'o', "FILE", &option_output, 0, 0, 0,
     "record into FILE from the start (default: at key r)"},
    {.name = NULL}};

static const struct option_row by_rows[] = {
    {"by", 0, "core|thread|image", &option_choice, AT(shown.by), 0, 0,
     "columns of functions: a core (default), thread or image"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Guests and images:"),
    OPTION_MADE(session_source, AT(from)),
    OPTION_ROWS(guest_name_rows, AT(from)),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(source_rows, AT(from)),
    OPTION_TITLE("What to sample:"),
    OPTION_ROWS(wait_rows, AT(from)),
    OPTION_ROWS(rate_rows, AT(from)),
    OPTION_ROWS(depth_rows, AT(from)),
    OPTION_ROWS(unwind_rows, AT(from)),
    OPTION_TITLE("What to show:"),
    OPTION_ROWS(by_rows, 0),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(own_rows, AT(output)),
    OPTION_ROWS(names_rows, 0),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(connect_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " top", .groups = groups, .word = session_recording_word};

static const struct help help = {
    &options,
    "collector top --serial PATH --elf FILE [option...]\n"
    "collector top [FILE] [option...]\n"
    "\n"
    "Shows live what a guest does, or plays a recording: busy, idle, "
    "late and lost time of each core, and the functions. The key ? "
    "lists all keys: sort, filter, callers, cores, time, rate, "
    "recording. q or Ctrl-C ends top.",
    "  collector top --serial tprof.sock --elf kernel.elf\n"
    "  collector top --serial tprof.sock --elf kernel.elf -o monday.tprof\n"
    "  collector top monday.tprof\n",
    "NO_COLOR in the environment: no colours."};

/* The session, its screen, and the state of the loop. */
struct display {
    struct top_session session;
    struct screen screen;
    bool behind; /* a picture was skipped, because the terminal takes no output
                  */
    int stop_fd;
    uint64_t grace_ns; /* until then, signals count as the one that came */
};

/* Draw the picture in the current size of the terminal. */
static void draw(struct display *d)
{
    struct top_facts facts = top_session_facts(&d->session);
    unsigned width, height;

    curses_size(&width, &height);
    top_draw(&d->session.top, &facts, &d->screen, width, height);
    d->behind = !curses_show(&d->screen);
}

/* Handle all waiting keys. Returns 1 if there were any; 2 if the user leaves; 0
 * if there were none; -1 with (e) filled. */
static int take_keys(struct display *d, struct err *e)
{
    bool resized, gone;
    uint32_t key;
    int pressed = 0;

    while ((key = curses_key(&resized, &gone)) != 0 || resized) {
        int result = key != 0 ? top_session_key(&d->session, key, e) : 1;

        if (result <= 0)
            return result < 0 ? -1 : 2;
        pressed = 1;
    }
    return gone ? 2 : pressed;
}

/* Handle a signal that requests the end. The same request may come twice, from
 * a terminal and from a supervisor. */
static void hear_stop(struct display *d)
{
    char scrap[1024];

    (void)!read(d->stop_fd, scrap, sizeof scrap);
    d->grace_ns = clock_ns() + ONE_STOP;
}

/* Wait for the guest, keys, signals, or time. Returns 1 if the guest can be
 * read; 0 if not; 2 if the process must end; -1 with (e) filled. */
static int wait_for(struct display *d, struct err *e)
{
    struct top_wait wait = top_session_wait(&d->session);
    struct pollfd fds[] = {
        {.fd = wait.fd,
         .events = (short)(wait.to_write ? POLLIN | POLLOUT : POLLIN)},
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = d->stop_fd, .events = POLLIN}};
    /* do not poll the terminal: if the free room were too small for the next
     * character, poll() would report the room again and again */
    int ms =
        curses_flush() || wait.ms < SLOW_TERMINAL ? wait.ms : SLOW_TERMINAL;
    int n = poll(fds, 3, ms);

    if (n < 0 && errno != EINTR)
        return err_sys(e, "poll");
    if (n <= 0)
        return 0;
    if (fds[2].revents != 0)
        hear_stop(d);
    if (d->grace_ns != 0 || (fds[1].revents & (POLLHUP | POLLERR)) != 0)
        return 2;
    return (fds[0].revents & ~POLLOUT) != 0;
}

/* Run until the user leaves. Returns 0; -1 with (e) filled. */
static int run(struct display *d, struct err *e)
{
    draw(d);
    for (;;) {
        int readable = wait_for(d, e);
        int keys = readable == 2 ? 2 : take_keys(d, e);

        if (readable < 0 || keys < 0)
            return -1;
        if (keys == 2)
            return 0;
        int changed = top_session_step(&d->session, readable == 1, e);

        if (changed < 0)
            return -1;
        if (changed != 0 || keys != 0 || (d->behind && curses_flush()))
            draw(d);
    }
}

/* Open everything that is opened by name, before the sandbox. */
static int start(struct display *d, const struct options *o,
                 const struct outputs *out, struct err *e)
{
    struct outputs may = *out;
    struct err lacking = {""};

    d->stop_fd = -1;
    if (may.recording == NULL)
        may.recording = SESSION_RECORDING; /* if the key is pressed */
    d->stop_fd = signals_catch(e);
    if (d->stop_fd < 0 || sampler_processes_start(&o->from, false, e) != 0 ||
        confine_prepare_sampling(&o->from, &may, e) != 0)
        return -1;
    (void)setlocale(LC_CTYPE, "");
    sandbox_before_end(curses_restore);
    if (curses_open(e) != 0 || confine_top(&o->from, &lacking) != 0 ||
        top_session_init(&d->session, o, may.recording, out->recording != NULL,
                         e) != 0) {
        if (e->text[0] == '\0')
            *e = lacking;
        return -1;
    }
    d->session.lines = annotate_lines;
    if (lacking.text[0] != '\0')
        top_session_note(&d->session, lacking.text);
    return 0;
}

static int show(void *config, struct outputs *out)
{
    const struct options *o = config;
    static struct display d;
    char text[512];
    struct err e = {""};

    d = (struct display){.stop_fd = -1}; /* a program may call it again */
    int result = start(&d, o, out, &e) == 0 ? run(&d, &e) : -1;

    if (result == 0)
        result = top_session_end(&d.session, &e);
    bool usage = d.session.usage;

    curses_close();
    if (result != 0)
        (void)fprintf(stderr, "collector top: %s\n",
                      text_escape(text, sizeof text, e.text));
    if (d.session.options != NULL)
        top_session_fini(&d.session);
    screen_fini(&d.screen);
    signals_release(d.stop_fd, d.grace_ns);
    return result == 0 ? EXIT_DONE : usage ? EXIT_USAGE : EXIT_FAILED;
}

static int plan_top(struct outputs *out, void *config, struct err *e)
{
    struct options *o = config;
    size_t guests = o->from.guests.count;

    if (guests == 0 && o->from.input == NULL)
        o->from.input = session_default_recording(o->output.quiet);
    if (guests == 0 && o->from.input == NULL)
        return err_set(e, "where from? type: collector top --serial PATH --elf "
                          "FILE, or collector top FILE");
    if (outputs_plan(out, o, false, e) != 0)
        return -1;
    if (guests > 1 || (guests != 0 && o->from.input != NULL))
        return err_set(e, "one guest or recording at a time");
    if (out->count != 0)
        return err_set(e,
                       "-o %s: top writes a recording alone, NAME.tprof; "
                       "'collector report' makes the rest of it",
                       out->list[0].path);
    /* a guest that took over this process could reveal the files it reads */
    o->from.reads_sources = guests == 0 || o->from.sources != NULL;
    if (out->recording != NULL && guests == 0)
        return err_set(e, "'%s' is a recording already: copy it",
                       o->from.input);
    return 0;
}

static int run_top(int argc, char **argv)
{
    static const struct command_plan planned = {"collector top", &help,
                                                plan_top, show};
    struct options o = OPTIONS_DEFAULT;
    int result = command_main(&planned, &o, &o.from.guests, argc, argv);

    options_fini(&o);
    return result;
}

const struct subcommand cmd_top = {"top", &options, run_top};
