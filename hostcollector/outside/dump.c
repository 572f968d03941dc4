/* SPDX-License-Identifier: BSD-2-Clause */
/* A dead guest, whose memory and registers are in a file. */
#include <stdlib.h>
#include <unistd.h>

#include "dump/dump_memory.h"
#include "outside/outside_guest.h"
#include "util/cpu/cpu.h"

struct dead {
    struct outside_guest guest; /* first member */
    struct dump_memory *memory;
    struct cpu_registers registers[OUTSIDE_CORES_MAX];
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
                               struct cpu_registers *r, struct err *e)
{
    if (core >= g->core_count)
        return err_set(e, "memory: no core %u", (unsigned)core);

    *r = of(g)->registers[core];
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
                             const struct cpu_registers *r, uint64_t address,
                             void *to, size_t size, struct err *e)
{
    static const struct dump_view parts = {.way = DUMP_BY_PARTS};
    struct dump_memory *m = of(g)->memory;
    long got = 0;

    if (core >= g->core_count)
        return err_set(e, "memory: no core %u", (unsigned)core);
    if (r->can_translate)
        got = r->cpu->read_virtual(r, read_physical, m, address, to, size);
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
