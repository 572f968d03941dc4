/* SPDX-License-Identifier: BSD-2-Clause */
/* A dead guest, whose memory and registers are in a file. */
#include <stdlib.h>
#include <unistd.h>

#include "dump/dump_memory.h"
#include "outside/outside_guest.h"
#include "util/cpu/x86_64/x86_paging.h"

struct dead {
    struct outside_guest guest; /* first member */
    struct dump_memory *memory;
    struct dump_registers registers[OUTSIDE_CORES_MAX];
};

static struct dead *of(struct outside_guest *g)
{
    return (struct dead *)g;
}

static int dump_stop(struct outside_guest *g, struct err *e)
{
    (void)g;
    (void)e;
    return 0;
}

static int dump_run(struct outside_guest *g, struct err *e)
{
    return dump_stop(g, e);
}

static int dump_read_registers(struct outside_guest *g, uint32_t core,
                               struct outside_registers *r, struct err *e)
{
    if (core >= g->core_count)
        return err_set(e, "memory: no core %u", (unsigned)core);

    const struct dump_registers *d = &of(g)->registers[core];

    *r = (struct outside_registers){.pc = d->pc,
                                    .flags = d->flags,
                                    .cr0 = d->cr0,
                                    .cr3 = d->cr3,
                                    .cr4 = d->cr4,
                                    .cs = d->cs,
                                    .is_wide = d->is_wide};
    for (size_t i = 0; i < OUTSIDE_GENERALS; i++)
        r->general[i] = d->general[i];
    return 0;
}

static long read_physical(void *context, uint64_t address, void *to,
                          size_t size)
{
    static const struct dump_view physical = {.way = DUMP_BY_OFFSET};

    return (long)dump_memory_some(context, &physical, address, to, size);
}

/* Read by the core's page tables. If these are not known or not in the file,
 * read by the addresses that the file gives. A file without such addresses is
 * of a kernel without an address space of its own. */
static long dump_read_memory(struct outside_guest *g, uint32_t core,
                             const struct outside_registers *r,
                             uint64_t address, void *to, size_t size,
                             struct err *e)
{
    static const struct dump_view parts = {.way = DUMP_BY_PARTS};
    struct dump_memory *m = of(g)->memory;
    /* the file lacks EFER, but without this bit no core runs 64-bit code */
    const struct paging p = {r->cr0,        r->cr3,
                             r->cr4,        r->is_wide ? PAGING_EFER_LMA : 0,
                             read_physical, m};
    long got = 0;

    if (core >= g->core_count)
        return err_set(e, "memory: no core %u", (unsigned)core);
    if (of(g)->registers[core].has_control)
        got = paging_read(&p, address, to, size);
    else if (!dump_memory_has_virtual(m))
        got = read_physical(m, address, to, size);
    if (got == 0 && dump_memory_has_virtual(m))
        got = (long)dump_memory_some(m, &parts, address, to, size);
    return got;
}

static void dump_close(struct outside_guest *g)
{
    dump_memory_free(of(g)->memory);
    close(g->fd);
    free(g);
}

static const struct outside_ops dump_ops = {
    "memory",         dump_stop,  dump_run, dump_read_registers,
    dump_read_memory, dump_close,
};

struct outside_guest *outside_dump(int fd, struct err *e)
{
    struct dead *d = calloc(1, sizeof *d);

    if (d == NULL) {
        err_sys(e, "memory");
        close(fd);
        return NULL;
    }
    d->guest.ops = &dump_ops;
    d->guest.fd = fd;
    d->guest.stands = "it is dead";
    d->memory = dump_memory_new(fd, e);
    if (d->memory != NULL) {
        d->guest.core_count =
            dump_registers_read(d->memory, d->registers, OUTSIDE_CORES_MAX);
        d->guest.warning = dump_memory_cut(d->memory);
    }
    if (d->guest.core_count != 0)
        return &d->guest;
    if (d->memory != NULL)
        (void)err_set(
            e, "it has no registers, which QEMU's dump-guest-memory writes");
    dump_close(&d->guest);
    return NULL;
}
