/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct spool, for its files. */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_PARTS_H
#define TPROF_RECORDING_SPOOL_SPOOL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "recording/spool/spool.h"
#include "recording/spool/spool_name.h"

/* steady.c: detects that the wall clock was set. The wall clock is compared
 * with the time since the machine was started, which cannot be set. If the two
 * change by more than a minute against each other, the wall clock was set. At
 * first it is unknown whether it was set to the right time. */

#define STEADY_STEP_MS 60000 /* smaller steps are ignored */

/* Zeroed: the first time passed to steady_look() is trusted. */
struct steady {
    bool begun;
    uint64_t wall_ms, up_ms; /* the last trusted time */
    int64_t step_ms;         /* step by which the clock was set; 0: not set */
    uint64_t since_ms; /* when the step was found, since the machine's start */
};

enum steady_found {
    STEADY_RIGHT, /* trust the clock */
    STEADY_SET,   /* the clock was set since the last call: do not trust it */
    STEADY_WAIT,  /* the clock was set earlier: do not trust it yet */
    STEADY_BACK,  /* the clock was set back to the right time: trust it */
};

/* Compare the wall clock's (wall_ms), since 1970, with (up_ms), since the
 * machine's start. A clock that was set is trusted again after (trust_ms)
 * without another step. */
enum steady_found steady_look(struct steady *s, uint64_t wall_ms,
                              uint64_t up_ms, uint64_t trust_ms);

/* Write the size of the step into (text): "5.0 days forward". Returns
 * (text). */
#define STEADY_TEXT 48
const char *steady_step(const struct steady *s, char text[STEADY_TEXT]);

/* spool_guests.c: bytes of each guest in a spool, so that windows are removed
 * from the guests that take most. */

struct spool_guest {
    uint64_t bytes;
    size_t length; /* length of (name) */
    char name[];   /* does not end in a NUL */
};

/* Sorted by name. Zeroed: empty. */
struct spool_guests {
    struct spool_guest **list;
    size_t count, room;
};

/* The guest named by the (length) bytes at (name), valid until
 * spool_guests_fini(). A new guest has no bytes. NULL if there is no memory. */
struct spool_guest *spool_guests_get(struct spool_guests *g, const char *name,
                                     size_t length);

/* Returns the limit for each guest with which all guests together have at most
 * (bytes). */
uint64_t spool_guests_share(const struct spool_guests *g, uint64_t bytes);

/* Release what (g) holds. */
void spool_guests_fini(struct spool_guests *g);

/* spool.c and spool_limits.c */

struct spool_file {
    char *name;
    struct spool_name n;
    struct spool_guest *guest;
    uint64_t bytes;
    uint64_t samples; /* 0: unknown */
    bool goes;        /* will be removed */
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
    uint32_t fresh;      /* number for the next temporary name */
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

/* Remove windows as if the limit of bytes were exceeded, because the disk has
 * no room for (bytes) more. Returns whether any were removed. */
bool spool_make_room(struct spool *s, size_t bytes,
                     const struct spool_now *now);

/* Is the wall clock right, as far as is known? If not, windows must not be
 * removed because of their age. Reports a step of the clock. */
bool spool_is_steady(struct spool *s, const struct spool_now *now);

/* Remove windows that are too old. Does so only once in a while, because it
 * searches the folder. */
void spool_expire(struct spool *s, const struct spool_now *now);

#endif
