/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim --seeds FROM..TO   runs these seeds, each in a process of its own
 *     --seed N           runs this one
 *     --soak SECONDS     runs seeds until the time is over
 *     --clones COUNT     each seed's machine is saved, and so many go on
 *     --verbose          tells the last events in words, failed or not
 *
 * A seed that fails does so each time, and tells the last events.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

#define RUN_SECONDS 60

static bool verbose;
static uint32_t clones;
static uint64_t seed, state;
static uint64_t *all_sessions; /* shared with the runs */

/* --- Chance --------------------------------------------------------------- */

uint64_t draw(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

uint32_t below(uint32_t limit)
{
    return (uint32_t)((draw() >> 32) * limit >> 32);
}

void draw_apart(uint32_t number)
{
    state = (state ^ number) * 0x9e3779b97f4a7c15u + 1;
}

bool chance(uint32_t per_mille)
{
    return below(1000) < per_mille;
}

uint64_t draw_log(uint64_t limit)
{
    uint32_t bits = 64 - (uint32_t)__builtin_clzll(limit);
    uint64_t value = draw() >> (64 - 1 - below(bits));

    return value % limit + 1;
}

/* --- The end of a run ----------------------------------------------------- */

void fail(const char *why, ...)
{
    va_list args;

    printf("\nseed %" PRIu64 " fails after %" PRIu64 " interrupts:\n", seed,
           injected());
    print_notes();
    va_start(args, why);
    (void)vprintf(why, args);
    va_end(args);
    putchar('\n');
    exit(1);
}

void end_early(void)
{
    exit(0);
}

/* An access that nothing else has caught. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;

    (void)context;
    if (number == SIGALRM)
        fail("the run does not end");
    fail("core %u: signal %d at address %#zx", tprof_machine.core, number, at);
}

static void catch_signals(void)
{
    static uint8_t stack[65536];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};

    action.sa_sigaction = on_signal;
    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    alarm(RUN_SECONDS);
}

/* --- Runs ----------------------------------------------------------------- */

/* Runs (seed) in a process of its own. Returns its exit status. */
static int run(uint64_t number)
{
    int status;

    (void)fflush(stdout);
    pid_t pid = fork();

    if (pid < 0) {
        perror("fork");
        exit(1);
    }
    if (pid == 0) {
        seed = number;
        state = number * 0x9e3779b97f4a7c15u + 1;
        catch_signals();
        *all_sessions += clones > 0 ? sim_clones(clones) : sim_run();
        if (verbose)
            print_notes();
        exit(0);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int usage(void)
{
    (void)fputs("usage: sim --seeds FROM..TO | --seed N | --soak SECONDS "
                "[--clones COUNT] [--verbose]\n",
                stderr);
    return 2;
}

int main(int argc, char **argv)
{
    uint64_t from = 1, to = 100, failed = 0, n;
    double began = seconds(), soak = 0;

    all_sessions = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if ((strcmp(argv[i], "--seeds") == 0 &&
                  sscanf(value, "%" SCNu64 "..%" SCNu64, &from, &to) == 2) ||
                 (strcmp(argv[i], "--clones") == 0 &&
                  sscanf(value, "%" SCNu32, &clones) == 1))
            i++;
        else if (strcmp(argv[i], "--seed") == 0 &&
                 sscanf(value, "%" SCNu64, &from) == 1)
            to = from, i++;
        else if (strcmp(argv[i], "--soak") == 0 &&
                 sscanf(value, "%lf", &soak) == 1)
            to = UINT64_MAX, i++;
        else
            return usage();
    }
    for (n = from; n <= to && (soak == 0 || seconds() - began < soak); n++) {
        failed += run(n) != 0;
        if (failed >= 3)
            break;
    }
    double took = seconds() - began;

    printf("%" PRIu64 " seeds, %" PRIu64 " sessions in %.1f s (%.0f a second, "
           "%.0f sessions an hour), %" PRIu64 " failed\n",
           n - from, *all_sessions, took, (double)(n - from) / took,
           (double)*all_sessions / took * 3600, failed);
    return failed > 0;
}

#ifdef __SANITIZE_ADDRESS__
/* A run ends where it fails; its memory is not searched for leaks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allow_user_segv_handler=1";
}
#endif
