/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One experiment: a guest runs under icount while the truth plugin watches and
 * the agent's bytes go to a file; then the collector reports on that file.
 * Whatever goes wrong ends the test case (check.h).
 */
#ifndef LAB_H
#define LAB_H

#include <stddef.h>
#include <stdint.h>

struct lab_run {
    const char *elf;
    const char *options; /* for the guest */
    const char *seed;    /* of the agent; NULL: options says, or none */
    unsigned cores;      /* 0: 1 */
    const char *machine; /* NULL: microvm */
    const char *isr; /* entry of the profiler's interrupt; NULL: the agent's */
    const char *truth; /* further plugin arguments, ",key=value..." or "";
                          NULL: run without the plugin */
};

/* Count of one stack, "outermost;...;innermost". */
struct lab_stack {
    char *text;
    uint64_t count;
};

struct lab_stacks {
    struct lab_stack *stack;
    size_t count;
};

/* Boots the guest to its end. Results lie in a directory of this process, and
 * those of the next run replace them. */
void lab_boot(const struct lab_run *run);

/* What the collector says of (core) in the last run, as folded stacks. */
struct lab_stacks lab_measured(const struct lab_run *run, unsigned core);

/* The collector's report of the last run, as text, with --all. */
char *lab_report(const struct lab_run *run);

/* The stacks that were interrupted on (core) in the last run, says the plugin;
 * those of functions that have set up their frame, or else of those that have
 * not. */
struct lab_stacks lab_true_stacks(unsigned core, int framed);

/* The instructions that (core) executed between the marks, by "0xADDRESS": of a
 * run with the plugin's stacks=2. */
struct lab_stacks lab_true_places(unsigned core);

/* The number behind "core (core) (key)" in the plugin's answer; 0 if none. */
uint64_t lab_truth(unsigned core, const char *key);

/* Sums of the stacks in which each of the (k) functions named occurs. */
void lab_by_function(const struct lab_stacks *s, const char *const *name,
                     size_t k, uint64_t *sum);

/* The function after the last ';' of a stack. */
const char *lab_leaf(const char *stack);

uint64_t lab_total(const struct lab_stacks *s);
void lab_free(struct lab_stacks *s);

#endif
