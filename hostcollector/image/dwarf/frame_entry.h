/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the entries of .eh_frame (LSB) and .debug_frame (DWARF 5, 6.4.1). Each
 * entry describes a range of code by instructions, which outside/unwind/cfi.h
 * interprets. The bytes are not trusted.
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
    uint64_t offset; /* of the CIE; UINT64_MAX: none read yet */
    uint64_t code_align;
    int64_t data_align;
    uint64_t return_register;
    uint8_t encoding;     /* DW_EH_PE_* of addresses */
    uint8_t address_size; /* 8 in a 64-bit image; other values are damage */
    bool has_lengths;     /* entries state the length of their augmentation */
    bool is_signal;       /* a frame made by a signal or an interrupt */
    bool is_odd;          /* unknown augmentation or version */
    struct cursor program;
};

/* The description of one run of code (an FDE). */
struct frame_entry {
    uint64_t low, high; /* from (low) to below (high) */
    struct cursor program;
};

/* Result of frame_entry_next(). */
enum frame_found {
    FRAME_END,     /* no more entries, or damaged lengths */
    FRAME_NOTHING, /* a CIE, a terminator, or a damaged entry */
    FRAME_ENTRY,
};

/*
 * Read the entry at (*offset) in (s), and move (*offset) to the next entry.
 * (common) is the last CIE that was read; it becomes the CIE of (out). If that
 * CIE is odd, only the extent in (out) is valid.
 */
enum frame_found frame_entry_next(const struct frame_section *s,
                                  uint64_t *offset, struct frame_common *common,
                                  struct frame_entry *out);

/* Read a pointer in (encoding). A pointer that is neither absolute nor relative
 * to its own place makes (c) bad. */
uint64_t frame_entry_pointer(const struct frame_section *s, struct cursor *c,
                             uint8_t encoding);

#endif
