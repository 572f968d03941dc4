/* SPDX-License-Identifier: BSD-2-Clause */
/* Status of `collector serve` and its guests, for its other processes. */
#include "fleet/windows/status.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/host_clock.h"

#define WORDS 24u /* most words of a row */
#define TRIES 1000u

struct row {
    /* written by the writer only, as are the other members */
    _Atomic uint64_t sequence;
    _Atomic uint64_t words[WORDS];
};

/* Memory that the processes share. */
struct table {
    _Atomic uint64_t starts[STATUS_PARTS]; /* restarts after the first start */
    struct row totals;
    struct row waits[STATUS_TAGS];
    struct row row[]; /* rows of guests, followed by those of crashed cores */
};

/* Each process has its own copy: a writer that was taken over by a guest
 * cannot make the table look longer than it is. */
struct status {
    size_t rows, crashed;
    struct table *table;
};

_Static_assert(sizeof(struct status_guest) <= WORDS * sizeof(uint64_t),
               "a row has it");
_Static_assert(sizeof(struct status_totals) <= WORDS * sizeof(uint64_t),
               "a row has it");
_Static_assert(sizeof(struct status_wait) <= WORDS * sizeof(uint64_t),
               "a row has it");
_Static_assert(sizeof(struct status_crashed) <= WORDS * sizeof(uint64_t),
               "a row has it");

uint64_t status_now_ms(void)
{
    return clock_wall_ns() / 1000000;
}

static size_t size_of(size_t rows)
{
    return sizeof(struct table) + rows * sizeof(struct row);
}

struct status *status_new(size_t rows, size_t crashed, struct err *e)
{
    struct status *s = calloc(1, sizeof *s);
    void *table;

    if (s == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    table = mmap(NULL, size_of(rows + crashed), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) {
        (void)err_sys(e, "status");
        free(s);
        return NULL;
    }
    *s = (struct status){.rows = rows, .crashed = crashed, .table = table};
    return s;
}

void status_free(struct status *s)
{
    if (s == NULL)
        return;
    (void)munmap(s->table, size_of(s->rows + s->crashed));
    free(s);
}

size_t status_rows(const struct status *s)
{
    return s->rows;
}

static void write_row(struct row *r, const void *from, size_t size)
{
    uint64_t words[WORDS] = {0};
    uint64_t before = atomic_load_explicit(&r->sequence, memory_order_relaxed);

    memcpy(words, from, size);
    atomic_store_explicit(&r->sequence, before + 1, memory_order_relaxed);
    /* pairs with the fence in read_row(): a reader that sees a new word sees
     * the odd number */
    atomic_thread_fence(memory_order_release);
    for (size_t i = 0; i < WORDS; i++)
        atomic_store_explicit(&r->words[i], words[i], memory_order_relaxed);
    /* pairs with the first load in read_row() */
    atomic_store_explicit(&r->sequence, before + 2, memory_order_release);
}

static bool read_row(const struct row *r, void *to, size_t size)
{
    uint64_t words[WORDS];

    memset(to, 0, size);
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t before =
            atomic_load_explicit(&r->sequence, memory_order_acquire);

        for (size_t w = 0; w < WORDS; w++)
            words[w] = atomic_load_explicit(&r->words[w], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 &&
            atomic_load_explicit(&r->sequence, memory_order_relaxed) ==
                before) {
            memcpy(to, words, size);
            return before != 0;
        }
    }
    return false;
}

void status_put(struct status *s, size_t row, const struct status_guest *g)
{
    if (row < s->rows)
        write_row(&s->table->row[row], g, sizeof *g);
}

void status_put_totals(struct status *s, const struct status_totals *t)
{
    write_row(&s->table->totals, t, sizeof *t);
}

bool status_get(const struct status *s, size_t row, struct status_guest *g)
{
    memset(g, 0, sizeof *g);
    if (row >= s->rows || !read_row(&s->table->row[row], g, sizeof *g))
        return false;
    g->name[STATUS_NAME_MAX - 1] = '\0';
    return g->state != STATUS_FREE;
}

bool status_get_totals(const struct status *s, struct status_totals *t)
{
    return read_row(&s->table->totals, t, sizeof *t);
}

void status_put_wait(struct status *s, size_t i, const struct status_wait *w)
{
    if (i < STATUS_TAGS)
        write_row(&s->table->waits[i], w, sizeof *w);
}

bool status_get_wait(const struct status *s, size_t i, struct status_wait *w)
{
    if (i >= STATUS_TAGS || !read_row(&s->table->waits[i], w, sizeof *w))
        return false;
    w->tag[STATUS_TAG - 1] = '\0';
    return w->tag[0] != '\0';
}

void status_put_crashed(struct status *s, size_t i,
                        const struct status_crashed *c)
{
    if (i < s->crashed)
        write_row(&s->table->row[s->rows + i], c, sizeof *c);
}

bool status_get_crashed(const struct status *s, size_t i,
                        struct status_crashed *c)
{
    if (i >= s->crashed || !read_row(&s->table->row[s->rows + i], c, sizeof *c))
        return false;
    c->guest[STATUS_NAME_MAX - 1] = '\0';
    return true;
}

void status_again(struct status *s, enum status_part part)
{
    atomic_fetch_add_explicit(&s->table->starts[part], 1, memory_order_relaxed);
}

uint64_t status_starts(const struct status *s, enum status_part part)
{
    return atomic_load_explicit(&s->table->starts[part], memory_order_relaxed);
}
