/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves addresses of stacks and leaves. The new addresses are those at which
 * maps_show() shows the images, or at which another guest has the images. */
#ifndef TPROF_PROFILE_AGGREGATE_MOVED_H
#define TPROF_PROFILE_AGGREGATE_MOVED_H

#include <stdbool.h>

#include "model/guest.h"
#include "model/profile.h"
#include "model/stack.h"
#include "profile/aggregate/entries.h"
#include "profile/aggregate/maps.h"
#include "profile/aggregate/stack_pool.h"

/* Is any address of (s), or the address of its leaf, outside the kernel's
 * text? */
bool moved_leaves_text(const struct guest *g, const struct stack *s);

/* Move the leaves of (e), each in the era of its stack in (p). */
void moved_entries(struct entries *e, const struct stack_pool *p,
                   const struct maps *m);

/* Move the addresses of (p), after moved_entries(). Its stacks have no era
 * afterwards. */
void moved_stacks(struct stack_pool *p, const struct maps *m);

/* Returns the address in another guest that corresponds to (pc) in (p).
 * (slides) are as in aggregate_merge(). (behind) is 1 for a return address,
 * which may be the first byte after its image; else 0. */
uint64_t moved_address(const struct profile *p, const uint64_t *slides,
                       uint64_t pc, unsigned behind);

/* Returns stack (number) of (p), with addresses as moved_address() returns
 * them. Stores the frames of the result in (frames). */
struct stack moved_stack(const struct profile *p, const uint64_t *slides,
                         uint32_t number,
                         uint64_t frames[WIRE_STACK_FRAMES_MAX]);

#endif
