/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds samples that stand after the code in which their time was spent.
 *
 * QEMU's TCG translates code in blocks, and interrupts a core only at the
 * beginning of a block. A function's first instruction begins a block. So a
 * sample at a first instruction was due in the previous block, which ended with
 * the call. The return address on the stack names this call.
 *
 * Blocks inside a function displace samples, too, but rarely out of the
 * function. A sample directly after a call may have been due in the called
 * function. The stack does not show whether it was, so these samples stay. A
 * tail call leaves no return address. Then the sample is moved to the call of
 * the function that ended with the tail call.
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
 * First, the run must show the displacement. The guest reports such an emulator
 * (WIRE_FEATURE_BLOCKS). With -icount the emulator can stop at any instruction,
 * so the samples decide. A function's second instruction runs as often as the
 * first one, and begins no block. The run shows the displacement if at least
 * DISPLACED_LEAST samples are at first instructions, and if the
 * DISPLACED_SECOND bytes after the first byte have at most one DISPLACED_PART
 * of that number. If both instructions took equally long, this would happen in
 * less than one of a million runs.
 *
 * Second, the function must have more samples at its first instruction than
 * this instruction can earn. A function has two instructions or more, so one of
 * them earns less than half of the function's samples. If a function jumps to
 * its first instruction, as a loop does, its samples are not displaced, because
 * samples of the loop stand there, too.
 *
 * Returns NULL if no function is displaced, if samples must keep their places
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
