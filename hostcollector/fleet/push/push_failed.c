/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers recordings that could not be read. */
#include "fleet/push/push_failed.h"

#include "util/hash.h"
#include "util/host_clock.h"

#define TIMES   3u /* after this many failures a recording is set aside */
/* rest after the first failure; n times as long after n */
#define REST_NS 5000000000u

bool push_failed_rests(const struct push_failed *f, const char *path)
{
    uint64_t hash = hash_text(path), place = hash % PUSH_FAILED_PLACES;

    return f->list[place].path == hash && f->list[place].next_ns > clock_ns();
}

bool push_failed_note(struct push_failed *f, const char *path)
{
    uint64_t hash = hash_text(path), place = hash % PUSH_FAILED_PLACES;
    unsigned times = f->list[place].path == hash ? f->list[place].times + 1 : 1;

    f->list[place].path = hash;
    f->list[place].times = times;
    f->list[place].next_ns = clock_ns() + (uint64_t)REST_NS * times;
    return times < TIMES;
}
