/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What boot loaders read of an ELF file: its first bytes, its notes, and where
 * its segments put its sections. Nothing of all this is found in other images.
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
    uint64_t file_offset; /* of its first byte */
    bool zeroed;          /* it has no bytes in the file: .bss */
    bool note;
    uint64_t loaded; /* so many of its bytes a segment loads, from the first */
    uint64_t physical; /* (loaded) is not 0: where a loader puts the first */
};

/* Section number (i), from 0 on, in (*out), whose (size) is 0 if it has no
 * memory. False behind the last. */
bool image_section_at(const struct image *img, size_t i,
                      struct loading_section *out);

/* The file's first bytes, up to the first hole and at most (max), and how many
 * they are in (*len). NULL and 0: none. */
const uint8_t *image_head(const struct image *img, size_t max, size_t *len);

/* The contents of the first note (type) of (name) in a note segment, and their
 * length in (*len); NULL and 0 if there is none. */
const uint8_t *image_note(const struct image *img, const char *name,
                          uint32_t type, size_t *len);

/* Does a symbol that has a size and whose name begins with (prefix) name a part
 * of [low, high)? Then the place of one in (*address). */
bool image_find_named(const struct image *img, const char *prefix, uint64_t low,
                      uint64_t high, uint64_t *address);

#endif
