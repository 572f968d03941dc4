/* SPDX-License-Identifier: BSD-2-Clause */
/* The images that a guest has loaded in addition to its kernel, and when. */
#include "profile/aggregate/maps.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

/* Limit of the number of stays, since each address of a finished profile is
 * looked up among them. */
#define STAYS_MAX  1024u
/* First address to which images are moved. No CPU can have code from
 * here on. */
#define FIRST_ROOM (1ull << 61)
#define LAST_ROOM  (1ull << 62)

/* An image at an address. */
struct maps_image {
    struct guest_map map;
    uint32_t boot;  /* the last boot that reported the image */
    bool gone;      /* the image was unloaded once within a boot */
    uint64_t moved; /* address to which it is moved; 0: not moved */
};

/* A span of time in which an image was loaded: from one era on, to before
 * another era. */
struct maps_stay {
    uint32_t image;
    uint32_t since, until; /* (until) UINT32_MAX: still loaded */
};

static bool overlaps(const struct guest_map *map, uint64_t start, uint64_t size)
{
    return map->start - start < size || start - map->start < map->size;
}

static bool overlap(const struct guest_map *a, const struct guest_map *b)
{
    return overlaps(a, b->start, b->size);
}

/* Allocate all places at once: few guests have any image except the kernel. */
static int reserve(struct maps *m)
{
    if (m->images == NULL)
        m->images = calloc(GUEST_MAPS_MAX, sizeof *m->images);
    if (m->shown == NULL)
        m->shown = calloc(GUEST_MAPS_MAX, sizeof *m->shown);
    return m->images != NULL && m->shown != NULL && m->count < GUEST_MAPS_MAX
               ? 0
               : -1;
}

uint32_t maps_era(struct maps *m, uint32_t generation)
{
    /* limited, since a hostile guest may send any generation */
    uint64_t era = (uint64_t)m->boot_era + 1 + generation;

    if (generation == GENERATION_NONE)
        return ERA_NEWEST;
    if (era >= ERA_NEWEST)
        era = ERA_NEWEST - 1;
    if (era > m->last_era)
        m->last_era = (uint32_t)era;
    return (uint32_t)era;
}

void maps_reboot(struct maps *m)
{
    for (size_t i = 0; i < m->stay_count; i++)
        if (m->stays[i].until > m->last_era + 1)
            m->stays[i].until = m->last_era + 1;
    m->boot_era = m->last_era;
}

/* The number of the image (map) at the same address; m->count if (map) is
 * new. */
static size_t find_image(const struct maps *m, const struct guest_map *map)
{
    size_t i = 0;

    while (i < m->count && (m->images[i].map.start != map->start ||
                            !guest_same_map(&m->images[i].map, map)))
        i++;
    return i;
}

/* Is (map), which is new, at an address where an earlier boot had another
 * image? */
static bool contradicts(const struct maps *m, const struct guest_map *map,
                        uint32_t boot)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->images[i].boot != boot && overlap(&m->images[i].map, map))
            return true;
    return false;
}

/* Begin (stay), and end the stays of all images that overlap it. Returns -1 if
 * an overlapping image was loaded at the same time or later. */
static int take_place(struct maps *m, const struct maps_stay *stay,
                      const struct guest_map *map)
{
    for (size_t i = 0; i < m->stay_count; i++) {
        const struct maps_stay *s = &m->stays[i];

        if (s->since >= stay->since && s->since < stay->until &&
            s->image != stay->image && overlap(&m->images[s->image].map, map))
            return -1;
    }
    for (size_t i = 0; i < m->stay_count; i++) {
        struct maps_stay *s = &m->stays[i];

        if (s->until > stay->since && s->since < stay->since &&
            s->image != stay->image && overlap(&m->images[s->image].map, map))
            s->until = stay->since;
    }
    return 0;
}

/* Was another image at the place of (image) from (from) on? */
static bool was_other(const struct maps *m, uint32_t image, uint32_t from)
{
    for (size_t i = 0; i < m->stay_count; i++) {
        const struct maps_stay *s = &m->stays[i];

        if (s->image != image && s->until > from &&
            overlap(&m->images[s->image].map, &m->images[image].map))
            return true;
    }
    return false;
}

/* The stay of (stay->image) that (stay) repeats or continues; NULL if there is
 * none. */
static struct maps_stay *find_stay(const struct maps *m,
                                   const struct maps_stay *stay)
{
    struct maps_stay *last = NULL;

    for (size_t i = 0; i < m->stay_count; i++) {
        struct maps_stay *s = &m->stays[i];

        if (s->image != stay->image)
            continue;
        if (s->since <= stay->since && stay->since < s->until)
            return s;
        last = s;
    }
    /* reported again in this boot, and no other image was there meanwhile */
    if (last != NULL && last->since > m->boot_era &&
        last->until <= stay->since && !was_other(m, stay->image, last->until)) {
        last->until = UINT32_MAX;
        return last;
    }
    return NULL;
}

static enum maps_answer refuse(struct maps *m)
{
    m->refused++;
    return MAPS_REFUSED;
}

static enum maps_answer add_stay(struct maps *m, const struct maps_stay *stay,
                                 const struct guest_map *map, uint32_t boot)
{
    if (m->stay_count == STAYS_MAX || take_place(m, stay, map) != 0 ||
        (stay->image == m->count && reserve(m) != 0) ||
        vec_grow(&m->stays, &m->stay_room, m->stay_count, sizeof *m->stays) !=
            0)
        return refuse(m);
    if (stay->image == m->count)
        m->images[m->count++] = (struct maps_image){.map = *map};
    m->images[stay->image].boot = boot;
    m->stays[m->stay_count++] = *stay;
    return MAPS_TAKEN;
}

enum maps_answer maps_add(struct maps *m, const struct guest_map *map,
                          const struct guest *g, uint32_t boot)
{
    const struct maps_stay stay = {
        .image = (uint32_t)find_image(m, map),
        .since = maps_era(m, map->since),
        .until = map->until != 0 ? maps_era(m, map->until) : UINT32_MAX,
    };
    bool is_new = stay.image == m->count;

    if (overlaps(map, g->text_start, g->text_size) ||
        overlaps(map, FIRST_ROOM, LAST_ROOM - FIRST_ROOM))
        return refuse(m);
    if (is_new && contradicts(m, map, boot))
        return MAPS_OTHER_IMAGE;
    struct maps_stay *known = is_new ? NULL : find_stay(m, &stay);

    if (known != NULL) {
        m->images[stay.image].boot = boot;
        m->images[stay.image].gone |= map->until != 0;
        if (stay.until < known->until)
            known->until = stay.until;
        return MAPS_TAKEN;
    }
    if (map->until != 0)
        return MAPS_TAKEN; /* unloaded before the guest reported it */
    return add_stay(m, &stay, map, boot);
}

static int by_address(const void *x, const void *y)
{
    const struct guest_map *a = x, *b = y;

    return a->start < b->start ? -1 : a->start > b->start;
}

/* Give (image) addresses of its own. Returns false if no addresses are left. */
static bool move_away(struct maps *m, struct maps_image *image)
{
    if (image->moved != 0)
        return true;
    if (m->room == 0)
        m->room = FIRST_ROOM;
    if (image->map.size >= LAST_ROOM - m->room)
        return false; /* only a hostile guest gets here */
    image->moved = m->room;
    /* a return address may be the first byte after its image */
    m->room += (image->map.size / 4096 + 2) * 4096;
    return true;
}

bool maps_show(struct maps *m)
{
    bool any = false;

    m->shown_count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        struct maps_image *image = &m->images[i];
        struct guest_map *shown = &m->shown[m->shown_count];

        *shown = image->map;
        if (image->gone || was_other(m, i, 0)) {
            any = true;
            if (!move_away(m, image))
                continue;
            shown->start = image->moved;
        }
        m->shown_count++;
    }
    if (m->shown_count != 0)
        qsort(m->shown, m->shown_count, sizeof *m->shown, by_address);
    return any;
}

uint64_t maps_shown(const struct maps *m, uint32_t era, uint64_t address,
                    unsigned behind)
{
    const struct maps_stay *found = NULL;

    for (size_t i = 0; i < m->stay_count; i++) {
        const struct maps_stay *s = &m->stays[i];
        const struct guest_map *map = &m->images[s->image].map;

        if (address - behind - map->start >= map->size)
            continue;
        if (era == ERA_NEWEST ? found == NULL || s->since > found->since
                              : s->since <= era && era < s->until)
            found = s;
    }
    if (found == NULL || m->images[found->image].moved == 0)
        return address;
    return address - m->images[found->image].map.start +
           m->images[found->image].moved;
}

void maps_fini(struct maps *m)
{
    free(m->images);
    free(m->stays);
    free(m->shown);
    *m = (struct maps){0};
}
