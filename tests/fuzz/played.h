/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector's commands on a world that an input describes: guests, clock,
 * signals, terminal and files are in memory, so a run makes no system call.
 * sampling_run() and all behind it are the real ones; played.c stands in, by
 * the linker's --wrap, for what those call of the world (PLAYED_WRAPS in
 * CMakeLists.txt).
 *
 * An input is two bytes and then acts of "what, length (2 bytes), bytes". The
 * first byte is what the user asks for: see ask(). The second one tells of the
 * guests, or of functions that are left out, of memory and of the report's
 * form, one a run; where that is a file, the last byte is its format. Of
 * (what), bits 0 and 1 are the guest, bits 2 to 4 the act. The bytes of most
 * acts are wire frames; mutate.c makes their lengths, CRCs and numbers right.
 */
#ifndef TPROF_FUZZ_PLAYED_H
#define TPROF_FUZZ_PLAYED_H

#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"

#define PLAYED_GUESTS 4u

enum played_act {
    PLAYED_BYTES,   /* come from the guest; 0 to 3 */
    PLAYED_END = 4, /* the guest's connection ends */
    PLAYED_ABSENT,  /* likewise, and it is not there until the next act */
    PLAYED_TIME,    /* 2^(first byte) ms pass, at most 2^20 */
    PLAYED_STOP,    /* Ctrl-C */
};

/* Run `collector report` on the guest's bytes, `collector diff` on one or two
 * recordings a side, or `collector` on (guests) live guests, and check all that
 * they show. For a diff bits 0 and 1 of (what) are the sides without the act.
 */
void played_report(const uint8_t *data, size_t size);
void played_diff(const uint8_t *data, size_t size);
void played_fleet(const uint8_t *data, size_t size);

#endif
