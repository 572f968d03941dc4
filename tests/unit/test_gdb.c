/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A debugger's stub that is played by a child process: one that sends no
 * control registers, and is attached to no process. QEMU's own stub is in
 * tests/system/outside.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "outside/outside_guest.h"
#include "util/cpu/x86_64/x86_registers.h"

#define INTERRUPT 3
#define SP        0x7f00u
#define PC        0x401234u
#define FOLDED    0x8000u /* an address */
#define HEARD_MAX 4096u

static struct err e;
static char *heard; /* what the stub was told, a space behind each */
static const char *thread = "1"; /* the one that the stub tells of */
static bool misses;              /* it, the first interrupt */

static void note(const char *what)
{
    size_t size = strlen(heard);

    snprintf(heard + size, HEARD_MAX - size, "%s ", what);
}

static void say(int fd, const char *body)
{
    char text[1024];
    unsigned sum = 0;

    for (const char *c = body; *c != '\0'; c++)
        sum += (unsigned char)*c;
    int n = snprintf(text, sizeof text, "+$%s#%02x", body, sum & 0xff);

    if (write(fd, text, (size_t)n) != n)
        _exit(1);
}

static void put(char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        sprintf(at + (size_t)2 * i, "%02x", (unsigned)(value >> 8 * i & 0xff));
}

/* Sixteen general registers, the number of each in it; RIP, EFLAGS and
 * segments. Behind these is nothing, as GDB's own description for x86-64
 * without system registers has it. */
static void say_registers(int fd)
{
    char text[2 * 164 + 1];

    for (unsigned i = 0; i < 16; i++)
        put(text + (size_t)16 * i, i == 7 ? SP : 0x100 + i, 8);
    put(text + 256, PC, 8);
    put(text + 272, 0x202, 4);
    for (unsigned i = 0; i < 6; i++)
        put(text + 280 + (size_t)8 * i, i == 0 ? 8 : 16, 4);
    say(fd, text);
}

static void tell_thread(int fd)
{
    char text[32];

    (void)snprintf(text, sizeof text, "m%s", thread);
    say(fd, text);
}

static void answer(int fd, const char *body)
{
    unsigned long address, size;

    note(body);
    if (strncmp(body, "qSupported", 10) == 0)
        say(fd, "PacketSize=200");
    else if (strcmp(body, "qfThreadInfo") == 0)
        tell_thread(fd);
    else if (strcmp(body, "qsThreadInfo") == 0)
        say(fd, "l");
    else if (strcmp(body, "g") == 0)
        say_registers(fd);
    else if (sscanf(body, "m%lx,%lx", &address, &size) == 2)
        say(fd, address == SP       ? "0011223344556677"
                : address == FOLDED ? "0*\"01"
                                    : "E14");
    else if (strncmp(body, "Hg", 2) == 0 || strcmp(body, "D") == 0 ||
             strcmp(body, "D;2a") == 0)
        say(fd, "OK");
    else if (strncmp(body, "vCont", 5) != 0)
        say(fd, ""); /* what it does not know */
}

/* Hear packets and interrupts until nobody speaks any more. */
static _Noreturn void play(int fd)
{
    FILE *in = fdopen(fd, "r");
    char body[256];
    int c;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while ((c = getc(in)) != EOF) {
        size_t size = 0;

        if (c == INTERRUPT) {
            note("^C");
            if (!misses)
                say(fd, "T02thread:01;");
            misses = false;
        }
        if (c != '$')
            continue;
        while ((c = getc(in)) != '#' && size + 1 < sizeof body)
            body[size++] = (char)c;
        body[size] = '\0';
        (void)getc(in); /* the checksum */
        (void)getc(in);
        answer(fd, body);
    }
    _exit(0);
}

static struct outside_guest *begin(void)
{
    struct outside_guest *g;
    int ends[2];

    heard = mmap(NULL, HEARD_MAX, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(heard != MAP_FAILED);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    if (fork() == 0) {
        close(ends[0]);
        play(ends[1]);
    }
    close(ends[1]);
    g = outside_gdb(ends[0], &e);
    if (g == NULL)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    return g;
}

/* Catches: registers that are not there, read from behind the others */
TEST(a_stub_without_control_registers_will_do)
{
    struct outside_guest *g = begin();
    struct cpu_registers r;
    uint8_t bytes[8] = {0};

    CHECK_EQ(g->core_count, 1);
    CHECK_EQ(g->ops->registers(g, 0, &r, &e), 0);
    CHECK_EQ(r.general[X86_RAX], 0x100);
    CHECK_EQ(r.general[X86_RDX], 0x103);
    CHECK_EQ(r.general[X86_RBP], 0x106);
    CHECK_EQ(r.general[X86_RSP], SP);
    CHECK_EQ(r.general[X86_R15], 0x10f);
    CHECK_EQ(r.pc, PC);
    CHECK_EQ(r.flags, 0x202);
    CHECK_EQ(r.system[X86_CS], 8);
    CHECK(r.is_wide);
    CHECK_EQ(r.system[X86_CR0] | r.system[X86_CR3] | r.system[X86_CR4] |
                 r.system[X86_EFER],
             0);
    CHECK_EQ(g->ops->memory(g, 0, &r, SP, bytes, 8, &e), 8);
    CHECK_MEM(bytes, ((uint8_t[]){0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77}),
              8);
    CHECK_EQ(g->ops->memory(g, 0, &r, PC, bytes, 8, &e), 0);
    g->ops->close(g);
}

/* "0*" and a quote are six zeros. Catches: stubs other than QEMU's that are not
 * understood */
TEST(answers_may_be_folded)
{
    struct outside_guest *g = begin();
    struct cpu_registers r;
    uint8_t bytes[4] = {0xff, 0xff, 0xff, 0xff};

    CHECK_EQ(g->ops->registers(g, 0, &r, &e), 0);
    CHECK_EQ(g->ops->memory(g, 0, &r, FOLDED, bytes, 4, &e), 4);
    CHECK_MEM(bytes, ((uint8_t[]){0, 0, 0, 1}), 4);
    g->ops->close(g);
}

/* Catches: a guest that is given up, since its stub was busy for a moment */
TEST(an_interrupt_that_is_missed_is_sent_again)
{
    misses = true;
    struct outside_guest *g = begin();

    CHECK_EQ(g->ops->run(g, &e), 0);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK(strstr(heard, "vCont;c ^C ^C ") != NULL);
    g->ops->close(g);
}

/* Catches: a process that stands still for ever, since it is not QEMU's one */
TEST(a_guest_is_let_go_by_its_name)
{
    thread = "p2a.2b";
    struct outside_guest *g = begin();

    g->ops->close(g);
    CHECK_STR(strstr(heard, "qsThreadInfo "), "qsThreadInfo D;2a ");
}

/* Catches: a guest that stands still for ever, since its stub does not know
 * "D;1"; and a watch that is told the guest is held when it is not */
TEST(a_guest_is_let_go_by_a_stub_that_knows_no_processes)
{
    struct outside_guest *g = begin();
    struct outside_watched watched = {.held = true};

    g->watched = &watched;
    CHECK_EQ(g->ops->run(g, &e), 0);
    CHECK(!watched.held);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK(watched.held);
    g->ops->close(g);
    CHECK(!watched.held);
    CHECK_STR(strstr(heard, "qsThreadInfo "), "qsThreadInfo vCont;c ^C D;1 D ");
}

/* Catches: two seconds without a word for who mixes up both sockets */
TEST(a_monitor_is_told_by_its_greeting)
{
    static const char greeting[] = "{\"QMP\": {\"version\": {}}}\r\n";
    int ends[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    CHECK_EQ(write(ends[1], greeting, strlen(greeting)), strlen(greeting));
    CHECK(outside_gdb(ends[0], &e) == NULL);
    CHECK_STR(e.text, "QEMU's monitor answers there: use --qmp");
    close(ends[1]);
}
