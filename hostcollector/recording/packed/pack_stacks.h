/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of a pool -> an item of a block. */
#ifndef TPROF_RECORDING_PACKED_PACK_STACKS_H
#define TPROF_RECORDING_PACKED_PACK_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/aggregate/stack_pool.h"
#include "recording/packed/pack_bytes.h"

/* Flag in (end) of a stack in the pool: the leaf lies in a loaded image. */
#define PACK_LOADED 0x80u

/* Append an item with the stacks of (pool) that have the numbers used[1] to
 * used[count]. The type of the item is already in (b). */
void pack_stacks(struct pack_bytes *b, const struct stack_pool *pool,
                 uint64_t text_start, const uint32_t *used, size_t count);

#endif
