/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a text file name something? */
#ifndef TPROF_GUARD_WORD_IN_FILE_H
#define TPROF_GUARD_WORD_IN_FILE_H

#include <stdbool.h>

/* Is (what) a word of the file (path), alone or behind a =, or the part of a
 * word before a colon? # begins a comment. False if (path) is NULL or cannot be
 * read. */
bool word_in_file(const char *path, const char *what);

#endif
