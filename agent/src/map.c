/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Further images: what the kernel tells of them, for the walk (unwind.h) and
 * for the host. Linked only into a kernel that calls tprof_map(): the rest
 * reaches it through struct tprof_agent.
 */
#include "agent.h"
#include "cpu.h"
#include "directory.h"
#include "longrec.h"
#include "session.h"

#define BUILD_ID_MAX 64u

/* Each written once, before its number is in tprof_agent.maps. */
static struct tprof_mapping maps[TPROF_MAPPINGS];
static struct tprof_image_text texts[TPROF_MAPPINGS];
static uint32_t text_crc[TPROF_MAPPINGS]; /* where there is no build-id */
static _Atomic uint32_t mapping;          /* 1: a core is at it */

/* The next MAP, WIRE.md 8, into (f). */
static void put_map(struct tprof_session *s, struct tprof_frame *f)
{
    uint32_t number = s->maps++;
    const struct tprof_mapping *m = &maps[number];
    uint32_t length = 0;

    tprof_frame_field(f, WIRE_MAP_START, m->start);
    tprof_frame_field(f, WIRE_MAP_SIZE, m->size);
    tprof_frame_field(f, WIRE_MAP_LINK_START, m->link_start);
    while (m->name && length < UINT8_MAX && m->name[length])
        length++;
    if (length > 0)
        tprof_frame_bytes(f, WIRE_MAP_NAME, m->name, length);
    if (m->build_id)
        tprof_frame_bytes(f, WIRE_MAP_BUILD_ID, m->build_id, m->build_id_size);
    else
        tprof_frame_field(f, WIRE_MAP_TEXT_CRC, text_crc[number]);
}

static int is_sound(const struct tprof_mapping *m)
{
    return m->size > 0 && m->start > 0 && m->start + m->size > m->start &&
           m->build_id_size <= BUILD_ID_MAX &&
           (m->build_id != NULL) == (m->build_id_size > 0);
}

static int overlaps(const struct tprof_text *t, const struct tprof_mapping *m)
{
    return m->start - t->start < t->size || t->start - m->start < m->size;
}

/* What the walk will know of (m). */
static struct tprof_text text_of(struct tprof_text *first,
                                 const struct tprof_mapping *m)
{
    uint64_t above = m->start - first->start;
    struct tprof_text text = {
        .start = m->start,
        .size = m->size,
        .reach = m->size < TPROF_REACH_MAX ? m->size : TPROF_REACH_MAX,
        .seed = tprof_mix(1, m->start),
        .base = tprof_zigzag(above),
    };

    /* A core may go on with the old one until it meets a new stack: what it
     * writes is right, but for words that it does not know as code. */
    if (above < first->reach)
        first->reach = above;
    return text;
}

static int map_locked(struct tprof_agent *a, const struct tprof_mapping *m,
                      uint32_t crc)
{
    uint32_t count = atomic_load_explicit(&a->maps, memory_order_relaxed);
    struct tprof_image_text *last = NULL, *i = &a->bounds.image;

    for (; i; i = atomic_load_explicit(&i->next, memory_order_relaxed)) {
        if (overlaps(&i->text, m))
            return TPROF_ERR_CONFIG;
        last = i;
    }
    if (count == TPROF_MAPPINGS)
        return TPROF_ERR_MEMORY_SMALL;
    maps[count] = *m;
    text_crc[count] = crc;
    texts[count].text = text_of(&a->bounds.image.text, m);
    tprof_directory_mappings(maps);
    for (uint32_t core = 0; core < a->config.cpus; core++)
        a->core[core]->reader.flags = WIRE_SAMPLES_IMAGES;
    a->put_map = put_map;
    /* release: pairs with the acquire in session.c; before any sample there */
    atomic_store_explicit(&a->maps, count + 1, memory_order_release);
    /* release: pairs with the acquire in unwind.c */
    atomic_store_explicit(&last->next, &texts[count], memory_order_release);
    return TPROF_OK;
}

int tprof_map(const struct tprof_mapping *m)
{
    struct tprof_agent *a = &tprof_agent;
    uint64_t span = m->size < WIRE_TEXT_CRC_SPAN ? m->size : WIRE_TEXT_CRC_SPAN;
    uint32_t crc = 0;

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    if (!is_sound(m))
        return TPROF_ERR_CONFIG;
    if (!m->build_id)
        crc = tprof_crc32c(&a->crc, (const void *)(uintptr_t)m->start, span);
    uint64_t flags = tprof_irq_save();

    while (atomic_exchange_explicit(&mapping, 1, memory_order_acquire))
        tprof_relax();
    int error = map_locked(a, m, crc);

    atomic_store_explicit(&mapping, 0, memory_order_release);
    tprof_irq_restore(flags);
    return error;
}
