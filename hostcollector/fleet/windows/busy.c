/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the busy share of a guest's cores in the last seconds. */
#include "fleet/windows/busy.h"

#include <stdlib.h>

#include "image/code/frame_place.h"
#include "image/match/guest_images.h"
#include "image/match/identity.h"
#include "model/stack.h"
#include "util/vec.h"

struct busy_mapping {
    struct guest_map told;
    struct busy_code code;
};

static void forget_leaf(struct busy *b)
{
    b->last_leaf = LEAF_UNKNOWN;
    b->last_idle = false;
}

static void forget_images(struct busy *b)
{
    free(b->maps);
    b->maps = NULL;
    b->map_count = b->map_room = 0;
    b->kernel = (struct busy_code){0};
    forget_leaf(b);
}

int busy_hello(struct busy *b, enum hello_kind kind, const struct guest *g)
{
    if (kind == HELLO_REPEAT)
        return 0;
    forget_images(b);
    if (b->guest == NULL)
        b->guest = malloc(sizeof *b->guest);
    if (b->guest == NULL)
        return -1;
    *b->guest = *g;
    b->unmatched = true;
    return 0;
}

/* The index of the loaded image at the address of (map); the number of images
 * if there is none. */
static size_t find_map(const struct busy *b, const struct guest_map *map)
{
    size_t i = 0;

    while (i < b->map_count && (b->maps[i].told.start != map->start ||
                                b->maps[i].told.size != map->size))
        i++;
    return i;
}

void busy_map(struct busy *b, const struct guest_map *map)
{
    size_t i = find_map(b, map);
    bool known = i < b->map_count;

    forget_leaf(b);
    if (map->until != 0) { /* it was unloaded */
        if (known)
            b->maps[i] = b->maps[--b->map_count];
        return;
    }
    if (!known && (i == GUEST_MAPS_MAX ||
                   vec_grow(&b->maps, &b->map_room, i, sizeof *b->maps) != 0))
        return;
    b->map_count += !known;
    b->maps[i] = (struct busy_mapping){.told = *map};
    b->unmatched = true;
}

/* The image at the run-time address (pc). The kernel has all addresses that no
 * other image has. */
static const struct busy_code *code_at(const struct busy *b, uint64_t pc)
{
    for (size_t i = 0; i < b->map_count; i++)
        if (pc - b->maps[i].told.start < b->maps[i].told.size)
            return &b->maps[i].code;
    return &b->kernel;
}

static bool is_idle(struct busy *b, const struct sample *s)
{
    const struct busy_code *at;

    if (s->leaf == LEAF_UNKNOWN ||
        (s->stack != STACK_OTHERS && (s->stack & BUSY_UNSEEN) != 0))
        return false;
    if (s->leaf == b->last_leaf)
        return b->last_idle;
    at = code_at(b, s->leaf);
    b->last_leaf = s->leaf;
    b->last_idle =
        at->code != NULL &&
        frame_place_idle(frame_place_at(at->code, s->leaf - at->slide));
    return b->last_idle;
}

void busy_samples(struct busy *b, const struct sample_batch *batch)
{
    double period = (double)((uint64_t)batch->period << batch->shift);

    if (b->kernel.code == NULL)
        return;
    for (size_t i = 0; i < batch->count; i++) {
        const struct sample *s = &batch->samples[i];
        /* a jump's weight measures the jump, not the code */
        uint32_t weight = (s->flags & WIRE_SAMPLE_JUMP) != 0 ? 1 : s->weight;

        b->all[b->now] += period * weight;
        if (is_idle(b, s))
            b->idle[b->now] += period * weight;
    }
}

void busy_end(struct busy *b)
{
    forget_images(b);
    free(b->guest);
    b->guest = NULL;
    b->unmatched = false;
}

/* Use (file), moved by (slide), for (image), if the file has code. */
static void settle_image(struct busy_code *image, struct shared_image *file,
                         uint64_t slide)
{
    struct mapped_image readers;

    if (shared_image_readers(file, &readers) == 0 &&
        frame_places_known(readers.frame_places))
        *image = (struct busy_code){file, readers.frame_places, slide};
}

/* Find the kernel among the files. Only a sure match counts: a report could
 * state its doubts about a file, but a share cannot. */
static void match_kernel(struct busy *b)
{
    struct guest_images g = {0};
    struct remarks *doubts = calloc(1, sizeof *doubts);
    struct err e;

    for (size_t i = 0; i < b->file_count && doubts != NULL; i++)
        if (guest_images_add_file(&g, b->files[i]) != 0)
            break;
    if (doubts != NULL && guest_images_hello(&g, b->guest, doubts, &e) == 0 &&
        g.kernel != NULL &&
        identity_kernel(b->guest, shared_image_get(g.kernel)) >=
            IDENTITY_LIKELY)
        settle_image(&b->kernel, g.kernel, g.slide);
    guest_images_fini(&g);
    free(doubts);
}

static void match_map(const struct busy *b, struct busy_mapping *map)
{
    const struct guest_map *told = &map->told;

    map->code = (struct busy_code){0};
    for (size_t i = 0; i < b->file_count && map->code.code == NULL; i++)
        if (identity_map(told, shared_image_get(b->files[i])) == IDENTITY_SAME)
            settle_image(&map->code, b->files[i],
                         told->start - told->link_start);
}

void busy_match(struct busy *b)
{
    b->unmatched = false;
    b->kernel = (struct busy_code){0};
    if (b->guest != NULL)
        match_kernel(b);
    for (size_t i = 0; i < b->map_count; i++)
        match_map(b, &b->maps[i]);
    forget_leaf(b);
}

void busy_second(struct busy *b)
{
    b->now = (b->now + 1) % BUSY_SECONDS;
    b->all[b->now] = b->idle[b->now] = 0;
}

bool busy_share(const struct busy *b, double *share)
{
    double all = 0, idle = 0;

    for (unsigned i = 0; i < BUSY_SECONDS; i++) {
        all += b->all[i];
        idle += b->idle[i];
    }
    *share = all > 0 ? (all - idle) / all : 0;
    return all > 0;
}

size_t busy_images(const struct busy *b)
{
    return 1 + b->map_count;
}

struct shared_image *busy_file(const struct busy *b, size_t i)
{
    return i == 0 ? b->kernel.file : b->maps[i - 1].code.file;
}

void busy_fini(struct busy *b)
{
    busy_end(b);
}
