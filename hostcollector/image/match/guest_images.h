/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The images of one guest: the kernel's file, the files of the images that the
 * kernel has loaded, and the addresses of all images.
 */
#ifndef TPROF_IMAGE_MATCH_GUEST_IMAGES_H
#define TPROF_IMAGE_MATCH_GUEST_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diagnose/remarks.h"
#include "image/match/images.h"
#include "image/names/image_map.h"
#include "model/guest.h"
#include "model/profile.h"
#include "model/view.h"
#include "util/err.h"

/* Zeroed: none. */
struct guest_images {
    struct shared_image **files; /* in the order given */
    size_t count, room;
    struct images *set; /* searches images by build-id; NULL: no search */
    bool first_missing; /* the first file, which is the kernel's, is missing */
    struct shared_image *kernel; /* one of (files); NULL: unknown */
    uint64_t slide;              /* the kernel's */
    struct image_map *image_map; /* NULL before guest_images_place() */
    /* Images that the guest has loaded, in the order of the profile's maps. */
    struct {
        struct shared_image *file; /* NULL: no file */
        uint32_t number;           /* number of the image in (image_map) */
    } maps[GUEST_MAPS_MAX];
};

/* Add the file (path), opened in (set), which must outlive (g). Returns 0; -1
 * with (e) filled. */
int guest_images_add(struct guest_images *g, struct images *set,
                     const char *path, struct err *e);

/* Add (file), which belongs to the same set. Returns 0; -1 if there is no
 * memory. */
int guest_images_add_file(struct guest_images *g, struct shared_image *file);

/*
 * Find the kernel of (guest), which sent HELLO, among the files, by build-id or
 * text. If neither decides, the first file is used, unless that file is
 * missing. Does nothing if there are no files.
 *
 * Returns 0, with doubts in (remarks); -1 with (e) filled if the guest runs
 * another kernel.
 */
int guest_images_hello(struct guest_images *g, const struct guest *guest,
                       struct remarks *remarks, struct err *e);

/* Make the map of all images of (p), once. If no file is the file of an image,
 * the file is searched by build-id (image/match/seek.h). Returns 0; -1 if there
 * is no memory. */
int guest_images_place(struct guest_images *g, const struct profile *p);

/* Release the image map, because images were loaded or unloaded. No view may
 * exist. */
void guest_images_unplace(struct guest_images *g);

/* Is (file) the file of the kernel, or of an image that the guest has loaded?
 * Call after guest_images_place(). */
bool guest_images_has(const struct guest_images *g,
                      const struct shared_image *file);

/* The number of (file) in the map; UINT32_MAX if (file) is no image of the
 * guest. */
uint32_t guest_images_number(const struct guest_images *g,
                             const struct shared_image *file);

/* Add to (remarks): the flaws of files; images without a file, with their share
 * in (v); and files among the first (wanted) that belong to no image. */
void guest_images_remark(const struct guest_images *g, const struct profile *p,
                         const struct view *v, size_t wanted,
                         struct remarks *remarks);

/* Release what (g) holds. The files stay in their set. */
void guest_images_fini(struct guest_images *g);

#endif
