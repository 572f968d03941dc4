/* SPDX-License-Identifier: BSD-2-Clause */
/* A receiver of collector push, which is played by the case itself. */
#ifndef TPROF_RECEIVING_H
#define TPROF_RECEIVING_H

#include <sys/types.h>

/* In a folder of the case, start collector push, with a window in spool, to a
 * receiver that (*listener) listens for. It gives up at the first failure,
 * and is confined wherever it can be. */
pid_t receiving_start(int *listener);

/* Accept its connection, and wait for the first byte of its request. */
int receiving_meet(int listener);

/* Send (first), and then (again) each (pause_us), until nobody hears it any
 * more. Returns how many bytes were sent. */
long receiving_pour(int fd, const char *first, const char *again,
                    unsigned pause_us);

#endif
