/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page that a test shares with a program which it runs, by shim_time.c in
 * LD_PRELOAD; SHIM_TIME names the file that has it. So a clock is set under a
 * program, and what happens four times a minute is seen in seconds.
 */
#ifndef TPROF_SHIM_TIME_H
#define TPROF_SHIM_TIME_H

#include <stdatomic.h>
#include <stdint.h>

struct shim_time {
    _Atomic int64_t ahead_ms; /* the wall clock is, of the real one */
    _Atomic uint32_t hurry;   /* poll() waits so many times less; 0: as long */
    _Atomic uint32_t settled; /* calls of syncfs() */
};

#endif
