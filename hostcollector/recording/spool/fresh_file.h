/* SPDX-License-Identifier: BSD-2-Clause */
/* New files in a folder that is open, which other processes may write to, too:
 * nothing that is there is opened, whatever name it has. */
#ifndef TPROF_RECORDING_SPOOL_FRESH_FILE_H
#define TPROF_RECORDING_SPOOL_FRESH_FILE_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Write the (size) bytes at (bytes) into the new file (name) of the folder
 * (fd), for the user alone. The disk is not waited for. (st) gets what is known
 * of the file; NULL: not asked.
 *
 * Returns 0; -1 with errno, EEXIST where (name) is there: a part may be
 * written.
 */
int fresh_file(int fd, const char *name, const void *bytes, size_t size,
               struct stat *st);

#endif
