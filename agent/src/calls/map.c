/* SPDX-License-Identifier: BSD-2-Clause */
/* Further images: mappings that the kernel registers by tprof_map(). */
#include "drive/control.h"
#include "sample/longrec.h"
#include "state/agent.h"
#include "state/directory.h"

#define BUILD_ID_MAX 64u
#define NAME_MAX     255u

_Atomic uint32_t tprof_map_lock;

/*
 * The kernel's mappings. The lock guards these arrays. The walk (unwind.h)
 * reads their bounds, and the host receives MAP frames. Only a kernel that
 * calls tprof_map() links this file: other files reach it through struct
 * tprof_agent.
 *
 * A host must know which image was at an address when a sample was taken, so
 * images have generations (WIRE.md 8). When an image is removed, a new
 * generation begins, and each core begins a new dictionary, whose BEGIN record
 * contains the generation.
 */
static struct tprof_mapping maps[TPROF_MAPPINGS]; /* size 0: unused */
static uint32_t text_crc[TPROF_MAPPINGS]; /* of a mapping without a build-id */
static uint8_t turn[TPROF_MAPPINGS];      /* record of (texts) in use */

/* State of a mapping for MAP frames, kept after the mapping is unused again. */
static struct told {
    uint64_t size;         /* 0: nothing */
    uint32_t number;       /* tprof_agent.maps after its last change */
    uint32_t since, until; /* generations; (until) 0: it is still present */
} told[TPROF_MAPPINGS];

/* Copies of names and build-ids. The kernel's own may be freed with the image.
 */
static char names[TPROF_MAPPINGS][NAME_MAX + 1];
static uint8_t build_ids[TPROF_MAPPINGS][BUILD_ID_MAX];

/*
 * Records that the ticks of all cores read, without the lock. Each mapping has
 * two records, used in turn. If a mapping changes while a core is at one of its
 * records, that record stays unchanged until the next change of the mapping.
 *
 * A host may keep a core from running, inside a tick, for so long that two
 * changes pass. Then the record changes while the core reads it.
 * tprof_unwind_locate(), which copies a record, notices this by
 * (bounds.changes), and takes the first image instead. tprof_unwind_frames()
 * asks only whether an address lies in any text: at worst one stack has a frame
 * too many or ends too early.
 */
static struct tprof_image_text texts[TPROF_MAPPINGS][2];

static uint64_t take_lock(void)
{
    return tprof_lock(&tprof_map_lock);
}

static void release_lock(uint64_t flags)
{
    tprof_unlock(&tprof_map_lock, flags);
}

/* Returns the mapping with the oldest change that (c) has not sent. There is
 * such a mapping, because the newest change of all is always kept. */
static uint32_t next_map(const struct tprof_control *c)
{
    uint32_t next = 0;
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < TPROF_MAPPINGS; i++) {
        uint32_t ahead = told[i].number - c->maps - 1;

        if (told[i].size > 0 && ahead < least) {
            least = ahead;
            next = i;
        }
    }
    return next;
}

/* Puts the next MAP (WIRE.md 8) into (f). */
static void put_map(struct tprof_control *c, struct tprof_frame *f)
{
    uint64_t flags = take_lock();
    uint32_t next = next_map(c);
    const struct tprof_mapping *m = &maps[next];
    uint32_t length = 0;

    c->maps = told[next].number;
    tprof_frame_field(f, WIRE_MAP_START, m->start);
    tprof_frame_field(f, WIRE_MAP_SIZE, told[next].size);
    tprof_frame_field(f, WIRE_MAP_LINK_START, m->link_start);
    while (m->name[length])
        length++;
    if (length > 0)
        tprof_frame_bytes(f, WIRE_MAP_NAME, m->name, length);
    if (m->build_id)
        tprof_frame_bytes(f, WIRE_MAP_BUILD_ID, m->build_id, m->build_id_size);
    else
        tprof_frame_field(f, WIRE_MAP_TEXT_CRC, text_crc[next]);
    tprof_frame_field(f, WIRE_MAP_SINCE, told[next].since);
    if (told[next].until)
        tprof_frame_field(f, WIRE_MAP_UNTIL, told[next].until);
    release_lock(flags);
}

static int is_sound(const struct tprof_mapping *m)
{
    return m->size > 0 && m->start > 0 && m->start + m->size > m->start &&
           m->build_id_size <= BUILD_ID_MAX &&
           (m->build_id != NULL) == (m->build_id_size > 0);
}

static int overlaps(const struct tprof_mapping *m, uint64_t start,
                    uint64_t size)
{
    return m->start - start < size || start - m->start < m->size;
}

/* Returns a place for (m), or -1. Removes mappings that (m) replaces, and then
 * sets (*gone) to 1. */
static int32_t make_room(const struct tprof_mapping *m, int *gone)
{
    int32_t room = -1;

    for (int32_t i = 0; i < TPROF_MAPPINGS; i++) {
        if (maps[i].size > 0 && overlaps(m, maps[i].start, maps[i].size)) {
            maps[i].size = 0;
            told[i].size = 0;
            *gone = 1;
        }
        /* rather one whose changes the host already has */
        if (maps[i].size == 0 && (room < 0 || told[i].size == 0))
            room = i;
    }
    return room;
}

/* Returns the current generation of the images. */
static uint32_t generation(const struct tprof_agent *a)
{
    return atomic_load_explicit(&a->images, memory_order_relaxed);
}

/* Makes the pump send change (number) to the host. */
static void tell_change(struct tprof_agent *a, uint32_t number)
{
    /* release: pairs with the acquire in tprof_control_due(), control.c */
    atomic_store_explicit(&a->maps, number, memory_order_release);
}

/* Tells ticks of other cores to use no further image between these two
 * calls. */
static void begin_change(struct tprof_bounds *b)
{
    uint32_t changes = atomic_load_explicit(&b->changes, memory_order_relaxed);

    atomic_store_explicit(&b->changes, changes + 1, memory_order_relaxed);
    /* release: pairs with the fence in tprof_unwind_locate() */
    atomic_thread_fence(memory_order_release);
}

static void end_change(struct tprof_bounds *b)
{
    uint32_t changes = atomic_load_explicit(&b->changes, memory_order_relaxed);

    /* release: pairs with the acquire in tprof_unwind_locate() */
    atomic_store_explicit(&b->changes, changes + 1, memory_order_release);
}

/* Adds (m) to the walk's list by the record (new), and removes all images that
 * (m) overlaps. (first) is the kernel's own. */
static void put_text(struct tprof_image_text *first,
                     struct tprof_image_text *new,
                     const struct tprof_mapping *m)
{
    uint64_t above = m->start - first->text.start;
    struct tprof_image_text *next, *last = first;

    new->text = (struct tprof_text){
        .start = m->start,
        .size = m->size,
        .reach = m->size < TPROF_REACH_MAX ? m->size : TPROF_REACH_MAX,
        .seed = tprof_mix(1, m->start),
        .base = tprof_zigzag(above),
    };
    atomic_store_explicit(&new->next, NULL, memory_order_relaxed);
    /* A core keeps the old reach until it meets another stack or image. Its
     * records until then are right, with one exception: words of the new image
     * on top of its stack do not count as code. */
    if (above < first->text.reach)
        first->text.reach = above;
    while ((next = atomic_load_explicit(&last->next, memory_order_relaxed))) {
        if (!overlaps(m, next->text.start, next->text.size)) {
            last = next;
            continue;
        }
        /* a core that is at the removed record finds the rest of the list */
        next = atomic_load_explicit(&next->next, memory_order_relaxed);
        atomic_store_explicit(&last->next, next, memory_order_relaxed);
    }
    /* release: pairs with the acquire in unwind.c */
    atomic_store_explicit(&last->next, new, memory_order_release);
}

/* Stores (m) as mapping (at), with copies of its name and build-id. */
static void keep_mapping(const struct tprof_mapping *m, int32_t at)
{
    uint32_t length = 0;

    maps[at] = *m;
    while (m->name && length < NAME_MAX && m->name[length])
        length++;
    tprof_arch_copy(names[at], m->name, length);
    names[at][length] = 0;
    maps[at].name = names[at];
    tprof_arch_copy(build_ids[at], m->build_id, m->build_id_size);
    if (m->build_id)
        maps[at].build_id = build_ids[at];
}

/* Repairs the list after a reset. The image whose change was interrupted is in
 * the list, or is not. From now on ticks may use the list again. */
static void mend_maps(void)
{
    struct tprof_bounds *b = &tprof_agent.bounds;

    if (!tprof_has_lock(&tprof_map_lock))
        return;
    if (atomic_load_explicit(&b->changes, memory_order_relaxed) % 2)
        end_change(b);
    release_lock(tprof_arch_irq_save());
}

static int map_locked(struct tprof_agent *a, const struct tprof_mapping *m,
                      uint32_t crc)
{
    struct tprof_image_text *first = &a->bounds.image;
    int gone = 0;

    if (overlaps(m, first->text.start, first->text.size))
        return TPROF_ERR_CONFIG;
    if (!a->put_map) { /* first call after tprof_init(): old ones are void */
        tprof_arch_zero(maps, sizeof maps);
        tprof_arch_zero(told, sizeof told);
    }
    int32_t at = make_room(m, &gone);

    if (at < 0)
        return TPROF_ERR_MEMORY_SMALL;
    keep_mapping(m, at);
    text_crc[at] = crc;
    told[at] = (struct told){
        .size = m->size,
        .number = a->maps + 1,
        .since = generation(a) + (uint32_t)gone,
    };
    tprof_directory_set_mappings(maps);
    for (uint32_t core = 0; core < a->config.cpus; core++)
        atomic_store_explicit(&a->core[core]->reader.flags, WIRE_SAMPLES_IMAGES,
                              memory_order_relaxed);
    a->put_map = put_map;
    turn[at] ^= 1;
    begin_change(&a->bounds);
    put_text(first, &texts[at][turn[at]], m);
    end_change(&a->bounds);
    if (gone)
        atomic_fetch_add_explicit(&a->images, 1, memory_order_relaxed);
    tell_change(a, told[at].number);
    return TPROF_OK;
}

/* Removes the image at (start) from the walk's list. */
static void remove_text(struct tprof_image_text *last, uint64_t start)
{
    struct tprof_image_text *next;

    while ((next = atomic_load_explicit(&last->next, memory_order_relaxed))) {
        if (next->text.start != start) {
            last = next;
            continue;
        }
        /* a core that is at the removed record finds the rest of the list */
        next = atomic_load_explicit(&next->next, memory_order_relaxed);
        atomic_store_explicit(&last->next, next, memory_order_relaxed);
    }
}

static int unmap_locked(struct tprof_agent *a, uint64_t start)
{
    int32_t at = 0;

    while (at < TPROF_MAPPINGS &&
           (maps[at].size == 0 || maps[at].start != start))
        at++;
    if (at == TPROF_MAPPINGS || !a->put_map)
        return TPROF_ERR_CONFIG;
    maps[at].size = 0;
    begin_change(&a->bounds);
    remove_text(&a->bounds.image, start);
    end_change(&a->bounds);
    told[at].number = a->maps + 1;
    told[at].until =
        atomic_fetch_add_explicit(&a->images, 1, memory_order_relaxed) + 1;
    tell_change(a, told[at].number);
    return TPROF_OK;
}

/*
 * If images were removed, so that the generation is not (was) any more, makes
 * every core begin anew: no core may continue with an older stack. If a START
 * arrives at this very moment, either this function sees the new state, or the
 * cores see the new generation when they begin.
 */
static void follow_generation(struct tprof_agent *a, uint32_t was)
{
    /* seq_cst: pairs with the one in tprof_control_give_orders() */
    atomic_thread_fence(memory_order_seq_cst);
    if (generation(a) == was || tprof_state() != WIRE_STATE_SAMPLING)
        return;
    uint64_t flags = tprof_arch_irq_save();

    tprof_control_give_orders();
    tprof_arch_irq_restore(flags);
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
        crc =
            tprof_crc32c_sum(&a->crc, (const void *)(uintptr_t)m->start, span);
    a->mend_maps = mend_maps;
    uint64_t flags = take_lock();
    uint32_t was = generation(a);
    int error = map_locked(a, m, crc);

    release_lock(flags);
    follow_generation(a, was);
    return error;
}

int tprof_unmap(uint64_t start)
{
    struct tprof_agent *a = &tprof_agent;

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    uint64_t flags = take_lock();
    uint32_t was = generation(a);
    int error = unmap_locked(a, start);

    release_lock(flags);
    follow_generation(a, was);
    return error;
}
