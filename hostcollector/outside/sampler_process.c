/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that sample guests from outside. */
#include "outside/sampler_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/confine/confine.h"
#include "guard/opener.h"
#include "guard/peer.h"
#include "guest/source/source.h"
#include "guest/source/stream.h"
#include "image/file/image.h"
#include "model/registers.h"
#include "outside/outside_guest.h"
#include "outside/place.h"
#include "outside/sampler.h"
#include "outside/sampler_watch.h"
#include "outside/xen_keeper.h"
#include "util/cpu/cpu.h"

/* between attempts while the guest is not there yet, or boots */
#define LOOK_AGAIN_MS 100

#define REGISTERS_ROOM (1 << 20) /* bytes of lines that wait to be read */

#define WHY         200 /* bytes of the reason why no kernel was found */
/* percent of code that agrees: close enough for a message */
#define NEAR_ENOUGH 50u

#define TURN_NS 100000 /* the shortest time slice that Linux gives */

/* A way to read a guest. */
struct way {
    const char *kind;
    struct outside_guest *(*begin)(int fd, struct err *e); /* NULL: by QMP */
    struct sampler_last last; /* texts to send if this process is killed */
    /* a file, which never changes, and which no process must release */
    bool dead;
    bool by_keeper;     /* by Xen's libraries, in a process that they need */
    const char *resume; /* advice for the user to let a stopped guest run */
};

#define CONT "Type 'cont' in QEMU's monitor"

static const struct way ways[] = {
    {"gdb", outside_gdb, {true, {OUTSIDE_GDB_LET_GO}, {NULL}}, .resume = CONT},
    {"qmp",
     NULL,
     {false, {OUTSIDE_QMP_LET_GO}, {OUTSIDE_QMP_AWAIT, OUTSIDE_QMP_OFF}},
     .resume = CONT},
    {"memory",
     outside_dump,
     {false, {NULL}, {NULL}},
     .dead = true,
     .resume = CONT},
    {"xen",
     outside_xen,
     {false, {NULL}, {NULL}},
     .by_keeper = true,
     .resume = "Type 'xl unpause'"},
};

static const struct way *way_of(const char *kind)
{
    const struct way *way = ways;

    while (strcmp(way->kind, kind) != 0)
        way++;
    return way;
}

/* The task of a sampling process. */
struct job {
    int bytes, words; /* its ends of the sockets to the collector */
    const struct way *way;
    const struct guest_config *options;
    const struct guest_spec *spec;
    bool paused; /* sample a guest that is stopped already */
};

/* Write a line for the user, with (word) before it. Returns false if the
 * collector has closed its end. */
static bool say(const struct job *job, enum source_outside_word word,
                const char *text)
{
    char line[256];
    int n = snprintf(line, sizeof line - 1, "%c%s", (char)word, text);

    if (n >= (int)sizeof line - 1)
        n = (int)sizeof line - 2;
    line[n++] = '\n';
    return write(job->words, line, (size_t)n) == n;
}

/* Has the collector closed its end? Bytes from it may still be unread. */
static bool is_left(const struct job *job)
{
    struct pollfd p = {.fd = job->bytes};

    return poll(&p, 1, 0) > 0; /* POLLHUP, POLLERR */
}

static void sleep_ms(unsigned ms)
{
    const struct timespec t = {.tv_nsec = (long)ms * 1000000};

    (void)nanosleep(&t, NULL);
}

/* Write (text), unless it equals the last one. */
static void say_once(const struct job *job, const char **last, const char *text)
{
    if (*last == text)
        return;
    (void)say(job, SOURCE_OUTSIDE_WAITS, text);
    *last = text;
}

/* Connect to the guest's socket, which may appear later. Returns the socket; -1
 * with (e) filled; -1 with an empty (e) if the collector is gone. */
static int connect_guest(const struct job *job, struct err *e)
{
    const char *last = NULL;
    int fd;

    while ((fd = opener_open(OPENER_CONNECT, job->spec->where)) < 0) {
        if (!stream_absent(errno))
            return err_set(e, "connect: %s", strerror(errno));
        say_once(job, &last, "nothing listens at that socket yet");
        if (is_left(job))
            return -1;
        sleep_ms(LOOK_AGAIN_MS);
    }
    return peer_check(&job->options->peers, fd,
                      "the program that listens there", e) == 0
               ? fd
               : -1;
}

/* Write to (text) the reason why the kernel was not found. If memory has
 * similar code (near), the text says so: the guest may have patched the image.
 */
static void explain(char text[WHY], enum outside_found found, bool dead,
                    const struct image *img, const struct outside_near *near)
{
    static const char *const why[][2] = {
        [OUTSIDE_NOT_YET] = {"the guest runs no 64-bit code yet",
                             "no core ran 64-bit code"},
        [OUTSIDE_OTHER] = {"the guest does not run that image, or not yet",
                           "the code that its cores ran is not in the image"},
    };
    struct image_part part = image_section_part(img, ".text");
    const char *code = near->segment == part.address ? ".text" : "its code";
    int n = snprintf(text, WHY, "%s", why[found][dead]);

    if (found == OUTSIDE_OTHER && near->percent >= NEAR_ENOUGH)
        (void)snprintf(text + n, WHY - (size_t)n,
                       ": %u %% of %s agree at slide 0x%" PRIx64 ", %s",
                       near->percent, code, near->slide,
                       near->other_build
                           ? "but the build-id there is another one"
                           : "and 88 % must");
}

/* Wait until the kernel runs, and find it. The guest is stopped before and
 * after. Returns 0; -1 with (e) filled; -1 with an empty (e) if the collector
 * is gone. */
static int find_kernel(const struct job *job, struct outside_guest *g,
                       const struct image *img, struct outside_place *place,
                       struct err *e)
{
    char said[WHY] = "", text[WHY];
    struct outside_near near;
    enum outside_found found;

    while ((found = outside_place_find(g, img, place, &near, e)) !=
           OUTSIDE_FOUND) {
        if (found == OUTSIDE_FAILED || g->ops->run(g, e) != 0)
            return -1;
        explain(text, found, job->way->dead, img, &near);
        if (job->way->dead)
            return err_set(e, "%s%s%s", text,
                           g->warning != NULL ? "; the dump " : "",
                           g->warning != NULL ? g->warning : "");
        if (strcmp(said, text) != 0)
            (void)say(job, SOURCE_OUTSIDE_WAITS, text);
        memcpy(said, text, sizeof said);
        if (is_left(job))
            return -1;
        sleep_ms(LOOK_AGAIN_MS);
        if (g->ops->stop(g, e) != 0)
            return -1;
    }
    return 0;
}

/* Write the registers of (core) for the collector. They are lost if the
 * collector has many unread: the stopped guest must not wait. */
static void say_registers(const void *context, uint32_t core, uint64_t time,
                          const struct cpu_registers *r)
{
    const struct job *job = context;
    struct pollfd p = {.fd = job->words, .events = POLLOUT};
    const struct cpu *cpu = r->cpu;
    char line[SOURCE_OUTSIDE_LINE];
    int n = snprintf(line, sizeof line, "%c%" PRIx32 " %" PRIx64,
                     SOURCE_OUTSIDE_REGISTERS, core, time);

    for (unsigned i = 0; i < cpu->shown_count; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIx64,
                      cpu->shown(r, i));
    line[n++] = '\n'; /* it fits: at most 38 numbers of 17 bytes */
    if (poll(&p, 1, 0) > 0 && (p.revents & POLLOUT) != 0)
        (void)!write(job->words, line, (size_t)n);
}

/* Sample the guest, whose kernel was found, until it reboots. Returns as
 * outside_sample(); -1 with an empty (e) if the collector is gone. */
static int sample_boot(const struct job *job, struct outside_sampling *s,
                       struct err *e)
{
    if (s->guest->ops->stop(s->guest, e) != 0 ||
        find_kernel(job, s->guest, s->img, &s->place, e) != 0)
        return -1;
    if (job->way->dead) /* for sampler_process_sees() */
        (void)say(job, SOURCE_OUTSIDE_WAITS,
                  s->guest->warning != NULL ? s->guest->warning : "");
    (void)say(job, SOURCE_OUTSIDE_OPEN, "");
    return outside_sample(s, e);
}

/* Sample (g), and release it at the end. Returns 0; -1 with (e) filled; -1 with
 * an empty (e) if the collector is gone. */
static int sample_guest(const struct job *job, struct outside_guest *g,
                        struct err *e)
{
    struct outside_sampling sampling = {
        .guest = g,
        .unwind = (enum outside_unwind)job->options->unwind,
        .host = job->bytes,
        .saw = job->options->keep_registers ? say_registers : NULL,
        .context = job,
    };
    struct image *img;
    int result = -1;

    if (image_open(&img, job->spec->elfs->path, e) == 0) {
        sampling.img = img;
        do
            result = sample_boot(job, &sampling, e);
        while (result == OUTSIDE_REBOOTED);
        image_close(img);
    }
    return result;
}

static int confine(const struct job *job, struct err *e)
{
    if (confine_prepare_sampler(job->options, job->spec, e) != 0 ||
        confine_reader(job->options->sandbox, e) != 0)
        return -1;
    e->text[0] = '\0'; /* the collector itself reports what the kernel lacks */
    return 0;
}

/* Open the guest behind (fd) and sample it; (watched) is as in struct
 * outside_guest. If (fd) is the monitor's, (stub) is the socket of its stub;
 * otherwise -1. Returns 0; -1 with (e) filled; -1 with an empty (e) if the
 * collector is gone. */
static int open_and_sample(const struct job *job, int fd, int stub,
                           struct outside_watched *watched, struct err *e)
{
    struct outside_guest *g;
    int result = -1;

    if (confine(job, e) != 0)
        return -1;
    g = stub < 0 ? job->way->begin(fd, e) : outside_qmp(fd, stub, e);
    if (g == NULL) {
        if (watched != NULL) /* (begin) has released it */
            atomic_store(&watched->held, false);
        return -1;
    }
    g->watched = watched;
    if (g->stands != NULL && !job->paused)
        (void)err_set(
            e,
            "the guest is stopped: %s. %s to resume it, or use 'collector "
            "stacks' to see its stacks now",
            g->stands, job->way->resume);
    else
        result = sample_guest(job, g, e);
    g->ops->close(g);
    return result;
}

/* Sample a dead guest, which needs no watch. */
static int work_on_dead(const struct job *job, struct err *e)
{
    int fd = opener_open(OPENER_READ, job->spec->where);

    return fd < 0 ? err_set(e, "%s", strerror(errno))
                  : open_and_sample(job, fd, -1, NULL, e);
}

/* Ask Linux for short time slices, which come sooner: if the guest keeps all
 * cores busy, a deadline waits for a slice. Linux before 6.12 cannot do this.
 */
static void ask_for_short_turns(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } turns = {0};

    if (syscall(SYS_sched_getattr, 0, &turns, sizeof turns, 0) != 0 ||
        turns.policy != SCHED_OTHER)
        return; /* it has a higher priority already */
    turns.runtime = TURN_NS;
    (void)syscall(SYS_sched_setattr, 0, &turns, 0);
}

/* Sample a domain of Xen. Its keeper lets the domain run when this process has
 * ended, so there is no watch. */
static int work_on_domain(const struct job *job, struct err *e)
{
    int fd = xen_keeper_start(job->spec->where, e);

    if (fd < 0)
        return -1;
    ask_for_short_turns();
    return open_and_sample(job, fd, -1, NULL, e);
}

/* Do the work of the sampling process. It connects before it is confined, and
 * reads nothing from the guest before. */
static int run_job(const struct job *job, struct err *e)
{
    int fd = connect_guest(job, e);
    int stub = -1;

    if (fd < 0)
        return -1;
    if (job->way->begin == NULL && (stub = outside_qmp_pass(fd, e)) < 0)
        return -1;

    struct outside_watched *watched =
        sampler_watch(job->options->sandbox, &job->way->last, fd,
                      (int[2]){job->bytes, job->words}, e);

    if (watched == NULL)
        return -1;
    ask_for_short_turns();
    return open_and_sample(job, fd, stub, watched, e);
}

/* Close the descriptors of the processes started earlier. */
static void close_earlier(const struct guests *g, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (source_kind_find(g->list[i].kind)->need != SOURCE_NEEDS_SAMPLER)
            continue;
        (void)close(g->list[i].bytes);
        (void)close(g->list[i].words);
    }
}

static int start_process(const struct guest_config *o, size_t i, bool paused,
                         struct err *e)
{
    struct guest_spec *spec = &o->guests.list[i];
    int bytes[2], words[2];
    pid_t child;

    if (o->keep_registers) {
        spec->registers = calloc(1, sizeof *spec->registers);
        if (spec->registers == NULL)
            return err_memory(e);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                   bytes) != 0)
        return err_sys(e, "socketpair");
    if (pipe2(words, O_CLOEXEC) != 0) {
        (void)close(bytes[0]);
        (void)close(bytes[1]);
        return err_sys(e, "pipe");
    }
    if (o->keep_registers) /* the pipe may stay smaller */
        (void)fcntl(words[1], F_SETPIPE_SZ, REGISTERS_ROOM);
    child = fork();
    if (child == 0) {
        const struct job job = {bytes[1], words[1], way_of(spec->kind),
                                o,        spec,     paused};
        int (*const does)(const struct job *, struct err *) =
            job.way->dead        ? work_on_dead
            : job.way->by_keeper ? work_on_domain
                                 : run_job;

        (void)close(bytes[0]);
        (void)close(words[0]);
        close_earlier(&o->guests, i);
        (void)setsid(); /* the terminal's signals are for the collector */
        e->text[0] = '\0';
        if (does(&job, e) != 0 && e->text[0] != '\0')
            (void)say(&job, SOURCE_OUTSIDE_FAILED, e->text);
        _exit(0);
    }
    (void)close(bytes[1]);
    (void)close(words[1]);
    spec->bytes = bytes[0];
    spec->words = words[0];
    return child < 0 ? err_sys(e, "fork") : 0;
}

int sampler_processes_start(const struct guest_config *o, bool paused,
                            struct err *e)
{
    for (size_t i = 0; i < o->guests.count; i++)
        if (source_kind_find(o->guests.list[i].kind)->need ==
                SOURCE_NEEDS_SAMPLER &&
            start_process(o, i, paused, e) != 0)
            return -1;
    return 0;
}

int sampler_process_sees(const struct guest_spec *spec, struct err *e)
{
    char line[256];
    size_t size = 0;
    ssize_t n;

    while (size < sizeof line - 1) {
        n = read(spec->words, line + size, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != 1 || line[size] == '\n')
            break;
        size++;
    }
    line[size] = '\0';
    (void)err_set(e, "%s", size > 0 ? line + 1 : "");
    if (line[0] == SOURCE_OUTSIDE_WAITS)
        return 0;
    (void)close(spec->bytes);
    (void)close(spec->words);
    return size > 1 ? -1 : err_set(e, "the process that reads it has ended");
}
