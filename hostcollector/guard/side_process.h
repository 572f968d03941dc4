/* SPDX-License-Identifier: BSD-2-Clause */
/* A process beside this one, which serves it over a socket and does what this
 * one may not. Leaf. */
#ifndef TPROF_GUARD_SIDE_PROCESS_H
#define TPROF_GUARD_SIDE_PROCESS_H

#include <sys/types.h>

/* As fork(). The child hears no signal but SIGSYS, by which the sandbox tells:
 * a key or a signal for all processes of a terminal must not end it before the
 * process that it serves. */
pid_t side_process_fork(void);

/* Close all descriptors of this process but the standard ones and (fd). */
void side_process_keep(int fd);

/* End (pid), a child whose socket is closed, and wait for that: somebody who
 * has taken it over may go on. 0 is none. */
void side_process_end(pid_t pid);

#endif
