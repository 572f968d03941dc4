/* SPDX-License-Identifier: BSD-2-Clause */
#include "store.h"

#include "journal.h"

#define BUCKETS 1024 /* a power of two */
#define ITEMS   1500

static struct item items[ITEMS];
static struct item *buckets[BUCKETS];
static struct item *unused, *newest, *oldest;
static struct store_stats stats;
static uint64_t now, last_version;

static uint32_t hash_of(struct text key)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < key.length; i++)
        hash = (hash ^ (uint8_t)key.at[i]) * 16777619u;
    return hash ^ hash >> 16;
}

static struct item **bucket_of(uint32_t hash)
{
    return &buckets[hash & (BUCKETS - 1)];
}

static void unlink_use(struct item *item)
{
    if (item->newer != NULL)
        item->newer->older = item->older;
    else
        newest = item->older;
    if (item->older != NULL)
        item->older->newer = item->newer;
    else
        oldest = item->newer;
}

static void link_newest(struct item *item)
{
    item->newer = NULL;
    item->older = newest;
    if (newest != NULL)
        newest->newer = item;
    else
        oldest = item;
    newest = item;
}

static void use(struct item *item)
{
    if (item == newest)
        return;
    unlink_use(item);
    link_newest(item);
}

void store_remove(struct item *item)
{
    struct item **at = bucket_of(item->hash);

    while (*at != item) {
        if (*at == NULL) {
            journal_fault("an item is not in its bucket", item->hash);
            return;
        }
        at = &(*at)->chain;
    }
    *at = item->chain;
    unlink_use(item);
    item->chain = unused;
    unused = item;
    stats.items--;
}

static bool is_expired(const struct item *item)
{
    return item->expires != 0 && item->expires <= now;
}

static bool has_key(const struct item *item, uint32_t hash, struct text key)
{
    return item->hash == hash &&
           text_same((struct text){item->key, item->key_length}, key);
}

struct item *store_find(struct text key)
{
    uint32_t hash = hash_of(key);

    for (struct item *item = *bucket_of(hash); item != NULL;
         item = item->chain) {
        if (!has_key(item, hash, key))
            continue;
        if (is_expired(item)) {
            stats.expired++;
            store_remove(item);
            break;
        }
        use(item);
        stats.hits++;
        return item;
    }
    stats.misses++;
    return NULL;
}

static struct item *make_room(void)
{
    if (oldest == NULL) {
        journal_fault("there are no items at all", ITEMS);
        return NULL;
    }
    stats.evicted++;
    store_remove(oldest);
    return unused;
}

struct item *store_add(struct text key)
{
    struct item *item = unused != NULL ? unused : make_room();
    struct item **bucket;

    if (item == NULL || key.length > STORE_KEY_MAX)
        return NULL;
    unused = item->chain;
    item->hash = hash_of(key);
    item->key_length = (uint8_t)key.length;
    item->value_length = 0;
    item->flags = 0;
    item->expires = 0;
    (void)memcpy(item->key, key.at, key.length);
    bucket = bucket_of(item->hash);
    item->chain = *bucket;
    *bucket = item;
    link_newest(item);
    stats.items++;
    return item;
}

void store_set(struct item *item, struct text value)
{
    (void)memcpy(item->value, value.at, value.length);
    item->value_length = (uint8_t)value.length;
    item->version = ++last_version;
}

void store_tick(void)
{
    now++;
}

uint64_t store_now(void)
{
    return now;
}

struct store_stats store_stats(void)
{
    return stats;
}

void store_init(void)
{
    for (size_t i = 0; i < ITEMS; i++) {
        items[i].chain = unused;
        unused = &items[i];
    }
}
