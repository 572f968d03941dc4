/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What LZO1X has compressed, the method by which QEMU and makedumpfile name
 * `lzo`. Not by liblzo2, which is under the GNU GPL: a collector that links it
 * could be passed on under that licence only. The format is as the kernel of
 * Linux describes it (Documentation/staging/lzo.rst, version 0).
 */
#ifndef TPROF_DUMP_LZO_H
#define TPROF_DUMP_LZO_H

#include <stddef.h>
#include <stdint.h>

/* Uncompress the (size) bytes at (from) to (to), which has room for (room).
 * Returns how many there are; 0: they are damaged, or more than (room). */
size_t dump_lzo(const uint8_t *from, size_t size, uint8_t *to, size_t room);

#endif
