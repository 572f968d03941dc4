/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling from outside, for bench_outside.sh:
 *
 *     bench_outside qprofiler SOCKET PAUSE_US SECONDS
 *
 * samples the guest behind QEMU's monitor (QMP) at SOCKET as QProfiler does:
 * `info registers` of one core, RIP by a regular expression, a pause. Prints
 * "N samples in S s".
 *
 *     bench_outside cost MEMORY ADDRESS PID ROUNDS NAME COMMAND...
 *
 * says what each COMMAND, which samples for 2 s, costs the guest `outside`.
 * QEMU is process PID, its threads have their names, and the guest's memory is
 * the file MEMORY. The cost is how much less the guest counts at ADDRESS in a
 * second than in those before and after, in which nobody samples. Each command
 * has its turn in each round; the median is printed, and what there was at
 * least and at most. What a command prints is in the file NAME.ROUND.
 *
 * A guest's core does not run while its thread waits for one of this machine's
 * cores that somebody else has. That time does not count, so that neither what
 * else runs here, nor how many cores this machine has, is part of the cost.
 * What the command itself takes of the machine, and QEMU's first thread on its
 * behalf, is printed beside it, in percent of a core.
 */
#include <dirent.h>
#include <fcntl.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MAX 65536
#define LINE_BYTES 64 /* from one core's count to the next one's */
#define CORES_MAX  16
#define ROUNDS_MAX 99
#define WAYS_MAX   16
#define WINDOW_S   1.0
#define START_S    0.6 /* until a command samples */

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void rest(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};

    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

/* --- QProfiler's way --- */

static int connect_to(const char *path)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof addr) != 0)
        fail(path);
    return fd;
}

/* The next line that the monitor says, but for events. */
static const char *read_answer(FILE *from)
{
    static char line[ANSWER_MAX];

    do {
        if (fgets(line, sizeof line, from) == NULL)
            fail("the monitor");
    } while (strstr(line, "\"event\"") != NULL);
    return line;
}

static void say(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        fail("the monitor");
}

static int qprofiler(const char *path, const char *pause_us,
                     const char *seconds)
{
    static const char ask[] =
        "{\"execute\":\"human-monitor-command\",\"arguments\":"
        "{\"command-line\":\"info registers\"}}\n";
    int fd = connect_to(path);
    FILE *from = fdopen(fd, "r");
    double pause = strtod(pause_us, NULL) / 1e6, start;
    unsigned long samples = 0;
    regmatch_t match[2];
    regex_t rip;

    if (from == NULL || regcomp(&rip, "RIP=([0-9a-f]+)", REG_EXTENDED) != 0)
        fail("qprofiler");
    (void)read_answer(from); /* a greeting */
    say(fd, "{\"execute\":\"qmp_capabilities\"}\n");
    (void)read_answer(from);
    for (start = now_s(); now_s() - start < strtod(seconds, NULL);) {
        say(fd, ask);
        const char *line = read_answer(from);

        if (regexec(&rip, line, 2, match, 0) == 0 &&
            strtoull(line + match[1].rm_so, NULL, 16) != 0)
            samples++;
        if (pause > 0)
            rest(pause);
    }
    printf("%lu samples in %.3f s\n", samples, now_s() - start);
    regfree(&rip);
    fclose(from);
    return samples == 0;
}

/* --- what it costs --- */

static const volatile uint8_t *counts;
static struct core {
    char schedstat[64]; /* file: "RAN WAITED ..." in ns */
    uint64_t visits;
    double waited_s;
} cores[CORES_MAX];
static unsigned core_count;
static char first_thread[64]; /* its schedstat */

/* Of a thread. */
struct times {
    double ran_s, waited_s; /* for a core */
};

static struct times read_times(const char *path)
{
    double ran_ns = 0, waited_ns = 0;
    FILE *f = fopen(path, "r");

    if (f == NULL || fscanf(f, "%lf %lf", &ran_ns, &waited_ns) != 2)
        fail(path);
    fclose(f);
    return (struct times){ran_ns / 1e9, waited_ns / 1e9};
}

static void read_core(unsigned i)
{
    cores[i].waited_s = read_times(cores[i].schedstat).waited_s;
    const volatile void *count = counts + i * (size_t)LINE_BYTES;

    cores[i].visits = *(const volatile uint64_t *)count;
}

/* Visits a second of all cores, for a window from now on. */
static double speed(void)
{
    struct core before[CORES_MAX] = {0};
    double start[CORES_MAX] = {0}, sum = 0;

    for (unsigned i = 0; i < core_count; i++) {
        read_core(i);
        before[i] = cores[i];
        start[i] = now_s();
    }
    rest(WINDOW_S);
    for (unsigned i = 0; i < core_count; i++) {
        read_core(i);
        sum += (double)(cores[i].visits - before[i].visits) /
               (now_s() - start[i] - (cores[i].waited_s - before[i].waited_s));
    }
    return sum;
}

/* QEMU's threads named "CPU N/...", in order. */
static void find_cores(const char *pid)
{
    char path[64], name[16];
    struct dirent *entry;

    snprintf(path, sizeof path, "/proc/%.20s/task", pid);
    DIR *tasks = opendir(path);

    if (tasks == NULL)
        fail(path);
    while ((entry = readdir(tasks)) != NULL) {
        unsigned i = CORES_MAX;

        snprintf(path, sizeof path, "/proc/%.10s/task/%.10s/comm", pid,
                 entry->d_name);
        FILE *f = fopen(path, "r");

        if (f != NULL && fgets(name, sizeof name, f) != NULL &&
            sscanf(name, "CPU %u/", &i) == 1 && i < CORES_MAX) {
            snprintf(cores[i].schedstat, sizeof cores[i].schedstat,
                     "/proc/%.10s/task/%.10s/schedstat", pid, entry->d_name);
            core_count++;
        }
        if (f != NULL)
            fclose(f);
    }
    if (core_count == 0)
        fail("QEMU's threads");
    snprintf(first_thread, sizeof first_thread,
             "/proc/%.10s/task/%.10s/schedstat", pid, pid);
    closedir(tasks);
}

/* How fast the guest is while (command) runs, which leaves FILE NAME.ROUND, and
 * what that takes of the machine. */
static double speed_under(const char *name, const char *command,
                          unsigned long round, double *host)
{
    double start = now_s(), before = read_times(first_thread).ran_s;
    char file[256];
    struct rusage used;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        snprintf(file, sizeof file, "%s.%lu", name, round);
        if (freopen(file, "w", stdout) != NULL)
            execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    rest(START_S);
    double is = speed();

    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) {
        fprintf(stderr, "%s: status 0x%x\n", command, (unsigned)status);
        exit(1);
    }
    *host = read_times(first_thread).ran_s - before +
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    *host = 100 * *host / (now_s() - start);
    return is;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_cost(const char *name, double *cost, double *host,
                       unsigned long n)
{
    qsort(cost, n, sizeof *cost, by_size);
    qsort(host, n, sizeof *host, by_size);
    printf("%s_slowdown %.1f percent\n", name, cost[n / 2]);
    printf("%s_slowdown_least %.1f percent\n", name, cost[0]);
    printf("%s_slowdown_most %.1f percent\n", name, cost[n - 1]);
    printf("%s_host %.1f percent\n", name, host[n / 2]);
}

static void map_counts(const char *memory, const char *address)
{
    uint64_t at = strtoull(address, NULL, 0);
    uint64_t page = at & ~(uint64_t)4095;
    int fd = open(memory, O_RDONLY);

    if (fd < 0)
        fail(memory);
    /* two pages: the counts may lie across their edge */
    void *map = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, (off_t)page);

    if (map == MAP_FAILED)
        fail(memory);
    counts = (const uint8_t *)map + (at - page);
    close(fd);
}

static int cost(unsigned long rounds, unsigned long ways, char **way)
{
    static double slower[WAYS_MAX][ROUNDS_MAX], host[WAYS_MAX][ROUNDS_MAX];

    if (ways > WAYS_MAX || rounds == 0 || rounds > ROUNDS_MAX)
        fail("cost");
    double before = speed();

    for (unsigned long round = 0; round < rounds; round++) {
        for (unsigned long i = 0; i < ways; i++) {
            double is =
                speed_under(way[2 * i], way[2 * i + 1], round, &host[i][round]);
            double after = speed();

            slower[i][round] = 100 * (1 - 2 * is / (before + after));
            before = after;
        }
    }
    for (unsigned long i = 0; i < ways; i++)
        print_cost(way[2 * i], slower[i], host[i], rounds);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "qprofiler") == 0)
        return qprofiler(argv[2], argv[3], argv[4]);
    if (argc >= 8 && argc % 2 == 0 && strcmp(argv[1], "cost") == 0) {
        find_cores(argv[4]);
        map_counts(argv[2], argv[3]);
        return cost(strtoul(argv[5], NULL, 10), (unsigned long)(argc - 6) / 2,
                    argv + 6);
    }
    fprintf(stderr, "bench_outside qprofiler|cost ...: see its source\n");
    return 2;
}
