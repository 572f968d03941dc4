/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs the data of a names chunk. Part of write.c. */
#ifndef TPROF_RECORDING_NAMES_PACKER_H
#define TPROF_RECORDING_NAMES_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zstd.h>

#include "image/names/symbolize.h"
#include "recording/names/block.h"
#include "recording/names/frame_addresses.h"
#include "recording/names/named.h"
#include "util/err.h"
#include "util/pair_map.h"

struct packer {
    const struct named_write *job;
    uint8_t *block; /* room for NAMED_BLOCK_MAX bytes */
    size_t used;
    struct pair_map texts; /* (text, 0) -> number of the text in the block */
    uint64_t previous;
    ZSTD_CCtx *compressor;
    uint8_t *packed;
    size_t packed_room;
    bool failed; /* there was no room or no memory for a text or number */
};

/* Allocate the buffers of (p), which is zero except (job). False if there is no
 * memory. packer_fini() must follow in both cases. */
bool packer_init(struct packer *p);
void packer_fini(struct packer *p);

/* Begin a block. */
void packer_begin(struct packer *p, enum named_block kind);

/* Add to the block. If there is no room, (p->failed) is set. */
void packer_byte(struct packer *p, unsigned value);
void packer_number(struct packer *p, uint64_t value);
void packer_bytes(struct packer *p, const void *bytes, size_t size);

/* Add a text by its number in the block. A new text gets the next number and
 * follows it. NULL is 0. Equal texts must be equal pointers. */
void packer_text(struct packer *p, const char *text);

/* Add the functions inlined at (address), innermost first, then the function
 * that contains them, then the extent of this function. (s) is the symbol of
 * (address), and not a SYMBOL_ADDRESS. */
void packer_chain(struct packer *p, uint64_t address, const struct symbol *s);

/* Does the outermost function of (s) come from DWARF? */
bool packer_is_dwarf(const struct symbol *s);

/* Compress the block into (p->packed). Returns its size; 0 with (e) filled. */
size_t packer_squeeze(struct packer *p, struct err *e);

/* Compress the block and pass it on. Returns 0; -1 with (e) filled. */
int packer_end(struct packer *p, struct err *e);

/* write_code.c: pass on the code and source lines of the busiest functions of
 * the job. (a) has the addresses of the profile. Returns 0; -1 with (e)
 * filled. */
int packer_add_code(struct packer *p, const struct frame_addresses *a,
                    struct err *e);

#endif
