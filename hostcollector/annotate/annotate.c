/* SPDX-License-Identifier: BSD-2-Clause */
#include "annotate/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/builder.h"
#include "image/file/image.h"
#include "image/names/image_map.h"
#include "image/names/symbolize.h"
#include "util/vec.h"
#include "view/find.h"

/* The names in lines of instructions take at most this part of the memory. */
#define SYMBOLS_PART 8

/* An annotation with the memory that it points to. */
struct owned {
    struct annotation annotation; /* first */
    struct arena arena;
};

static int no_function(const struct annotate_job *job, struct err *e)
{
    const struct view *v = job->view;
    char near[FIND_NEAR];

    if (job->function == NULL)
        return err_set(e, "no function here has both a name and samples: is "
                          "the image stripped?");
    return err_set(
        e, "no function here has '%.80s' in its name%s", job->function,
        find_near(near, v->functions, v->function_count, job->function));
}

/* Check that the file of the guest's kernel is known. Without the file no
 * function has a name. */
static int check_kernel(const struct annotate_job *job, struct err *e)
{
    if (image_map_image(job->image_map, IMAGE_MAP_KERNEL)->file != NULL)
        return 0;
    return err_set(e,
                   "a recording has no code: give the guest's image by --elf");
}

/* Returns the function that the job names, or the busiest function if the job
 * names none. A number below VIEW_MARKS if there is no such function. If no row
 * fits the name, searches all functions, because functions that only sleep have
 * no row. */
static uint32_t find(const struct annotate_job *job)
{
    const struct view *v = job->view;
    const struct view_row *row;

    if (job->function == NULL)
        return places_busiest(job->profile, v);
    row = find_row(v, job->function);
    if (row != NULL)
        return row->function;
    for (uint32_t i = VIEW_MARKS; i < v->function_count; i++)
        if (find_fit(v->functions[i].name, job->function) != 0)
            return i;
    return 0;
}

static int choose(struct builder *b, bool *unfound, struct err *e)
{
    const struct annotate_job *job = b->job;
    uint32_t function = job->number != 0 ? job->number : find(job);

    if (function < VIEW_MARKS && job->number != 0)
        return err_set(e, "%s is no code", job->view->functions[function].name);
    if (function < VIEW_MARKS) {
        if (check_kernel(job, e) != 0)
            return -1;
        *unfound = job->function != NULL;
        return no_function(job, e);
    }
    b->out->function = function;
    b->out->chosen = job->number == 0 && job->function == NULL;

    const struct view_function *f = &job->view->functions[function];
    const struct mapped_image *image =
        image_map_image(job->image_map, f->image);

    if (image->file == NULL)
        return err_set(e,
                       "a recording has no code: give the image of %s by "
                       "--elf",
                       f->name);
    b->image = image->file;
    b->symbolizer = image->symbolizer;
    symbolizer_limit(b->symbolizer, symbolizer_bytes(b->symbolizer) +
                                        job->memory / SYMBOLS_PART);
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct annotated_host *left = a, *right = b;
    double l = left->sum.amount.time, r = right->sum.amount.time;

    if (l != r)
        return l < r ? 1 : -1;
    return (left->function > right->function) -
           (left->function < right->function);
}

/* Add up the samples for each function into which the annotated function is
 * inlined. */
static int add_hosts(struct builder *b)
{
    struct annotation *out = b->out;
    struct pair_map by_function = {0};
    int result = 0;

    out->hosts =
        arena_alloc(b->arena, (b->places.count + 1) * sizeof *out->hosts);
    if (out->hosts == NULL)
        return -1;
    for (size_t i = 0; i < b->places.count && result == 0; i++) {
        const struct place *place = &b->places.list[i];
        uint32_t *at;

        if (place->host == out->function)
            continue;
        at = map_put(&by_function, place->host, 0);
        if (at == NULL) {
            result = -1;
            break;
        }
        if (*at == MAP_NOTHING) {
            *at = (uint32_t)out->host_count;
            out->hosts[out->host_count++].function = place->host;
        }
        annotated_add(&out->hosts[*at].sum, &place->sum);
    }
    map_fini(&by_function);
    qsort(out->hosts, out->host_count, sizeof *out->hosts, by_time);
    return result;
}

static int build(struct builder *b, struct err *e)
{
    struct annotation *out = b->out;

    if (b->job->places == NULL &&
        places_gather(&b->places, &out->function, 1, b->job->profile,
                      b->job->view) != 0)
        return err_memory(e);
    out->sum = b->places.sum;
    out->idle = b->places.idle;
    if (b->places.count == 0 && out->idle != 0)
        return err_set(e, "cores only sleep in %s: it has no busy time",
                       b->job->view->functions[out->function].name);
    if (b->places.count == 0)
        return err_set(e,
                       "no sample is in the code of %s itself: see its callees "
                       "with 'collector report --function'",
                       b->job->view->functions[out->function].name);
    if (builder_add_codes(b) != 0 || builder_add_places(b) != 0 ||
        add_hosts(b) != 0 || builder_end_lines(b) != 0 ||
        builder_add_text(b) != 0)
        return err_memory(e);
    return 0;
}

struct annotation *annotate(const struct annotate_job *job, bool *unfound,
                            struct err *e)
{
    struct owned *owned = calloc(1, sizeof *owned);
    struct builder b = {.job = job};
    int result;

    *unfound = false;
    if (owned == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    b.out = &owned->annotation;
    b.arena = &owned->arena;
    if (job->places != NULL) {
        b.places = *job->places;
        *job->places = (struct places){0};
    }
    result = choose(&b, unfound, e);
    if (result == 0)
        result = build(&b, e);
    places_fini(&b.places);
    map_fini(&b.by_name);
    map_fini(&b.by_number);
    free(b.bodies);
    free(b.lines);
    if (result == 0)
        return &owned->annotation;
    annotation_free(&owned->annotation);
    return NULL;
}

void annotation_free(struct annotation *a)
{
    struct owned *owned = (struct owned *)a;

    if (owned == NULL)
        return;
    arena_fini(&owned->arena);
    free(owned);
}
