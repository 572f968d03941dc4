/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the data of a names chunk. Part of read.c. */
#ifndef TPROF_RECORDING_NAMES_UNPACKER_H
#define TPROF_RECORDING_NAMES_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/names/symbolize.h"
#include "recording/names/block.h"
#include "recording/names/named.h"
#include "util/cursor.h"

struct unpacker {
    struct cursor in;
    const char **texts; /* texts read so far; number 1 is texts[0] */
    size_t count, room;
    bool no_memory;
};

/* Read a text, or NULL. */
const char *unpacker_text(struct unpacker *u);

uint32_t unpacker_u32(struct unpacker *u);

/* Read the symbol of (address) into (chain). False if there is none. */
bool unpacker_chain(struct unpacker *u, uint64_t address, bool dwarf,
                    struct symbol chain[NAMED_CHAIN_MAX]);

/* read.c: returns the bytes of the answers of (image). */
size_t named_image_bytes(const struct named_image *image);

/* read_code.c: read the code and source lines of a function into the function's
 * image. If (n->bytes_max) is reached, the rest is left out. */
void unpacker_function(struct named *n, struct unpacker *u);

#endif
