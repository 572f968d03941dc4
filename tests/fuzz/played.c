/* SPDX-License-Identifier: BSD-2-Clause */
/* Guests, a poller and a clock, by one script. */
#include "played.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "cli/command.h"
#include "diff/diff_runs.h"
#include "guest/source/source.h"
#include "image/match/images.h"
#include "played_world.h"
#include "session/sampling.h"

#define MS         1000000ull
#define READ_SIZE  (64u * 1024)
#define ROUNDS_MAX 100 /* of a fleet, after the script's end */

struct player {
    struct source source; /* first: what the callbacks are given */
    bool made, gone, absent;
    const uint8_t *bytes; /* that wait to be read */
    size_t left;
    bool polled, to_write;
    uint64_t number; /* of it in the fleet */
};

static struct {
    const uint8_t *script;
    size_t left;
    const uint8_t *whole; /* script, and its size */
    size_t size;
    bool
        sides; /* recordings are two sides: each takes its acts of the script */
    uint64_t now;
    bool live, reconnects;
    unsigned rounds;
    uint64_t stop_number;
    struct player guests[PLAYED_GUESTS];
    struct images images;
} world;

/* --- The script ----------------------------------------------------------- */

struct act {
    unsigned guest;
    unsigned what;
    const uint8_t *bytes;
    size_t size;
};

static bool next_act(struct act *a)
{
    if (world.left < 3)
        return false;
    a->guest = world.script[0] & 3u;
    a->what = world.script[0] >> 2 & 7u;
    a->size = (size_t)(world.script[1] | world.script[2] << 8);
    a->bytes = world.script + 3;
    world.left -= 3;
    if (a->size > world.left)
        a->size = world.left;
    world.script += 3 + a->size;
    world.left -= a->size;
    return true;
}

static void pass_time(const struct act *a)
{
    world.now += MS << (a->size != 0 ? a->bytes[0] % 21 : 0);
}

/* Is (a) an act of (side)? Bit 0 of its guest says that it is not of the first
 * side, bit 1 that it is not of the second one. */
static bool is_of_side(const struct act *a, unsigned side)
{
    return !world.sides || (a->guest >> side & 1u) == 0;
}

/* Have the script begin again. */
static void rewind_script(void)
{
    world.script = world.whole;
    world.left = world.size;
}

/* Are both sides the same bytes? */
static bool is_one_side(void)
{
    bool one = true;

    rewind_script();
    for (struct act a; one && next_act(&a);)
        one = is_of_side(&a, 0) == is_of_side(&a, 1);
    return one;
}

/* --- Sources -------------------------------------------------------------- */

static enum source_state open_guest(struct source *s, struct err *e)
{
    struct player *g = (struct player *)s;

    (void)e;
    if (g->absent)
        return SOURCE_ABSENT;
    if (s->live)
        s->fd = FD_GUEST + (int)(g - world.guests);
    g->gone = false;
    return SOURCE_OPEN;
}

static ssize_t end_guest(struct player *g)
{
    g->polled = false;
    g->source.fd = -1;
    return SOURCE_END;
}

static ssize_t read_guest(struct source *s, void *buf, size_t size,
                          uint64_t *arrival_ns, struct err *e)
{
    struct player *g = (struct player *)s;
    size_t some = g->left < size ? g->left : size;

    (void)e;
    *arrival_ns = ++world.now;
    for (struct act a; !s->live && some == 0;) { /* a recording */
        if (!next_act(&a))
            return SOURCE_END;
        if (!is_of_side(&a, (unsigned)(g - world.guests)))
            continue;
        if (a.what == PLAYED_TIME)
            pass_time(&a);
        if (a.what >= PLAYED_END)
            continue;
        g->bytes = a.bytes;
        g->left = some = a.size;
        if (some > size)
            some = size;
    }
    if (some == 0)
        return g->gone ? end_guest(g) : 0;
    memcpy(buf, g->bytes, some);
    g->bytes += some;
    g->left -= some;
    return (ssize_t)some;
}

static ssize_t write_guest(struct source *s, const void *buf, size_t size,
                           struct err *e)
{
    (void)s;
    (void)buf;
    (void)e;
    return (ssize_t)(size > 20 ? 20 : size);
}

static void close_guest(struct source *s)
{
    struct player *g = (struct player *)s;

    *g = (struct player){0};
}

static const struct source_ops ops = {
    .name = "played",
    .open = open_guest,
    .read = read_guest,
    .write = write_guest,
    .close = close_guest,
};

static const char *const before = "before", *const after = "after";

static struct source *make_guest(unsigned number, bool live)
{
    struct player *g = &world.guests[number];

    if (g->made) /* again, after it booted another image: but once at a time */
        return NULL;
    *g = (struct player){.source = {.ops = &ops,
                                    .fd = -1,
                                    .live = live,
                                    .path = "played",
                                    .reconnects = live && world.reconnects},
                         .made = true};
    return &g->source;
}

struct source *__wrap_source_replay(const char *path, struct err *e);
struct source *__wrap_source_replay(const char *path, struct err *e)
{
    (void)e;
    rewind_script();
    return make_guest(path == after, false);
}

struct source *__wrap_guests_source(const struct guest_spec *spec, unsigned how,
                                    struct err *e);
struct source *__wrap_guests_source(const struct guest_spec *spec, unsigned how,
                                    struct err *e)
{
    struct source *s = make_guest((unsigned)(spec->where[0] - '0'), true);

    (void)how;
    if (s == NULL)
        (void)err_set(e, "it is in use");
    return s;
}

/* --- Poller and clock ----------------------------------------------------- */

uint64_t __wrap_clock_ns(void);
uint64_t __wrap_clock_ns(void)
{
    return world.now;
}

int __wrap_epoll_create1(int flags);
int __wrap_epoll_create1(int flags)
{
    (void)flags;
    return FD_POLLER;
}

int __wrap_epoll_ctl(int poller, int op, int fd, struct epoll_event *event);
int __wrap_epoll_ctl(int poller, int op, int fd, struct epoll_event *event)
{
    (void)poller;
    (void)op;
    if (fd == FD_STOP) {
        world.stop_number = event->data.u64;
        return 0;
    }
    struct player *g = &world.guests[fd - FD_GUEST];

    g->polled = true;
    g->number = event->data.u64;
    g->to_write = (event->events & EPOLLOUT) != 0;
    return 0;
}

/* The script is over: all that waits is read, then the user stops twice. */
static void end_script(struct epoll_event *stop, int *n)
{
    if (++world.rounds > ROUNDS_MAX) {
        dprintf(2, "the fleet does not end\n");
        abort();
    }
    if (world.rounds % 8 == 0) {
        stop->events = EPOLLIN;
        stop->data.u64 = world.stop_number;
        *n = 1;
    }
    world.now += 500 * MS;
}

static void follow_script(struct epoll_event *stop, int *n)
{
    struct act a;

    if (!next_act(&a)) {
        end_script(stop, n);
        return;
    }
    struct player *g = &world.guests[a.guest];

    if (a.what < PLAYED_END && g->source.fd >= 0) {
        g->bytes = a.bytes;
        g->left = a.size;
    } else if (a.what == PLAYED_TIME) {
        pass_time(&a);
    } else if (a.what == PLAYED_STOP) {
        stop->events = EPOLLIN;
        stop->data.u64 = world.stop_number;
        *n = 1;
    } else {
        g->gone = a.what == PLAYED_END || a.what == PLAYED_ABSENT;
        g->absent = a.what == PLAYED_ABSENT;
    }
}

int __wrap_epoll_wait(int poller, struct epoll_event *events, int max,
                      int timeout);
int __wrap_epoll_wait(int poller, struct epoll_event *events, int max,
                      int timeout)
{
    int n = 0;

    (void)poller;
    if (!world.live)
        return 0;
    world.now += timeout > 0 ? MS : 1000;
    follow_script(events, &n);
    for (unsigned i = 0; i < PLAYED_GUESTS && n < max; i++) {
        const struct player *g = &world.guests[i];
        bool readable = g->left != 0 || g->gone;

        if (g->polled && (readable || g->to_write))
            events[n++] = (struct epoll_event){
                .events =
                    (readable ? EPOLLIN : 0u) | (g->to_write ? EPOLLOUT : 0u),
                .data.u64 = g->number,
            };
    }
    return n;
}

/* Image files are opened once in the life of the process. */
struct shared_image *__real_images_open(struct images *set, const char *path,
                                        struct err *e);
struct shared_image *__wrap_images_open(struct images *set, const char *path,
                                        struct err *e);
struct shared_image *__wrap_images_open(struct images *set, const char *path,
                                        struct err *e)
{
    (void)set;
    for (size_t i = 0; i < world.images.count; i++) {
        struct shared_image *s = world.images.list[i];

        if (strcmp(image_path(shared_image_get(s)), path) == 0)
            return s;
    }
    return __real_images_open(&world.images, path, e);
}

/* --- A run ---------------------------------------------------------------- */

static struct elf_path app = {APP, NULL};
static struct elf_path kernel = {KERNEL, NULL};

/* What the user asks for, by (bits). */
static struct options ask(unsigned bits)
{
    /* within the longer one a guest that says nothing is told of */
    struct options o = {.shown.all = bits & 1u,
                        .from = {.wait_s = bits & 64u ? 4 : 1}};

    if (bits & 2u)
        o.selection.cores.count = 1; /* 0 */
    if (bits & 4u)
        o.selection.time.to_s = 1;
    o.shown.top = bits & 8u ? 3 : 0;
    kernel.next = bits & 32u ? &app : NULL;
    if (!(bits & 16u))
        o.from.guests.elfs = &kernel;
    o.from.rate_hz = bits & 64u ? 1000 : 0;
    o.from.depth = bits & 64u ? 16 : 0;
    return o;
}

static void begin(const uint8_t *data, size_t size, bool live)
{
    world.live = live;
    world.whole = data + 2;
    world.size = size - 2;
    world.sides = false;
    rewind_script();
    world.now = 1000 * MS;
    played_terminal = data[0] >> 7;
    played_tight = data[1] >> 4 & 1u;
    world.rounds = 0;
    memset(world.guests, 0, sizeof world.guests);
    played_outputs_begin(data[1] >> 5, data[size - 1]);
}

static void run(const struct options *o, const char *command)
{
    struct outputs out = {0};
    const struct sampling_job job = {
        .command = command, .options = o, .outputs = &out};
    FILE *real = stderr;

    stderr = played_errors;
    if (world.sides)
        (void)cmd_diff.run(0, NULL);
    else
        (void)sampling_run(&job);
    stderr = real;
    played_outputs_end();
}

static void leave_out(struct options *o)
{
    o->selection.exclude.list[0] = "walk";
    o->selection.exclude.list[1] = "copy_"; /* a part of names */
    o->selection.exclude.list[2] = "wlak";  /* of none */
    o->selection.exclude.count = 3;
}

void played_report(const uint8_t *data, size_t size)
{
    if (size < 2)
        return;
    begin(data, size, false);
    struct options o = ask(data[0]);

    o.from.input = before;
    if (data[1] & 1u)
        leave_out(&o);
    run(&o, "collector report");
}

/* What the user has typed is in (asked). */
static struct diff_config asked;

int __wrap_option_parse(void *config, const struct option_set *set, int argc,
                        char **argv, struct err *e);
int __wrap_option_parse(void *config, const struct option_set *set, int argc,
                        char **argv, struct err *e)
{
    (void)set;
    (void)argc;
    (void)argv;
    (void)e;
    *(struct diff_config *)config = asked;
    return OPTION_READ;
}

void __wrap_options_fini(struct options *o);
void __wrap_options_fini(struct options *o)
{
    (void)o;
}

void played_diff(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"txt", "json", "html", "txt"};

    if (size < 2)
        return;
    begin(data, size, false);
    world.sides = true;
    played_same = is_one_side();
    asked = (struct diff_config){.options = ask(data[0])};
    asked.before_count = 1 + (data[1] >> 1 & 1u);
    for (unsigned i = 0; i < 2 * asked.before_count; i++)
        asked.inputs.list[asked.inputs.count++] =
            i < asked.before_count ? before : after;
    asked.options.from.memory = 64u << 20;
    asked.tree = data[1] >> 2 & 1u;
    asked.by = data[1] >> 3 & 3u;
    asked.options.output.format = formats[data[1] >> 5 & 3u];
    if (data[1] & 1u)
        leave_out(&asked.options);
    run(&asked.options, "collector diff");
}

void played_fleet(const uint8_t *data, size_t size)
{
    struct guest_spec specs[PLAYED_GUESTS] = {{0}};
    static const char *const where[PLAYED_GUESTS] = {"0", "1", "2", "3"};

    if (size < 2)
        return;
    begin(data, size, true);
    struct options o = ask(data[0]);

    world.reconnects = data[1] >> 2 & 1u;
    o.duration_s = data[1] >> 3 & 1u ? 2 : 0;
    o.from.guests.list = specs;
    o.from.guests.count = 1 + (data[1] & 3u);
    for (unsigned i = 0; i < o.from.guests.count; i++) {
        specs[i].kind = "serial";
        specs[i].where = where[i];
        specs[i].elfs = o.from.guests.elfs;
        (void)snprintf(specs[i].name, sizeof specs[i].name, "guest%u", i);
    }
    run(&o, "collector");
}
