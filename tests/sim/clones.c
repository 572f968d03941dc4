/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot that is restored many times: a process is forked in the middle of
 * a session, and each child is a machine of its own, with a collector that
 * knows nothing of the parent's. Half of them have a CPU that draws random
 * numbers, and the parent's clock; the others none, and a clock that has
 * jumped. Half are told that the host they had is gone, the others are not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim.h"

#define SAMPLES       20u /* that the parent's host has when it is saved */
#define SESSION       (SIM_SECOND / 2)
#define CLONE_SECONDS 60 /* of real time, at most, for each */

static bool is_any_ring_filled(void)
{
    for (uint32_t i = 0; i < tprof_cpus; i++) {
        if (tprof_cpu[i] && tprof_ring_used(&tprof_cpu[i]->recorder.ring) > 0)
            return true;
    }
    return false;
}

static void begin_collector(void)
{
    host_begin(true);
    host_stays(SESSION);
}

/* A collector is served, and the rings hold samples that it has not had yet. */
static void sample_a_while(void)
{
    if (tprof_agent.channel.flags & TPROF_CHANNEL_ONE_WAY)
        fail("nobody can greet this machine: its channel is one-way");
    begin_collector();
    while (check_delivered() < SAMPLES || !is_any_ring_filled()) {
        sim_step();
        if (is_host_over())
            fail("the session is over before the machine could be saved");
    }
}

/* Returns the nonce of this clone's session. */
static uint64_t live_on(uint32_t number)
{
    bool has_random = number % 2, is_told = number / 2 % 2;

    draw_apart(number);
    note("the machine is resumed, clone %lu", number, 0, 0);
    if (has_random) {
        tprof_machine.random = draw();
    } else {
        uint64_t jump = draw() % (1000ull * SIM_SECOND);

        tprof_machine.now += jump;
        clock_skew += jump;
    }
    host_forget();
    check_clone();
    if (is_told)
        device_resumed();
    else
        device_resumed_silently();
    begin_collector();
    sim_serve();
    if (check_delivered() == 0)
        fail("clone %u has no samples", number);
    return check_nonce();
}

/* Runs clone (number) to its end, in a process of its own. */
static void run_clone(uint32_t number, uint64_t *its_nonce)
{
    int status;

    (void)fflush(stdout);
    pid_t pid = fork();

    if (pid < 0)
        abort();
    if (pid == 0) {
        alarm(CLONE_SECONDS);
        *its_nonce = live_on(number);
        exit(0);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        (void)printf("(that was clone %" PRIu32 ")\n", number);
        exit(1);
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

uint64_t sim_clones(uint32_t count)
{
    size_t size = (count + 1) * sizeof(uint64_t);
    uint64_t *nonces = mmap(NULL, size, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (nonces == MAP_FAILED)
        abort();
    is_calm = true;
    sim_build();
    sample_a_while();
    alarm(0); /* each clone has its own */
    nonces[0] = check_nonce();
    for (uint32_t i = 1; i <= count; i++)
        run_clone(i, &nonces[i]);
    sim_serve(); /* the parent goes on as if nothing had been */
    qsort(nonces, count + 1, sizeof *nonces, compare);
    if (nonces[0] == 0)
        fail("a clone ended early");
    for (uint32_t i = 0; i < count; i++) {
        if (nonces[i] == nonces[i + 1])
            fail("two machines told the nonce %#" PRIx64, nonces[i]);
    }
    return count + 1;
}
