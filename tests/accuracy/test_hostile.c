/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T10: chains of frames that lead to wrong addresses. The guest must survive
 * them (a fault or a reset ends the guest), the profiler must touch no device,
 * and the chain must be cut at the first wrong frame: no frame is invented, no
 * right one lost.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lab.h"

#define OPTIONS                                                                \
    "rate=20000 seed=1 rounds=1000000 random_rounds=20000 randoms=3000"

static const struct {
    const char *name;
    unsigned frames; /* that are sound, at most */
} cases[] = {
    {"sound", 3},     {"self", 1},         {"cycle", 2}, {"falling", 1},
    {"odd", 3},       {"unmapped", 1},     {"edge", 0},  {"device", 1},
    {"apic", 1},      {"noncanonical", 1}, {"data", 0},  {"wrapping", 1},
    {"last_page", 0}, {"deep", 64},
};
#define SAMPLES_MIN 3000
#define CASES       (sizeof cases / sizeof *cases)

/* Frames of the one function whose address stands in the chains. */
static unsigned known_frames(const char *stack)
{
    unsigned n = 0;

    for (const char *at = stack; (at = strstr(at, "known_caller")); at++)
        n++;
    return n;
}

/* Frames that are neither that function's, nor the leaf, nor a mark. */
static unsigned other_frames(const char *stack)
{
    unsigned n = 0;

    for (const char *at = stack; at; at = strchr(at, ';')) {
        at += *at == ';';
        n += strncmp(at, "known_caller", 12) != 0 && *at != '[';
    }
    return n - 1;
}

/* The stack's words tell the caller of (leaf); RBP points to no frame. */
static bool ends_in_all_cases(const char *text, const char *leaf)
{
    char end[96];

    snprintf(end, sizeof end, "[caller?];all_cases;%s", leaf);
    const char *at = strstr(text, end);

    return at != NULL && strlen(at) == strlen(end);
}

static void check_case(const struct lab_stacks *s, const char *name,
                       unsigned frames)
{
    char leaf[64];
    uint64_t samples = 0;
    unsigned most = 0;

    snprintf(leaf, sizeof leaf, "spin_%s", name);
    for (size_t i = 0; i < s->count; i++) {
        const char *text = s->stack[i].text;

        /* the few that came before or after RBP was hostile */
        if (strcmp(lab_leaf(text), leaf) != 0 || strstr(text, "call_on_stack"))
            continue;
        CHECK_EQ(other_frames(text), 1);
        CHECK(ends_in_all_cases(text, leaf));
        samples += s->stack[i].count;
        if (known_frames(text) > most)
            most = known_frames(text);
    }
    printf("%s: %llu samples, %u frames\n", leaf, (unsigned long long)samples,
           most);
    CHECK(samples > 20);
    CHECK_EQ(most, frames);
}

TEST(t10_hostile_chains_are_cut)
{
    struct lab_run run = {
        .elf = LAB_GUEST, .options = OPTIONS, .truth = ",io=1"};

    lab_boot(&run);
    uint64_t ticks = lab_truth(0, "ticks");
    struct lab_stacks s = lab_measured(&run, 0);

    for (size_t i = 0; i < CASES; i++)
        check_case(&s, cases[i].name, cases[i].frames);
    /* re-arm and EOI: none of the walks read the APIC or a device's page; and
     * an interrupt that may be late looks whether the kernel uses the timer */
    CHECK_EQ(lab_truth(0, "apic") - lab_truth(0, "lvt_timer"),
             2 * lab_truth(0, "interrupts"));
    CHECK(lab_truth(0, "lvt_timer") < lab_truth(0, "interrupts"));
    CHECK(ticks >= SAMPLES_MIN);
    CHECK(lab_total(&s) >= ticks); /* and a few before the marks */
    lab_free(&s);
}

/* The report says that chains are cut, and that no function has set RBP. */
TEST(t10_the_report_says_why)
{
    struct lab_run run = {.elf = LAB_GUEST, .options = OPTIONS};

    lab_boot(&run);
    char *report = lab_report(&run);
    printf("%s", report);
    CHECK(strstr(report, "end after a frame") != NULL);
}
