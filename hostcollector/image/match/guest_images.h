/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The images of one guest: which file is the kernel, which files are images
 * that the kernel has loaded, and at which addresses all of them are.
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
    struct images *set; /* where images are sought by build-id; NULL: nowhere */
    bool first_missing; /* the first file, the kernel's, is missing */
    struct shared_image *kernel; /* one of them; NULL: not known */
    uint64_t slide;              /* the kernel's */
    struct image_map *image_map; /* NULL: before guest_images_place() */
    /* What the guest has mapped, as in the profile. */
    struct {
        struct shared_image *file; /* NULL: none of them */
        uint32_t number;           /* in the map */
    } maps[GUEST_MAPS_MAX];
};

/* Add the file (path), opened in (set), which must outlive (g). Returns 0; -1
 * with (e) filled. */
int guest_images_add(struct guest_images *g, struct images *set,
                     const char *path, struct err *e);

/* Add (file), of the same set. Returns 0; -1 if there is no memory. */
int guest_images_add_file(struct guest_images *g, struct shared_image *file);

/*
 * (guest) sent HELLO. Find its kernel among the files by build-id or text. If
 * neither tells, the first file is taken for the kernel, unless that one is
 * missing. Without any file nothing happens.
 *
 * Returns 0, with doubts in (remarks); -1 with (e) filled if the guest runs
 * another kernel.
 */
int guest_images_hello(struct guest_images *g, const struct guest *guest,
                       struct remarks *remarks, struct err *e);

/* Make the map of all images of (p), once; what none of the files is of is
 * sought by its build-id (image/match/seek.h). Returns 0; -1 if there is no
 * memory.
 */
int guest_images_place(struct guest_images *g, const struct profile *p);

/* Forget that map, since images have come or gone; no view may be left. */
void guest_images_unplace(struct guest_images *g);

/* Is (file) the kernel's, or that of an image which the guest has loaded? After
 * guest_images_place(). */
bool guest_images_has(const struct guest_images *g,
                      const struct shared_image *file);

/* The number of (file) in the map; UINT32_MAX: it is no image of the guest. */
uint32_t guest_images_number(const struct guest_images *g,
                             const struct shared_image *file);

/* Add to (remarks) what files lack, which images have no file, with the share
 * of each in (v), and which of the first (wanted) files belong to no image. */
void guest_images_remark(const struct guest_images *g, const struct profile *p,
                         const struct view *v, size_t wanted,
                         struct remarks *remarks);

/* Release what (g) holds. The files stay in their set. */
void guest_images_fini(struct guest_images *g);

#endif
