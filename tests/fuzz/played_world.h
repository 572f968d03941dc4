/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files played*.c know of each other. */
#ifndef TPROF_FUZZ_PLAYED_WORLD_H
#define TPROF_FUZZ_PLAYED_WORLD_H

#include <stdbool.h>
#include <stdio.h>

/* Descriptors that no file has. */
#define FD_POLLER 100000
#define FD_STOP   100001 /* of signals */
#define FD_GUEST  100002 /* and the next ones */

extern bool played_terminal; /* standard error is one */
extern FILE *played_errors;  /* ... is this */
extern bool played_tight;    /* a view has as little memory as may be */

/* What is compared is twice the same. */
extern bool played_same;

/* A run's report is in (form), or a file in format (file): any numbers. */
void played_outputs_begin(unsigned form, unsigned file);

/* Check what it wrote to standard error. */
void played_outputs_end(void);

#endif
