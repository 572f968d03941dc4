/* SPDX-License-Identifier: BSD-2-Clause */
/* Opened images by file; a file that was rebuilt is another one. */
#include "match/images.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "code/frame_place.h"
#include "symbolize/symbolize.h"
#include "util/vec.h"

struct shared_image {
    struct image *image;
    struct stat file; /* as it was when it was opened */
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

        /* reports name the path that was given */
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
        (void)err_set(e, "out of memory");
        goto fail;
    }
    s->file = file;
    if (image_open(&s->image, path, e) != 0)
        goto fail;
    set->list[set->count++] = s;
    return s;

fail:
    free(s);
    return NULL;
}

struct image *shared_image(struct shared_image *s)
{
    return s->image;
}

int shared_image_readers(struct shared_image *s, struct mapped_image *image)
{
    if (s->symbolizer == NULL)
        s->symbolizer = symbolizer_new(s->image, 0);
    if (s->frame_places == NULL)
        s->frame_places = frame_places_new(s->image, 0);
    image->symbolizer = s->symbolizer;
    image->frame_places = s->frame_places;
    return s->symbolizer != NULL && s->frame_places != NULL ? 0 : -1;
}

void images_fini(struct images *set)
{
    for (size_t i = 0; i < set->count; i++) {
        frame_places_free(set->list[i]->frame_places);
        symbolizer_free(set->list[i]->symbolizer);
        image_close(set->list[i]->image);
        free(set->list[i]);
    }
    free(set->list);
    *set = (struct images){0};
}
