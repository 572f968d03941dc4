/* SPDX-License-Identifier: BSD-2-Clause */
/* Creates files in an open folder to which other processes may write, too. An
 * existing file or link is never opened, whatever its name. */
#ifndef TPROF_RECORDING_SPOOL_FRESH_FILE_H
#define TPROF_RECORDING_SPOOL_FRESH_FILE_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Write the (size) bytes at (bytes) into the new file (name) of the folder
 * (fd), readable by the user only. Does not wait for the disk. Fills (st),
 * unless NULL.
 *
 * Returns 0; -1 with errno, which is EEXIST if (name) exists. After an error
 * the file may be there in part.
 */
int fresh_file(int fd, const char *name, const void *bytes, size_t size,
               struct stat *st);

#endif
