/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T1 and T2 for threads: the shares of the threads of a scheduler are unbiased
 * and close to the instructions that each thread has executed, its part of the
 * scheduler among them.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "judge.h"
#include "lab.h"

/* Not paced, so the cost of a tick moves nothing (see batch.h). */
#define OPTIONS "rate=30000 loop=100000 turns=3800"

static const char *const threads[JUDGE_KINDS] = {
    "Hash 0-0", "Sort 0-1",   "Copy 0-2",  "Walk 0-3",
    "Crc 0-4",  "Search 0-5", "Parse 0-6", "Divide 0-7",
};

/* A run with (seed): samples and, if (truth) is not NULL, instructions. */
static void run_once(unsigned seed, uint64_t *count, uint64_t *truth)
{
    char number[16], key[32];
    struct lab_run run = {.elf = LAB_GUEST,
                          .options = OPTIONS,
                          .seed = number,
                          .truth = truth ? ",thread=truth_thread_" : NULL,
                          .by_memory = true};

    snprintf(number, sizeof number, "%u", seed);
    lab_boot(&run);
    lab_by_thread(&run, threads, JUDGE_KINDS, count);
    for (unsigned i = 0; truth && i < JUDGE_KINDS; i++) {
        snprintf(key, sizeof key, "thread %u", i);
        truth[i] = lab_truth(0, key);
        CHECK(truth[i] > 0);
    }
}

TEST(shares_by_thread_are_unbiased_and_close) /* catches: the wrong thread */
{
    static struct judge j = {.runs = JUDGE_RUNS};

    for (unsigned run = 0; run < JUDGE_RUNS; run++)
        run_once(1 + run, j.count[run], run == 0 ? j.truth : NULL);
    struct verdict v = judge(&j);

    verdict_print("threads", &v);
    CHECK(v.fewest >= JUDGE_SAMPLES_MIN);
    CHECK(verdict_unbiased(&v));
    CHECK(verdict_close(&v));
}
