/* SPDX-License-Identifier: BSD-2-Clause */
/* What played.c and played_world.c know of each other. */
#ifndef TPROF_FUZZ_PLAYED_WORLD_H
#define TPROF_FUZZ_PLAYED_WORLD_H

#include <stdbool.h>

/* Descriptors that no file has. */
#define FD_POLLER 100000
#define FD_STOP   100001 /* of signals */
#define FD_GUEST  100002 /* and the next ones */

extern bool played_terminal; /* standard error is one */

#endif
