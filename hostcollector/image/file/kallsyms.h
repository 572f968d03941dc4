/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols that a Linux kernel keeps of itself in its read-only data, for
 * /proc/kallsyms: a vmlinux that was taken out of a bootable kernel has no
 * others. Nothing says where they are, so tables are sought that fit each
 * other. Only files of this folder include this header.
 */
#ifndef TPROF_IMAGE_FILE_KALLSYMS_H
#define TPROF_IMAGE_FILE_KALLSYMS_H

#include "image/file/object.h"

/* Give (o), which has no symbols, those of its tables, if it has any. Returns
 * 0; -1 if there is no memory. */
int kallsyms_read(struct object *o);

#endif
