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

/* Names in the folder that qemu_line_make() is given. */
#define QEMU_LINE_PORT  "port"  /* QEMU listens: the port tprof.0 */
#define QEMU_LINE_VHOST "vhost" /* `collector bridge` listens for QEMU, */
#define QEMU_LINE_VSOCK "vsock" /* and for clients */

struct qemu_line {
    char **words;       /* NULL behind the last one */
    const char *kernel; /* -kernel's argument; NULL: none */
    bool takes_keys;    /* Ctrl-C goes to the guest, Ctrl-A X ends QEMU */
    size_t count;
    struct arena arena;
};

/*
 * Make (*l) of the words (argv), which end with a NULL and stay as they are:
 * with a virtio-serial port tprof.0 behind a socket in (folder), or with
 * (vsock) a virtio-vsock device whose backend is a bridge there. The device is
 * one for virtio-mmio or PCI, by the machine's type.
 *
 * Returns 0; -1 with (e) filled if a port of that name or such a device is
 * there already, or the guest's memory cannot be shared with the bridge. Then
 * and in the end qemu_line_fini() must follow.
 */
int qemu_line_make(struct qemu_line *l, char **argv, const char *folder,
                   bool vsock, struct err *e);
void qemu_line_fini(struct qemu_line *l);

#endif
