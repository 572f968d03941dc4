/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who has waited, where, and who has ended the wait: a ball goes round four
 * cores, and each pass is one wait of one thread that one function has ended
 * (tests/guest/relay).
 */
#include <stdio.h>

#include "check.h"
#include "lab.h"

#define CORES  4
#define ROUNDS 1000

TEST(each_wait_was_ended_by_the_code_that_ended_it) /* catches: the wrong waker
                                                     */
{
    const struct lab_run run = {
        .elf = LAB_GUEST,
        .options = "rate=10000 settle=3000 rounds=1000",
        .cores = CORES,
        .by_memory = true,
    };
    char name[] = "Ball 0-0", waker[] = "Pass_0";

    lab_boot(&run);
    for (unsigned core = 0; core < CORES; core++) {
        name[5] = name[7] = (char)('0' + core);
        waker[5] = (char)('0' + (core + CORES - 1) % CORES);
        CHECK_EQ(lab_waits(&run, "at", name, NULL), ROUNDS);
        CHECK_EQ(lab_waits(&run, "at", name, "Await"), ROUNDS);
        CHECK_EQ(lab_waits(&run, "ended by", name, NULL), ROUNDS);
        CHECK_EQ(lab_waits(&run, "ended by", name, waker), ROUNDS);
    }
}
