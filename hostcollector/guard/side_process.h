/* SPDX-License-Identifier: BSD-2-Clause */
/* A process beside this one that serves it over a socket, and does what this
 * process is not allowed to do. Leaf. */
#ifndef TPROF_GUARD_SIDE_PROCESS_H
#define TPROF_GUARD_SIDE_PROCESS_H

#include <sys/types.h>

/* Fork. The child ignores all signals but SIGSYS, by which the sandbox reports:
 * a key press or a signal to all processes of a terminal must not end the child
 * before the process that it serves. Returns as fork(). */
pid_t side_process_fork(void);

/* Close all descriptors of this process except the standard ones and (fd). */
void side_process_keep(int fd);

/* As side_process_keep(), for two descriptors. */
void side_process_keep_both(int one, int other);

/* Kill (pid), a child whose socket is closed, and wait for its end: an attacker
 * who has taken it over might keep it running. 0 stands for no process. */
void side_process_end(pid_t pid);

#endif
