/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns symbols of Free Pascal back into the names of the source. Leaf. */
#ifndef TPROF_IMAGE_NAMES_PASCAL_H
#define TPROF_IMAGE_NAMES_PASCAL_H

#include <stdbool.h>
#include <stddef.h>

/* Texts that show which letters of a name are capitals. Each member may be
 * NULL. */
struct pascal_hint {
    /* name of the procedure; has its capitals if built with -gw3 */
    const char *name;
    const char *file; /* the unit's source, often named like the unit */
};

/*
 * Write the Pascal name of symbol (raw) into (out) of (size) bytes, cut to fit:
 * "Process.Scheduling(PThread)" for PROCESS_$$_SCHEDULING$PTHREAD. The compiler
 * turns all letters into capitals. If (hint) has the name, its letters are
 * used. Otherwise the first letter of each word stays a capital, and basic
 * types are written as usual. Returns false, with (out) unchanged, if (raw) is
 * no symbol of Free Pascal.
 */
bool pascal_name(const char *raw, const struct pascal_hint *hint, char *out,
                 size_t size);

#endif
