/* SPDX-License-Identifier: BSD-2-Clause */
/* The first walk over a profile: gives all of its addresses to code_frames. */
#ifndef TPROF_VIEW_COLLECT_ADDRESSES_H
#define TPROF_VIEW_COLLECT_ADDRESSES_H

#include <stdint.h>

#include "model/profile.h"

struct code_frames;
struct image_map;

/* Make code_frames that use half of (bytes), the memory of a view. */
struct code_frames *collect_addresses_new(const struct image_map *image_map,
                                          uint64_t bytes);

/* Add the addresses of all entries of (p) to (frames), then call
 * code_frames_finish(). Returns 0; -1 if there is no memory. */
int collect_addresses(struct code_frames *frames, const struct profile *p,
                      const struct image_map *image_map);

#endif
