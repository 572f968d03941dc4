/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept by key: a table of a fixed size that forgets what was used least
 * recently. */
#ifndef PGO_STORE_H
#define PGO_STORE_H

#include "text.h"

#define STORE_KEY_MAX   64
#define STORE_VALUE_MAX 192

struct item {
    struct item *chain;         /* next of the same bucket */
    struct item *newer, *older; /* by use */
    uint32_t hash, flags;
    uint64_t expires; /* in store_now(); 0: never */
    uint64_t version; /* another one after each change */
    uint8_t key_length, value_length;
    char key[STORE_KEY_MAX];
    char value[STORE_VALUE_MAX];
};

void store_init(void);

/* The clock goes on. */
void store_tick(void);
uint64_t store_now(void);

/* The item of (key), which is now the one used last; NULL if there is none. */
struct item *store_find(struct text key);

/* A new item for (key), of which there is none, without a value. */
struct item *store_add(struct text key);

void store_remove(struct item *item);

/* (value) is at most STORE_VALUE_MAX long. */
void store_set(struct item *item, struct text value);

struct store_stats {
    uint64_t items, hits, misses, expired, evicted;
};
struct store_stats store_stats(void);

#endif
