/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns nothing; see batch.h. */
#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"

#define CORES_MAX 4

const char *const batch_functions[JUDGE_KINDS] = {
    "work_hash", "work_sort",   "work_copy",  "work_walk",
    "work_crc",  "work_search", "work_parse", "work_divide",
};

/* Each core runs under a function of its own name. */
static void check_core(const struct lab_stacks *s, unsigned core)
{
    for (size_t i = 0; i < s->count; i++) {
        const char *at = strstr(s->stack[i].text, ";core_");

        if (at)
            CHECK_EQ(strtoul(at + strlen(";core_"), NULL, 10), core);
    }
}

static void read_truth(unsigned core, uint64_t *truth)
{
    char key[64];

    for (size_t i = 0; i < JUDGE_KINDS; i++) {
        snprintf(key, sizeof key, "function %s", batch_functions[i]);
        truth[i] = lab_truth(core, key);
        CHECK(truth[i] > 0);
    }
}

void batch_one(const char *options, unsigned cores, const char *machine,
               unsigned seed, uint64_t (*count)[JUDGE_KINDS],
               uint64_t (*truth)[JUDGE_KINDS])
{
    char number[16];
    struct lab_run run = {.elf = BATCH_GUEST,
                          .options = options,
                          .seed = number,
                          .cores = cores,
                          .machine = machine,
                          .truth = truth ? "" : NULL,
                          .by_memory = true};

    snprintf(number, sizeof number, "%u", seed);
    lab_boot(&run);
    for (unsigned core = 0; core < cores; core++) {
        struct lab_stacks s = lab_measured(&run, core);

        check_core(&s, core);
        lab_by_function(&s, batch_functions, JUDGE_KINDS, count[core]);
        lab_free(&s);
        if (truth)
            read_truth(core, truth[core]);
    }
}

void batch_run(const char *options, unsigned cores, const char *machine,
               unsigned runs, struct judge *j)
{
    uint64_t count[CORES_MAX][JUDGE_KINDS];
    uint64_t truth[CORES_MAX][JUDGE_KINDS];

    CHECK(cores <= CORES_MAX && runs <= JUDGE_RUNS_MAX);
    for (unsigned run = 0; run < runs; run++) {
        batch_one(options, cores, machine, 1 + run, count,
                  run == 0 ? truth : NULL);
        for (unsigned core = 0; core < cores; core++)
            memcpy(j[core].count[run], count[core], sizeof count[core]);
    }
    for (unsigned core = 0; core < cores; core++) {
        j[core].runs = runs;
        memcpy(j[core].truth, truth[core], sizeof truth[core]);
    }
}

struct verdict batch_verdict(const char *what, const char *options)
{
    static struct judge j;

    batch_run(options, 1, NULL, JUDGE_RUNS, &j);
    struct verdict v = judge(&j);
    verdict_print(what, &v);
    return v;
}
