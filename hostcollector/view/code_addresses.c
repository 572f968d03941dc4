/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of code_frames, until they have functions. */
#include <stdlib.h>

#include "util/vec.h"
#include "view/code_frames_parts.h"

void code_frames_note(struct code_frames *p)
{
    for (size_t i = 0; i < p->span_count && p->seen != NULL; i++)
        distinct_add(p->seen, p->pcs[i].pc);
}

/* Choose the (most) addresses with the most time. Returns the least time among
 * them. Stores in (*more) how many addresses with less time are kept, too. */
static double choose(struct code_frames *p, size_t most, size_t *more)
{
    for (size_t i = 0; i < p->span_count; i++)
        smallest_first_count(&p->fold, p->pcs[i].time);
    double least = smallest_first_least(&p->fold, most);

    *more = most;
    for (size_t i = 0; i < p->span_count; i++)
        *more -= p->pcs[i].time >= least;
    return least;
}

int code_frames_fold(struct code_frames *p, size_t most)
{
    size_t kept = 0, more;

    if (p->seen == NULL)
        p->seen = calloc(1, sizeof *p->seen);
    code_frames_note(p);
    double least = choose(p, most, &more);

    map_fini(&p->by_pc);
    for (size_t i = 0; i < p->span_count; i++) {
        bool has_less = p->pcs[i].time < least;

        if (has_less && more == 0)
            continue;
        more -= has_less;
        uint32_t *number = map_put(&p->by_pc, p->pcs[i].pc, 0);

        if (number == NULL)
            return -1;
        p->pcs[kept] = p->pcs[i];
        *number = (uint32_t)kept++;
    }
    p->folded += p->span_count - kept;
    p->span_count = kept;
    return 0;
}

static inline int add_address(struct code_frames *p, uint64_t pc, bool call,
                              double time)
{
    if (p->span_count >= p->most && map_get(&p->by_pc, pc, 0) == MAP_NOTHING &&
        code_frames_fold(p, p->most / 2) != 0)
        return -1;
    uint32_t *number = map_put(&p->by_pc, pc, 0);

    if (number == NULL ||
        vec_grow(&p->spans, &p->span_room, p->span_count, sizeof *p->spans) !=
            0 ||
        vec_grow(&p->pcs, &p->pc_room, p->span_count, sizeof *p->pcs) != 0)
        return -1;
    if (*number == MAP_NOTHING) {
        p->pcs[p->span_count] = (struct code_address){.pc = pc, .call = call};
        *number = (uint32_t)p->span_count++;
    }
    p->pcs[*number].time += time;
    return 0;
}

int code_frames_add(struct code_frames *p, uint64_t pc, double time)
{
    return add_address(p, pc, false, time);
}

int code_frames_add_call(struct code_frames *p, uint64_t back, double time)
{
    return add_address(p, back - 1, true, time);
}

/* Keep (found). Returns a value for code_address.missed. */
static uint32_t keep_missed(struct code_frames *p,
                            const struct hidden_callers *found)
{
    if (found->count == 0 && !found->missing)
        return MISSED_NONE;
    if (vec_grow(&p->missed, &p->missed_room, p->missed_count,
                 sizeof *p->missed) != 0)
        return MISSED_UNKNOWN;
    /* There is room. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    p->missed[p->missed_count] = *found;
    return MISSED_KEPT + (uint32_t)p->missed_count++;
}

const struct hidden_callers *
code_frames_missed_of(const struct code_frames *p,
                      const struct code_address *at)
{
    static const struct hidden_callers none;

    if (at->missed < MISSED_KEPT)
        return at->missed == MISSED_NONE ? &none : NULL;
    return &p->missed[at->missed - MISSED_KEPT];
}

struct hidden_callers code_frames_missed(struct code_frames *p, uint64_t back)
{
    uint32_t number = map_get(&p->by_pc, back - 1, 0);
    const struct hidden_callers *kept =
        number != MAP_NOTHING ? code_frames_missed_of(p, &p->pcs[number])
                              : NULL;

    if (kept != NULL)
        return *kept;
    struct hidden_callers found = hidden_callers_of_frame(p->image_map, back);

    if (number != MAP_NOTHING)
        p->pcs[number].missed = keep_missed(p, &found);
    return found;
}

size_t code_frames_count(const struct code_frames *p)
{
    return p->span_count;
}

size_t code_frames_all(const struct code_frames *p)
{
    return p->seen != NULL ? (size_t)distinct_most(p->seen) : p->span_count;
}

uint64_t code_frames_folded(const struct code_frames *p)
{
    return p->folded;
}
