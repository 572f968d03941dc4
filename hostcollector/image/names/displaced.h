/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds samples that stand behind the code in which their time was spent.
 *
 * QEMU's TCG translates code in blocks, and interrupts a core only where a
 * block begins. A function's first instruction begins a block. So a sample
 * there was due in the block before, which ended with the call. The return
 * address on the stack names this call.
 *
 * Blocks inside of a function displace samples, too, but rarely out of the
 * function. And a sample behind a call may have been due in the called
 * function. The stack does not tell, so these samples stay.
 *
 * A tail call leaves no return address: then the call is that of the function
 * that ended with the jump.
 */
#ifndef TPROF_IMAGE_NAMES_DISPLACED_H
#define TPROF_IMAGE_NAMES_DISPLACED_H

#include <stdbool.h>
#include <stdint.h>

#include "image/names/image_map.h"
#include "model/profile.h"

struct displaced;

/*
 * Find the functions of (p) whose samples at the first instruction are
 * displaced.
 *
 * First, the run must show the displacement. The guest reports such an
 * emulator (WIRE_FEATURE_BLOCKS). With -icount the emulator stops at any
 * instruction, so the samples decide: a function's second instruction runs as
 * often as the first one, and begins no block. At least DISPLACED_LEAST samples
 * are at first instructions, and at most one DISPLACED_PART of that number is
 * in the DISPLACED_SECOND bytes behind the first byte. If both instructions
 * took equally long, this would happen in less than one of a million runs.
 *
 * Second, the function must have more samples there than the instruction can
 * earn. A function has two instructions or more, so one of them earns less than
 * half of the function's samples. A function that jumps to its first
 * instruction, as a loop does, is not displaced: samples of the loop stand
 * there, too.
 *
 * Returns NULL if no function is displaced, if the samples are to stay
 * (profile.raw), or if there is no memory.
 */
#define DISPLACED_LEAST  64u
#define DISPLACED_PART   8u
#define DISPLACED_SECOND 4u
struct displaced *displaced_new(const struct profile *p,
                                const struct image_map *image_map);

/* Is (leaf) the first instruction of a displaced function? */
bool displaced_has(const struct displaced *d, const struct image_address *leaf);

/* Release (d). NULL is allowed. */
void displaced_free(struct displaced *d);

#endif
