/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct spool, for spool.c and spool_limits.c. */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_PARTS_H
#define TPROF_RECORDING_SPOOL_SPOOL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "recording/spool/spool.h"
#include "recording/spool/spool_guests.h"
#include "recording/spool/spool_name.h"
#include "recording/spool/steady.h"

struct spool_file {
    char *name;
    struct spool_name n;
    struct spool_guest *guest;
    uint64_t bytes;
    uint64_t samples; /* 0: unknown */
    bool goes;        /* to be removed */
};

/* The wall clock, and the time since the machine was started. */
struct spool_now {
    uint64_t wall_ms, up_ms;
};

struct spool {
    int fd;
    struct spool_limits limits;
    struct spool_file *files; /* in order of start */
    size_t count, room;
    /* guests of the files, and of some removed files */
    struct spool_guests guests;
    struct spool_totals sums;
    uint32_t fresh;      /* number of the next temporary name */
    uint64_t covered_ms; /* no merged file holds a window that begins later */
    struct steady steady;
    /* flags, with the time of the event since the machine's start: */
    bool looked, told_full;
    uint64_t looked_up_ms;  /* the last search for windows that are too old */
    uint64_t full_up_ms;    /* the last message that the disk is full */
    struct timespec merged; /* time of the last merge, if any */
};

/* Read the folder again if another process has merged windows. */
void spool_look_again(struct spool *s);

/* Remove windows if the spool exceeds its limit of bytes. */
void spool_keep_size(struct spool *s, const struct spool_now *now);

/* Remove windows as if the limit of bytes were exceeded, since the disk has no
 * room for (bytes) more. Returns whether any were removed. */
bool spool_make_room(struct spool *s, size_t bytes,
                     const struct spool_now *now);

/* Is the wall clock right, as far as is known? If not, no window is too old by
 * it. Reports a step of the clock. */
bool spool_is_steady(struct spool *s, const struct spool_now *now);

/* Remove windows that are too old. Does so only once in a while, since it
 * looks through the folder. */
void spool_expire(struct spool *s, const struct spool_now *now);

#endif
