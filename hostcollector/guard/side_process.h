/* SPDX-License-Identifier: BSD-2-Clause */
/* A process beside the calling process. It serves the calling process over a
 * socket, and does what the calling process is not allowed to do. Leaf. */
#ifndef TPROF_GUARD_SIDE_PROCESS_H
#define TPROF_GUARD_SIDE_PROCESS_H

#include <sys/types.h>

/* Fork. The child ignores all signals but SIGSYS, with which the sandbox
 * reports. A key press, or a signal to all processes of a terminal, must not
 * end the child before the process that it serves. Returns as fork(). */
pid_t side_process_fork(void);

/* Close all descriptors of this process except the standard ones and (fd). */
void side_process_keep(int fd);

/* As side_process_keep(), for two descriptors. */
void side_process_keep_both(int one, int other);

/* Kill (pid), a child whose socket is closed, and wait for its end. Without the
 * signal, an attacker who has taken the child over might keep it running. 0
 * stands for no process. */
void side_process_end(pid_t pid);

#endif
