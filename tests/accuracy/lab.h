/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One experiment. A guest runs under icount, the truth plugin counts what it
 * executes, and the agent's bytes go to a file; then the collector reports on
 * that file. Any error fails the test case (check.h).
 */
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_run {
    const char *elf;
    const char *options; /* for the guest */
    const char *seed;    /* of the agent; NULL: as (options) say */
    unsigned cores;      /* 0: 1 */
    const char *machine; /* NULL: microvm */
    const char *isr; /* entry of the profiler's interrupt; NULL: the agent's */
    /* more plugin arguments, ",key=value..." or ""; NULL: without the plugin */
    const char *truth;
    bool by_memory; /* guests of profile.h: the agent's bytes take less time */
};

/* A stack, "outermost;...;innermost", and how often it was sampled. */
struct lab_stack {
    char *text;
    uint64_t count;
};

struct lab_stacks {
    struct lab_stack *stack;
    size_t count;
};

/* Boot the guest, and wait for its end. The results are in a directory of this
 * process; the next run replaces them. */
void lab_boot(const struct lab_run *run);

/* The collector's folded stacks of (core) in the last run. */
struct lab_stacks lab_measured(const struct lab_run *run, unsigned core);

/* The collector's report of the last run, as text, with --all. */
char *lab_report(const struct lab_run *run);

/* What 'collector annotate (function) --all' says of it, as text. */
char *lab_annotation(const struct lab_run *run, const char *function);

/* The plugin's stacks that were interrupted on (core) in the last run: those
 * whose innermost function had set up its frame, or (framed 0) had not. */
struct lab_stacks lab_true_stacks(unsigned core, int framed);

/* How often (core) executed each instruction, "0xADDRESS", between the marks.
 * Needs the plugin argument stacks=2. */
struct lab_stacks lab_true_places(unsigned core);

/* The number behind "core (core) (key)" in the plugin's output; 0: not there.
 */
uint64_t lab_truth(unsigned core, const char *key);

/* Of each of (k) functions, the sum over the stacks in which it occurs. */
void lab_by_function(const struct lab_stacks *s, const char *const *name,
                     size_t k, uint64_t *sum);

/* The samples of each of (k) threads in the last run, as '--by thread --format
 * json' has them. */
void lab_by_thread(const struct lab_run *run, const char *const *name, size_t k,
                   uint64_t *samples);

/* The contents of the file (path). */
char *lab_file(const char *path);

/* What the guest of the last run printed, before any report on the run. */
char *lab_console(void);

/* The ticks of the clock for which the report of the last run has thread (name)
 * as blocked. */
uint64_t lab_blocked(const struct lab_run *run, const char *name);

/* The waits of thread (name) that the report of the last run has, by (kind),
 * "at" or "ended by", and whose stack has a (function). NULL: any. */
uint64_t lab_waits(const struct lab_run *run, const char *kind,
                   const char *name, const char *function);

/* The number (member) of (lock) in the report of the last run: in its waits or
 * holds, as (group) says. NULL: in neither. Seconds are returned as ticks. */
uint64_t lab_lock(const struct lab_run *run, const char *lock,
                  const char *group, const char *member);

/* The function after the last ';' of a stack. */
const char *lab_leaf(const char *stack);

uint64_t lab_total(const struct lab_stacks *s);
void lab_free(struct lab_stacks *s);

#endif
