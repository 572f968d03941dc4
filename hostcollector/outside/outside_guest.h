/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest that is sampled from outside, without an agent. The guest is stopped
 * while its registers and its memory are read. gdb.c, qmp.c, xen.c and dump.c
 * are the ways to do this, behind struct outside_ops. Data from the other side
 * is not trusted, and each call has a time limit.
 */
#ifndef TPROF_OUTSIDE_OUTSIDE_GUEST_H
#define TPROF_OUTSIDE_OUTSIDE_GUEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cpu/cpu.h"
#include "util/err.h"

#define OUTSIDE_CORES_MAX 256u
#define OUTSIDE_WAIT_MS   2000 /* time limit for an answer */

struct outside_guest;

struct outside_ops {
    const char *name; /* name for the user: "gdb" */
    /* stop() stops all cores; run() lets them run again. Return 0; -1 with (e)
     * filled. */
    int (*stop)(struct outside_guest *g, struct err *e);
    int (*run)(struct outside_guest *g, struct err *e);
    /* The registers of core (core) of a stopped guest. Returns 0; -1 with (e)
     * filled. */
    int (*registers)(struct outside_guest *g, uint32_t core,
                     struct cpu_registers *r, struct err *e);
    /* Read up to (size) bytes at (address), as seen by core (core), which is
     * stopped and has the registers (r). Returns the number of bytes before the
     * first unreadable byte; 0: the first byte is unreadable; -1 with (e)
     * filled. */
    long (*memory)(struct outside_guest *g, uint32_t core,
                   const struct cpu_registers *r, uint64_t address, void *to,
                   size_t size, struct err *e);
    /* Let the guest run, end the connection, and release (g). */
    void (*close)(struct outside_guest *g);
};

/* State for the process that must release the guest if the sampling process is
 * killed. Both processes share it. */
struct outside_watched {
    atomic_bool held; /* this guest is stopped by the sampling process */
    /* QEMU has a stub that the sampling process has started */
    atomic_bool started;
};

/* The common first member of every kind of guest. */
struct outside_guest {
    const struct outside_ops *ops;
    int fd;              /* socket of the connection */
    uint32_t core_count; /* known after the first stop() */
    /* Warning for the user, for example "is cut: ...". NULL: none. */
    const char *warning;
    /* The reason why another program has stopped the guest, for example "it has
     * shut down", as of the last outside_qmp() or stop(). The guest's registers
     * and memory can be read, and run() leaves the guest stopped. NULL: the
     * guest was running. */
    const char *stands;
    struct outside_watched *watched; /* NULL: no process needs it */
};

/* Note whether the sampling process stops (g). Call it before the guest is
 * stopped, and after it runs again. */
static inline void outside_hold(struct outside_guest *g, bool held)
{
    if (g->watched != NULL)
        atomic_store_explicit(&g->watched->held, held, memory_order_relaxed);
}

/*
 * The guest behind (fd), the connected socket of a debugger's stub (QEMU's
 * -gdb). The result owns (fd) from now on. The guest is stopped. NULL with (e)
 * filled: (fd) is not a stub, another program uses the stub, or there is no
 * memory.
 */
struct outside_guest *outside_gdb(int fd, struct err *e);

/* Like outside_gdb(), for a stub that QEMU's monitor has started and will end.
 * Called only by outside_qmp(). close() sends the stub nothing, and leaves the
 * guest as it is. */
struct outside_guest *outside_gdb_started(int fd, struct err *e);

/* Forget all data that was read of the guest (g) of outside_gdb_started(),
 * because another program has stopped it since. */
void outside_gdb_stands(struct outside_guest *g);

/*
 * The guest behind (fd), the connected socket of QEMU's monitor (QMP). The
 * guest keeps running. Its first stop() starts a stub in QEMU, reads the guest
 * through this stub, and counts its cores. close() ends the stub.
 *
 * Call outside_qmp_pass() first, before the process is confined. It sends QEMU
 * one end of a socket pair, for the stub, and reads nothing. It returns the
 * other end, for (stub); -1 with (e) filled.
 *
 * outside_qmp() owns both descriptors from now on. It returns NULL with (e)
 * filled: (fd) is not a monitor, another program uses the monitor, or there is
 * no memory.
 */
int outside_qmp_pass(int fd, struct err *e);
struct outside_guest *outside_qmp(int fd, int stub, struct err *e);

/*
 * The domain of Xen that the process behind (fd) reads (xen_keeper.h). The
 * domain keeps running until the first stop(), and counts its cores then. The
 * result owns (fd) from now on. NULL with (e) filled: the process has ended, or
 * there is no memory.
 */
struct outside_guest *outside_xen(int fd, struct err *e);

/*
 * A dead guest, whose memory and registers are in the file (fd)
 * (dump/dump_memory.h). The guest is stopped for ever, at the moment of the
 * dump. The result owns (fd) from now on. Return NULL with (e) filled: the file
 * has no registers, or is not the memory of a guest.
 */
struct outside_guest *outside_dump(int fd, struct err *e);

/*
 * Texts that a second process sends to a guest's socket, to release the guest
 * if the sampling process was killed. Texts for the monitor are whole lines.
 * (LET_GO) releases a stopped guest. (OFF) switches off its stub. (AWAIT) is
 * sent before (OFF): once QEMU has answered (AWAIT), it has also obeyed the
 * stub's order to run.
 *
 * The stub is switched off by giving it a null device. The name of this device
 * shows the next collector that the stub was tprof's, because QEMU does not
 * report which device the stub has.
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
