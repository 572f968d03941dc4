/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares an image's code with the memory of a stopped guest. */
#include "outside/likeness.h"

#define PAGE   4096u
#define SPAN   4096u /* bytes of code compared at a time */
#define SPANS  32u   /* limit of places, spread evenly over a segment */
#define AROUND 128u  /* bytes to search for, before and after an address */
#define PIECE  48u   /* at least this many of them must be in the image */

long likeness_read(const struct likeness_view *v, uint64_t address, void *to,
                   size_t size, struct err *e)
{
    return v->guest->ops->memory(v->guest, v->core, &v->registers, address, to,
                                 size, e);
}

bool likeness_is_enough(const struct likeness *l)
{
    return l->all >= PIECE && l->same > l->all - l->all / 8;
}

/* Compare the (size) bytes at (bytes) with memory at (address), and add the
 * result. */
static int compare_span(const struct likeness_view *v, const uint8_t *bytes,
                        size_t size, uint64_t address, struct likeness *out,
                        struct err *e)
{
    uint8_t there[SPAN];
    long n = likeness_read(v, address, there, size, e);

    if (n < 0)
        return -1;
    for (size_t i = 0; i < (size_t)n; i++)
        out->same += there[i] == bytes[i];
    out->all += size;
    return 0;
}

/* The part of code run (p) that is in segment (t): from (*low) to below
 * (*high), as addresses. Returns false if there is none. */
static bool in_segment(const struct image_part *p, const struct image_text *t,
                       uint64_t *low, uint64_t *high)
{
    uint64_t end = t->address + t->bytes_len;

    *low = p->address > t->address ? p->address : t->address;
    *high = p->size < end - p->address ? p->address + p->size : end;
    return p->address < end && *low < *high;
}

static uint64_t code_in(const struct image *img, const struct image_text *t)
{
    const struct image_part *p;
    uint64_t size = 0, low, high;

    for (size_t i = 0; (p = image_code_part(img, i)) != NULL; i++)
        if (in_segment(p, t, &low, &high))
            size += high - low;
    return size;
}

int likeness_compare(const struct likeness_view *v, const struct image *img,
                     const struct image_text *t, uint64_t slide,
                     struct likeness *out, struct err *e)
{
    const struct image_part *p;
    uint64_t step = code_in(img, t) / SPANS, skip = 0, low, high;

    *out = (struct likeness){0, 0};
    if (step < SPAN)
        step = SPAN;
    for (size_t i = 0; (p = image_code_part(img, i)) != NULL; i++) {
        if (!in_segment(p, t, &low, &high))
            continue;
        for (low += skip; low < high; low += step) {
            size_t size = high - low < SPAN ? (size_t)(high - low) : SPAN;

            if (compare_span(v, t->bytes + (low - t->address), size,
                             low + slide, out, e) != 0)
                return -1;
        }
        skip = low - high; /* offset of the next place in the next run */
    }
    return 0;
}

/* Code around an address: (size) bytes from (start) on. */
struct around {
    uint64_t start, address;
    size_t size;
    uint8_t bytes[2 * AROUND];
};

/* Read the part that is in the page of (address). The size may be 0. Returns 0;
 * -1 with (e) filled. */
static int read_around(const struct likeness_view *v, uint64_t address,
                       struct around *a, struct err *e)
{
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    uint64_t before = address - page < AROUND ? address - page : AROUND;
    uint64_t behind = page + PAGE - address;

    if (behind > AROUND)
        behind = AROUND;
    a->address = address;
    a->start = address - before;
    long n = likeness_read(v, a->start, a->bytes, (size_t)(before + behind), e);

    a->size = n > 0 ? (size_t)n : 0;
    return n < 0 ? -1 : 0;
}

/* Number of bytes of (a) that agree with segment (t) moved by (slide); 0 if too
 * few can be compared, or more than a quarter differ. */
static uint64_t count_same(const struct around *a, const struct image_text *t,
                           uint64_t slide)
{
    uint64_t at = a->start - slide, low = 0, high = a->size, wrong = 0;

    if (at < t->address)
        low = t->address - at;
    if (at + high > t->address + t->bytes_len)
        high = t->address + t->bytes_len - at;
    if (low > a->address - a->start || high <= a->address - a->start ||
        high - low < PIECE)
        return 0;
    for (uint64_t i = low; i < high; i++) {
        wrong += a->bytes[i] != t->bytes[at + i - t->address];
        if (wrong > (high - low) / 4)
            return 0;
    }
    return high - low - wrong;
}

int likeness_find(const struct likeness_view *v, const struct image *img,
                  uint64_t address, uint64_t *slide, struct err *e)
{
    const struct image_text *t;
    struct around a;
    uint64_t best = 0;
    bool is_only = false;

    if (read_around(v, address, &a, e) != 0)
        return -1;
    for (size_t i = 0; (t = image_text_at(img, i)) != NULL; i++) {
        uint64_t at = (address - t->address) % PAGE;

        for (; a.size != 0 && at < t->bytes_len; at += PAGE) {
            uint64_t moved = address - (t->address + at);
            uint64_t same = count_same(&a, t, moved);

            if (same == 0 || same < best)
                continue;
            is_only = same != best;
            best = same;
            *slide = moved;
        }
    }
    return is_only;
}
