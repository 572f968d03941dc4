/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the file of each image that a guest has loaded. */
#include "image/match/guest_images.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/share.h"
#include "image/match/identity.h"
#include "image/match/seek.h"
#include "util/text.h"
#include "util/vec.h"

/* Busy share above which an image without a file gets a warning. */
#define SHARE_WARNED  .01
/* Names in a list; further names are counted. */
#define LIST_SHOWN    4u
/* Limit of remarks on single images, to leave room for other remarks. */
#define MAPS_REMARKED 8u
#define LABEL_SIZE    280 /* a name with each byte escaped, and a number */
/* Without symbols a report is almost empty. */
#define NAMELESS      (IMAGE_NO_SYMBOLS | IMAGE_NO_SYMBOLS_PE)
#define LINELESS                                                               \
    (IMAGE_NO_DEBUG | IMAGE_NO_DEBUG_PE | IMAGE_PACKED_DEBUG |                 \
     IMAGE_SPLIT_DEBUG | IMAGE_NO_DEBUG_FILE)

int guest_images_add(struct guest_images *g, struct images *set,
                     const char *path, struct err *e)
{
    struct shared_image *file = images_open(set, path, e);

    if (file == NULL)
        return -1;
    return guest_images_add_file(g, file) == 0 ? 0 : err_memory(e);
}

int guest_images_add_file(struct guest_images *g, struct shared_image *file)
{
    if (vec_grow(&g->files, &g->room, g->count, sizeof(void *)) != 0)
        return -1;
    g->files[g->count++] = file;
    return 0;
}

void guest_images_fini(struct guest_images *g)
{
    image_map_free(g->image_map);
    free(g->files);
    *g = (struct guest_images){0};
}

/* Rate the flaws of (file), worst first: names, then code (needed for callers
 * and for sleep), then lines. */
static unsigned lacks(struct shared_image *file)
{
    unsigned flaws = image_flaws(shared_image_get(file));
    bool names = (flaws & (IMAGE_NO_SYMBOLS | IMAGE_NO_SYMBOLS_PE)) != 0;
    bool code = (flaws & IMAGE_NO_CODE) != 0;
    bool lines = (flaws & LINELESS) != 0;

    return names * 4u + code * 2u + lines;
}

/* Make (file) the (best) file if (fits) is better than before. */
static void take_better(struct shared_image *file, enum identity fits,
                        struct shared_image **found, enum identity *best)
{
    if (fits > *best || (fits == *best && fits == IDENTITY_SAME &&
                         lacks(file) < lacks(*found))) {
        *best = fits;
        *found = file;
    }
}

int guest_images_hello(struct guest_images *g, const struct guest *guest,
                       struct remarks *remarks, struct err *e)
{
    enum identity best = IDENTITY_DOUBTFUL; /* an image other than the kernel
                                               needs a certain match */
    struct err why;

    if (g->count == 0 || g->kernel != NULL)
        return 0;
    g->kernel = g->first_missing ? NULL : g->files[0];
    for (size_t i = 0; i < g->count; i++)
        take_better(g->files[i],
                    identity_kernel(guest, shared_image_get(g->files[i])),
                    &g->kernel, &best);
    if (g->kernel == NULL || identity_check(guest, shared_image_get(g->kernel),
                                            &g->slide, remarks, &why) == 0)
        return 0;
    return err_set(e, "%s%s", why.text,
                   g->count > 1 ? "; no other --elf file is that build either"
                                : "");
}

/* Rate how well (file) fits map (i) of (p). An equal name counts nothing if
 * (file) certainly belongs to another image. */
static enum identity fits_map(const struct guest_images *g,
                              const struct profile *p, size_t i,
                              struct shared_image *file)
{
    enum identity fits = identity_map(&p->maps[i], shared_image_get(file));

    if (fits == IDENTITY_DOUBTFUL && file == g->kernel)
        return IDENTITY_OTHER;
    for (size_t j = 0; fits == IDENTITY_DOUBTFUL && j < p->map_count; j++)
        if (identity_map(&p->maps[j], shared_image_get(file)) == IDENTITY_SAME)
            fits = IDENTITY_OTHER;
    return fits;
}

/* The file of map (i) of (p), NULL if none fits. */
static struct shared_image *find_file(const struct guest_images *g,
                                      const struct profile *p, size_t i)
{
    struct shared_image *found = NULL;
    enum identity best = IDENTITY_OTHER;

    for (size_t j = 0; j < g->count; j++)
        take_better(g->files[j], fits_map(g, p, i, g->files[j]), &found, &best);
    return found;
}

/* The same, and search by build-id as well. */
static struct shared_image *seek_file(struct guest_images *g,
                                      const struct profile *p, size_t i)
{
    const struct guest_map *map = &p->maps[i];
    struct shared_image *file = find_file(g, p, i);
    struct err ignored; /* a remark says that the file is missing */

    if (file != NULL || g->set == NULL || map->build_id_len == 0)
        return file;
    file = images_seek(g->set, map->build_id, map->build_id_len, &ignored);
    return file != NULL && guest_images_add_file(g, file) == 0 ? file : NULL;
}

/* Are map (i) and map (j) of (p) the same image, or are they treated as the
 * same? */
static bool same_image(const struct guest_images *g, const struct profile *p,
                       size_t i, size_t j)
{
    if (g->maps[i].file != NULL || g->maps[j].file != NULL)
        return g->maps[i].file == g->maps[j].file;
    return guest_same_map(&p->maps[i], &p->maps[j]);
}

/* Make the label of map (i), different from all labels before. */
static void make_label(const struct guest_images *g, const struct profile *p,
                       size_t i, char label[LABEL_SIZE])
{
    const char *slash = strrchr(p->maps[i].name, '/');
    const char *name = slash != NULL ? slash + 1 : p->maps[i].name;
    size_t length;

    if (*name == '\0')
        (void)snprintf(label, LABEL_SIZE, "0x%" PRIx64, p->maps[i].start);
    else
        text_escape(label, LABEL_SIZE, name);
    length = strlen(label);
    for (uint32_t j = 1; j < image_map_count(g->image_map); j++) {
        if (strcmp(image_map_image(g->image_map, j)->name, label) == 0)
            (void)snprintf(label + length, LABEL_SIZE - length, "#%zu",
                           image_map_count(g->image_map));
    }
}

/* Give map (i) its number in the image map. Returns 0; -1 if there is no
 * memory. */
static int number_map(struct guest_images *g, const struct profile *p, size_t i)
{
    struct mapped_image image = {0};
    char label[LABEL_SIZE];

    if (g->maps[i].file != NULL && g->maps[i].file == g->kernel) {
        /* the kernel is mapped a second time */
        g->maps[i].number = IMAGE_MAP_KERNEL;
        return 0;
    }
    for (size_t j = 0; j < i; j++) {
        if (same_image(g, p, i, j)) {
            g->maps[i].number = g->maps[j].number;
            return 0;
        }
    }
    make_label(g, p, i, label);
    image.name = label;
    if (g->maps[i].file != NULL &&
        shared_image_readers(g->maps[i].file, &image) != 0)
        return -1;
    g->maps[i].number = image_map_add(g->image_map, &image);
    return g->maps[i].number != UINT32_MAX ? 0 : -1;
}

/* Add all maps of (p) to the image map. Returns 0; -1 if there is no memory. */
static int place_maps(struct guest_images *g, const struct profile *p)
{
    for (size_t i = 0; i < p->map_count; i++) {
        const struct guest_map *map = &p->maps[i];

        g->maps[i].file = seek_file(g, p, i);
        if (number_map(g, p, i) != 0 ||
            image_map_place(g->image_map, g->maps[i].number, map->start,
                            map->size, map->start - map->link_start) != 0)
            return -1;
    }
    return 0;
}

int guest_images_place(struct guest_images *g, const struct profile *p)
{
    struct mapped_image kernel = {0};

    if (g->image_map != NULL)
        return 0;
    if (g->kernel != NULL && shared_image_readers(g->kernel, &kernel) != 0)
        return -1;
    g->image_map = image_map_new(&kernel, g->slide);
    if (g->image_map == NULL)
        return -1;
    if (place_maps(g, p) == 0)
        return 0;
    guest_images_unplace(g);
    return -1;
}

void guest_images_unplace(struct guest_images *g)
{
    image_map_free(g->image_map);
    g->image_map = NULL;
}

/* Remarks */

uint32_t guest_images_number(const struct guest_images *g,
                             const struct shared_image *file)
{
    if (file == g->kernel)
        return IMAGE_MAP_KERNEL;
    for (size_t i = 0; i < GUEST_MAPS_MAX; i++)
        if (file == g->maps[i].file)
            return g->maps[i].number;
    return UINT32_MAX;
}

bool guest_images_has(const struct guest_images *g,
                      const struct shared_image *file)
{
    return guest_images_number(g, file) != UINT32_MAX;
}

/* The file that has the name of map (map) but is another build; NULL if there
 * is none. */
static const struct image *other_build(const struct guest_images *g,
                                       const struct guest_map *map)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->files[i] != g->kernel &&
            identity_same_name(map, shared_image_get(g->files[i])))
            return shared_image_get(g->files[i]);
    }
    return NULL;
}

static void remark_other_build(struct remarks *remarks, const char *label,
                               const struct guest_map *map,
                               const struct image *img, double share)
{
    size_t len;
    const uint8_t *id = image_build_id(img, &len);
    char ours[IDENTITY_TEXT], theirs[IDENTITY_TEXT];

    if (len != 0 && map->build_id_len != 0)
        remarks_warn(
            remarks,
            "%.1f %% of the busy time was in %s, which is %s. The file %s is "
            "%s, so the symbols of the file are not used. Name the loaded file "
            "with --elf.",
            100 * share, label,
            identity_text(theirs, map->build_id, map->build_id_len),
            image_path(img), identity_text(ours, id, len));
    else
        remarks_warn(
            remarks,
            "%.1f %% of the busy time was in %s. Its code differs from the "
            "file %s, so the symbols of the file are not used. Name the loaded "
            "file with --elf.",
            100 * share, label, image_path(img));
}

static void remark_no_file(struct remarks *remarks, const char *label,
                           const struct guest_map *map, double share)
{
    char id[IDENTITY_TEXT], text[REMARK_SIZE];

    (void)snprintf(
        text, sizeof text,
        "%.1f %% of the busy time was in %s (%s), which the guest has loaded: "
        "its addresses have no names. Name its ELF file with another --elf.",
        100 * share, label,
        identity_text(id, map->build_id, map->build_id_len));
    if (share >= SHARE_WARNED)
        remarks_warn(remarks, "%s", text);
    else
        remarks_note(remarks, "%s", text);
}

/* Is map (i) the first map of its image? */
static bool is_first(const struct guest_images *g, size_t i)
{
    if (g->maps[i].number == IMAGE_MAP_KERNEL)
        return false;
    for (size_t j = 0; j < i; j++)
        if (g->maps[j].number == g->maps[i].number)
            return false;
    return true;
}

/* The remark on map (i). */
static void remark_map(const struct guest_images *g, const struct profile *p,
                       const struct view *v, size_t i, struct remarks *remarks)
{
    const struct guest_map *map = &p->maps[i];
    const struct view_image *image = &v->images[g->maps[i].number];
    struct shared_image *file = g->maps[i].file;
    const struct image *other = other_build(g, map);
    double share = share_of(&image->busy, &v->total.busy).p;

    if (file == NULL && other != NULL)
        remark_other_build(remarks, image->name, map, other, share);
    else if (file == NULL && image->busy.samples != 0)
        remark_no_file(remarks, image->name, map, share);
    else if (file != NULL &&
             identity_map(map, shared_image_get(file)) != IDENTITY_SAME)
        remarks_warn(
            remarks,
            "Neither build-id nor text checksum shows whether the image that "
            "the guest loaded as %s is %s. Link it with --build-id.",
            map->name, image_path(shared_image_get(file)));
}

/* Write a list such as "its kernel (build 01), app (no build-id)" to (list). */
static void list_images(const struct guest_images *g, const struct profile *p,
                        char *list, size_t size)
{
    char id[IDENTITY_TEXT];
    size_t count = 0, used;

    (void)snprintf(list, size, "its kernel (%s)",
                   identity_text(id, p->guest.build_id, p->guest.build_id_len));
    for (size_t i = 0; i < p->map_count; i++) {
        const struct guest_map *map = &p->maps[i];

        if (!is_first(g, i) || count++ >= LIST_SHOWN)
            continue;
        used = strlen(list);
        (void)snprintf(list + used, size - used, ", %s (%s)",
                       image_map_image(g->image_map, g->maps[i].number)->name,
                       identity_text(id, map->build_id, map->build_id_len));
    }
    used = strlen(list);
    if (count > LIST_SHOWN)
        (void)snprintf(list + used, size - used, " and %zu more",
                       count - LIST_SHOWN);
}

/* Is (file) the file of the kernel or of another image, a copy of such a file,
 * or named in a remark? */
static bool is_used(const struct guest_images *g, const struct profile *p,
                    struct shared_image *file)
{
    const struct image *img = shared_image_get(file);
    bool used =
        file == g->kernel || identity_kernel(&p->guest, img) == IDENTITY_SAME;

    for (size_t i = 0; i < p->map_count; i++)
        used |=
            g->maps[i].file == file ||
            identity_map(&p->maps[i], img) == IDENTITY_SAME ||
            (g->maps[i].file == NULL && identity_same_name(&p->maps[i], img));
    return used;
}

static void remark_unused(const struct guest_images *g, const struct profile *p,
                          struct shared_image *file, struct remarks *remarks)
{
    size_t len;
    const uint8_t *build_id = image_build_id(shared_image_get(file), &len);
    char id[IDENTITY_TEXT], list[400];

    list_images(g, p, list, sizeof list);
    remarks_warn(remarks,
                 "%s (%s) is no image of this guest: it runs %s. A kernel "
                 "reports images that it has loaded with tprof_map().",
                 image_path(shared_image_get(file)),
                 identity_text(id, build_id, len), list);
}

/* Remark that names come from another file than the given file. */
static void note_debug_file(struct shared_image *file, struct remarks *remarks)
{
    const struct image *img = shared_image_get(file);

    if (image_debug_path(img) != NULL)
        remarks_note(remarks, "The debug information of %s is from %s.",
                     image_path(img), image_debug_path(img));
}

/* Remark on the flaws of (file). (name) is the image's name, and empty for the
 * kernel. */
static void note_flaws(struct shared_image *file, const char *name,
                       struct remarks *remarks)
{
    unsigned flaws = image_flaws(shared_image_get(file));
    bool kernel = name == NULL;
    const char *colon = kernel ? "" : ": ";

    name = kernel ? "" : name;
    note_debug_file(file, remarks);
    /* build-ids were remarked on while images were matched */
    for (unsigned flaw = IMAGE_NO_SYMBOLS; flaw <= IMAGE_NO_DEBUG_FILE;
         flaw <<= 1) {
        const char *text = image_flaw_text((enum image_flaw)flaw);
        const char *about =
            image_flaw_file(shared_image_get(file), (enum image_flaw)flaw);

        if ((flaws & flaw) == 0)
            continue;
        if ((flaw & NAMELESS) != 0 || (kernel && flaw == IMAGE_NO_CODE))
            remarks_warn(remarks, "%s: %s", image_path(shared_image_get(file)),
                         text);
        else if (about != NULL)
            remarks_note(remarks, "%s%s%s: %s", name, colon, text, about);
        else
            remarks_note(remarks, "%s%s%s", name, colon, text);
    }
}

void guest_images_remark(const struct guest_images *g, const struct profile *p,
                         const struct view *v, size_t wanted,
                         struct remarks *remarks)
{
    if (g->kernel != NULL)
        note_flaws(g->kernel, NULL, remarks);
    size_t before = remarks->count;

    for (size_t i = 0; i < p->map_count; i++) {
        if (!is_first(g, i) || remarks->count - before >= MAPS_REMARKED)
            continue;
        remark_map(g, p, v, i, remarks);
        if (g->maps[i].file != NULL)
            note_flaws(g->maps[i].file,
                       image_path(shared_image_get(g->maps[i].file)), remarks);
    }
    for (size_t i = 0; i < wanted; i++)
        if (!is_used(g, p, g->files[i]))
            remark_unused(g, p, g->files[i], remarks);
    if (p->refused_maps != 0)
        remarks_warn(remarks,
                     "The guest reported %" PRIu64
                     " times an image that overlaps another image at the same "
                     "time, or more than %u images (an older agent does not "
                     "report when an image was loaded): these are left out, "
                     "and their addresses may have wrong names.",
                     p->refused_maps, GUEST_MAPS_MAX);
}
