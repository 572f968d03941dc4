/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds an image by its build-id alone. */
#ifndef TPROF_IMAGE_MATCH_SEEK_H
#define TPROF_IMAGE_MATCH_SEEK_H

#include <stddef.h>
#include <stdint.h>

#include "image/match/images.h"
#include "util/err.h"

/*
 * The image whose build-id is the (len) bytes at (id), from the folders of
 * image/file/folders.h: what is executed, else what was stripped from it; then
 * from servers (image/match/fetch.h). It is sought once in (set), and lives as
 * long as that.
 *
 * NULL: there is none. Then (e) says why, and what to do; or is empty, if
 * nobody has said where images are.
 */
struct shared_image *images_seek(struct images *set, const uint8_t *id,
                                 size_t len, struct err *e);

#endif
