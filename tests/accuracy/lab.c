/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns the processes and files of an experiment; see lab.h. Paths of what it
 * runs (LAB_BOOT, LAB_COLLECTOR, LAB_PLUGIN) come from the build. */
#include "lab.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "profile_memory.h"

#define PATH_SIZE 512
#define ARGS_MAX  40
#define EXIT_SKIP 77
#define RAM_SIZE  (64ul << 20) /* what boot gives a guest */

/* The agent's entry with TPROF_CPU_GS, which is what our guests use; and where
 * it goes when an interrupt is no tick. */
#define LAB_ISR "tprof_isr_gs,aside=handle_other"

static char dir[] = "/tmp/tprof-accuracy-XXXXXX";
static char wire_path[PATH_SIZE], truth_path[PATH_SIZE], out_path[PATH_SIZE];
static char ram_path[PATH_SIZE];

static void clean_up(void)
{
    unlink(wire_path);
    unlink(truth_path);
    unlink(out_path);
    unlink(ram_path);
    rmdir(dir);
}

static void set_up(void)
{
    if (*wire_path)
        return;
    alarm(0); /* a batch may take longer than a unit test: CTest has a limit */
    CHECK(mkdtemp(dir) != NULL);
    snprintf(wire_path, sizeof wire_path, "%s/wire", dir);
    snprintf(truth_path, sizeof truth_path, "%s/truth", dir);
    snprintf(out_path, sizeof out_path, "%s/out", dir);
    snprintf(ram_path, sizeof ram_path, "%s/ram", dir);
    atexit(clean_up);
}

/* Runs (argv), its output into out_path; any status but 0 ends the test. */
static void run(const char *const *argv)
{
    int status;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        int fd = open(out_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
            execv(argv[0], (char *const *)(uintptr_t)argv);
        perror(argv[0]);
        _exit(127);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP)
        SKIP("no qemu-system-x86_64");
    if (status != 0)
        printf("%s %s ...: status 0x%x\n", argv[0], argv[1], (unsigned)status);
    CHECK(status == 0);
}

/* (size) bytes at (at) of the guest's memory. */
static void read_ram(int fd, void *to, size_t size, uint64_t at)
{
    CHECK_EQ(pread(fd, to, size, (off_t)at), (ssize_t)size);
}

/* What the guest has left in its memory, as if it had sent it. */
static void take_from_memory(void)
{
    static uint8_t bytes[RAM_SIZE - PROFILE_MEMORY_BYTES];
    int fd = open(ram_path, O_RDONLY);
    FILE *f = fopen(wire_path, "w");
    uint64_t size;

    CHECK(fd >= 0 && f != NULL);
    read_ram(fd, &size, sizeof size, PROFILE_MEMORY);
    CHECK(size > 0 && size <= sizeof bytes);
    read_ram(fd, bytes, size, PROFILE_MEMORY_BYTES);
    CHECK_EQ(fwrite(bytes, 1, size, f), size);
    CHECK_EQ(fclose(f), 0);
    close(fd);
}

/* QEMU's options for the way out of (r)'s guest, behind the (n) of (argv). */
static size_t add_way_out(const struct lab_run *r, const char **argv, size_t n)
{
    static char option[2 * PATH_SIZE];

    if (r->by_memory) {
        unlink(ram_path); /* each guest finds zeros */
        snprintf(option, sizeof option,
                 "memory-backend-file,id=ram,size=%luM,mem-path=%s,share=on",
                 RAM_SIZE >> 20, ram_path);
        argv[n++] = "-object";
        argv[n++] = option;
        argv[n++] = "-machine";
        argv[n++] = "memory-backend=ram";
        return n;
    }
    snprintf(option, sizeof option, "file,id=wire,path=%s", wire_path);
    argv[n++] = "-chardev";
    argv[n++] = option;
    argv[n++] = "-device";
    argv[n++] = "isa-debugcon,iobase=0xe9,chardev=wire";
    return n;
}

void lab_boot(const struct lab_run *r)
{
    char plugin[4 * PATH_SIZE], options[PATH_SIZE], cores[16];
    const char *argv[ARGS_MAX];
    size_t n = 0;

    set_up();
    snprintf(plugin, sizeof plugin,
             "%s,elf=%s,out=%s,begin=truth_begin,end=truth_end,isr=%s%s",
             LAB_PLUGIN, r->elf, truth_path, r->isr ? r->isr : LAB_ISR,
             r->truth ? r->truth : "");
    snprintf(options, sizeof options, "%s%s%s%s", r->options,
             r->seed ? " seed=" : "", r->seed ? r->seed : "",
             r->by_memory ? " memory=1" : "");
    snprintf(cores, sizeof cores, "%u", r->cores ? r->cores : 1);

    argv[n++] = LAB_BOOT;
    argv[n++] = "--icount";
    argv[n++] = "0";
    argv[n++] = "--cpus";
    argv[n++] = cores;
    argv[n++] = "--machine";
    argv[n++] = r->machine ? r->machine : "microvm";
    argv[n++] = "--append";
    argv[n++] = options;
    if (r->truth) {
        argv[n++] = "--plugin";
        argv[n++] = plugin;
    }
    argv[n++] = r->elf;
    argv[n++] = "--";
    n = add_way_out(r, argv, n);
    argv[n] = NULL;
    run(argv);
    if (r->by_memory)
        take_from_memory();
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    size_t size = 0;
    char *text = NULL;
    size_t got;

    CHECK(f != NULL);
    do {
        char *more = realloc(text, size + 65537);

        CHECK(more != NULL);
        text = more;
        got = fread(text + size, 1, 65536, f);
        size += got;
    } while (got > 0);
    text[size] = '\0';
    fclose(f);
    return text;
}

static void add_stack(struct lab_stacks *s, const char *text, size_t len,
                      uint64_t count)
{
    s->stack = realloc(s->stack, (s->count + 1) * sizeof *s->stack);
    CHECK(s->stack != NULL);
    s->stack[s->count].text = strndup(text, len);
    s->stack[s->count].count = count;
    CHECK(s->stack[s->count].text != NULL);
    s->count++;
}

/* "STACK COUNT", as every collapse script writes it. */
static void add_folded(struct lab_stacks *s, const char *line)
{
    const char *space = strrchr(line, ' ');

    CHECK(space != NULL);
    add_stack(s, line, (size_t)(space - line), strtoull(space, NULL, 10));
}

struct lab_stacks lab_measured(const struct lab_run *r, unsigned core)
{
    struct lab_stacks s = {NULL, 0};
    char number[16], start[24], *rest;
    int len = snprintf(start, sizeof start, "core%u;", core);

    snprintf(number, sizeof number, "%u", core);
    run((const char *const[]){LAB_COLLECTOR, "report", wire_path, "--elf",
                              r->elf, "--core", number, "--format", "folded",
                              NULL});
    char *text = read_file(out_path);
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        CHECK(strncmp(line, start, (size_t)len) == 0);
        add_folded(&s, line + len);
    }
    free(text);
    return s;
}

char *lab_report(const struct lab_run *r)
{
    run((const char *const[]){LAB_COLLECTOR, "report", wire_path, "--elf",
                              r->elf, "--all", NULL});
    return read_file(out_path);
}

char *lab_annotation(const struct lab_run *r, const char *function)
{
    run((const char *const[]){LAB_COLLECTOR, "annotate", function, wire_path,
                              "--elf", r->elf, "--all", NULL});
    return read_file(out_path);
}

/* The lines "core (core) (key) ..." of the plugin's answer, without that. */
static struct lab_stacks true_lines(unsigned core, const char *key)
{
    struct lab_stacks s = {NULL, 0};
    char start[32], *rest;
    char *text = read_file(truth_path);
    int len = snprintf(start, sizeof start, "core %u %s ", core, key);

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, start, (size_t)len) == 0)
            add_folded(&s, line + len);
    free(text);
    return s;
}

struct lab_stacks lab_true_places(unsigned core)
{
    return true_lines(core, "place");
}

struct lab_stacks lab_true_stacks(unsigned core, int framed)
{
    struct lab_stacks all = true_lines(core, "stack"), s = {NULL, 0};

    for (size_t i = 0; i < all.count; i++) {
        const char *text = all.stack[i].text;
        const char *stack = strchr(text, ' ') + 1;

        if (framed == (strncmp(text, "ready ", 6) == 0))
            add_stack(&s, stack, strlen(stack), all.stack[i].count);
    }
    lab_free(&all);
    return s;
}

uint64_t lab_truth(unsigned core, const char *key)
{
    char start[256];
    char *text = read_file(truth_path);
    int len = snprintf(start, sizeof start, "core %u %s ", core, key);
    uint64_t value = 0;

    for (char *line = text; line && *line;) {
        if (strncmp(line, start, (size_t)len) == 0)
            value = strtoull(line + len, NULL, 10);
        line = strchr(line, '\n');
        line += line != NULL;
    }
    free(text);
    return value;
}

/* What the collector says of the last run as JSON. */
static char *report_json(const struct lab_run *r)
{
    run((const char *const[]){LAB_COLLECTOR, "report", wire_path, "--elf",
                              r->elf, "--by", "thread", "--format", "json",
                              NULL});
    return read_file(out_path);
}

/* The number behind (member), as '"count":', in the JSON object at (at). */
static uint64_t number_in(const char *at, const char *member)
{
    const char *value = strstr(at, member);

    CHECK(value != NULL);
    return strtoull(value + strlen(member), NULL, 10);
}

/* The JSON object of thread (name) in the report (text). */
static const char *thread_in(const char *text, const char *name)
{
    char member[64];

    snprintf(member, sizeof member, ",\"name\":\"%s\"", name);
    const char *at = strstr(text, member);

    CHECK(at != NULL);
    while (at > text && *at != '{')
        at--;
    return at;
}

void lab_by_thread(const struct lab_run *r, const char *const *name, size_t k,
                   uint64_t *samples)
{
    static const char member[] = "\"busy\":{\"samples\":";
    char *text = report_json(r);

    for (size_t i = 0; i < k; i++)
        samples[i] = number_in(thread_in(text, name[i]), member);
    free(text);
}

char *lab_file(const char *path)
{
    return read_file(path);
}

char *lab_console(void)
{
    return read_file(out_path);
}

uint64_t lab_blocked(const struct lab_run *r, const char *name)
{
    static const char member[] = "\"blocked_seconds\":";
    char *text = report_json(r);
    const char *at = strstr(thread_in(text, name), member);

    CHECK(at != NULL);
    double ticks = strtod(at + strlen(member), NULL) *
                   (double)number_in(text, "\"clock_hz\":");

    free(text);
    return (uint64_t)llround(ticks);
}

uint64_t lab_lock(const struct lab_run *r, const char *lock, const char *group,
                  const char *member)
{
    char *text = report_json(r);
    char name[64];
    const char *at = strstr(text, "\"locks\":[");

    CHECK(at != NULL);
    snprintf(name, sizeof name, ",\"name\":\"%s\"", lock);
    at = strstr(at, name);
    CHECK(at != NULL);
    if (group != NULL) {
        snprintf(name, sizeof name, "\"%s\":{", group);
        at = strstr(at, name);
        CHECK(at != NULL);
    }
    snprintf(name, sizeof name, "\"%s\":", member);
    at = strstr(at, name);
    CHECK(at != NULL);
    double value = strtod(at + strlen(name), NULL);

    if (strstr(member, "seconds") != NULL)
        value *= (double)number_in(text, "\"clock_hz\":");
    free(text);
    return (uint64_t)llround(value);
}

uint64_t lab_waits(const struct lab_run *r, const char *kind, const char *name,
                   const char *function)
{
    static const char list[] = "\"thread_waits\":[";
    char *text = report_json(r);
    uint64_t sum = 0;
    uint64_t thread = number_in(thread_in(text, name), "\"number\":");
    char is_kind[64], frame[128];
    char *rest, *waits = strstr(text, list);

    CHECK(waits != NULL);
    snprintf(is_kind, sizeof is_kind, "\"kind\":\"%s\"", kind);
    snprintf(frame, sizeof frame, "\"%s\"", function ? function : "");
    *strstr(waits, "\"scheduling\":") = '\0';
    for (char *wait = strtok_r(waits + strlen(list), "}", &rest); wait;
         wait = strtok_r(NULL, "}", &rest))
        if (strstr(wait, is_kind) && (!function || strstr(wait, frame)) &&
            strstr(wait, "\"thread\":") &&
            number_in(wait, "\"thread\":") == thread)
            sum += number_in(wait, "\"count\":");
    free(text);
    return sum;
}

const char *lab_leaf(const char *stack)
{
    const char *semicolon = strrchr(stack, ';');

    return semicolon ? semicolon + 1 : stack;
}

/* An inlined function may stand below the one that it was inlined into. */
static int has_frame(const char *stack, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = stack; at; at = strchr(at, ';')) {
        at += *at == ';';
        if (strncmp(at, name, len) == 0 && (at[len] == ';' || !at[len]))
            return 1;
    }
    return 0;
}

void lab_by_function(const struct lab_stacks *s, const char *const *name,
                     size_t k, uint64_t *sum)
{
    memset(sum, 0, k * sizeof *sum);
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = 0; j < k; j++)
            if (has_frame(s->stack[i].text, name[j]))
                sum[j] += s->stack[i].count;
}

uint64_t lab_total(const struct lab_stacks *s)
{
    uint64_t total = 0;

    for (size_t i = 0; i < s->count; i++)
        total += s->stack[i].count;
    return total;
}

void lab_free(struct lab_stacks *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->stack[i].text);
    free(s->stack);
    *s = (struct lab_stacks){NULL, 0};
}
