/* SPDX-License-Identifier: BSD-2-Clause */
/* One core's samples in the order of time. */
#include "profile/aggregate/sample_log.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Limits of a block's size. A new block is as large as all blocks before it
 * together. The largest blocks are huge pages if the kernel has them: with
 * small pages, the kernel took a quarter of the time for adding a sample. */
#define BLOCK_MIN  128u /* words */
#define BLOCK_MAX  262144u
#define HUGE_BYTES (BLOCK_MAX * sizeof(uint64_t))

/* Layout of a sample in one word, from the low bits on: entry, weight,
 * lateness and time since the last sample, both in units of the batch. Numbers
 * of variable length would be a byte shorter, but cost 141 instructions for
 * each sample instead of 82. */
#define ENTRY_BITS  21u
#define WEIGHT_BITS 6u
#define LATE_BITS   18u
#define SINCE_BITS  18u /* an interval has at most 1.5 x UINT16_MAX units */
#define WIDE        (1ull << 63) /* set in the first of four words */

/* Layout of the first of four words. They hold a sample that does not fit into
 * one word, a jump, or the first sample of another unit or period. The other
 * words are ticks, entry and weight, and lateness in units. */
#define WIDE_JUMP  (1ull << 62)
#define WIDE_SHIFT 16u /* above the period */
#define WIDE_WORDS 4u

struct moments_block {
    struct moments_block *next;
    size_t size, capacity;
    uint64_t words[];
};

void sample_log_fini(struct sample_log *m)
{
    struct moments_block *next;

    for (struct moments_block *b = m->first; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
}

/* Memory of (bytes) for a block; NULL if there is no memory. */
static struct moments_block *new_block(size_t bytes)
{
    void *b;

    if (bytes < HUGE_BYTES)
        return malloc(bytes);
    b = aligned_alloc(HUGE_BYTES, bytes);
    if (b != NULL)
        (void)madvise(b, bytes, MADV_HUGEPAGE);
    return b;
}

/* A block with room for a sample; NULL if there is no memory. */
static struct moments_block *make_room(struct sample_log *m,
                                       struct budget *budget)
{
    struct moments_block *last = m->last, *b;
    size_t words = m->words < BLOCK_MIN   ? BLOCK_MIN
                   : m->words > BLOCK_MAX ? BLOCK_MAX
                                          : m->words;
    size_t bytes = words * sizeof b->words[0];

    if (last != NULL && last->capacity - last->size >= WIDE_WORDS)
        return last;
    b = bytes <= budget->left ? new_block(bytes) : NULL;
    if (b == NULL)
        return NULL;
    *b = (struct moments_block){.capacity =
                                    (bytes - sizeof *b) / sizeof b->words[0]};
    budget->left -= bytes;
    m->words += words;
    *(last != NULL ? &last->next : &m->first) = b;
    m->last = b;
    return b;
}

static void add_wide(struct moments_block *b, const struct sample_batch *batch,
                     const struct sample *s, int64_t ticks, uint32_t entry)
{
    uint64_t *words = b->words + b->size;
    bool jump = s->flags & WIRE_SAMPLE_JUMP;

    words[0] = WIDE | (jump ? WIDE_JUMP : 0) |
               (uint64_t)batch->shift << WIDE_SHIFT | batch->period;
    words[1] = (uint64_t)ticks;
    words[2] = (uint64_t)(jump ? 1 : s->weight) << 32 | entry;
    words[3] = jump ? 0 : s->late;
    b->size += WIDE_WORDS;
}

/* Add (s) as one word or as four. */
static void add_moment(struct sample_log *m, struct moments_block *b,
                       const struct sample_batch *batch, const struct sample *s,
                       int64_t ticks, uint32_t entry)
{
    uint64_t since = (uint64_t)ticks - (uint64_t)m->ticks;
    uint64_t units = since >> batch->shift;
    uint64_t too_large = units >> SINCE_BITS | entry >> ENTRY_BITS |
                         s->weight >> WEIGHT_BITS | s->late >> LATE_BITS;

    if (m->shift != batch->shift || m->period != batch->period || too_large ||
        units << batch->shift != since || (s->flags & WIRE_SAMPLE_JUMP))
        add_wide(b, batch, s, ticks, entry);
    else
        b->words[b->size++] =
            ((units << LATE_BITS | s->late) << WEIGHT_BITS | s->weight)
                << ENTRY_BITS |
            entry;
    m->shift = batch->shift;
    m->period = batch->period;
    m->ticks = ticks;
}

/*
 * Add short samples that take one word each. Stops at the first sample that
 * takes four words, and at the end of the block. Returns how many were added,
 * at most (count).
 */
static size_t add_words(struct sample_log *m, struct moments_block *b,
                        const struct sample *samples, uint64_t start_tsc,
                        const uint32_t *entries, size_t count)
{
    const uint8_t shift = m->shift;
    const uint64_t part_of_unit = (1ull << shift) - 1;
    const struct sample *s = samples;
    uint64_t *words = b->words + b->size;
    uint64_t *end = b->words + b->capacity;
    uint64_t last = start_tsc + (uint64_t)m->ticks;

    if (count < (size_t)(end - words))
        end = words + count;
    for (; words < end; words++, s++) {
        uint64_t since = s->tsc - last;
        uint64_t units = since >> shift;
        uint32_t entry = *entries++;

        if ((units >> SINCE_BITS | entry >> ENTRY_BITS |
             (since & part_of_unit)) != 0)
            break;
        *words = (units << LATE_BITS | s->late) << (WEIGHT_BITS + ENTRY_BITS) |
                 1u << ENTRY_BITS | entry;
        last = s->tsc;
    }
    b->size = (size_t)(words - b->words);
    m->ticks = (int64_t)(last - start_tsc);
    return (size_t)(s - samples);
}

void sample_log_add(struct sample_log *m, const struct sample_batch *batch,
                    const struct sample *samples, uint64_t start_tsc,
                    const uint32_t *entries, size_t count,
                    struct budget *budget)
{
    for (size_t i = 0, some; i < count && !m->full; i += some) {
        struct moments_block *b = make_room(m, budget);

        some = 0;
        if (b != NULL && batch->is_short && m->shift == batch->shift &&
            m->period == batch->period)
            some =
                add_words(m, b, samples + i, start_tsc, entries + i, count - i);
        if (b != NULL && some == 0) {
            add_moment(m, b, batch, &samples[i],
                       (int64_t)(samples[i].tsc - start_tsc), entries[i]);
            some = 1;
        }
        m->full = b == NULL;
    }
}

struct sample_log_reader sample_log_read(const struct profile_core *core)
{
    const struct sample_log *m = core->moments;

    return (struct sample_log_reader){.core = core,
                                      .block = m != NULL ? m->first : NULL};
}

static void read_wide(struct sample_log_reader *r, struct moment *out)
{
    const uint64_t *words = r->block->words + r->at;

    r->at += WIDE_WORDS;
    r->period = (uint16_t)words[0];
    r->shift = (uint8_t)(words[0] >> WIDE_SHIFT);
    out->jump = words[0] & WIDE_JUMP;
    out->ticks = (int64_t)words[1];
    out->entry = (uint32_t)words[2] - 1; /* MOMENT_OTHERS for 0 */
    out->weight = (uint32_t)(words[2] >> 32);
    out->late = words[3] << r->shift;
}

/* Remove the low (bits) from (*word), and return them. */
static uint64_t take(uint64_t *word, unsigned bits)
{
    uint64_t taken = *word & ((1ull << bits) - 1);

    *word >>= bits;
    return taken;
}

static void read_word(struct sample_log_reader *r, struct moment *out)
{
    uint64_t word = r->block->words[r->at++];

    out->jump = false;
    out->entry = (uint32_t)take(&word, ENTRY_BITS) - 1;
    out->weight = (uint32_t)take(&word, WEIGHT_BITS);
    out->late = take(&word, LATE_BITS) << r->shift;
    out->ticks = r->ticks + (int64_t)(word << r->shift);
}

/* Was the entry of (m) left out? */
static bool is_left_out(const struct profile_core *c, const struct moment *m)
{
    const struct tally *t =
        m->entry < c->entry_count ? &c->entries[m->entry].tally : &c->others;

    return profile_is_left_out(c, t);
}

static bool read_next(struct sample_log_reader *r, struct moment *out)
{
    while (r->block != NULL && r->at == r->block->size) {
        r->block = r->block->next;
        r->at = 0;
    }
    if (r->block == NULL)
        return false;
    if (r->block->words[r->at] & WIDE)
        read_wide(r, out);
    else
        read_word(r, out);
    out->time = (double)((uint64_t)r->period << r->shift) * (double)out->weight;
    r->ticks = out->ticks;
    return true;
}

bool sample_log_next(struct sample_log_reader *r, struct moment *out)
{
    while (read_next(r, out))
        if (!is_left_out(r->core, out))
            return true;
    return false;
}
