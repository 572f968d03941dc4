/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of each guest in a spool, so that windows are removed from the guests
 * that take most. */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_GUESTS_H
#define TPROF_RECORDING_SPOOL_SPOOL_GUESTS_H

#include <stddef.h>
#include <stdint.h>

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

/* The largest limit for each guest with which all guests together have at most
 * (bytes). */
uint64_t spool_guests_share(const struct spool_guests *g, uint64_t bytes);

/* Release what (g) holds. */
void spool_guests_fini(struct spool_guests *g);

#endif
