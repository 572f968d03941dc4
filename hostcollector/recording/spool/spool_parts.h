/* SPDX-License-Identifier: BSD-2-Clause */
/* What spool.c shares with spool_limits.c, which removes what is too much. */
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
    uint64_t samples; /* 0: not known */
    bool goes;        /* it is chosen to be removed */
};

/* The clock, and how long ago the machine was started. */
struct spool_now {
    uint64_t wall_ms, up_ms;
};

struct spool {
    int fd;
    struct spool_limits limits;
    struct spool_file *files; /* the oldest first */
    size_t count, room;
    struct spool_guests guests; /* those of the files, and of some that went */
    struct spool_totals sums;
    uint32_t fresh;      /* counts temporary names */
    uint64_t covered_ms; /* files of several windows begin and end before */
    struct steady steady;
    bool looked, told_full; /* at these times since the machine's start: */
    uint64_t looked_up_ms;  /* too old files were looked for */
    uint64_t full_up_ms;    /* it was said that the disk is full */
    struct timespec merged; /* when windows were merged last, if ever */
};

/* If another process has merged windows, see which are left. */
void spool_look_again(struct spool *s);

/* Remove what is more than the limit by size, if it is. */
void spool_keep_size(struct spool *s, const struct spool_now *now);

/* The disk has no room for (bytes) more: remove windows as if they were too
 * many. Returns whether some went. */
bool spool_make_room(struct spool *s, size_t bytes,
                     const struct spool_now *now);

/* Is the clock right, as far as is known? Else nothing is too old by it. Tell a
 * step of it. */
bool spool_is_steady(struct spool *s, const struct spool_now *now);

/* Remove what is too old; not for each window, since the folder is looked
 * through. */
void spool_expire(struct spool *s, const struct spool_now *now);

#endif
