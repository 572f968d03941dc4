/* SPDX-License-Identifier: BSD-2-Clause */
/* The images that guests of collector serve may run. */
#include "fleet/serve/serve_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/serve/serve_parts.h"
#include "image/file/folders.h"
#include "image/match/seek.h"
#include "util/host_clock.h"
#include "util/vec.h"

/* Limit of files, because each file is searched by path for each guest. */
#define IMAGES_MAX 1000u
#define MATCHES    20000000u /* longest time of matching, in nanoseconds */
/* Limits for build-ids: searched, and found. */
#define SOUGHT_MAX 10000u
#define FOUND_MAX  100u

/* The index of (path) in the list; the length of the list if (path) is not
 * there. */
static size_t find(const struct serve_images *images, const char *path)
{
    size_t i = 0;

    while (i < images->count && strcmp(images->paths[i], path) != 0)
        i++;
    return i;
}

static int list_elfs(struct serve_images *images, const struct elf_path *elf,
                     struct err *e)
{
    for (; elf != NULL; elf = elf->next) {
        if (find(images, elf->path) != images->count)
            continue;
        if (images->count == IMAGES_MAX)
            return err_set(e, "%s: more than %u images", elf->path, IMAGES_MAX);
        if (vec_grow(&images->paths, &images->room, images->count,
                     sizeof(char *)) != 0)
            return err_memory(e);
        images->paths[images->count++] = elf->path;
    }
    return 0;
}

int serve_images_list(struct serve_images *images, const struct serve_config *o,
                      struct err *e)
{
    const struct elf_path *last = o->from.guests.elfs;

    images->folder = getcwd(NULL, 0);
    if (list_elfs(images, last, e) != 0)
        return -1;
    for (size_t i = 0; i < o->from.guests.count; i++) {
        const struct elf_path *elfs = o->from.guests.list[i].elfs;

        if (elfs != last && list_elfs(images, elfs, e) != 0)
            return -1;
        last = elfs;
    }
    return 0;
}

/* Does the command line name (path)? If so, its errors are shown at once,
 * because the user is waiting. */
static bool is_typed(const struct serve_config *o, const char *path)
{
    bool typed = false;

    for (const struct elf_path *elf = o->from.guests.elfs; elf != NULL;
         elf = elf->next)
        typed |= strcmp(elf->path, path) == 0;
    for (size_t i = 0; i < o->from.guests.count && !typed; i++)
        for (const struct elf_path *elf = o->from.guests.list[i].elfs;
             elf != NULL && !o->from.guests.list[i].listed; elf = elf->next)
            typed |= strcmp(elf->path, path) == 0;
    return typed;
}

int serve_images_open(struct serve_images *images, const struct serve_config *o,
                      void (*say)(void *context, const char *line),
                      void *context, struct err *e)
{
    struct err why;

    images->files = calloc(images->count + 1, sizeof(void *));
    if (images->files == NULL)
        return err_memory(e);
    for (size_t i = 0; i < images->count; i++) {
        images->files[i] = images_open(&images->set, images->paths[i], &why);
        if (images->files[i] == NULL && is_typed(o, images->paths[i]))
            return err_set(e, "%s", why.text);
        if (images->files[i] == NULL)
            say(context, why.text);
    }
    images->opened = images->set.count;
    return 0;
}

/* Allow the guest of (b) to run (elfs). Returns a path that is not in the
 * list, since it came too late; NULL if all are. */
static const char *give(const struct serve_images *images, struct busy *b,
                        const struct elf_path *elfs)
{
    struct shared_image **files = NULL;
    const char *late = NULL;
    size_t count = 0, room = 0;

    for (; elfs != NULL; elfs = elfs->next) {
        size_t i = find(images, elfs->path);

        if (i == images->count)
            late = elfs->path;
        else if (images->files[i] != NULL &&
                 vec_grow(&files, &room, count, sizeof(void *)) == 0)
            files[count++] = images->files[i];
    }
    if (count == b->given &&
        (count == 0 || memcmp(files, b->files, count * sizeof(void *)) == 0)) {
        free(files);
        return late;
    }
    free(b->files);
    b->files = files;
    b->file_count = b->given = count;
    b->file_room = room;
    b->unmatched = true;
    return late;
}

void serve_images_set(struct served *g, const struct guest_spec *spec)
{
    const char *late = give(&g->serve->images, &g->busy, spec->elfs);
    char line[512];

    (void)snprintf(line, sizeof line,
                   "%.400s: images are opened only at the start: restart "
                   "collector serve to use this one",
                   late != NULL ? late : "");
    if (late != NULL && !g->image_late)
        serve_say(g->serve, g, line);
    g->image_late = late != NULL;
}

/* Note which files (g) runs, as far as there is room. */
static void number_images(const struct serve_images *images, struct served *g)
{
    const struct busy *b = &g->busy;
    size_t used = 0;

    memset(g->images, 0, sizeof g->images);
    for (size_t i = 0; i < busy_images(b) && used < STATUS_IMAGES; i++) {
        const struct shared_image *file = busy_file(b, i);

        for (size_t j = 0; file != NULL && j < images->count; j++) {
            if (images->files[j] != file)
                continue;
            g->images[used++] = (uint16_t)(j + 1);
            break;
        }
    }
}

/* Have guests made us search for too many build-ids? */
static bool is_full(struct serve_session *s)
{
    struct serve_images *images = &s->images;

    if (images->set.sought_count < SOUGHT_MAX &&
        images->set.count - images->opened < FOUND_MAX)
        return false;
    if (!images->full)
        serve_say(s, NULL,
                  "guests run too many different images: no further image is "
                  "searched in --symbols DIR");
    images->full = true;
    return true;
}

/* Find the kernel of (g) by its build-id, and add it to the guest's files.
 * Returns whether a new file was found. */
static bool seek(struct serve_session *s, struct served *g)
{
    struct busy *b = &g->busy;
    struct shared_image *file;
    struct err why;

    if (image_folders_added() == 0 || b->guest == NULL ||
        b->guest->build_id_len == 0 || is_full(s))
        return false;
    file = images_seek(&s->images.set, b->guest->build_id,
                       b->guest->build_id_len, &why);
    if (file == NULL)
        return false;
    b->file_count = b->given; /* forget files of the last kernel */
    if (vec_grow(&b->files, &b->file_room, b->file_count, sizeof(void *)) != 0)
        return false;
    b->files[b->file_count++] = file;
    return true;
}

/* Keep the images of (g) beside its windows, once for each build: the files may
 * be rebuilt before somebody reads the windows. An image whose symbols are in
 * another file gives no names, and is not kept. */
static void keep_images(struct serve_session *s, struct served *g)
{
    for (size_t i = 0; s->windows != NULL && i < busy_images(&g->busy); i++) {
        struct shared_image *file = busy_file(&g->busy, i);
        const struct image *image =
            file != NULL ? shared_image_get(file) : NULL;
        char name[IMAGE_KEPT_NAME];
        uint64_t size;
        size_t length;
        struct err e;

        if (image == NULL || image_debug_path(image) != NULL)
            continue;
        const uint8_t *id = image_build_id(image, &length);
        const uint8_t *bytes = image_whole(image, &size);

        if (id != NULL && bytes != NULL && image_kept_name(id, length, name) &&
            windows_keep_image(s->windows, name, bytes, size, &e) != 0)
            serve_say(s, g, e.text);
    }
}

void serve_images_match(struct serve_session *s, uint64_t now)
{
    struct serve_images *images = &s->images;

    if (now < images->again_ns)
        return;
    for (size_t i = 0; i < s->count; i++) {
        struct served *g = s->list[images->next++ % s->count];

        if (!g->busy.unmatched)
            continue;
        busy_match(&g->busy);
        if (busy_file(&g->busy, 0) == NULL && seek(s, g))
            busy_match(&g->busy);
        number_images(images, g);
        keep_images(s, g);
        if (clock_ns() - now > MATCHES)
            break;
    }
    images->again_ns = now + 9 * (clock_ns() - now);
}

/* The absolute path of (file), because windows are read in other folders. NULL
 * if there is none, or if it is too long. */
static const char *absolute_path(const struct serve_images *images,
                                 struct arena *memory,
                                 const struct shared_image *file)
{
    const char *path = shared_image_path(file);
    char text[RECORDING_TEXT_MAX];
    int length;

    if (path[0] == '/')
        return strlen(path) < sizeof text ? path : NULL;
    if (images->folder == NULL)
        return NULL;
    length = snprintf(text, sizeof text, "%s/%s", images->folder, path);
    return length > 0 && (size_t)length < sizeof text
               ? arena_strndup(memory, text, (size_t)length)
               : NULL;
}

static void record_kernel(const struct serve_images *images,
                          struct arena *memory, struct shared_image *file,
                          struct recording_info *info)
{
    const char *path = absolute_path(images, memory, file);
    size_t length = 0;
    const uint8_t *id = image_build_id(shared_image_get(file), &length);

    if (path == NULL)
        return;
    (void)snprintf(info->elf, sizeof info->elf, "%s", path);
    if (id == NULL || length > sizeof info->build_id)
        return;
    memcpy(info->build_id, id, length);
    info->build_id_len = length;
}

void serve_images_record(const struct served *g, struct arena *memory,
                         struct recording_info *info)
{
    const struct serve_images *images = &g->serve->images;
    const struct busy *b = &g->busy;
    size_t most = busy_images(b) - 1;
    const char **more =
        most != 0 ? arena_alloc(memory, most * sizeof *more) : NULL;

    if (busy_file(b, 0) != NULL)
        record_kernel(images, memory, busy_file(b, 0), info);
    info->more_elfs = more;
    for (size_t i = 1; more != NULL && i <= most; i++) {
        const char *path = busy_file(b, i) != NULL
                               ? absolute_path(images, memory, busy_file(b, i))
                               : NULL;

        if (path != NULL)
            more[info->more_elf_count++] = path;
    }
}

void serve_images_fini(struct serve_images *images)
{
    free(images->folder);
    images_fini(&images->set);
    free(images->files);
    free(images->paths);
    *images = (struct serve_images){0};
}
