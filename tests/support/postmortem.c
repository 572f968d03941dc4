/* SPDX-License-Identifier: BSD-2-Clause */
/* From the tail of each ring backwards, by the length that each word has. */
#include "postmortem.h"

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

/* What nobody has read yet is whole. Of what was drained, the oldest may be
 * overwritten by a record that is not published: there the walk ends. */
static int read_ring(struct postmortem_core *c, const uint64_t *words,
                     uint32_t mask, uint32_t tail, uint32_t core,
                     void (*sample)(void *context, uint32_t core,
                                    uint64_t leaf),
                     void *context)
{
    uint32_t whole = tail <= mask ? tail : mask + 1; /* tails seldom wrap */
    uint32_t done = 0;

    while (done < whole) {
        uint64_t last = words[(tail - 1) & mask];
        uint32_t count = (uint32_t)(last >> TPROF_RING_COUNT_SHIFT);
        uint64_t first = words[(tail - count) & mask];

        if (count == 0 || count > whole - done ||
            first >> TPROF_RING_COUNT_SHIFT != count)
            return done < c->undrained ? -1 : 0;
        if (!(first & 1)) {
            c->samples++;
            sample(context, core,
                   first >> WIRE_CELL_LEAF_SHIFT &
                       ((1u << WIRE_CELL_LEAF_BITS) - 1));
        } else if ((first >> 1 & 0x7f) == WIRE_LONG_SAMPLE) {
            c->samples++;
        }
        tail -= count;
        done += count;
    }
    return 0;
}

int postmortem_read(struct postmortem *p, const struct tprof_directory *d,
                    void (*sample)(void *context, uint32_t core, uint64_t leaf),
                    void *context)
{
    if (d->magic != TPROF_DIRECTORY_MAGIC ||
        d->version != TPROF_DIRECTORY_VERSION || d->cores > TPROF_CPUS_MAX)
        return -1;
    *p = (struct postmortem){.cores = d->cores};
    for (uint32_t i = 0; i < d->cores; i++) {
        const struct tprof_stats *s = at(d->core[i].counts);
        const struct tprof_ring *r = at(d->core[i].ring);
        uint32_t tail = r->tail, head = r->head;
        struct postmortem_core *c = &p->core[i];

        c->ticks = s->ticks;
        c->missed = s->missed;
        c->ring_full = s->ring_full;
        c->reentered = s->reentered;
        c->undrained = tail - head;
        if (read_ring(c, at(d->core[i].words), d->ring_words - 1, tail, i,
                      sample, context) < 0)
            return -1;
    }
    return 0;
}
