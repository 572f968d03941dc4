/* SPDX-License-Identifier: BSD-2-Clause */
/* The first walk over a profile: all of its addresses get their names. */
#ifndef TPROF_VIEW_COLLECT_ADDRESSES_H
#define TPROF_VIEW_COLLECT_ADDRESSES_H

#include <stdint.h>

#include "model/profile.h"

struct code_frames;
struct image_map;

/* code_frames_new() in a quarter of (bytes), which are a view's. */
struct code_frames *collect_addresses_new(const struct image_map *image_map,
                                          uint64_t bytes);

/* Add the addresses of all entries of (p) to (frames), and finish these.
 * Returns 0; -1 if there is no memory. */
int collect_addresses(struct code_frames *frames, const struct profile *p,
                      const struct image_map *image_map);

#endif
