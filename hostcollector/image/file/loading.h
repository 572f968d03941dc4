/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of an ELF file that boot loaders read: its first bytes, its notes,
 * and the memory of its sections. Images of other formats have none of these.
 */
#ifndef TPROF_IMAGE_FILE_LOADING_H
#define TPROF_IMAGE_FILE_LOADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* A section that has memory when the kernel runs. */
struct loading_section {
    const char *name; /* raw: not escaped */
    uint64_t address, size;
    uint64_t file_offset; /* offset of the first byte in the file */
    bool zeroed;          /* the file has no bytes of it: .bss */
    bool note;
    uint64_t loaded; /* number of bytes, from the first, that a segment loads */
    /* physical address of the first byte, if (loaded) is not 0 */
    uint64_t physical;
};

/* Read section number (i), from 0, into (*out). (size) is 0 if the section has
 * no memory. False after the last. */
bool image_section_at(const struct image *img, size_t i,
                      struct loading_section *out);

/* The file's first bytes up to the first hole, at most (max), with their number
 * in (*len). NULL and 0 if there are none. */
const uint8_t *image_head(const struct image *img, size_t max, size_t *len);

/* The contents of the first note (type) of (name) in a note segment, and their
 * length in (*len); NULL and 0 if there is none. */
const uint8_t *image_note(const struct image *img, const char *name,
                          uint32_t type, size_t *len);

/* Is there a symbol with a size whose name begins with (prefix), within [low,
 * high)? Writes the address of one such symbol to (*address). */
bool image_find_named(const struct image *img, const char *prefix, uint64_t low,
                      uint64_t high, uint64_t *address);

#endif
