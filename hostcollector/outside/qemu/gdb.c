/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest behind a debugger's stub, as QEMU and other hypervisors have it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/outside_guest.h"
#include "outside/qemu/stub.h"

#define STACK    1024u /* bytes of each core's stack that are read ahead */
#define EFER_LMA (1u << 10)

/* Registers and stack of a core, read during one stop. */
struct core {
    struct outside_registers registers;
    size_t stack_size; /* bytes in (stack), from the core's RSP on */
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

static uint64_t load(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

/* Layout of the answer to "g": sixteen general registers in the order of the
 * instruction set, RIP, EFLAGS, six segments of four bytes. QEMU adds three
 * bases and the control registers, which other stubs omit. */
#define G_PC      ((size_t)16 * 8)
#define G_FLAGS   ((size_t)17 * 8)
#define G_CS      (G_FLAGS + 4)
#define G_LEAST   (G_FLAGS + 28)
#define G_CONTROL (G_LEAST + 24) /* cr0 cr2 cr3 cr4 cr8 efer */
#define CR3       16u
#define CR4       24u
#define EFER      40u
#define G_QEMU    608u

/* Read the registers from the last packet. Returns 0; -1 with (e) filled. */
static int read_registers(const struct gdb *g, struct outside_registers *r,
                          struct err *e)
{
    static const enum outside_general order[OUTSIDE_GENERALS] = {
        OUTSIDE_RAX,    OUTSIDE_RBX,    OUTSIDE_RCX,    OUTSIDE_RDX,
        OUTSIDE_RSI,    OUTSIDE_RDI,    OUTSIDE_RBP,    OUTSIDE_RSP,
        OUTSIDE_R8,     OUTSIDE_R8 + 1, OUTSIDE_R8 + 2, OUTSIDE_R8 + 3,
        OUTSIDE_R8 + 4, OUTSIDE_R8 + 5, OUTSIDE_R8 + 6, OUTSIDE_R15};
    uint8_t bytes[G_QEMU];
    long n = stub_bytes(&g->stub, bytes, sizeof bytes);

    if (n < (long)G_LEAST)
        return err_set(e, "the debugger's stub is none for x86-64: it sends "
                          "other registers");
    *r = (struct outside_registers){.is_wide = true};
    for (unsigned i = 0; i < OUTSIDE_GENERALS; i++)
        r->general[order[i]] = load(bytes + (size_t)8 * i, 8);
    r->pc = load(bytes + G_PC, 8);
    r->flags = load(bytes + G_FLAGS, 4);
    r->cs = (uint16_t)load(bytes + G_CS, 2);
    if (n == (long)G_QEMU) {
        r->cr0 = load(bytes + G_CONTROL, 8);
        r->cr3 = load(bytes + G_CONTROL + CR3, 8);
        r->cr4 = load(bytes + G_CONTROL + CR4, 8);
        r->efer = load(bytes + G_CONTROL + EFER, 8);
        r->is_wide = (r->efer & EFER_LMA) != 0;
    }
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

/* Read the beginnings of all stacks. Returns 0; -1 with (e) filled. */
static int look_at_stacks(struct gdb *g, struct err *e)
{
    struct stub_batch b = stub_begin_batch(&g->stub);
    uint32_t count = g->guest.core_count;

    for (uint32_t i = 0; i < count; i++) {
        char question[STUB_QUESTION];
        uint64_t rsp = g->cores[i].registers.general[OUTSIDE_RSP];

        (void)ask_for(g, question, rsp, STACK);
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
                         struct outside_registers *r, struct err *e)
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
    uint64_t offset = address - c->registers.general[OUTSIDE_RSP];

    if (!g->looked || offset >= c->stack_size)
        return 0;
    if (size > c->stack_size - offset)
        size = c->stack_size - (size_t)offset;
    memcpy(to, c->stack + offset, size);
    return size;
}

/* Read memory page by page: the stub returns nothing for a range that is only
 * partly mapped. */
static long gdb_memory(struct outside_guest *guest, uint32_t core,
                       const struct outside_registers *r, uint64_t address,
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
