/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest that is looked at from outside: it stands still while its registers
 * and its memory are read. One file for each way to do so (gdb.c, qmp.c), all
 * behind struct outside_ops. What the other side says is not trusted, and each
 * call has a limit of time.
 */
#ifndef TPROF_OUTSIDE_GUEST_H
#define TPROF_OUTSIDE_GUEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define OUTSIDE_CORES_MAX 256u
#define OUTSIDE_WAIT_MS   2000 /* for an answer */

/* General registers by their numbers in DWARF. */
enum outside_general {
    OUTSIDE_RAX,
    OUTSIDE_RDX,
    OUTSIDE_RCX,
    OUTSIDE_RBX,
    OUTSIDE_RSI,
    OUTSIDE_RDI,
    OUTSIDE_RBP,
    OUTSIDE_RSP,
    OUTSIDE_R8,
    OUTSIDE_R15 = OUTSIDE_R8 + 7,
    OUTSIDE_GENERALS,
};

/* What a core has in its registers. */
struct outside_registers {
    uint64_t general[OUTSIDE_GENERALS];
    uint64_t pc, flags;
    uint64_t cr0, cr3, cr4, efer;
    uint16_t cs;
    bool is_wide; /* the core runs 64-bit code; else addresses mean little */
};

struct outside_guest;

struct outside_ops {
    const char *name; /* as the user knows it: "gdb" */
    /* All cores stand still, after stop(); they run on, after run(). Return 0;
     * -1 with (e) filled. */
    int (*stop)(struct outside_guest *g, struct err *e);
    int (*run)(struct outside_guest *g, struct err *e);
    /* The registers of core (core), which stands still. Returns likewise. */
    int (*registers)(struct outside_guest *g, uint32_t core,
                     struct outside_registers *r, struct err *e);
    /* Read up to (size) bytes at (address), as core (core) sees memory, which
     * stands still and has (r). Returns how many could be read from the start
     * on; 0: none; -1 with (e) filled. */
    long (*memory)(struct outside_guest *g, uint32_t core,
                   const struct outside_registers *r, uint64_t address,
                   void *to, size_t size, struct err *e);
    /* The guest runs on, and nobody looks at it any more. Releases (g). */
    void (*close)(struct outside_guest *g);
};

/* What whoever must let the guest go, where this process is killed, has to know
 * of it. Both processes share it. */
struct outside_watched {
    atomic_bool held;    /* we keep it from running */
    atomic_bool started; /* QEMU has a stub that we have started */
};

/* The common beginning of every guest. */
struct outside_guest {
    const struct outside_ops *ops;
    int fd;              /* the socket that leads to it */
    uint32_t core_count; /* known after the first stop() */
    /* What the user is to know of it: "is cut: ...". NULL: nothing. */
    const char *warning;
    /* Why somebody else keeps it from running, in words, when outside_qmp() or
     * stop() looked last: "it has shut down". It may be looked at, and run()
     * leaves it as it is. NULL: it ran. */
    const char *stands;
    struct outside_watched *watched; /* NULL: nobody asks */
};

/* Note whether (g) is kept from running, before that is so, or after. */
static inline void outside_hold(struct outside_guest *g, bool held)
{
    if (g->watched != NULL)
        atomic_store_explicit(&g->watched->held, held, memory_order_relaxed);
}

/*
 * The guest behind (fd), the connected socket of a debugger's stub (QEMU's
 * -gdb), which is the guest's to close from now on. The guest stands still.
 * Returns NULL with (e) filled: it is no stub, somebody else uses it, or there
 * is no memory.
 */
struct outside_guest *outside_gdb(int fd, struct err *e);

/* For outside_qmp() alone: the same of the stub that QEMU's monitor has
 * started, and switches off. So close() says nothing to it, and leaves the
 * guest as it is. */
struct outside_guest *outside_gdb_started(int fd, struct err *e);

/* The guest (g) of outside_gdb_started() was stopped by somebody else: forget
 * what was read of it before. */
void outside_gdb_stands(struct outside_guest *g);

/*
 * The guest behind (fd), the connected socket of QEMU's monitor (QMP). It runs
 * on. Its first stop() starts a stub in QEMU, by which it is looked at, and
 * counts its cores; close() ends that stub.
 *
 * outside_qmp_pass() comes first, and before the process is confined: it hands
 * QEMU one end of a socket pair, the stub's, and hears nothing. Returns the
 * other end, for (stub); -1 with (e) filled.
 *
 * outside_qmp() has both descriptors from now on. Returns NULL with (e) filled:
 * it is no such monitor, somebody else uses it, or there is no memory.
 */
int outside_qmp_pass(int fd, struct err *e);
struct outside_guest *outside_qmp(int fd, int stub, struct err *e);

/*
 * A guest that is dead, of which the file (fd) has the memory and the registers
 * (dump/core_registers.h). It stands still for good, as at the moment of the
 * dump. (fd) is the guest's from now on. Return NULL with (e) filled: there are
 * no registers in the file, or it is none of a guest's memory.
 */
struct outside_guest *outside_dump(int fd, struct err *e);

/*
 * The last words to a guest's socket, whole lines of QMP in the monitor's case.
 * Also for a second process, where the one that looked at the guest was killed.
 * (LET_GO): it held the guest. (OFF): its stub is on. Before (OFF) comes
 * (AWAIT): when QEMU has answered that, it has also let the guest run, if it
 * was told so by the stub.
 *
 * The stub that is switched off is given to a null device, which tells the next
 * collector whose it was: QEMU says of no device that a stub has it.
 */
#define OUTSIDE_GDB_LET_GO "+$D;1#b0"
#define OUTSIDE_QMP_AWAIT  "\n{\"execute\":\"query-status\"}\n"
#define OUTSIDE_QMP_OFF                                                        \
    "{\"execute\":\"human-monitor-command\",\"arguments\":"                    \
    "{\"command-line\":\"gdbserver none\"}}\n"                                 \
    "{\"execute\":\"chardev-add\",\"arguments\":{\"id\":\"tprof-off\","        \
    "\"backend\":{\"type\":\"null\",\"data\":{}}}}\n"                          \
    "{\"execute\":\"human-monitor-command\",\"arguments\":"                    \
    "{\"command-line\":\"gdbserver chardev:tprof-off\"}}\n"
#define OUTSIDE_QMP_LET_GO OUTSIDE_QMP_OFF "{\"execute\":\"cont\"}\n"

#endif
