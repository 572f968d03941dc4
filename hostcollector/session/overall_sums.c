/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up what many guests did. */
#include "session/overall_sums.h"

#include <stdlib.h>
#include <string.h>

#include "diagnose/share.h"
#include "profile/aggregate/aggregate.h"
#include "util/vec.h"
#include "view/view_build.h"

struct overall_image_sum {
    /* report of the first guest that ran it, without a view */
    struct report first;
    const struct image_map *map;     /* the first one's */
    const struct profile **profiles; /* of all of them */
    size_t guests, room;
    struct aggregate *sum; /* NULL: not yet */
    struct remarks remarks;
    struct view *view;
};

static bool same_kernel(const struct guest *a, const struct guest *b)
{
    if (a->build_id_len != b->build_id_len)
        return false;
    if (a->build_id_len != 0)
        return memcmp(a->build_id, b->build_id, a->build_id_len) == 0;
    return a->has_text_crc && b->has_text_crc && a->text_crc == b->text_crc &&
           a->text_size == b->text_size;
}

/*
 * Do (a) and (b) have the same images, at any addresses? If so, (slides)
 * becomes the argument of aggregate_merge() for (b).
 */
static bool same_images(const struct profile *a, const struct profile *b,
                        uint64_t slides[GUEST_MAPS_MAX + 1])
{
    bool taken[GUEST_MAPS_MAX] = {false};

    if (!same_kernel(&a->guest, &b->guest) || a->map_count != b->map_count)
        return false;
    for (size_t i = 0; i < b->map_count; i++) {
        size_t j = 0;

        while (j < a->map_count &&
               (taken[j] || !guest_same_map(&a->maps[j], &b->maps[i])))
            j++;
        if (j == a->map_count)
            return false;
        taken[j] = true;
        slides[i] = b->maps[i].start - a->maps[j].start;
    }
    slides[b->map_count] = b->guest.text_start - a->guest.text_start;
    return true;
}

/* The sum for the image of (report), added if necessary; NULL if there is no
 * memory. */
static struct overall_image_sum *image_of(struct overall_sum *o,
                                          const struct report *report,
                                          const struct image_map *map)
{
    uint64_t slides[GUEST_MAPS_MAX + 1];

    for (size_t i = 0; i < o->image_count; i++)
        if (same_images(o->images[i].first.profile, report->profile, slides))
            return &o->images[i];
    if (vec_grow(&o->images, &o->image_room, o->image_count,
                 sizeof *o->images) != 0)
        return NULL;

    struct overall_image_sum *image = &o->images[o->image_count++];

    *image = (struct overall_image_sum){.first = *report, .map = map};
    /* the view may be released after overall_add() returns */
    image->first.view = NULL;
    return image;
}

static int add_to_image(struct overall_sum *o, const struct report *report,
                        const struct image_map *map, struct err *e)
{
    struct overall_image_sum *image = image_of(o, report, map);

    if (image == NULL || vec_grow(&image->profiles, &image->room, image->guests,
                                  sizeof(void *)) != 0)
        return err_memory(e);
    image->profiles[image->guests++] = report->profile;
    return 0;
}

/* -1: nothing is known. */
static double busy_share(const struct view *v)
{
    if (v == NULL || v->idle_unknown || !(v->total.all.time > 0))
        return -1;
    return share_of(&v->total.busy, &v->total.all).p;
}

int overall_add(struct overall_sum *o, const struct overall_guest *guest,
                const struct report *report, const struct image_map *map,
                struct err *e)
{
    if (vec_grow(&o->guests, &o->guest_room, o->guest_count,
                 sizeof *o->guests) != 0)
        return err_memory(e);
    o->guests[o->guest_count] = *guest;
    o->guests[o->guest_count++].busy =
        busy_share(report != NULL ? report->view : NULL);
    return report != NULL ? add_to_image(o, report, map, e) : 0;
}

/* The profile of all guests that ran (image), in (memory) bytes; NULL if there
 * is no memory. */
static const struct profile *add_up(struct overall_image_sum *image,
                                    uint64_t memory)
{
    const struct profile *first = image->profiles[0];

    image->sum =
        aggregate_new(&(struct aggregate_config){.memory_max = memory});
    if (image->sum == NULL)
        return NULL;
    for (size_t i = 0; i < image->guests; i++) {
        uint64_t slides[GUEST_MAPS_MAX + 1] = {0};

        if (image->profiles[i] != first)
            (void)same_images(first, image->profiles[i], slides);
        aggregate_merge(image->sum, image->profiles[i], slides);
    }
    return aggregate_profile(image->sum);
}

/* Store the view of all guests that ran (image) in (*report). Profile and view
 * get half of (memory) each. */
static int show(struct overall_image_sum *image, uint64_t memory,
                struct report *report, struct err *e)
{
    const struct profile *profile = add_up(image, memory / 2);

    if (profile != NULL)
        image->view = view_new(profile, image->map, memory / 2);
    if (image->view == NULL)
        return err_memory(e);
    *report = (struct report){
        .profile = profile,
        .view = image->view,
        .remarks = &image->remarks,
        .elf = image->first.elf,
        .top = image->first.top,
        .all = image->first.all,
        .of_all = image->first.of_all,
    };
    return 0;
}

/* Return the number of images that more than one guest ran. Other images are
 * covered by the report of their guest. */
static size_t shared_images(const struct overall_sum *o)
{
    size_t n = 0;

    for (size_t i = 0; i < o->image_count; i++)
        n += o->images[i].guests >= 2;
    return n;
}

int overall_finish(struct overall_sum *o, uint64_t memory,
                   struct overall *result, struct err *e)
{
    size_t shared = shared_images(o);

    *result =
        (struct overall){.guests = o->guests, .guest_count = o->guest_count};
    o->shown = calloc(o->image_count + 1, sizeof *o->shown);
    if (o->shown == NULL)
        return err_memory(e);
    for (size_t i = 0; i < o->image_count; i++) {
        struct overall_image *shown = &o->shown[result->image_count];

        if (o->images[i].guests < 2)
            continue;
        shown->guests = o->images[i].guests;
        if (show(&o->images[i], memory / shared, &shown->report, e) != 0)
            return -1;
        result->image_count++;
    }
    result->images = o->shown;
    return 0;
}

void overall_fini(struct overall_sum *o)
{
    for (size_t i = 0; i < o->image_count; i++) {
        view_free(o->images[i].view);
        aggregate_free(o->images[i].sum);
        free(o->images[i].profiles);
    }
    free(o->images);
    free(o->guests);
    free(o->shown);
    *o = (struct overall_sum){0};
}
