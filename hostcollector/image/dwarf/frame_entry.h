/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of .eh_frame (LSB) and .debug_frame (DWARF 5, 6.4.1): which code
 * they describe, and where the instructions are that describe it. What those
 * instructions mean, outside/unwind/cfi.h knows. Bytes are not trusted.
 */
#ifndef TPROF_IMAGE_DWARF_FRAME_ENTRY_H
#define TPROF_IMAGE_DWARF_FRAME_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "image/file/image.h"
#include "util/cursor.h"

struct frame_section {
    struct image_part part;
    bool eh; /* .eh_frame; else .debug_frame */
};

/* Facts shared by several entries (a CIE). */
struct frame_common {
    uint64_t offset; /* of the CIE; UINT64_MAX: none was read yet */
    uint64_t code_align;
    int64_t data_align;
    uint64_t return_register;
    uint8_t encoding;     /* DW_EH_PE_* of addresses */
    uint8_t address_size; /* 8, unless the bytes are not of an x86-64 image */
    bool has_lengths;     /* entries say how long their augmentation is */
    bool is_signal;       /* the frame that a signal or an interrupt has made */
    bool is_odd;          /* its augmentation or version is not known */
    struct cursor program;
};

/* The description of one run of code (an FDE). */
struct frame_entry {
    uint64_t low, high; /* from (low) to below (high) */
    struct cursor program;
};

/* Result of frame_entry_next(). */
enum frame_found {
    FRAME_END,     /* nothing more, or the lengths are damaged */
    FRAME_NOTHING, /* a CIE, a terminator, or an entry that is damaged */
    FRAME_ENTRY,
};

/*
 * Read what is at (*offset) in (s), and move (*offset) behind it. (common) is
 * the CIE that was read last, and becomes that of (out). Of an odd one only
 * (out)'s extent means anything.
 */
enum frame_found frame_entry_next(const struct frame_section *s,
                                  uint64_t *offset, struct frame_common *common,
                                  struct frame_entry *out);

/* A pointer that is written as (encoding) says; pointers of other kinds than
 * absolute and relative to their own place make (c) bad. */
uint64_t frame_entry_pointer(const struct frame_section *s, struct cursor *c,
                             uint8_t encoding);

#endif
