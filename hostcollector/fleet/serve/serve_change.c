/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces the set of guests that are served. */
#include <stdlib.h>
#include <string.h>

#include "fleet/serve/serve_parts.h"
#include "fleet/serve/serve_wanted.h"
#include "util/hash.h"
#include "util/pair_map.h"
#include "util/vec.h"

/* Set the labels that the user gives (g) now. They are copied, since their
 * list is released. */
static void set_labels(struct served *g, const struct guest_spec *spec)
{
    const char **labels;

    arena_fini(&g->labels);
    g->spec.label_count = 0;
    labels = arena_alloc(&g->labels, spec->label_count * sizeof *labels);
    for (size_t i = 0; labels != NULL && i < spec->label_count; i++) {
        const char *text = spec->labels[i];

        labels[i] = arena_strndup(&g->labels, text, strlen(text));
        if (labels[i] == NULL)
            return;
        g->spec.label_count++;
    }
    g->spec.labels = labels;
}

static bool same_guest(const struct guest_spec *a, const struct guest_spec *b)
{
    return strcmp(a->kind, b->kind) == 0 && strcmp(a->where, b->where) == 0 &&
           strcmp(a->name, b->name) == 0;
}

static uint64_t hash_of(const struct guest_spec *spec)
{
    const char *const texts[] = {spec->kind, spec->where, spec->name};
    uint64_t hash = 0;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (const char *c = texts[i]; *c != '\0'; c++)
            hash = hash_mix(hash, (uint8_t)*c + (i << 8));
    return hash;
}

/* Map each guest to its place in the list. A guest for which there is no
 * memory is searched for later. */
static void index_guests(const struct serve_session *s, struct pair_map *places)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t *place = map_put(places, hash_of(&s->list[i]->spec), 0);

        if (place != NULL)
            *place = (uint32_t)i;
    }
}

/* Find the guest of (spec) among the first (count) guests, whose (places) are
 * known. */
static struct served *find_guest(const struct serve_session *s, size_t count,
                                 const struct pair_map *places,
                                 const struct guest_spec *spec)
{
    uint32_t place = map_get(places, hash_of(spec), 0);

    if (place == MAP_NOTHING && places->count == count)
        return NULL;
    if (place < count && same_guest(&s->list[place]->spec, spec))
        return s->list[place];
    for (size_t i = 0; i < count; i++) /* two guests have the same hash */
        if (same_guest(&s->list[i]->spec, spec))
            return s->list[i];
    return NULL;
}

static int add_guest(struct serve_session *s, const struct guest_spec *spec,
                     struct err *e)
{
    struct served *g = calloc(1, sizeof *g);
    size_t row = s->free_row;

    while (row < SERVE_GUESTS && s->rows[row])
        row++;
    if (g == NULL || row == SERVE_GUESTS ||
        vec_grow(&s->list, &s->room, s->count, sizeof(void *)) != 0) {
        free(g);
        return err_set(e,
                       row == SERVE_GUESTS ? "%s: more than 20,000 guests"
                                           : "%s: out of memory",
                       spec->name);
    }
    *g = (struct served){.serve = s,
                         .spec = *spec,
                         .wanted = true,
                         .rate_hz = s->o->from.rate_hz,
                         .row = row};
    g->windows.all = s->windows;
    g->windows.shares = &s->shares;
    g->windows.watched = &g->watched;
    g->windows.busy = &g->busy;
    g->windows.name = g->spec.name;
    g->windows.rate_hz = s->o->from.rate_hz;
    g->crashed =
        s->windows != NULL ? windows_crashed_of(s->windows, g->spec.name) : 0;
    g->spec.elfs = NULL;
    g->spec.where = strdup(spec->where);
    if (g->spec.where == NULL) {
        free(g);
        return err_memory(e);
    }
    set_labels(g, spec);
    serve_images_set(g, spec);
    s->rows[row] = true;
    s->free_row = row + 1;
    s->list[s->count++] = g; /* the next tick begins it */
    return 0;
}

void serve_change(struct serve_session *s, const struct guests *now)
{
    struct pair_map places = {0};
    size_t before = s->count;
    struct err e;

    s->shares.guests = now->count;
    index_guests(s, &places);
    for (size_t i = 0; i < s->count; i++)
        s->list[i]->wanted = false;
    for (size_t i = 0; i < now->count; i++) {
        struct served *g = find_guest(s, before, &places, &now->list[i]);

        if (g != NULL) {
            g->wanted = true;
            set_labels(g, &now->list[i]);
            serve_images_set(g, &now->list[i]);
        } else if (add_guest(s, &now->list[i], &e) != 0) {
            serve_say(s, NULL, e.text);
        }
    }
    map_fini(&places);
    for (size_t i = 0; i < s->count; i++)
        if (!s->list[i]->wanted && s->list[i]->pipeline != NULL)
            guest_loop_stop(s->loop, s->list[i]->pipeline, PIPELINE_STOPPED);
}
