/* SPDX-License-Identifier: BSD-2-Clause */
/* The truth plugin against closed forms: if it were wrong, every other test
 * here would judge by a wrong truth. */
#include <string.h>

#include "check.h"
#include "lab.h"

#define ROUNDS 100000 /* as in tests/guest/closed */

static void boot(unsigned cores)
{
    lab_boot(&(struct lab_run){.elf = LAB_GUEST,
                               .options = "",
                               .cores = cores,
                               .isr = "closed_isr",
                               .truth = ",stacks=1,io=1"});
}

static void check_core(unsigned core)
{
    uint64_t interrupts = lab_truth(core, "interrupts");

    CHECK_EQ(lab_truth(core, "function closed_plain"), 4 * ROUNDS + 1);
    CHECK_EQ(lab_truth(core, "function closed_device"), 6 * ROUNDS + 1);
    CHECK_EQ(lab_truth(core, "function closed_isr"), 0);
    CHECK(interrupts > 50);
    CHECK_EQ(lab_truth(core, "length 5"), interrupts);
    CHECK_EQ(lab_truth(core, "apic"), interrupts);
    CHECK_EQ(lab_truth(core, "devices"), ROUNDS + interrupts);
    CHECK_EQ(lab_truth(core, "kicks"), 0);
    CHECK_EQ(lab_truth(core, "isr_stack"), 8);
    /* and what calls them */
    CHECK_EQ(lab_truth(core, "total"),
             10 * ROUNDS + 2 + 5 * interrupts +
                 lab_truth(core, "function run_core") +
                 lab_truth(core, "function truth_begin"));
}

TEST(plugin_counts_are_the_closed_forms)
{
    boot(1);
    check_core(0);
}

TEST(plugin_counts_are_the_closed_forms_on_each_core)
{
    boot(4);
    for (unsigned core = 0; core < 4; core++)
        check_core(core);
}

TEST(plugin_knows_every_interrupted_stack)
{
    static const char *const leaves[] = {"closed_plain", "closed_device"};
    uint64_t count[2];

    boot(1);
    struct lab_stacks s = lab_true_stacks(0, 0); /* they have no frame */
    lab_by_function(&s, leaves, 2, count);
    CHECK_EQ(lab_total(&s), lab_truth(0, "interrupts"));
    CHECK(count[0] >= 38 && count[0] <= 42); /* 400,001 ns, every 10,007 */
    for (size_t i = 0; i < s.count; i++)
        CHECK(strncmp(s.stack[i].text, "boot_64;guest_boot;guest_main;run_core",
                      38) == 0);
    lab_free(&s);
}
