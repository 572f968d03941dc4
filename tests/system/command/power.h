/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder and a power cut. Linked with --wrap for the calls that change a
 * folder, a program does what it does, and each change is noted: new files,
 * their bytes, names that come and go, and what is on the disk by then. For any
 * moment, a folder can be made as a disk might have it when power fails then:
 * what was settled is there; of all else there may be any part, in any order.
 */
#ifndef TPROF_POWER_H
#define TPROF_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Note what happens in a folder, which is empty, until power_end(). It is the
 * only one in which something happens. */
void power_begin(void);
void power_end(void);

/* The clock of the program, in milliseconds since 1970. */
extern uint64_t power_now_ms;

/* How many changes were noted, and when change (i) was made. */
size_t power_count(void);
uint64_t power_time_ms(size_t i);

/* The name that change (i) gave to a file; NULL: it is another change. */
const char *power_named(size_t i);

/* What the disk has of changes that were not settled. */
enum power_kept {
    POWER_NOTHING,
    POWER_ALL,
    POWER_NAMES, /* no bytes: files are empty */
    POWER_BYTES, /* no names */
    POWER_SOME,  /* by lot */
};

/* Make (path), anew, the folder when power failed before change (end). (seed)
 * is for POWER_SOME. */
void power_cut(const char *path, size_t end, enum power_kept kept,
               uint32_t seed);

/* Is (name) in the folder that power_cut() made; with all of its bytes? */
bool power_is_there(const char *name);
bool power_is_whole(const char *name);

#endif
