/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps opened images by file. A rebuilt file counts as another file. */
#include "image/match/images.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/code/frame_place.h"
#include "image/names/symbolize.h"
#include "util/vec.h"

struct shared_image {
    struct image *image;
    char *path;       /* absolute */
    struct stat file; /* the file's state when it was opened */
    struct symbolizer *symbolizer;
    struct frame_places *frame_places;
};

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static struct shared_image *
find_image(const struct images *set, const char *path, const struct stat *file)
{
    for (size_t i = 0; i < set->count; i++) {
        struct shared_image *s = set->list[i];

        /* reports name the given path */
        if (strcmp(image_path(s->image), path) == 0 &&
            same_file(&s->file, file))
            return s;
    }
    return NULL;
}

struct shared_image *images_open(struct images *set, const char *path,
                                 struct err *e)
{
    struct stat file = {0};
    struct shared_image *s = NULL;

    if (stat(path, &file) == 0)
        s = find_image(set, path, &file);
    if (s != NULL)
        return s;
    s = calloc(1, sizeof *s);
    if (s == NULL ||
        vec_grow(&set->list, &set->room, set->count, sizeof(void *)) != 0) {
        (void)err_memory(e);
        goto fail;
    }
    s->file = file;
    if (image_open(&s->image, path, e) != 0)
        goto fail;
    s->path = realpath(path, NULL); /* a tool may run in another folder */
    set->list[set->count++] = s;
    return s;

fail:
    free(s);
    return NULL;
}

static void release(const struct shared_image *s)
{
    frame_places_free(s->frame_places);
    symbolizer_free(s->symbolizer);
    image_close(s->image);
    free(s->path);
}

struct shared_image *images_tell(struct images *set, struct image *image,
                                 struct symbolizer *symbolizer,
                                 struct frame_places *frame_places)
{
    const struct shared_image told = {.image = image,
                                      .path = strdup(image_path(image)),
                                      .symbolizer = symbolizer,
                                      .frame_places = frame_places};
    struct shared_image *s = malloc(sizeof *s);

    if (s == NULL || told.path == NULL ||
        vec_grow(&set->list, &set->room, set->count, sizeof(void *)) != 0) {
        release(&told);
        free(s);
        return NULL;
    }
    *s = told;
    set->list[set->count++] = s;
    return s;
}

struct image *shared_image_get(struct shared_image *s)
{
    return s->image;
}

const char *shared_image_path(const struct shared_image *s)
{
    const char *path = image_path(s->image);

    return s->path != NULL && strstr(path, "/.build-id/") != NULL ? s->path
                                                                  : path;
}

int shared_image_readers(struct shared_image *s, struct mapped_image *image)
{
    if (s->symbolizer == NULL)
        s->symbolizer = symbolizer_new(s->image, 0);
    if (s->frame_places == NULL)
        s->frame_places = frame_places_new(s->image, 0);
    image->file = s->image;
    image->path = s->path != NULL ? s->path : image_path(s->image);
    image->symbolizer = s->symbolizer;
    image->frame_places = s->frame_places;
    return s->symbolizer != NULL && s->frame_places != NULL ? 0 : -1;
}

void images_forget(struct images *set, size_t bytes)
{
    size_t sum = 0;

    for (size_t i = 0; i < set->count; i++)
        if (set->list[i]->symbolizer != NULL)
            sum += symbolizer_bytes(set->list[i]->symbolizer);
    for (size_t i = 0; sum > bytes && i < set->count; i++)
        if (set->list[i]->symbolizer != NULL)
            symbolizer_forget(set->list[i]->symbolizer);
}

void images_fini(struct images *set)
{
    for (size_t i = 0; i < set->count; i++) {
        release(set->list[i]);
        free(set->list[i]);
    }
    free(set->list);
    free(set->sought);
    *set = (struct images){0};
}
