/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the guest's properties from QEMU's command line, and adds a connection
 * to the profiler.
 */
#ifndef TPROF_CMD_QEMU_LINE_H
#define TPROF_CMD_QEMU_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/err.h"

/* Names of sockets in the folder that is passed to qemu_line_make(). */
#define QEMU_LINE_PORT  "port"  /* QEMU listens here: the port tprof.0 */
#define QEMU_LINE_VHOST "vhost" /* the bridge: for QEMU */
#define QEMU_LINE_VSOCK "vsock" /* the bridge: for clients */

struct qemu_line {
    char **words;       /* NULL after the last one */
    const char *kernel; /* -kernel's argument; NULL: none */
    bool takes_keys;    /* Ctrl-C goes to the guest, Ctrl-A X ends QEMU */
    size_t count;
    struct arena arena;
};

/*
 * Make (*l) from the words at (argv), which end with NULL and stay unchanged.
 * Adds a virtio-serial port tprof.0 with a socket in (folder). With (vsock),
 * adds a virtio-vsock device instead, whose backend is a bridge with sockets in
 * (folder). The machine's type decides between virtio-mmio and PCI.
 *
 * Returns 0; -1 with (e) filled if such a port or device exists already, or if
 * the guest's memory cannot be shared with the bridge. In both cases
 * qemu_line_fini() must follow.
 */
int qemu_line_make(struct qemu_line *l, char **argv, const char *folder,
                   bool vsock, struct err *e);
void qemu_line_fini(struct qemu_line *l);

#endif
