/* SPDX-License-Identifier: BSD-2-Clause */
/* How many bytes of a spool each guest has, so that a guest which sends much
 * pays with its own windows. */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_GUESTS_H
#define TPROF_RECORDING_SPOOL_SPOOL_GUESTS_H

#include <stddef.h>
#include <stdint.h>

struct spool_guest {
    uint64_t bytes;
    size_t length; /* of the name */
    char name[];   /* does not end in a NUL */
};

/* By name. Zeroed: none. */
struct spool_guests {
    struct spool_guest **list;
    size_t count, room;
};

/* The guest whose name is the (length) bytes at (name); it stays until
 * spool_guests_fini(). A new one has no bytes. NULL: no memory. */
struct spool_guest *spool_guests_get(struct spool_guests *g, const char *name,
                                     size_t length);

/* The most bytes that each guest may have so that all together have at most
 * (bytes). */
uint64_t spool_guests_share(const struct spool_guests *g, uint64_t bytes);

/* Release what (g) holds. */
void spool_guests_fini(struct spool_guests *g);

#endif
