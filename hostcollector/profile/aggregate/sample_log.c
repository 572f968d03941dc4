/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A moment is one word, from the low bits on: entry, weight, lateness and time
 * since the last moment, both in units of the batch. What does not fit there, a
 * jump, and the first of another unit or period take four words. Numbers of
 * variable length would be a byte shorter, and cost 141 instructions a sample
 * instead of 82.
 */
#include "profile/aggregate/sample_log.h"

#include <stdlib.h>
#include <sys/mman.h>

/* A block is as large as what is there already, within these. The largest ones
 * are huge pages, where the kernel has them: a quarter of the time that it took
 * to add a sample was the kernel's, which handed out small ones. */
#define BLOCK_MIN  128u /* words */
#define BLOCK_MAX  262144u
#define HUGE_BYTES (BLOCK_MAX * sizeof(uint64_t))

/* A word. */
#define ENTRY_BITS  21u
#define WEIGHT_BITS 6u
#define LATE_BITS   18u
#define SINCE_BITS  18u /* an interval has at most 1.5 x UINT16_MAX units */
#define WIDE        (1ull << 63) /* the first of four */

/* The first of four words; then ticks, entry and weight, lateness in units. */
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

/* Memory of (bytes) for a block; NULL if there is none. */
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

/* A block with room for a moment; NULL if there is none. */
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

/* Add what (s) is in one word, or in four. */
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
 * Add short samples, from the first on, that take a word each. Returns how
 * many: up to (count), or to one that takes four words, or to the block's end.
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
    out->entry = (uint32_t)words[2];
    out->weight = (uint32_t)(words[2] >> 32);
    out->late = words[3] << r->shift;
}

/* The next (bits) of (*word). */
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
    out->entry = (uint32_t)take(&word, ENTRY_BITS);
    out->weight = (uint32_t)take(&word, WEIGHT_BITS);
    out->late = take(&word, LATE_BITS) << r->shift;
    out->ticks = r->ticks + (int64_t)(word << r->shift);
}

/* Is the entry of (m) one that was left out? */
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
