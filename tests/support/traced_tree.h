/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector and all processes that it starts, under ptrace: what each of
 * them reads before its filter of system calls is in force, and behind that,
 * what comes of calls that are put into it (traced_call()). x86-64.
 */
#ifndef TPROF_TRACED_TREE_H
#define TPROF_TRACED_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "traced.h"

#define TREE_PROCESSES 256
#define TREE_TEXTS     16

struct tree_process {
    struct traced at;
    char path[24]; /* "0": the collector; "0.2": the second that it forked */
    bool thread;   /* of a process, which has a path of its own */
    bool confined, ended;
    /* Addresses of the values of TEXT_0, TEXT_1, ... of its environment; 0: it
     * has no such variable. */
    uint64_t texts[TREE_TEXTS];
};

struct tree {
    struct tree_process list[TREE_PROCESSES];
    int count;
    /* (p) is about to make (call). */
    void (*call)(struct tree_process *p, const struct traced_call *call);
    /* (p) has loaded its first filter. */
    void (*confined)(struct tree_process *p);
    /* Asked again and again: true sends SIGTERM to the collector. May be NULL.
     */
    bool (*over)(const struct tree *t);
};

/* Run the collector with the words of (line), at (terminal) if that is not -1,
 * until all of its processes have ended. */
void tree_run(struct tree *t, const char *line, int terminal);

#endif
