/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of addresses. */
#include "util/spans.h"
#include "util/bounds.h"

#include <stdlib.h>

#include "util/vec.h"

int spans_add(struct spans *s, uint64_t low, uint64_t high)
{
    if (low >= high || s->count == SPANS_MAX)
        return 0;
    if (s->count != 0 && s->list[s->count - 1].high == low) {
        /* line tables list ranges in this order */
        s->list[s->count - 1].high = high;
        return 0;
    }
    if (vec_grow(&s->list, &s->room, s->count, sizeof *s->list) != 0)
        return -1;
    s->list[s->count++] = (struct span){low, high};
    return 0;
}

static int by_low(const void *x, const void *y)
{
    const struct span *a = x, *b = y;

    return a->low < b->low ? -1 : a->low > b->low;
}

void spans_settle(struct spans *s)
{
    size_t kept = 0;

    if (s->count == 0)
        return;
    qsort(s->list, s->count, sizeof *s->list, by_low);
    for (size_t i = 1; i < s->count; i++) {
        struct span *last = &s->list[kept];

        if (s->list[i].low > last->high)
            s->list[++kept] = s->list[i];
        else if (s->list[i].high > last->high)
            last->high = s->list[i].high;
    }
    s->count = kept + 1;
}

/* Index of the first span that ends above (address). */
static size_t first_above(const struct spans *s, uint64_t address)
{
    return upper_bound(s->list, s->count, sizeof *s->list,
                       offsetof(struct span, high), address);
}

const struct span *spans_find(const struct spans *s, uint64_t address)
{
    size_t i = first_above(s, address);

    return i < s->count ? &s->list[i] : NULL;
}

uint64_t spans_within(const struct spans *s, uint64_t low, uint64_t high)
{
    uint64_t n = 0;

    for (size_t i = first_above(s, low); i < s->count; i++) {
        const struct span *p = &s->list[i];

        if (p->low >= high)
            break;
        n += (p->high < high ? p->high : high) - (p->low > low ? p->low : low);
    }
    return n;
}

uint64_t spans_common(const struct spans *a, const struct spans *b)
{
    uint64_t n = 0;

    for (size_t i = 0; i < a->count; i++)
        n += spans_within(b, a->list[i].low, a->list[i].high);
    return n;
}

uint64_t spans_size(const struct spans *s)
{
    return spans_common(s, s);
}

void spans_fini(struct spans *s)
{
    free(s->list);
    *s = (struct spans){0};
}
