/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest behind a debugger's stub, as QEMU and other hypervisors have it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/outside_guest.h"
#include "outside/qemu/stub.h"

#define STACK 1024u /* bytes of each core's stack that are read ahead */

/* Registers and stack of a core, read during one stop. */
struct core {
    struct cpu_registers registers;
    size_t stack_size; /* bytes in (stack), from the core's SP on */
    uint8_t stack[STACK];
};

struct gdb {
    struct outside_guest guest; /* first member: the callers' view */
    struct stub stub;
    bool stays;  /* leave the guest as it is when closing */
    bool runs;   /* the guest runs, as far as known */
    bool looked; /* (cores) were read during this stop */
    struct core cores[OUTSIDE_CORES_MAX];
};

/* Registers, memory */

/* Read registers from the (size) bytes at (bytes), which a CPU of the table
 * has. The first CPU accepts more sizes than the others, and is asked last.
 * Returns false if there is none. */
static bool take_registers(const uint8_t *bytes, size_t size,
                           struct cpu_registers *r)
{
    size_t i = 0;

    while (cpu_at(i) != NULL)
        i++;
    while (i > 0)
        if (cpu_at(--i)->from_stub(bytes, size, r))
            return true;
    return false;
}

/* Read the registers from the last packet. Returns 0; -1 with (e) filled. */
static int read_registers(const struct gdb *g, struct cpu_registers *r,
                          struct err *e)
{
    uint8_t bytes[CPU_STUB_MAX];
    long n = stub_bytes(&g->stub, bytes, sizeof bytes);

    if (n < 0 || !take_registers(bytes, (size_t)n, r))
        return err_set(e, "the debugger's stub is none for " CPU_NAMES
                          ": it sends other registers");
    return 0;
}

/* Read up to (size) bytes of memory from the last packet into (to). Returns
 * their number; -1 with (e) filled. */
static long read_bytes(const struct gdb *g, uint8_t *to, size_t size,
                       struct err *e)
{
    long n = g->stub.body[0] == 'E' && g->stub.body_size == 3
                 ? 0
                 : stub_bytes(&g->stub, to, size);

    if (n < 0)
        return err_set(e, "the debugger's stub sends no memory: %.40s",
                       g->stub.body);
    return n;
}

/* Write the question for up to (size) bytes at (address), limited to one page
 * and one answer. Returns the number of bytes it asks for. */
static size_t ask_for(const struct gdb *g, char question[STUB_QUESTION],
                      uint64_t address, size_t size)
{
    size_t page = (size_t)(4096 - address % 4096);

    if (size > page)
        size = page;
    if (size > g->stub.read_max)
        size = g->stub.read_max;
    (void)snprintf(question, STUB_QUESTION, "m%llx,%zx",
                   (unsigned long long)address, size);
    return size;
}

/* Read the registers of all cores. Returns 0; -1 with (e) filled. */
static int look_at_registers(struct gdb *g, struct err *e)
{
    struct stub_batch b = stub_begin_batch(&g->stub);
    uint32_t count = g->guest.core_count;

    for (uint32_t i = 0; i < count; i++)
        if (stub_add(&g->stub, &b, i, "g", e) != 0)
            return -1;
    if (stub_send_batch(&g->stub, &b, e) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if (stub_answer(&g->stub, i, e) != 0 ||
            read_registers(g, &g->cores[i].registers, e) != 0)
            return -1;
    return 0;
}

static uint64_t stack_of(const struct core *c)
{
    return c->registers.general[c->registers.cpu->sp];
}

/* Read the beginnings of all stacks. Returns 0; -1 with (e) filled. */
static int look_at_stacks(struct gdb *g, struct err *e)
{
    struct stub_batch b = stub_begin_batch(&g->stub);
    uint32_t count = g->guest.core_count;

    for (uint32_t i = 0; i < count; i++) {
        char question[STUB_QUESTION];
        uint64_t sp = stack_of(&g->cores[i]);

        (void)ask_for(g, question, sp, STACK);
        if (stub_add(&g->stub, &b, i, question, e) != 0)
            return -1;
    }
    if (stub_send_batch(&g->stub, &b, e) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        long n = stub_answer(&g->stub, i, e) == 0
                     ? read_bytes(g, g->cores[i].stack, STACK, e)
                     : -1;

        if (n < 0)
            return -1;
        g->cores[i].stack_size = (size_t)n;
    }
    return 0;
}

/* Read registers and stacks of all cores when the first of them is needed. This
 * takes two round trips, whatever the number of cores. Returns 0; -1 with (e)
 * filled. */
static int read_stopped(struct gdb *g, struct err *e)
{
    if (g->looked)
        return 0;
    if (look_at_registers(g, e) != 0 || look_at_stacks(g, e) != 0)
        return -1;
    g->looked = true;
    return 0;
}

static int gdb_registers(struct outside_guest *guest, uint32_t core,
                         struct cpu_registers *r, struct err *e)
{
    struct gdb *g = (struct gdb *)guest;

    if (read_stopped(g, e) != 0)
        return -1;
    *r = g->cores[core].registers;
    return 0;
}

/* Find the (size) bytes at (address) among those read ahead. */
static size_t read_ahead(const struct gdb *g, uint32_t core, uint64_t address,
                         uint8_t *to, size_t size)
{
    const struct core *c = &g->cores[core];

    if (!g->looked)
        return 0;
    uint64_t offset = address - stack_of(c);

    if (offset >= c->stack_size)
        return 0;
    if (size > c->stack_size - offset)
        size = c->stack_size - (size_t)offset;
    memcpy(to, c->stack + offset, size);
    return size;
}

/* Read memory page by page: the stub returns nothing for a range that is only
 * partly mapped. */
static long gdb_memory(struct outside_guest *guest, uint32_t core,
                       const struct cpu_registers *r, uint64_t address,
                       void *to, size_t size, struct err *e)
{
    struct gdb *g = (struct gdb *)guest;
    uint8_t *out = to;
    size_t done = read_ahead(g, core, address, out, size);

    (void)r;
    while (done < size) {
        char question[STUB_QUESTION];
        size_t part = ask_for(g, question, address + done, size - done);

        if (stub_ask_core(&g->stub, core, question, e) != 0)
            return -1;
        long n = read_bytes(g, out + done, part, e);

        if (n < 0)
            return -1;
        done += (size_t)n;
        if ((size_t)n < part)
            break;
    }
    return (long)done;
}

/* Stopping and running */

static int gdb_stop(struct outside_guest *guest, struct err *e)
{
    struct gdb *g = (struct gdb *)guest;

    stub_look(&g->stub);
    if (!g->runs)
        return 0;
    outside_hold(guest, true);
    if (stub_stop(&g->stub, e) != 0)
        return -1;
    g->runs = false;
    return 0;
}

void outside_gdb_stands(struct outside_guest *guest)
{
    struct gdb *g = (struct gdb *)guest;

    stub_look(&g->stub);
    g->runs = false;
    g->looked = false;
}

static int gdb_run(struct outside_guest *guest, struct err *e)
{
    struct gdb *g = (struct gdb *)guest;

    if (g->runs)
        return 0;
    if (stub_say(&g->stub, "vCont;c", e) != 0)
        return -1;
    outside_hold(guest, false);
    g->runs = true;
    g->looked = false;
    return 0;
}

/* Leave the guest, which is stopped, and let it run. QEMU wants to know which
 * process; other stubs do not all understand this. */
static void detach(struct gdb *g)
{
    const char *core = g->stub.core_count > 0 ? g->stub.cores[0] : "";
    int length = (int)strcspn(core, ".");
    char order[2 + STUB_CORE] = "D;1";
    struct err ignored;

    if (core[0] == 'p' && core[length] == '.') /* "p01.02" */
        (void)snprintf(order, sizeof order, "D;%.*s", length - 1, core + 1);
    if (stub_ask(&g->stub, order, &ignored) == 0 &&
        strcmp(g->stub.body, "OK") != 0)
        (void)stub_ask(&g->stub, "D", &ignored);
}

/* Close the connection. A guest whose debugger just disconnects stays stopped,
 * so the stub gets an explicit order. */
static void gdb_close(struct outside_guest *guest)
{
    struct gdb *g = (struct gdb *)guest;
    struct err ignored;

    if (!g->stays && gdb_stop(guest, &ignored) == 0) {
        outside_hold(guest, false); /* QEMU reports an error for a second "D" */
        detach(g);
    }
    (void)close(guest->fd);
    free(g);
}

static const struct outside_ops gdb_ops = {
    .name = "gdb",
    .stop = gdb_stop,
    .run = gdb_run,
    .registers = gdb_registers,
    .memory = gdb_memory,
    .close = gdb_close,
};

static struct outside_guest *open_stub(int fd, bool stays, struct err *e)
{
    struct gdb *g = calloc(1, sizeof *g);

    if (g == NULL) {
        (void)err_memory(e);
        (void)close(fd);
        return NULL;
    }
    g->guest = (struct outside_guest){.ops = &gdb_ops, .fd = fd};
    g->stays = stays;
    if (stub_begin(&g->stub, fd, e) == 0) {
        g->guest.core_count = g->stub.core_count;
        return &g->guest;
    }
    gdb_close(&g->guest);
    return NULL;
}

struct outside_guest *outside_gdb(int fd, struct err *e)
{
    return open_stub(fd, false, e);
}

struct outside_guest *outside_gdb_started(int fd, struct err *e)
{
    return open_stub(fd, true, e);
}
