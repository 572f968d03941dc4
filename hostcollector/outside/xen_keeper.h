/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that stops and reads one domain of Xen. Whoever may do that may do
 * everything with every domain, so this process parses nothing: it hears
 * questions of a fixed size from the sampling process, which is confined.
 * Of the domain itself it reads registers, and page tables for addresses.
 *
 * When the sampling process closes its socket, or is killed, the domain runs
 * on.
 */
#ifndef TPROF_OUTSIDE_XEN_KEEPER_H
#define TPROF_OUTSIDE_XEN_KEEPER_H

#include <stdint.h>

#include "outside/outside_guest.h"
#include "util/err.h"

#define XEN_STACK  1024u /* bytes of each core's stack that are read ahead */
#define XEN_MEMORY 4096u /* most bytes of an answer to XEN_READ */

enum xen_question {
    XEN_STATE, /* answer: struct xen_state */
    XEN_STOP,  /* pause; answer: struct xen_state, (cores) struct xen_core */
    XEN_RUN,   /* unpause; answer: struct xen_state */
    /* answer: struct xen_state with (size), and so many bytes. Only after
     * XEN_STOP: core (core) has the registers of that time. */
    XEN_READ,
};

struct xen_ask {
    uint32_t question; /* enum xen_question */
    uint32_t core, size;
    uint64_t address;
};

struct xen_state {
    int32_t error;  /* errno; 0: done */
    uint32_t cores; /* at most OUTSIDE_CORES_MAX */
    uint32_t size;
    uint32_t stands; /* enum xen_stands */
};

enum xen_stands { XEN_RUNS, XEN_PAUSED, XEN_SHUT_DOWN, XEN_CRASHED };

/* The process was forked, so the pointer to the CPU is valid in both. */
struct xen_core {
    struct cpu_registers registers;
    uint32_t stack_size; /* bytes in (stack), from the stack pointer on */
    uint8_t stack[XEN_STACK];
};

/*
 * Start the process for (domain), a number or a name. Returns its socket; -1
 * with (e) filled: this is no dom0, there is no such domain, the domain is
 * paravirtualized, or this collector was built without Xen.
 */
int xen_keeper_start(const char *domain, struct err *e);

#endif
