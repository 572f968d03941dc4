/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries each place in turn. */
#include "image/file/object.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "image/file/folders.h"
#include "util/bytes.h"

#define GLOBAL "/usr/lib/debug/"

/* The properties that the debug file must have. */
struct wanted {
    const uint8_t *id;
    size_t id_len;
    bool has_crc;
    uint32_t crc;
};

/* The length of the folder of (path), its slash included. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? (int)(slash - path) + 1 : 0;
}

bool image_debug_folder(const char *path, unsigned i, char *folder, size_t size)
{
    int length = folder_length(path);
    const char *other = i != 0 ? image_folder(i - 1) : "";
    int n = i == 0 ? snprintf(folder, size, "%.*s", length != 0 ? length : 2,
                              length != 0 ? path : "./")
            : other != NULL ? snprintf(folder, size, "%s", other)
                            : 0;

    return n > 0 && (size_t)n < size;
}

const char *debug_file_link(const struct object *o)
{
    struct image_part part = o->ops->section(o, ".gnu_debuglink");
    const char *name = (const char *)part.bytes;

    if (part.bytes == NULL || memchr(name, '\0', (size_t)part.size) == NULL ||
        strchr(name, '/') != NULL || name[0] == '\0' ||
        strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return NULL;
    return name;
}

/* Read the checksum. It follows the name, padded to a multiple of four
 * bytes. */
static void read_crc(const struct object *o, struct wanted *w)
{
    struct image_part part = o->ops->section(o, ".gnu_debuglink");
    const char *name = debug_file_link(o);
    size_t at = name != NULL ? strlen(name) / 4 * 4 + 4 : 0;

    w->has_crc = name != NULL && at + 4 <= part.size;
    w->crc = w->has_crc ? load_u32(part.bytes + at) : 0;
}

/* Compute the checksum of a file, unless most of the file is holes. */
static bool has_crc(const struct file *f, const struct wanted *w)
{
    return w->has_crc && f->size / 4 <= spans_size(&f->held) &&
           crc32_z(0, f->bytes, (size_t)f->size) == w->crc;
}

static bool fits(const struct object *o, const struct wanted *w)
{
    size_t len;
    const uint8_t *id = o->ops->build_id(o, &len);

    if (o->ops != &object_elf ||
        o->ops->section(o, ".debug_info").bytes == NULL)
        return false;
    if (id != NULL && w->id != NULL)
        return len == w->id_len && memcmp(id, w->id, len) == 0;
    return has_crc(&o->file, w);
}

static struct debug_file *try(const char *path, const struct wanted *w)
{
    struct debug_file *d = calloc(1, sizeof *d);

    if (d == NULL)
        return NULL;
    d->path = strdup(path);
    if (d->path != NULL && object_open(&d->object, d->path, NULL) == 0 &&
        fits(&d->object, w))
        return d;
    debug_file_close(d);
    return NULL;
}

static struct debug_file *try_build_id(const struct wanted *w)
{
    struct debug_file *d = NULL;
    char path[PATH_MAX];

    for (unsigned i = 0;
         d == NULL && image_folder_path(i, w->id, w->id_len, ".debug", path);
         i++)
        d = try(path, w);
    return d;
}

/* Try the file whose path is (folder), (between) and (name) joined. */
static struct debug_file *try_in(const char *folder, const char *between,
                                 const char *name, const struct wanted *w)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s%s%s", folder, between, name);

    return n > 0 && (size_t)n < sizeof path ? try(path, w) : NULL;
}

static struct debug_file *try_link(const struct object *o,
                                   const struct wanted *w)
{
    const char *name = debug_file_link(o);
    char folder[PATH_MAX], whole[PATH_MAX];
    struct debug_file *d = NULL;

    if (name == NULL || !image_debug_folder(o->path, 0, folder, sizeof folder))
        return NULL;
    d = try_in(folder, "", name, w);
    if (d == NULL)
        d = try_in(folder, ".debug/", name, w);
    if (d != NULL || realpath(o->path, whole) == NULL)
        return d;
    whole[folder_length(whole)] = '\0';
    return try_in(GLOBAL, whole + 1, name, w);
}

struct debug_file *debug_file_find(const struct object *o, const uint8_t *id,
                                   size_t len)
{
    struct wanted w = {.id = id, .id_len = len};
    struct debug_file *d = NULL;

    if (o->ops != &object_elf)
        return NULL;
    read_crc(o, &w);
    if (id != NULL)
        d = try_build_id(&w);
    return d != NULL ? d : try_link(o, &w);
}

struct debug_file *debug_file_take(const struct object *o, const char *path,
                                   const uint8_t *id, size_t len)
{
    const struct wanted w = {.id = id, .id_len = len};

    return o->ops == &object_elf && id != NULL ? try(path, &w) : NULL;
}

void debug_file_close(struct debug_file *d)
{
    if (d == NULL)
        return;
    object_close(&d->object);
    free(d->path);
    free(d);
}
