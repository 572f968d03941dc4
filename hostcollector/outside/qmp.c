/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest behind QEMU's monitor. One message asks for the stop and for the
 * registers of all cores, so that a look at a guest takes three messages where
 * its memory is shared with us, and one more for each piece of memory where it
 * is not.
 *
 * Who has stopped the guest is known by events: STOP comes before the answer to
 * our own order, or while we had ordered nothing. What somebody else has
 * stopped is looked at, and left as it is.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/guest.h"
#include "outside/monitor.h"
#include "outside/monitor_text.h"
#include "outside/paging.h"
#include "outside/shared.h"

#define LINE_BYTES  16u /* of memory, in a line of text */
#define READ_MAX    4096u
#define ORDER_BYTES 64u

struct qmp {
    struct outside_guest guest; /* first */
    struct monitor monitor;
    struct shared shared;
    bool stopped; /* by us, and not let run since */
    uint32_t cpu_index[OUTSIDE_CORES_MAX];
    struct outside_registers registers[OUTSIDE_CORES_MAX];
};

/* What QEMU calls a guest that does not run. */
static const struct {
    const char *status, *words;
} states[] = {
    {"colo", "it is the copy of another one"},
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

/* Ask whether the guest runs, and keep why it does not. Returns 0; -1 with (e)
 * filled. */
static int ask_status(struct qmp *q, struct err *e)
{
    json_t *answer = monitor_ask(&q->monitor, "query-status", e);
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

/* The cores that there are. Returns 0; -1 with (e) filled. */
static int ask_cores(struct qmp *q, struct err *e)
{
    json_t *answer = monitor_ask(&q->monitor, "query-cpus-fast", e);
    size_t count = json_array_size(answer);
    int result = -1;

    if (answer == NULL)
        return -1;
    if (count == 0 || count > OUTSIDE_CORES_MAX) {
        err_set(e, "qmp: QEMU tells of %zu cores", count);
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *core = json_array_get(answer, i);
        const char *target = json_string_value(json_object_get(core, "target"));
        json_int_t index =
            json_integer_value(json_object_get(core, "cpu-index"));

        if (target == NULL ||
            (strcmp(target, "x86_64") != 0 && strcmp(target, "i386") != 0)) {
            err_set(e, "qmp: a guest with cores of type %s, not x86_64",
                    target != NULL ? target : "unknown");
            goto done;
        }
        if (index < 0 || index > INT32_MAX) {
            err_set(e, "qmp: a core that is not numbered");
            goto done;
        }
        q->cpu_index[i] = (uint32_t)index;
    }
    q->guest.core_count = (uint32_t)count;
    result = 0;
done:
    json_decref(answer);
    return result;
}

/* Await the registers that were asked for. */
static int take_registers(struct qmp *q, struct err *e)
{
    json_t *answer = monitor_answer(&q->monitor, e);

    if (answer == NULL)
        return -1;

    const char *text = json_string_value(answer);
    int result = monitor_text_registers(text != NULL ? text : "", q->cpu_index,
                                        q->guest.core_count, q->registers, e);

    json_decref(answer);
    return result;
}

/* Await the answer to (name), which brings nothing. */
static int take_consent(struct qmp *q, struct err *e)
{
    json_t *answer = monitor_answer(&q->monitor, e);

    json_decref(answer);
    return answer != NULL ? 0 : -1;
}

static int qmp_stop(struct outside_guest *g, struct err *e)
{
    struct qmp *q = of(g);
    struct monitor *m = &q->monitor;

    if (monitor_events(m, e) != 0)
        return -1;

    bool was_standing = m->stands;

    m->has_run_again = false;
    if (!was_standing) {
        outside_hold(g, true); /* whatever becomes of the order */
        q->stopped = true;
        if (monitor_order(m, "stop", e) != 0)
            return -1;
    }
    if (monitor_line(m, 0, "info registers -a", e) != 0 ||
        (!was_standing && take_consent(q, e) != 0))
        return -1;

    /* no word of STOP: it stood, and was never said to */
    bool stood = was_standing || !m->stands;

    if (take_registers(q, e) != 0)
        return -1;
    if (!stood) {
        g->stands = NULL;
        return 0;
    }
    outside_hold(g, false);
    q->stopped = false;
    if (ask_status(q, e) != 0)
        return -1;
    if (g->stands == NULL)
        return err_set(e, "qmp: somebody else stops the guest and lets it run");
    return 0;
}

static int qmp_run(struct outside_guest *g, struct err *e)
{
    struct qmp *q = of(g);

    if (!q->stopped)
        return 0;
    if (monitor_events(&q->monitor, e) != 0)
        return -1;

    bool ran = q->monitor.has_run_again;

    q->stopped = false;
    if (monitor_order(&q->monitor, "cont", e) != 0 || take_consent(q, e) != 0)
        return -1;
    outside_hold(g, false);
    return ran ? err_set(e, "qmp: somebody else let the guest run while it was "
                            "looked at")
               : 0;
}

static int qmp_registers(struct outside_guest *g, uint32_t core,
                         struct outside_registers *r, struct err *e)
{
    if (core >= g->core_count)
        return err_set(e, "qmp: no core %" PRIu32, core);
    *r = of(g)->registers[core];
    return 0;
}

/*
 * Read (size) bytes at (address), both multiples of LINE_BYTES, by the monitor.
 * A line of its text lies in one page then, and is there or not as a whole.
 */
static long read_lines(struct qmp *q, uint32_t core, uint64_t address,
                       uint8_t *to, size_t size, struct err *e)
{
    char order[ORDER_BYTES];

    snprintf(order, sizeof order, "x /%zugx 0x%" PRIx64, size / 8, address);
    if (monitor_line(&q->monitor, q->cpu_index[core], order, e) != 0)
        return -1;

    json_t *answer = monitor_answer(&q->monitor, e);

    if (answer == NULL)
        return -1;

    const char *text = json_string_value(answer);
    size_t done =
        text != NULL ? monitor_text_memory(text, address, to, size) : 0;

    json_decref(answer);
    return (long)done;
}

/* Read any bytes by the monitor, for which the core's own tables are taken. */
static long read_told(struct qmp *q, uint32_t core, uint64_t address, void *to,
                      size_t size, struct err *e)
{
    uint8_t lines[READ_MAX];
    size_t done = 0;

    while (done < size && address + done >= address) {
        uint64_t at = (address + done) & ~(uint64_t)(LINE_BYTES - 1);
        size_t before = (size_t)(address + done - at);
        size_t want = size - done + before;

        want = want < READ_MAX ? (want + LINE_BYTES - 1) & ~(LINE_BYTES - 1)
                               : READ_MAX;

        long got = read_lines(q, core, at, lines, want, e);

        if (got < 0)
            return -1;
        if ((size_t)got <= before)
            break;

        size_t part = (size_t)got - before;

        if (part > size - done)
            part = size - done;
        memcpy((uint8_t *)to + done, lines + before, part);
        done += part;
        if ((size_t)got < want)
            break;
    }
    return (long)done;
}

static long qmp_memory(struct outside_guest *g, uint32_t core,
                       const struct outside_registers *r, uint64_t address,
                       void *to, size_t size, struct err *e)
{
    struct qmp *q = of(g);

    if (core >= g->core_count)
        return err_set(e, "qmp: no core %" PRIu32, core);

    struct paging p = {r->cr0,  r->cr3,      r->cr4,
                       r->efer, shared_read, &q->shared};

    if (q->shared.piece_count > 0) {
        q->shared.missed = false;

        long got = paging_read(&p, address, to, size);

        if (!q->shared.missed)
            return got;
    }
    return read_told(q, core, address, to, size, e);
}

/* QEMU drops orders that it has not begun when their socket is closed: wait
 * until it has answered all of them, or nothing comes any more. */
static void await_all(struct monitor *m)
{
    uint64_t before = m->answers - 1;
    struct err e;

    while (m->answers < m->orders && m->answers != before) {
        before = m->answers;
        json_decref(monitor_answer(m, &e));
    }
}

static void qmp_close(struct outside_guest *g)
{
    struct qmp *q = of(g);
    struct err e;

    /* not qmp_run(): an answer may still be due, which is nobody's any more */
    if (q->stopped && monitor_order(&q->monitor, "cont", &e) == 0)
        await_all(&q->monitor);
    outside_hold(g, false);
    shared_fini(&q->shared);
    monitor_fini(&q->monitor);
    close(g->fd);
    free(q);
}

static const struct outside_ops qmp_ops = {
    "qmp", qmp_stop, qmp_run, qmp_registers, qmp_memory, qmp_close,
};

struct outside_guest *outside_qmp(int fd, struct err *e)
{
    struct qmp *q = calloc(1, sizeof *q);

    if (q == NULL) {
        err_sys(e, "qmp: memory");
        close(fd);
        return NULL;
    }
    q->guest.ops = &qmp_ops;
    q->guest.fd = fd;
    if (monitor_init(&q->monitor, fd, e) != 0 || ask_cores(q, e) != 0 ||
        shared_init(&q->shared, &q->monitor, e) != 0 || ask_status(q, e) != 0) {
        qmp_close(&q->guest);
        return NULL;
    }
    return &q->guest;
}
