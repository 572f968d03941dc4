/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest behind a debugger's stub: GDB's remote protocol on a socket, as QEMU
 * and other hypervisors speak it for x86-64.
 *
 * Packets are "$body#checksum", acknowledged by a "+". What the stub says on
 * its own, that the guest has stopped, may come before any answer. Questions
 * that need not wait for one another are sent together: what takes time is the
 * way there and back.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "outside/guest.h"

#define PACKET_MAX 4096u /* bytes of a body that a stub takes and sends */
#define QUESTION   64u   /* bytes of a body that we send, at most */
#define THREAD     24u   /* bytes of a core's name, NUL included: "p01.02" */
#define INTERRUPT  0x03
#define EFER_LMA   (1u << 10)

struct gdb {
    struct outside_guest guest; /* first: what the callers have */
    char cores[OUTSIDE_CORES_MAX][THREAD];
    uint32_t core;    /* that questions are about; core_count: not known */
    bool runs;        /* and nobody has stopped it since */
    size_t read_max;  /* bytes of memory in one answer */
    size_t in_size;   /* of (in) */
    size_t body_size; /* of the packet before (in) */
    uint8_t in[2 * PACKET_MAX];
    char body[PACKET_MAX + 1]; /* the last packet's */
};

/* Hexadecimal digits */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes that (digits) digits at (text) stand for, at most (size), into
 * (out). What a stub does not know is "xx", and 0 here. Returns how many; -1:
 * that is something else. */
static long from_hex(const char *text, size_t digits, uint8_t *out, size_t size)
{
    size_t n = digits / 2 < size ? digits / 2 : size;

    for (size_t i = 0; i < n; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

        if (text[2 * i] == 'x')
            high = low = 0;
        if (high < 0 || low < 0)
            return -1;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return (long)n;
}

/* Packets */

static int lost(struct err *e)
{
    if (errno == ECONNRESET || errno == EPIPE)
        return err_set(e, "the guest has ended");
    return err_set(e, "the debugger's socket: %s", strerror(errno));
}

/* Wait until (events) are possible. Returns 0; -1 with (e) filled. */
static int wait_for(const struct gdb *g, short events, struct err *e)
{
    struct pollfd p = {.fd = g->guest.fd, .events = events};
    int ready;

    do
        ready = poll(&p, 1, OUTSIDE_WAIT_MS);
    while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return err_set(e, "the debugger's stub does not answer: is another "
                          "debugger or collector attached to it?");
    return ready < 0 ? lost(e) : 0;
}

static int send_all(struct gdb *g, const char *bytes, size_t size,
                    struct err *e)
{
    while (size > 0) {
        ssize_t n = send(g->guest.fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            if (wait_for(g, POLLOUT, e) != 0)
                return -1;
        } else if (n == 0 || errno != EINTR) {
            return lost(e);
        }
    }
    return 0;
}

/* Append (body) as a packet, behind an acknowledgement of the one before, to
 * (text), which has room. Returns its new length. */
static size_t put_packet(char *text, size_t at, const char *body)
{
    uint8_t sum = 0;

    for (const char *c = body; *c != '\0'; c++)
        sum = (uint8_t)(sum + (uint8_t)*c);
    return at + (size_t)sprintf(text + at, "+$%s#%02x", body, sum);
}

/* Hear more bytes. Returns 0; -1 with (e) filled. */
static int hear(struct gdb *g, struct err *e)
{
    if (g->in_size == sizeof g->in)
        return err_set(e, "the debugger's stub sends more than a packet holds");
    ssize_t n = recv(g->guest.fd, g->in + g->in_size, sizeof g->in - g->in_size,
                     MSG_DONTWAIT);

    if (n > 0) {
        g->in_size += (size_t)n;
        return 0;
    }
    if (n == 0)
        return err_set(e, "the guest has ended");
    if (errno == EAGAIN)
        return wait_for(g, POLLIN, e);
    return errno == EINTR ? 0 : lost(e);
}

/* Take the first packet out of (in), if it is whole: its body goes to (body).
 * Returns whether it was. */
static bool take_packet(struct gdb *g)
{
    const uint8_t *begin = memchr(g->in, '$', g->in_size);
    const uint8_t *end = NULL, *stop = g->in + g->in_size;

    if (begin != NULL)
        end = memchr(begin, '#', (size_t)(stop - begin));
    if (end == NULL || stop - end < 3)
        return false;
    g->body_size = (size_t)(end - begin) - 1;
    if (g->body_size > PACKET_MAX)
        g->body_size = PACKET_MAX;
    memcpy(g->body, begin + 1, g->body_size);
    g->body[g->body_size] = '\0';
    g->in_size = (size_t)(stop - end) - 3;
    memmove(g->in, end + 3, g->in_size);
    return true;
}

/* The next packet. Returns 0; -1 with (e) filled, also if it says that the
 * guest has ended. */
static int next_packet(struct gdb *g, struct err *e)
{
    while (!take_packet(g))
        if (hear(g, e) != 0)
            return -1;
    return g->body[0] == 'W' || g->body[0] == 'X'
               ? err_set(e, "the guest has ended")
               : 0;
}

/* Does the last packet say that the guest stands still? */
static bool says_stopped(const struct gdb *g)
{
    return g->body[0] == 'T' || g->body[0] == 'S';
}

/* The next packet that answers a question. Returns as above. */
static int next_answer(struct gdb *g, struct err *e)
{
    do
        if (next_packet(g, e) != 0)
            return -1;
    while (says_stopped(g));
    return 0;
}

static int ask(struct gdb *g, const char *question, struct err *e)
{
    char text[QUESTION + 8];

    if (send_all(g, text, put_packet(text, 0, question), e) != 0)
        return -1;
    return next_answer(g, e);
}

/* Ask (question) of core (core). Returns as above. */
static int ask_core(struct gdb *g, uint32_t core, const char *question,
                    struct err *e)
{
    char text[2 * QUESTION + 16], select[QUESTION];
    size_t size = 0;
    bool selects = g->core != core;

    if (selects) {
        (void)snprintf(select, sizeof select, "Hg%s", g->cores[core]);
        size = put_packet(text, size, select);
    }
    size = put_packet(text, size, question);
    if (send_all(g, text, size, e) != 0 || next_answer(g, e) != 0)
        return -1;
    if (!selects)
        return 0;
    if (strcmp(g->body, "OK") != 0)
        return err_set(e, "the debugger's stub has no core %s any more",
                       g->cores[core]);
    g->core = core;
    return next_answer(g, e);
}

/* Registers, memory */

static uint64_t load(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

/* The answer to "g": sixteen general registers in the order of the instruction
 * set, RIP, EFLAGS, six segments of four bytes; then QEMU has three bases and
 * the control registers, which other stubs leave out. */
#define G_PC      ((size_t)16 * 8)
#define G_FLAGS   ((size_t)17 * 8)
#define G_CS      (G_FLAGS + 4)
#define G_LEAST   (G_FLAGS + 28)
#define G_CONTROL (G_LEAST + 24) /* cr0 cr2 cr3 cr4 cr8 efer */
#define CR3       16u
#define CR4       24u
#define EFER      40u
#define G_QEMU    608u

static int gdb_registers(struct outside_guest *guest, uint32_t core,
                         struct outside_registers *r, struct err *e)
{
    static const enum outside_general order[OUTSIDE_GENERALS] = {
        OUTSIDE_RAX,    OUTSIDE_RBX,    OUTSIDE_RCX,    OUTSIDE_RDX,
        OUTSIDE_RSI,    OUTSIDE_RDI,    OUTSIDE_RBP,    OUTSIDE_RSP,
        OUTSIDE_R8,     OUTSIDE_R8 + 1, OUTSIDE_R8 + 2, OUTSIDE_R8 + 3,
        OUTSIDE_R8 + 4, OUTSIDE_R8 + 5, OUTSIDE_R8 + 6, OUTSIDE_R15};
    struct gdb *g = (struct gdb *)guest;
    uint8_t bytes[G_QEMU];

    if (ask_core(g, core, "g", e) != 0)
        return -1;
    long n = from_hex(g->body, g->body_size, bytes, sizeof bytes);

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

/* The stub reads memory as the core sees it. Of what is mapped in part it reads
 * nothing: pages are asked for one by one. */
static long gdb_memory(struct outside_guest *guest, uint32_t core,
                       const struct outside_registers *r, uint64_t address,
                       void *to, size_t size, struct err *e)
{
    struct gdb *g = (struct gdb *)guest;
    uint8_t *out = to;
    size_t done = 0;

    (void)r;
    while (done < size) {
        char question[QUESTION];
        uint64_t at = address + done;
        size_t part = (size_t)(4096 - at % 4096);

        if (part > size - done)
            part = size - done;
        if (part > g->read_max)
            part = g->read_max;
        (void)snprintf(question, sizeof question, "m%llx,%zx",
                       (unsigned long long)at, part);
        if (ask_core(g, core, question, e) != 0)
            return -1;
        long n = g->body[0] == 'E' && g->body_size == 3
                     ? 0
                     : from_hex(g->body, g->body_size, out + done, part);

        if (n < 0)
            return err_set(e, "the debugger's stub sends no memory: %.40s",
                           g->body);
        done += (size_t)n;
        if ((size_t)n < part)
            break;
    }
    return (long)done;
}

/* Stopping, running */

static int gdb_stop(struct outside_guest *guest, struct err *e)
{
    struct gdb *g = (struct gdb *)guest;
    const char interrupt = INTERRUPT;

    if (!g->runs)
        return 0;
    if (send_all(g, &interrupt, 1, e) != 0)
        return -1;
    do
        if (next_packet(g, e) != 0)
            return -1;
    while (!says_stopped(g));
    g->runs = false;
    return 0;
}

static int gdb_run(struct outside_guest *guest, struct err *e)
{
    struct gdb *g = (struct gdb *)guest;
    char text[QUESTION];

    if (g->runs)
        return 0;
    if (send_all(g, text, put_packet(text, 0, "vCont;c"), e) != 0)
        return -1;
    g->runs = true;
    return 0;
}

/* A guest whose debugger just goes stays as it is: it must be told. */
static void gdb_close(struct outside_guest *guest)
{
    struct gdb *g = (struct gdb *)guest;
    struct err ignored;

    if (gdb_stop(guest, &ignored) == 0 && ask(g, "D;1", &ignored) == 0 &&
        strcmp(g->body, "OK") != 0)
        (void)ask(g, "D", &ignored);
    (void)close(guest->fd);
    free(g);
}

/* Beginning */

/* The cores in the last packet: "m" and names with commas between. */
static void note_cores(struct gdb *g)
{
    char *name = g->body + 1;

    while (*name != '\0' && g->guest.core_count < OUTSIDE_CORES_MAX) {
        size_t length = strcspn(name, ",");

        if (length > 0 && length < THREAD) {
            char *core = g->cores[g->guest.core_count++];

            memcpy(core, name, length);
            core[length] = '\0';
        }
        name += length + (name[length] == ',');
    }
}

static int find_cores(struct gdb *g, struct err *e)
{
    if (ask(g, "qfThreadInfo", e) != 0)
        return -1;
    /* as many answers as cores, and one, at most */
    for (uint32_t i = 0; i <= OUTSIDE_CORES_MAX && g->body[0] == 'm'; i++) {
        note_cores(g);
        if (ask(g, "qsThreadInfo", e) != 0)
            return -1;
    }
    return g->guest.core_count > 0
               ? 0
               : err_set(e, "the debugger's stub tells of no cores");
}

/* What both sides can do; a first answer tells whether this is a stub. */
static int greet(struct gdb *g, struct err *e)
{
    const char *size;

    if (ask(g, "qSupported:multiprocess+;vContSupported+", e) != 0)
        return -1;
    size = strstr(g->body, "PacketSize=");
    if (size != NULL) {
        unsigned long most = strtoul(size + strlen("PacketSize="), NULL, 16);

        if (most >= 64 && most / 2 - 8 < g->read_max)
            g->read_max = most / 2 - 8;
    }
    return 0;
}

static const struct outside_ops gdb_ops = {
    .name = "gdb",
    .stop = gdb_stop,
    .run = gdb_run,
    .registers = gdb_registers,
    .memory = gdb_memory,
    .close = gdb_close,
};

struct outside_guest *outside_gdb(int fd, struct err *e)
{
    struct gdb *g = calloc(1, sizeof *g);

    if (g == NULL) {
        (void)err_set(e, "out of memory");
        (void)close(fd);
        return NULL;
    }
    g->guest = (struct outside_guest){.ops = &gdb_ops, .fd = fd};
    g->read_max = PACKET_MAX / 2;
    g->core = OUTSIDE_CORES_MAX;
    if (greet(g, e) == 0 && find_cores(g, e) == 0)
        return &g->guest;
    gdb_close(&g->guest);
    return NULL;
}
