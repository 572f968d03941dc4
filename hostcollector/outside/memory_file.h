/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that QEMU keeps a guest's memory in (-object
 * memory-backend-memfd,share=on or memory-backend-file). It may have no name:
 * it is found among what QEMU has open, so by its own user or root, and not
 * from within a sandbox. Leaf.
 */
#ifndef TPROF_OUTSIDE_MEMORY_FILE_H
#define TPROF_OUTSIDE_MEMORY_FILE_H

#include <stdint.h>

/*
 * Open, to read, the one file of (size) bytes that the program at the other end
 * of the Unix socket (fd), which must be its own, has for a guest's memory: at
 * (path), or without a name in that folder; NULL: in none.
 *
 * Returns the descriptor; -1 if there is none, or more than one, or it cannot
 * be opened.
 */
int memory_file_open(int fd, uint64_t size, const char *path);

#endif
