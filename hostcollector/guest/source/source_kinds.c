/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the kinds of sources. */
#include <string.h>

#include "guest/source/source.h"

static struct source *make_vsock_uds(const char *where, unsigned how,
                                     struct err *e)
{
    (void)how;
    return source_vsock_uds(where, e);
}

static struct source *make_serial(const char *where, unsigned how,
                                  struct err *e)
{
    (void)how;
    return source_serial(where, e);
}

/* In the order of --help. */
const struct source_kind source_kinds[SOURCE_KINDS] = {
    {"vsock", "CID[:PORT]", "a guest by virtio-vsock, by its CID (port 7077)",
     "cid", SOURCE_NEEDS_VSOCK, source_vsock, source_vsock_check},
    {"vsock-uds", "PATH[:PORT]",
     "a guest by a VMM's vsock socket, such as Firecracker's", "",
     SOURCE_NEEDS_UNIX, make_vsock_uds, NULL},
    {"serial", "PATH",
     "a guest's virtio-serial port: a Unix socket, pty or file", "",
     SOURCE_NEEDS_TTY, make_serial, NULL},
    {"gdb", "PATH", "a guest without the agent, by QEMU's -gdb unix:PATH,...",
     "", SOURCE_NEEDS_SAMPLER, NULL, NULL},
    {"qmp", "PATH", "the same by -qmp unix:PATH,server=on,wait=off", "",
     SOURCE_NEEDS_SAMPLER, NULL, NULL},
    {"xen", "DOMAIN", "a domain of Xen, by its name or number, from dom0", "",
     SOURCE_NEEDS_SAMPLER, NULL, NULL},
};

/* Not an option of a guest: --memory FILE, which has other meanings, too. */
static const struct source_kind memory_kind = {
    "memory", "FILE", "", "", SOURCE_NEEDS_SAMPLER, NULL, NULL,
};

const struct source_kind *source_kind_find(const char *name)
{
    if (strcmp(name, memory_kind.name) == 0)
        return &memory_kind;
    for (size_t i = 0; i < SOURCE_KINDS; i++) {
        if (strcmp(source_kinds[i].name, name) == 0)
            return &source_kinds[i];
    }
    return NULL;
}
