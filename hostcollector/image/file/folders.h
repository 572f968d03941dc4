/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folders that have images and debug files named by build-id, in the layout of
 * debuggers and distributions. There is one list for the process, because the
 * helper process (guard/opener.h) needs the list before an image is opened.
 */
#ifndef TPROF_IMAGE_FILE_FOLDERS_H
#define TPROF_IMAGE_FILE_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define IMAGE_FOLDERS 16u /* folders that can be added */

/* Append (folder) to the list. Returns 0; -1 with (e) filled if (folder) is no
 * folder, or the list is full. */
int image_folders_add(const char *folder, struct err *e);

/* The number of folders that were added. */
unsigned image_folders_added(void);

/* Folder number (i), which ends in a slash. Added folders come first, then the
 * system's folder, /usr/lib/debug/. NULL after the last. */
const char *image_folder(unsigned i);

/*
 * The path in folder (i) of the file whose build-id is the (len) bytes at (id):
 * .build-id/12/3456 and (suffix). The suffix is "" for an executable and
 * ".debug" for its debug file. False if there is no such folder, or if the
 * build-id is too short or too long for a file name.
 */
bool image_folder_path(unsigned i, const uint8_t *id, size_t len,
                       const char *suffix, char path[PATH_MAX]);

/* Room for image_kept_name(). */
#define IMAGE_KEPT_NAME (128 + sizeof ".image")

/* Write the name that collector serve gives an image which it keeps in a spool:
 * the build-id of (len) bytes at (id), and .image. Returns false if the
 * build-id is too short or too long for a file name. */
bool image_kept_name(const uint8_t *id, size_t len, char name[IMAGE_KEPT_NAME]);

/* Search images that are kept in (folder), after those in the list. A name
 * that is too long for a path is ignored. */
void image_kept_in(const char *folder);

/* The path of the kept image whose build-id is the (len) bytes at (id). False
 * if no folder was named, or as image_kept_name(). */
bool image_kept_path(const uint8_t *id, size_t len, char path[PATH_MAX]);

#endif
