/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outside_qmp() on a real QEMU with two cores and two monitors: what it tells
 * is compared with what QEMU prints, saves and finds by the other monitor,
 * while the guest stands still.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "guard/sandbox.h"
#include "host.h"
#include "outside/outside_guest.h"
#include "outside/qemu/monitor.h"
#include "util/cpu/x86_64/x86_paging.h"
#include "util/cpu/x86_64/x86_registers.h"

#define RAM        (64u << 20)
#define STACK_SIZE 1024u
#define LOOKS      200

static struct host host;
static struct monitor other; /* the second monitor, which tells the truth */
static uint8_t saved[RAM];   /* physical memory, as QEMU saves it */

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    CHECK(fd >= 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    for (uint64_t end = host_now_ms() + HOST_PATIENCE_MS;;) {
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
            return fd;
        CHECK(host_now_ms() < end);
        host_qemu(&host); /* ends the case if there is no QEMU */
        host_sleep_ms(10);
    }
}

/* Boot toro with (options), and with two monitors, of which (other) is the
 * second. */
static void boot_with(const char *const *options)
{
    static char first[128], second[128];
    const char *all[32];
    size_t n = 0;
    struct err e;

    host_init(&host);
    unlink(host_path("extra"));
    snprintf(first, sizeof first, "unix:%s,server=on,wait=off",
             host_path("socket"));
    snprintf(second, sizeof second, "unix:%s,server=on,wait=off",
             host_path("extra"));
    while (*options != NULL)
        all[n++] = *options++;
    all[n++] = "-qmp";
    all[n++] = first;
    all[n++] = "-qmp";
    all[n++] = second;
    all[n] = NULL;
    host_boot_without_port(&host, TORO, all);

    int fd = connect_to(host_path("extra"));

    if (monitor_greet(fd, -1, &e) != 0 ||
        monitor_init(&other, fd, false, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
}

/* Boot a guest that works on both cores for ever. */
static void boot(void)
{
    static const char *const options[] = {"--cpus", "2",        "--timeout",
                                          "50",     "--append", "run=0 words=8",
                                          "--",     NULL};

    boot_with(options);
}

static struct outside_guest *open_guest(void)
{
    struct err e;
    int fd = connect_to(host_path("socket"));
    int stub = outside_qmp_pass(fd, &e);
    struct outside_guest *g = stub < 0 ? NULL : outside_qmp(fd, stub, &e);

    if (g == NULL)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    return g;
}

static void must(long result, const struct err *e)
{
    if (result < 0)
        check_failed(__FILE__, __LINE__, "%s", e->text);
}

static void stop(struct outside_guest *g)
{
    struct err e;

    must(g->ops->stop(g, &e), &e);
}

static void run(struct outside_guest *g)
{
    struct err e;

    must(g->ops->run(g, &e), &e);
}

static struct cpu_registers registers(struct outside_guest *g, uint32_t core)
{
    struct cpu_registers r;
    struct err e;

    must(g->ops->registers(g, core, &r, &e), &e);
    return r;
}

static long memory(struct outside_guest *g, uint32_t core, uint64_t address,
                   void *to, size_t size)
{
    struct cpu_registers r = registers(g, core);
    struct err e;
    long got = g->ops->memory(g, core, &r, address, to, size, &e);

    must(got, &e);
    return got;
}

/* What the other monitor says to (line), as core (core); lives until the next
 * call. */
static const char *said(uint32_t core, const char *line)
{
    static char text[4096];
    char order[240];
    struct err e;

    snprintf(order, sizeof order,
             "{\"command-line\":\"%s\",\"cpu-index\":%" PRIu32 "}", line, core);

    json_t *answer = monitor_ask(&other, "human-monitor-command", order, &e);

    if (answer == NULL)
        check_failed(__FILE__, __LINE__, "%s: %s", line, e.text);
    snprintf(text, sizeof text, "%s", json_string_value(answer));
    json_decref(answer);
    return text;
}

/* Is the guest running, by the other monitor? */
static bool runs(void)
{
    return strstr(said(0, "info status"), "VM status: running") != NULL;
}

/* Let the guest run, and wait until it does: the stub has no answer to that. */
static void run_again(struct outside_guest *g)
{
    run(g);
    for (uint64_t end = host_now_ms() + HOST_PATIENCE_MS; !runs();) {
        CHECK(host_now_ms() < end);
        host_sleep_ms(1);
    }
}

/* Wait until both cores have left the firmware and run 64-bit code. */
static void await_kernel(struct outside_guest *g)
{
    for (uint64_t end = host_now_ms() + HOST_PATIENCE_MS;;) {
        stop(g);
        if (registers(g, 0).is_wide && registers(g, 1).is_wide)
            return;
        run(g);
        CHECK(host_now_ms() < end);
        host_sleep_ms(5);
    }
}

/* Have QEMU save all of the guest's memory. */
static void save_memory(void)
{
    const char *path = host_path("record");
    char line[160];
    FILE *f;

    snprintf(line, sizeof line, "pmemsave 0 %u \\\"%s\\\"", RAM, path);
    CHECK_STR(said(0, line), "");
    f = fopen(path, "rb");
    CHECK(f != NULL);
    CHECK_EQ(fread(saved, 1, RAM, f), RAM);
    fclose(f);
}

/* The number behind (name), as QEMU writes it. */
static uint64_t printed(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    CHECK(at != NULL);
    return strtoull(at + strlen(name), NULL, 16);
}

static void registers_of(struct outside_guest *g, uint32_t core)
{
    /* by their numbers in DWARF */
    static const char *const names[] = {
        "\nRAX=", " RDX=", " RCX=",  " RBX=", "\nRSI=", " RDI=",
        " RBP=",  " RSP=", "\nR8 =", " R9 =", " R10=",  " R11=",
        "\nR12=", " R13=", " R14=",  " R15="};
    struct cpu_registers r = registers(g, core);
    const char *text = said(core, "info registers");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK_EQ(r.general[i], printed(text, names[i]));
    CHECK_EQ(r.flags, printed(text, " RFL="));
    CHECK_EQ(r.pc, printed(text, "\nRIP="));
    CHECK_EQ(r.system[X86_CS], printed(text, "\nCS ="));
    CHECK_EQ(r.system[X86_CR0], printed(text, "\nCR0="));
    CHECK_EQ(r.system[X86_CR3], printed(text, " CR3="));
    CHECK_EQ(r.system[X86_CR4], printed(text, " CR4="));
    CHECK_EQ(r.system[X86_EFER], printed(text, "\nEFER="));
    CHECK_EQ(r.pc, strtoull(said(core, "p/x $pc"), NULL, 16));
}

TEST(registers_are_what_qemu_prints)
{
    struct outside_guest *g;

    boot();
    g = open_guest();
    CHECK(g->stands == NULL);
    CHECK(runs()); /* until somebody looks */
    for (int i = 0; i < 10; i++) {
        await_kernel(g);
        CHECK_EQ(g->core_count, 2);
        registers_of(g, 0);
        registers_of(g, 1);
        CHECK(!runs());
        run_again(g);
    }
    g->ops->close(g);
}

static void compare(struct outside_guest *g, uint32_t core, uint64_t address,
                    size_t size)
{
    static uint8_t to[3 * 4096];
    size_t there = address >= RAM         ? 0
                   : RAM - address < size ? RAM - address
                                          : size;

    CHECK(size <= sizeof to);
    CHECK_EQ(memory(g, core, address, to, size), there);
    CHECK_MEM(to, saved + address, there);
}

/* The guest maps its memory to itself, and nothing behind it (page.c). */
TEST(memory_is_what_qemu_saves)
{
    struct outside_guest *g;

    boot();
    g = open_guest();
    await_kernel(g);
    save_memory();
    for (uint32_t core = 0; core < 2; core++) {
        struct cpu_registers r = registers(g, core);

        compare(g, core, r.pc, 64);
        compare(g, core, r.general[X86_RSP], STACK_SIZE);
        compare(g, core, r.pc & ~4095u, 3 * 4096);
        for (uint64_t odd = 1; odd < 40; odd++)
            compare(g, core, r.pc + odd, odd);
        compare(g, core, RAM - 8, 24);
        compare(g, core, RAM - 13, 13);
    }
    CHECK_EQ(memory(g, 0, UINT64_C(0xfedcba9876543210), saved, 16), 0);
    CHECK_EQ(memory(g, 0, UINT64_MAX - 7, saved, 16), 0);
    run(g);
    g->ops->close(g);
}

static long read_saved(void *context, uint64_t address, void *to, size_t size)
{
    (void)context;
    if (address >= RAM)
        return 0;
    if (size > RAM - address)
        size = RAM - address;
    memcpy(to, saved + address, size);
    return (long)size;
}

TEST(tables_lead_where_qemu_goes)
{
    struct outside_guest *g;
    unsigned mapped = 0;

    boot();
    g = open_guest();
    await_kernel(g);
    save_memory();
    for (uint32_t core = 0; core < 2; core++) {
        struct cpu_registers r = registers(g, core);
        struct paging p = {r.system[X86_CR0], r.system[X86_CR3],
                           r.system[X86_CR4], r.system[X86_EFER],
                           read_saved,        NULL};

        for (unsigned i = 0; i < 200; i++) {
            uint64_t address = i < 100 ? i * UINT64_C(0x7654321)
                                       : r.pc + (UINT64_C(1) << (i % 64));
            struct paging_place place;
            char line[48];
            const char *qemu;

            snprintf(line, sizeof line, "gva2gpa 0x%" PRIx64, address);
            qemu = said(core, line);
            if (paging_find(&p, address, &place) != 1) {
                CHECK_STR(qemu, "Unmapped\r\n");
                continue;
            }
            CHECK_EQ(strncmp(qemu, "gpa: 0", 6), 0);
            CHECK_EQ(strtoull(qemu + 5, NULL, 16), place.physical);
            mapped++;
        }
    }
    printf("%u of 400 addresses are mapped\n", mapped);
    CHECK(mapped > 100 && mapped < 390);
    run(g);
    g->ops->close(g);
}

TEST(guest_that_somebody_stopped_is_told_and_left)
{
    struct outside_guest *g;

    boot();
    g = open_guest();
    await_kernel(g);
    run_again(g);
    CHECK(g->stands == NULL);
    said(0, "stop");
    stop(g);
    CHECK_STR(g->stands, "another monitor or a debugger has stopped it");
    registers_of(g, 1);
    run(g);
    CHECK(!runs());
    g->ops->close(g);

    g = open_guest(); /* it is told at once */
    CHECK_STR(g->stands, "another monitor or a debugger has stopped it");
    said(0, "cont");
    stop(g);
    CHECK(g->stands == NULL);
    run_again(g);
    g->ops->close(g);
}

TEST(guest_that_has_not_begun_is_told)
{
    static const char *const options[] = {"--timeout", "50", "--", "-S", NULL};
    struct outside_guest *g;
    struct cpu_registers r;

    boot_with(options);
    g = open_guest();
    CHECK_STR(g->stands, "it has not begun to run (-S)");
    stop(g);
    CHECK_EQ(g->core_count, 1);
    CHECK_STR(g->stands, "it has not begun to run (-S)");
    r = registers(g, 0); /* as the processor's manual has them after a reset */
    CHECK(!r.is_wide);
    CHECK_EQ(r.pc, 0xfff0);
    CHECK_EQ(r.system[X86_CS], 0xf000);
    run(g);
    CHECK(!runs());
    g->ops->close(g);
}

/* Hears QEMU and looks at a guest when the process can open nothing any more.
 */
static void look_confined(void)
{
    int fd = connect_to(host_path("socket"));
    struct err e;
    int stub = outside_qmp_pass(fd, &e);
    uint8_t stack[STACK_SIZE];

    must(stub, &e);
    CHECK_EQ(sandbox_confine_calls(SANDBOX_READER), 0);

    struct outside_guest *g = outside_qmp(fd, stub, &e);

    if (g == NULL)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    for (int i = 0; i < 5; i++) {
        stop(g);
        for (uint32_t core = 0; core < 2; core++)
            CHECK(memory(g, core, registers(g, core).general[X86_RSP], stack,
                         sizeof stack) >= 0);
        run(g);
    }
    g->ops->close(g);
    _exit(0);
}

TEST(looks_need_nothing_that_the_sandbox_refuses)
{
    int status;

    boot();

    pid_t child = fork();

    if (child == 0)
        look_confined();
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK(runs());
}

TEST(monitor_that_is_taken_is_told)
{
    struct err e;
    int fd, stub;

    boot();
    fd = connect_to(host_path("extra"));
    stub = outside_qmp_pass(fd, &e);
    CHECK(stub >= 0);
    CHECK(outside_qmp(fd, stub, &e) == NULL);
    CHECK_STR(e.text, "qmp: QEMU does not answer: a monitor serves one program "
                      "at a time, and another program uses this one. Start "
                      "QEMU with a second -qmp option");
}

TEST(guest_runs_on_when_its_monitor_is_closed)
{
    boot();
    for (int i = 0; i < 20; i++) {
        struct outside_guest *g = open_guest();

        stop(g);
        CHECK(!runs());
        g->ops->close(g);
        CHECK(runs());
    }
}

/* Looks a second: registers and 1 KiB of stack of both cores. */
TEST(rate_of_looks)
{
    struct outside_guest *g;
    uint64_t begin, ms;
    uint8_t stack[STACK_SIZE];

    boot();
    g = open_guest();
    await_kernel(g);
    begin = host_now_ms();
    for (int i = 0; i < LOOKS; i++) {
        for (uint32_t core = 0; core < 2; core++)
            memory(g, core, registers(g, core).general[X86_RSP], stack,
                   sizeof stack);
        run(g);
        stop(g);
    }
    ms = host_now_ms() - begin;
    printf("%.0f looks a second\n", LOOKS * 1000.0 / (double)(ms > 0 ? ms : 1));
    g->ops->close(g);
}
