/* SPDX-License-Identifier: BSD-2-Clause */
/* From options to the files that are allowed. */
#include "cmd/confine.h"

#include <string.h>

#include "cmd/sandbox.h"

/* Returns what connecting to (g) needs. */
static unsigned allow_guest(struct sandbox *box, const struct guest_spec *g)
{
    for (const struct elf_path *p = g->elfs; p != NULL; p = p->next)
        sandbox_allow(box, p->path, SANDBOX_READ);
    switch (source_kind(g->kind)->need) {
    case SOURCE_NEEDS_VSOCK:
        return SANDBOX_VSOCK;
    case SOURCE_NEEDS_UNIX:
        return SANDBOX_UNIX;
    case SOURCE_NEEDS_TTY:
        break;
    }
    /* it may be a pty, or become a link to one */
    sandbox_allow(box, g->where, SANDBOX_READ | SANDBOX_WRITE);
    sandbox_allow(box, "/dev/pts/", SANDBOX_READ | SANDBOX_WRITE);
    return SANDBOX_UNIX;
}

int confine_sampling(const struct options *o, const struct outputs *out,
                     struct err *e)
{
    struct sandbox box;
    unsigned needs = SANDBOX_FILES;

    if (o->privileged)
        needs |= SANDBOX_LOW_PORT;

    sandbox_init(&box);
    for (size_t i = 0; i < o->guests.count; i++)
        needs |= allow_guest(&box, &o->guests.list[i]);
    if (o->guests.count == 0)
        sandbox_allow(&box, "/", SANDBOX_READ);
    if (out->recording != NULL)
        sandbox_allow(&box, out->recording, SANDBOX_WRITE);
    for (unsigned i = 0; i < out->count; i++) {
        if (strcmp(out->list[i].path, "-") != 0)
            sandbox_allow(&box, out->list[i].path, SANDBOX_WRITE);
    }
    return sandbox_enter(&box, needs, e);
}
