/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shares of the kernel's functions, by their readable names, against the
 * instructions that a plugin counts under the compiler's. One core: what waits
 * for its turn under icount is sampled where it stopped.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "stats.h"

#define SAMPLES_MIN 10000
#define TV_MAX      0.0225     /* T2, a run of 10,000 and 8 functions */
#define ALPHA       (0.01 / 8) /* Bonferroni */

static const char *const functions[][2] = {
    {"P$INTERCORECOMM_$$_SORTWORDS$TMESSAGE$LONGINT$LONGINT",
     "InterCoreComm.Sortwords(TMessage, LongInt, LongInt)"},
    {"P$INTERCORECOMM_$$_MAKEMESSAGE$TTASK$TMESSAGE",
     "InterCoreComm.Makemessage(TTask, TMessage)"},
    {"P$INTERCORECOMM_$$_NEXTRANDOM$TTASK$$LONGWORD",
     "InterCoreComm.Nextrandom(TTask)"},
    {"P$INTERCORECOMM_$$_CHECKSUM$TMESSAGE$$QWORD",
     "InterCoreComm.Checksum(TMessage)"},
    {"P$INTERCORECOMM_$$_CHECKMESSAGE$TTASK$TMESSAGE",
     "InterCoreComm.Checkmessage(TTask, TMessage)"},
    {"ARCH_$$_COPYBYTES$POINTER$POINTER$QWORD",
     "Arch.Copybytes(Pointer, Pointer, QWord)"},
    {"VIRTIOBUS_$$_SENDTO$LONGWORD$POINTER$LONGWORD",
     "VirtIOBus.Sendto(LongWord, Pointer, LongWord)"},
    {"VIRTIOBUS_$$_RECVFROM$LONGWORD$POINTER$$LONGWORD",
     "VirtIOBus.Recvfrom(LongWord, Pointer)"},
};
#define KINDS (sizeof functions / sizeof *functions)

static void count_leaves(const struct lab_stacks *s, uint64_t *count)
{
    for (size_t i = 0; i < s->count; i++) {
        for (size_t k = 0; k < KINDS; k++) {
            if (strcmp(lab_leaf(s->stack[i].text), functions[k][1]) == 0)
                count[k] += s->stack[i].count;
        }
    }
}

static void check_shares(const char *elf)
{
    const struct lab_run run = {
        .elf = elf,
        .options = "wire=1 wait=1 rate=20000 cycles=600000000 report=1000000",
        .seed = "1",
        .isr = "tprof_isr_single,aside=handle_other",
        .truth = "",
    };
    uint64_t truth[KINDS] = {0}, count[KINDS] = {0}, all = 0, samples = 0;

    lab_boot(&run);
    struct lab_stacks seen = lab_measured(&run, 0);

    count_leaves(&seen, count);
    lab_free(&seen);
    for (size_t k = 0; k < KINDS; k++) {
        char key[128];

        snprintf(key, sizeof key, "function %s", functions[k][0]);
        truth[k] = lab_truth(0, key);
        CHECK(truth[k] > 0);
        all += truth[k];
        samples += count[k];
    }
    for (size_t k = 0; k < KINDS; k++) {
        struct stats_interval i = stats_wilson(count[k], samples, ALPHA);
        double share = (double)truth[k] / (double)all;

        printf("%-52s %6.3f %%, seen %6.3f to %6.3f %%\n", functions[k][1],
               100 * share, 100 * i.low, 100 * i.high);
        CHECK(share >= i.low && share <= i.high);
    }
    double tv = stats_total_variation(count, truth, KINDS);

    printf("%llu samples, total variation %.4f\n", (unsigned long long)samples,
           tv);
    CHECK(samples >= SAMPLES_MIN);
    CHECK(tv <= TV_MAX);
}

TEST(shares_of_the_kernel_are_those_of_its_instructions)
{
    check_shares(PASCAL_GUEST);
}

TEST(shares_are_the_same_truth_with_frames)
{
    check_shares(PASCAL_FRAMES_GUEST);
}
