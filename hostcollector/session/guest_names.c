/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts images to chunks of names in a recording, and back. */
#include "session/guest_names.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "recording/names/block.h"
#include "recording/names/named.h"
#include "recording/recording.h"
#include "util/arena.h"

/* Reading */

static int take_all(struct named *named, struct recording_names *at,
                    struct err *e)
{
    uint8_t *chunk = malloc(RECORDING_CHUNK_MAX);
    ssize_t n = chunk != NULL ? 1 : err_memory(e);

    while (n > 0) {
        n = recording_next_names(at, chunk, e);
        if (n > 0 && named_take(named, chunk, (size_t)n, e) != 0)
            n = -1;
    }
    free(chunk);
    return (int)n;
}

/* Pass the images to (set). -1 if there is no memory. */
static int hand_over(struct guest_names *n, struct images *set)
{
    struct named *named = &n->named;

    n->files = calloc(named->count + 1, sizeof(void *));
    if (n->files == NULL)
        return -1;
    for (size_t i = 0; i < named->count; i++) {
        struct named_image *image = &named->images[i];

        n->files[i] = images_tell(set, image->image, image->symbolizer,
                                  image->frame_places);
        image->image = NULL;
        image->symbolizer = NULL;
        image->frame_places = NULL;
        if (n->files[i] == NULL)
            return -1;
    }
    return 0;
}

int guest_names_read(struct guest_names *n, const struct pipeline *p,
                     struct images *set, uint64_t bytes, struct err *e)
{
    struct recording_names at;

    n->named.bytes_max = (size_t)bytes;
    if (!pipeline_find_names(p, &at))
        return 0;
    int result = take_all(&n->named, &at, e);

    if (result == 0 && hand_over(n, set) != 0)
        result = err_memory(e);
    if (result != 0)
        guest_names_fini(n);
    return result;
}

uint64_t guest_names_bytes(const struct guest_names *n)
{
    return n->named.bytes;
}

bool guest_names_lack_kernel(const struct guest_names *n)
{
    bool lacks = true;

    for (size_t i = 0; i < n->named.count; i++)
        lacks &= !n->named.images[i].is_kernel;
    return lacks;
}

void guest_names_red_zone(const struct guest_names *n,
                          struct shared_image *file, struct red_zone *zone)
{
    for (size_t i = 0; i < n->named.count; i++) {
        if (n->files[i] != file)
            continue;
        red_zone_join(zone, n->named.images[i].red_zones,
                      n->named.images[i].red_zone_names);
        return;
    }
    red_zone_look(zone, shared_image_get(file));
}

void guest_names_fini(struct guest_names *n)
{
    named_fini(&n->named);
    free(n->files);
    *n = (struct guest_names){0};
}

/* Writing */

/* The data about one file for a recording, and the buffers to make it. */
struct kept {
    struct image_sum sums[GUEST_MAPS_MAX + 1];
    struct red_zone zone;
    char path[PATH_MAX], debug_path[PATH_MAX];
};

static int keep_block(void *context, const void *bytes, size_t size,
                      struct err *e)
{
    return recording_append_names(context, bytes, size, e);
}

static void add_sum(struct named_source *s, struct kept *kept, uint64_t address,
                    uint64_t length)
{
    struct image_sum *sum = &kept->sums[s->sum_count];

    if (image_text_crc(s->image, address, length, &sum->crc) != 0)
        return;
    sum->address = address;
    sum->length = length;
    s->sum_count++;
}

/* Add the checksums of text that this guest has reported, by which a report
 * recognizes the file. */
static void add_sums(struct named_source *s, struct kept *kept,
                     const struct guest_names_job *job)
{
    const struct profile *p = job->profile;

    if (p->guest.has_text_crc)
        add_sum(s, kept, p->guest.text_start - job->images->slide,
                p->guest.text_size);
    for (size_t i = 0; i < p->map_count; i++)
        if (p->maps[i].has_text_crc)
            add_sum(s, kept, p->maps[i].link_start, p->maps[i].size);
    s->sums = kept->sums;
}

/* The absolute path, because a recording may be read in another folder. */
static const char *absolute(const char *path, char room[PATH_MAX])
{
    return path != NULL && realpath(path, room) != NULL ? room : path;
}

static void fill_source(struct named_source *s, struct kept *kept,
                        const struct guest_names_job *job,
                        struct shared_image *file)
{
    s->image = shared_image_get(file);
    s->number = guest_images_number(job->images, file);
    s->is_kernel = file == job->images->kernel;
    s->path = absolute(image_path(s->image), kept->path);
    s->debug_path = absolute(image_debug_path(s->image), kept->debug_path);
    add_sums(s, kept, job);
    if (gate_is_on_stack(job->profile))
        guest_names_red_zone(job->told, file, &kept->zone);
    s->red_zones = kept->zone.units;
    s->red_zone_names = kept->zone.names;
}

static int write_names(struct recording_writer *to,
                       const struct guest_names_job *job, struct err *e)
{
    size_t count = job->images->count;
    struct named_source *sources = calloc(count, sizeof *sources);
    struct kept *kept = calloc(count, sizeof *kept);
    struct named_write w = {.profile = job->profile,
                            .image_map = job->images->image_map,
                            .sources = sources,
                            .source_count = count,
                            .partial = job->partial,
                            .code = job->code,
                            .reads_sources = job->reads_sources,
                            .folder = job->folder,
                            .memory = job->memory,
                            .context = to,
                            .keep = keep_block};
    int result = -1;

    if (sources == NULL || kept == NULL) {
        (void)err_set(e, "names: out of memory");
    } else {
        for (size_t i = 0; i < count; i++)
            fill_source(&sources[i], &kept[i], job, job->images->files[i]);
        result = named_write_all(&w, e);
    }
    free(sources);
    free(kept);
    return result;
}

int guest_names_write(struct pipeline *p, const struct guest_names_job *job,
                      struct err *e)
{
    struct recording_writer *to = pipeline_recorder(p);

    if (to == NULL || job->images->count == 0 || !job->profile->has_guest)
        return 0;
    if (guest_images_place(job->images, job->profile) != 0)
        return err_set(e, "names: out of memory");
    return write_names(to, job, e);
}
