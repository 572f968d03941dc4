/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest behind QEMU's monitor, read through a stub that QEMU starts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "outside/outside_guest.h"
#include "outside/qemu/monitor.h"

#define OURS    "tprof-" /* prefix of the names of our devices in QEMU */
#define STARTED "Waiting for gdb"

struct qmp {
    struct outside_guest guest; /* first member */
    struct monitor monitor;
    int end;                    /* the stub's socket; -1: (stub) owns it */
    bool started;               /* QEMU has got the order to start the stub */
    struct outside_guest *stub; /* NULL: not started yet */
    /* stopped by this process, and not resumed since */
    bool stopped;
    /* number of resume events once our last order is done */
    uint64_t resumes;
};

/* QEMU's states of a guest that does not run. */
static const struct {
    const char *status, *words;
} states[] = {
    {"colo", "it is the copy of another guest"},
    {"debug", "a debugger has stopped it"},
    {"finish-migrate", "it is being moved to another machine"},
    {"guest-panicked", "its kernel has panicked"},
    {"inmigrate", "it is being moved to this machine"},
    {"internal-error", "QEMU has failed to run it"},
    {"io-error", "one of its disks has failed"},
    {"paused", "another monitor or a debugger has stopped it"},
    {"postmigrate", "it was moved to another machine"},
    {"preconfig", "it has not begun to run (-preconfig)"},
    {"prelaunch", "it has not begun to run (-S)"},
    {"restore-vm", "it is being restored"},
    {"save-vm", "it is being saved"},
    {"shutdown", "it has shut down"},
    {"suspended", "it sleeps"},
    {"watchdog", "its watchdog has stopped it"},
};

static struct qmp *of(struct outside_guest *g)
{
    return (struct qmp *)g;
}

/* Ask whether the guest runs, and keep the reason if it does not. Returns 0; -1
 * with (e) filled. */
static int ask_status(struct qmp *q, struct err *e)
{
    json_t *answer = monitor_ask(&q->monitor, "query-status", NULL, e);
    const char *status = json_string_value(json_object_get(answer, "status"));

    if (answer == NULL)
        return -1;
    q->monitor.stands = !json_is_true(json_object_get(answer, "running"));
    q->guest.stands = NULL;
    if (q->monitor.stands)
        q->guest.stands = "it does not run";
    for (size_t i = 0; q->monitor.stands && i < sizeof states / sizeof *states;
         i++) {
        if (status != NULL && strcmp(status, states[i].status) == 0)
            q->guest.stands = states[i].words;
    }
    json_decref(answer);
    return 0;
}

/* Does gdb.c know the registers of this guest? Returns 0; -1 with (e) filled.
 */
static int ask_target(struct qmp *q, struct err *e)
{
    json_t *answer = monitor_ask(&q->monitor, "query-target", NULL, e);
    const char *arch = json_string_value(json_object_get(answer, "arch"));
    const struct cpu *cpu = NULL;

    for (size_t i = 0; arch != NULL && cpu == NULL && cpu_at(i) != NULL; i++)
        if (strcmp(arch, cpu_at(i)->qemu) == 0)
            cpu = cpu_at(i);
    if (answer != NULL && cpu == NULL)
        err_set(e, "qmp: a guest with cores of type %s, not " CPU_NAMES,
                arch != NULL ? arch : "unknown");
    json_decref(answer);
    return cpu != NULL ? 0 : -1;
}

/* Note whether QEMU has a stub of ours. Call it before the stub starts, and
 * after it has ended. */
static void note_started(struct qmp *q, bool started)
{
    q->started = started;
    if (q->guest.watched != NULL)
        atomic_store(&q->guest.watched->started, started);
}

/* --- The stub ------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return text != NULL && strncmp(text, with, strlen(with)) == 0;
}

/* Does another program use QEMU's stub, by one of (devices)? QEMU has one stub,
 * and moves it to a new device without a warning. A device of the user's stub
 * has the name "gdb" or any other name. In the second case only an object of
 * kind "gdb" reveals it, which remains after the stub is gone. Returns 0; -1
 * with (e) filled: another program uses the stub. */
static int look_for_stub(const json_t *devices, struct err *e)
{
    bool is_ours = false, has_been = false;

    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *d = json_array_get(devices, i);
        const char *label = json_string_value(json_object_get(d, "label"));
        const char *kind = json_string_value(json_object_get(d, "filename"));

        if (label == NULL || kind == NULL ||
            !json_is_true(json_object_get(d, "frontend-open")))
            continue; /* no program is connected */
        if (strcmp(label, "gdb") == 0)
            return err_set(e,
                           "qmp: QEMU has a debugger's stub already, at %.80s: "
                           "use --gdb, or 'gdbserver none' in the monitor",
                           kind);
        if (begins(label, OURS) && strcmp(kind, "null") != 0 &&
            !begins(kind, "disconnected:"))
            return err_set(e, "qmp: another collector samples the guest: wait "
                              "until it ends");
        is_ours |= begins(label, OURS);
        has_been |= strcmp(kind, "gdb") == 0;
    }
    if (has_been && !is_ours)
        return err_set(e, "qmp: QEMU has a debugger's stub already, or had "
                          "one: use --gdb with its socket. 'gdbserver "
                          "unix:/tmp/gdb,server=on,wait=off' in the monitor "
                          "starts one");
    return 0;
}

/* Does another program use QEMU's stub, by one of QEMU's devices? Returns 0; -1
 * with (e) filled. */
static int ask_for_stub(struct qmp *q, struct err *e)
{
    json_t *devices = monitor_ask(&q->monitor, "query-chardev", NULL, e);
    int result = devices != NULL ? look_for_stub(devices, e) : -1;

    json_decref(devices);
    return result;
}

/* Make a device (name) of the descriptor that was passed to QEMU. Returns 0; -1
 * with (e) filled. */
static int add_device(struct qmp *q, const char *name, struct err *e)
{
    char arguments[192];

    (void)snprintf(arguments, sizeof arguments,
                   "{\"id\":\"%s\",\"backend\":{\"type\":\"socket\",\"data\":{"
                   "\"server\":false,\"addr\":{\"type\":\"fd\",\"data\":"
                   "{\"str\":\"" MONITOR_PASSED "\"}}}}}",
                   name);

    json_t *answer = monitor_ask(&q->monitor, "chardev-add", arguments, e);

    json_decref(answer);
    return answer != NULL ? 0 : -1;
}

/* Attach QEMU's stub to the device (name), which stops the guest. Returns 0; -1
 * with (e) filled. */
static int give_device(struct qmp *q, const char *name, struct err *e)
{
    char arguments[96];

    (void)snprintf(arguments, sizeof arguments,
                   "{\"command-line\":\"gdbserver chardev:%s\"}", name);
    note_started(q, true);

    json_t *answer =
        monitor_ask(&q->monitor, "human-monitor-command", arguments, e);
    const char *said = json_string_value(answer);
    bool has_begun = begins(said, STARTED);

    if (answer != NULL && !has_begun)
        err_set(
            e,
            "qmp: QEMU starts no debugger's stub: start QEMU with -gdb "
            "unix:/tmp/gdb,server=on,wait=off, and use --gdb /tmp/gdb: %.80s",
            said != NULL ? said : "it does not say why");
    json_decref(answer);
    return has_begun ? 0 : -1;
}

/* Start the stub, which stops the guest. Returns 0; -1 with (e) filled. */
static int start_stub(struct qmp *q, struct err *e)
{
    char name[sizeof OURS + 8];
    uint32_t number;

    if (getrandom(&number, sizeof number, 0) < 0)
        number = (uint32_t)time(NULL);
    (void)snprintf(name, sizeof name, OURS "%08" PRIx32, number);
    if (add_device(q, name, e) != 0)
        return -1;
    q->stopped = !q->monitor.stands;
    outside_hold(&q->guest, q->stopped); /* even if the order fails */
    if (give_device(q, name, e) != 0)
        return -1;
    q->stub = outside_gdb_started(q->end, e);
    q->end = -1;
    if (q->stub == NULL)
        return -1;
    q->stub->watched = q->guest.watched;
    q->guest.core_count = q->stub->core_count;
    if (q->stopped && q->monitor.stands) {
        q->guest.stands = NULL;
        return 0;
    }
    q->stopped = false; /* no STOP event: it was stopped before */
    outside_hold(&q->guest, false);
    return ask_status(q, e);
}

/* --- Stopping, running ---------------------------------------------------- */

static int qmp_stop(struct outside_guest *g, struct err *e)
{
    struct qmp *q = of(g);

    if (monitor_events(&q->monitor, q->resumes, e) != 0)
        return -1;
    /* later resume events are caused by other programs */
    q->resumes = q->monitor.resumes;
    if (q->stub == NULL)
        return start_stub(q, e);
    if (q->monitor.stands) {
        if (ask_status(q, e) != 0)
            return -1;
        outside_gdb_stands(q->stub);
    }
    if (q->monitor.stands)
        return 0;
    g->stands = NULL;
    q->stopped = true;
    return q->stub->ops->stop(q->stub, e);
}

static int qmp_run(struct outside_guest *g, struct err *e)
{
    struct qmp *q = of(g);

    if (q->stub == NULL)
        return 0;
    if (monitor_events(&q->monitor, 0, e) != 0)
        return -1;

    /* a question to the stub stops a guest that another program has resumed
     * meanwhile */
    bool ran = q->monitor.resumes != q->resumes, was_ours = q->stopped;

    q->resumes = q->monitor.resumes;
    if (!was_ours && !ran)
        return 0;
    q->stopped = false;
    if (q->stub->ops->run(q->stub, e) != 0)
        return -1;
    q->resumes++;
    return ran && was_ours ? err_set(e, "qmp: another client resumed the guest "
                                        "while the guest was sampled")
                           : 0;
}

static int qmp_registers(struct outside_guest *g, uint32_t core,
                         struct cpu_registers *r, struct err *e)
{
    if (core >= g->core_count)
        return err_set(e, "qmp: no core %" PRIu32, core);
    return of(g)->stub->ops->registers(of(g)->stub, core, r, e);
}

static long qmp_memory(struct outside_guest *g, uint32_t core,
                       const struct cpu_registers *r, uint64_t address,
                       void *to, size_t size, struct err *e)
{
    if (core >= g->core_count)
        return err_set(e, "qmp: no core %" PRIu32, core);
    return of(g)->stub->ops->memory(of(g)->stub, core, r, address, to, size, e);
}

/* Switch the stub off. Resume the guest if this process has stopped it, unless
 * QEMU reports that it resumes the guest itself. */
static void end_stub(struct qmp *q)
{
    struct err e;
    bool holds = q->stopped || monitor_events(&q->monitor, q->resumes, &e) != 0;

    monitor_finish(&q->monitor, holds ? OUTSIDE_QMP_LET_GO : OUTSIDE_QMP_OFF);
    outside_hold(&q->guest, false);
    note_started(q, false);
}

static void qmp_close(struct outside_guest *g)
{
    struct qmp *q = of(g);

    if (q->started)
        end_stub(q);
    if (q->stub != NULL)
        q->stub->ops->close(q->stub);
    if (q->end >= 0)
        close(q->end);
    monitor_fini(&q->monitor);
    close(g->fd);
    free(q);
}

static const struct outside_ops qmp_ops = {
    "qmp", qmp_stop, qmp_run, qmp_registers, qmp_memory, qmp_close,
};

int outside_qmp_pass(int fd, struct err *e)
{
    int ends[2], result;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_sys(e, "qmp: socketpair");
    result = monitor_greet(fd, ends[1], e);
    close(ends[1]);
    if (result == 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

struct outside_guest *outside_qmp(int fd, int stub, struct err *e)
{
    struct qmp *q = calloc(1, sizeof *q);

    if (q == NULL) {
        err_sys(e, "qmp: memory");
        close(fd);
        close(stub);
        return NULL;
    }
    q->guest.ops = &qmp_ops;
    q->guest.fd = fd;
    q->end = stub;
    if (monitor_init(&q->monitor, fd, true, e) != 0 || ask_target(q, e) != 0 ||
        ask_for_stub(q, e) != 0 || ask_status(q, e) != 0) {
        qmp_close(&q->guest);
        return NULL;
    }
    return &q->guest;
}
