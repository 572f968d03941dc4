/* SPDX-License-Identifier: BSD-2-Clause */
/* A domain of Xen, read by the process behind a socket (xen_keeper.h). */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "outside/outside_guest.h"
#include "outside/xen_keeper.h"

struct domain {
    struct outside_guest guest; /* first member */
    bool stopped;
    struct xen_core cores[OUTSIDE_CORES_MAX];
};

/* Read (size) bytes of an answer. Returns 0; -1 with (e) filled. */
static int hear(const struct domain *d, void *to, size_t size, struct err *e)
{
    struct pollfd p = {.fd = d->guest.fd, .events = POLLIN};
    size_t done = 0;

    while (done < size) {
        ssize_t n = poll(&p, 1, OUTSIDE_WAIT_MS) > 0
                        ? recv(p.fd, (char *)to + done, size - done, 0)
                        : -1;

        if (n <= 0 && errno != EINTR)
            return err_set(e, "xen: %s",
                           n == 0 ? "the process that reads the domain has "
                                    "ended"
                                  : "no answer");
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Ask (ask). Returns 0; -1 with (e) filled. */
static int ask(struct domain *d, const struct xen_ask *ask,
               struct xen_state *state, struct err *e)
{
    *state = (struct xen_state){0};
    if (send(d->guest.fd, ask, sizeof *ask, MSG_NOSIGNAL) !=
        (ssize_t)sizeof *ask)
        return err_sys(e, "xen");
    if (hear(d, state, sizeof *state, e) != 0)
        return -1;
    if (state->error == ESRCH)
        return err_set(e, "xen: the domain has ended");
    if (state->error != 0)
        return err_set(e, "xen: %s", strerror(state->error));
    if (state->cores > OUTSIDE_CORES_MAX || state->size > XEN_MEMORY)
        return err_set(e, "xen: an answer without sense");
    d->guest.core_count = state->cores;
    return 0;
}

static int xen_stop(struct outside_guest *guest, struct err *e)
{
    struct domain *d = (struct domain *)guest;
    struct xen_state state;

    if (d->stopped)
        return 0;
    if (ask(d, &(struct xen_ask){.question = XEN_STOP}, &state, e) != 0 ||
        hear(d, d->cores, state.cores * sizeof d->cores[0], e) != 0)
        return -1;
    d->stopped = true;
    return 0;
}

static int xen_run(struct outside_guest *guest, struct err *e)
{
    struct domain *d = (struct domain *)guest;
    struct xen_state state;

    if (d->stopped &&
        ask(d, &(struct xen_ask){.question = XEN_RUN}, &state, e) != 0)
        return -1;
    d->stopped = false;
    return 0;
}

static int xen_registers(struct outside_guest *guest, uint32_t core,
                         struct cpu_registers *r, struct err *e)
{
    if (core >= guest->core_count)
        return err_set(e, "xen: no core %u", (unsigned)core);
    *r = ((struct domain *)guest)->cores[core].registers;
    return 0;
}

/* Copy those of the (size) bytes at (address) that were read ahead. */
static size_t read_ahead(const struct xen_core *c, uint64_t address,
                         uint8_t *to, size_t size)
{
    uint64_t offset = address - c->registers.general[c->registers.cpu->sp];
    size_t there = c->stack_size < XEN_STACK ? c->stack_size : XEN_STACK;

    if (offset >= there)
        return 0;
    if (size > there - offset)
        size = there - (size_t)offset;
    memcpy(to, c->stack + offset, size);
    return size;
}

static long xen_memory(struct outside_guest *guest, uint32_t core,
                       const struct cpu_registers *r, uint64_t address,
                       void *to, size_t size, struct err *e)
{
    struct domain *d = (struct domain *)guest;
    struct xen_state state;
    uint8_t *out = to;
    (void)r;

    if (core >= guest->core_count)
        return err_set(e, "xen: no core %u", (unsigned)core);
    size_t done = read_ahead(&d->cores[core], address, out, size);

    while (done < size) {
        size_t part = size - done < XEN_MEMORY ? size - done : XEN_MEMORY;
        const struct xen_ask question = {.question = XEN_READ,
                                         .core = core,
                                         .size = (uint32_t)part,
                                         .address = address + done};

        if (ask(d, &question, &state, e) != 0)
            return -1;
        if (state.size > part)
            return err_set(e, "xen: an answer without sense");
        if (hear(d, out + done, state.size, e) != 0)
            return -1;
        done += state.size;
        if (state.size < part)
            break;
    }
    return (long)done;
}

static void xen_close(struct outside_guest *guest)
{
    (void)close(guest->fd); /* the domain then runs on */
    free(guest);
}

static const struct outside_ops xen_ops = {
    .name = "xen",
    .stop = xen_stop,
    .run = xen_run,
    .registers = xen_registers,
    .memory = xen_memory,
    .close = xen_close,
};

struct outside_guest *outside_xen(int fd, struct err *e)
{
    static const char *const stands[] = {
        [XEN_RUNS] = NULL,
        [XEN_PAUSED] = "somebody has paused it",
        [XEN_SHUT_DOWN] = "it has shut down",
        [XEN_CRASHED] = "it has crashed",
    };
    struct domain *d = calloc(1, sizeof *d);
    struct xen_state state;

    if (d == NULL) {
        (void)err_memory(e);
        (void)close(fd);
        return NULL;
    }
    d->guest = (struct outside_guest){.ops = &xen_ops, .fd = fd};
    if (ask(d, &(struct xen_ask){.question = XEN_STATE}, &state, e) != 0) {
        xen_close(&d->guest);
        return NULL;
    }
    if (state.stands < sizeof stands / sizeof stands[0])
        d->guest.stands = stands[state.stands];
    return &d->guest;
}
