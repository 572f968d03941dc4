/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes in what a guest says of its further images. */
#include "aggregate/maps.h"

#include <stdlib.h>
#include <string.h>

bool maps_same_image(const struct guest_map *a, const struct guest_map *b)
{
    return a->size == b->size && a->link_start == b->link_start &&
           strcmp(a->name, b->name) == 0 &&
           a->build_id_len == b->build_id_len &&
           memcmp(a->build_id, b->build_id, a->build_id_len) == 0 &&
           a->has_text_crc == b->has_text_crc && a->text_crc == b->text_crc;
}

static bool overlaps(const struct guest_map *map, uint64_t start, uint64_t size)
{
    return map->start - start < size || start - map->start < map->size;
}

/* All rooms at once: few guests have any image but the kernel's. */
static int reserve(struct maps *m)
{
    if (m->list == NULL)
        m->list = calloc(GUEST_MAPS_MAX, sizeof *m->list);
    if (m->boots == NULL)
        m->boots = calloc(GUEST_MAPS_MAX, sizeof *m->boots);
    return m->list != NULL && m->boots != NULL && m->count < GUEST_MAPS_MAX
               ? 0
               : -1;
}

static enum maps_answer insert(struct maps *m, const struct guest_map *map,
                               uint32_t boot)
{
    size_t at = m->count;

    if (reserve(m) != 0) {
        m->refused++;
        return MAPS_REFUSED;
    }
    for (; at > 0 && m->list[at - 1].start > map->start; at--) {
        m->list[at] = m->list[at - 1];
        m->boots[at] = m->boots[at - 1];
    }
    m->list[at] = *map;
    m->boots[at] = boot;
    m->count++;
    return MAPS_TAKEN;
}

enum maps_answer maps_add(struct maps *m, const struct guest_map *map,
                          const struct guest *g, uint32_t boot)
{
    bool refused = overlaps(map, g->text_start, g->text_size);

    for (size_t i = 0; i < m->count; i++) {
        if (m->list[i].start == map->start &&
            maps_same_image(&m->list[i], map)) {
            m->boots[i] = boot;
            return MAPS_TAKEN;
        }
        if (!overlaps(map, m->list[i].start, m->list[i].size))
            continue;
        if (m->boots[i] != boot)
            return MAPS_OTHER_IMAGE;
        refused = true;
    }
    m->refused += refused;
    return refused ? MAPS_REFUSED : insert(m, map, boot);
}

void maps_fini(struct maps *m)
{
    free(m->list);
    free(m->boots);
    *m = (struct maps){0};
}
