/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of Free Pascal: what its compiler made of them, read back. Leaf. */
#ifndef TPROF_SYMBOLIZE_PASCAL_H
#define TPROF_SYMBOLIZE_PASCAL_H

#include <stdbool.h>
#include <stddef.h>

/* What debug information knows of the case of letters; each may be NULL. */
struct pascal_hint {
    const char *name; /* the procedure's; since -gw3 as it was written */
    const char *file; /* the unit's source, often named as the unit is */
};

/*
 * Write into (out) of (size) bytes, cut to fit, how (raw) reads in Pascal:
 * "Process.Scheduling(PThread)" for PROCESS_$$_SCHEDULING$PTHREAD. The
 * compiler has turned all letters into capitals; where (hint) knows no better,
 * the first of each word is one and those of the basic types are as usual.
 *
 * False, and (out) is as it was: no name of Free Pascal's.
 */
bool pascal_name(const char *raw, const struct pascal_hint *hint, char *out,
                 size_t size);

#endif
