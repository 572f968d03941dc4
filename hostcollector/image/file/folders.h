/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folders where images, and what was stripped from them, are found by
 * build-id, as debuggers and distributions lay them out. Of the process, since
 * its helper (guard/opener.h) must know them before an image is opened.
 */
#ifndef TPROF_IMAGE_FILE_FOLDERS_H
#define TPROF_IMAGE_FILE_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define IMAGE_FOLDERS 16u /* that are added */

/* Look in (folder), too: behind those that were added before it. Returns 0; -1
 * with (e) filled: it is no folder, or one too many. */
int image_folders_add(const char *folder, struct err *e);

/* How many were added. */
unsigned image_folders_added(void);

/* Folder (i), which ends in a slash: those that were added, then the system's,
 * /usr/lib/debug/. NULL behind the last. */
const char *image_folder(unsigned i);

/*
 * The path in folder (i) of the file for the (len) bytes of build-id at (id):
 * .build-id/12/3456 and (suffix), which is "" for what is executed and ".debug"
 * for what was stripped from it. False: there is no such folder, or the
 * build-id is too short or too long for a file name.
 */
bool image_folder_path(unsigned i, const uint8_t *id, size_t len,
                       const char *suffix, char path[PATH_MAX]);

#endif
