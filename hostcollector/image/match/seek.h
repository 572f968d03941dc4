/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds an image by its build-id alone. */
#ifndef TPROF_IMAGE_MATCH_SEEK_H
#define TPROF_IMAGE_MATCH_SEEK_H

#include <stddef.h>
#include <stdint.h>

#include "image/match/images.h"
#include "util/err.h"

/*
 * Returns the image whose build-id is the (len) bytes at (id). Searches the
 * folders of image/file/folders.h for an executable, the folder of kept images,
 * then the folders for a debug file,
 * then asks the servers (image/match/fetch.h). Each build-id is searched once
 * in (set); the image lives as long as (set).
 *
 * Returns NULL if there is no such image. Then (e) explains the reason and the
 * cure, or is empty if the user has named no folder and no server.
 */
struct shared_image *images_seek(struct images *set, const uint8_t *id,
                                 size_t len, struct err *e);

#endif
