/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector under ptrace: which system calls it makes before its filter is
 * in force, and what comes of calls that are put into it afterwards. x86-64.
 */
#ifndef TPROF_TRACED_H
#define TPROF_TRACED_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/* What came of a call besides a result. */
#define TRACED_TRAPPED (-100000) /* SIGSYS: the filter refused it */
#define TRACED_DIED    (-100001) /* the process is gone */

struct traced {
    pid_t pid;
    struct user_regs_struct stop; /* behind the call that loaded the filter */
};

struct traced_call {
    long number;
    uint64_t args[6];
};

/*
 * Start the collector with the words of (line), as start_collector() does, and
 * run it until it has loaded its filter of system calls. (see), if not NULL,
 * gets each call that it makes before that. Fails the case if the collector
 * ends without a filter.
 */
void traced_start(struct traced *t, const char *line,
                  void (*see)(const struct traced *t,
                              const struct traced_call *call));

/* The same for a command at (terminal): start_stopped_collector(). */
void traced_start_at(struct traced *t, const char *line, int terminal,
                     void (*see)(const struct traced *t,
                                 const struct traced_call *call));

/* Have it make (call). Returns the result, -errno at an error, or TRACED_*.
 * The process stays where it was. */
long traced_call(struct traced *t, const struct traced_call *call);

/* Let it go on by itself. Its end is waited for by join_collector(). */
void traced_release(struct traced *t);

#endif
