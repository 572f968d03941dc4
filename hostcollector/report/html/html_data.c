/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of an HTML page. */
#include "report/html/html_data.h"

#include <math.h>
#include <string.h>

#include "profile/aggregate/sample_log.h"

/* Most slots: a day of 20 ms. */
#define SLOTS_MAX 5e6

struct html_slots html_slots_of(const struct profile *p)
{
    static const uint32_t rates[] = {1000, 500, 200, 100, 50, 10, 1};
    size_t i = 0;

    if (p->tsc_hz == 0 || !(p->duration_s > 0))
        return (struct html_slots){1, 0};
    while (i + 1 < sizeof rates / sizeof rates[0] &&
           p->duration_s * rates[i] > SLOTS_MAX)
        i++;
    return (struct html_slots){rates[i],
                               (uint64_t)(p->duration_s * rates[i]) + 1};
}

static void fill_function_names(struct column *c, const void *context)
{
    const struct html_tree *t = context;

    for (size_t i = 0; i < t->function_count; i++)
        column_add(c, t->functions[i]);
}

static void fill_nameless(struct column *c, const void *context)
{
    const struct view *v = context;

    for (size_t i = 0; i < v->function_count; i++)
        column_add(c, v->functions[i].nameless);
}

/* Define (name), which fills a column with a member of all frames, nodes or
 * entries. */
#define FILL(name, type, list, first, count, value)                            \
    static void name(struct column *c, const void *context)                    \
    {                                                                          \
        const type *of = context;                                              \
                                                                               \
        for (size_t i = (first); i < (of->count) + (first); i++)               \
            column_add(c, of->list[i].value);                                  \
    }

FILL(fill_frame_function, struct html_tree, frames, 1u, frame_count, function)
FILL(fill_frame_image, struct html_tree, frames, 1u, frame_count, image)
FILL(fill_frame_file, struct html_tree, frames, 1u, frame_count, file)
FILL(fill_frame_line, struct html_tree, frames, 1u, frame_count, line)
FILL(fill_frame_inlined, struct html_tree, frames, 1u, frame_count, inlined)
FILL(fill_node_frame, struct html_tree, nodes, 1u, node_count, frame - 1)
FILL(fill_entry_node, struct html_core, entries, 0u, count, node)
FILL(fill_entry_samples, struct html_core, entries, 0u, count, samples)
FILL(fill_entry_thread, struct html_core, entries, 0u, count, thread)
FILL(fill_entry_weight, struct html_core, entries, 0u, count, weight)

static void fill_node_parent(struct column *c, const void *context)
{
    const struct html_tree *t = context;

    for (size_t i = 1; i <= t->node_count; i++)
        column_add(c, t->nodes[i].parent == 0 ? 0 : i - t->nodes[i].parent);
}

static void write_strings(struct pack *p, const struct html_tree *t)
{
    uint64_t length = t->string_count;

    for (size_t i = 1; i <= t->string_count; i++)
        length += strlen(t->strings[i]);
    pack_number(p, length);
    for (size_t i = 1; i <= t->string_count; i++) {
        pack_raw(p, "", 1);
        pack_raw(p, t->strings[i], strlen(t->strings[i]));
    }
}

/* Write a double in little-endian order, the order of every browser's
 * machine. */
static void write_double(struct pack *p, double value)
{
    uint8_t bytes[8];
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    pack_raw(p, bytes, sizeof bytes);
}

static void write_core(struct pack *p, const struct html_core *core,
                       bool has_threads)
{
    pack_column(p, fill_entry_node, core);
    pack_column(p, fill_entry_samples, core);
    pack_column(p, fill_entry_weight, core);
    if (has_threads)
        pack_column(p, fill_entry_thread, core);
    pack_number(p, core->count);
    for (size_t i = 0; i < core->count; i++)
        write_double(p, core->entries[i].time);
    pack_number(p, core->count);
    for (size_t i = 0; i < core->count; i++)
        write_double(p, core->entries[i].time_sq);
    pack_number(p, core->count);
    for (size_t i = 0; i < core->count; i++)
        write_double(p, core->entries[i].late);
}

void html_write_tree(struct pack *p, const struct html_tree *t,
                     const struct view *v)
{
    write_strings(p, t);
    pack_column(p, fill_function_names, t);
    pack_column(p, fill_nameless, v);
    pack_column(p, fill_frame_function, t);
    pack_column(p, fill_frame_image, t);
    pack_column(p, fill_frame_file, t);
    pack_column(p, fill_frame_line, t);
    pack_column(p, fill_frame_inlined, t);
    pack_column(p, fill_node_parent, t);
    pack_column(p, fill_node_frame, t);
    for (size_t i = 0; i < t->core_count; i++)
        write_core(p, &t->cores[i], t->has_threads);
}

/* The moments of a core. They are read again for each column. */
struct moments_columns {
    const struct profile *profile;
    const struct profile_core *core;
    uint64_t others;
    struct html_slots slots;
};

/* Returns the slot in which --time finds (ticks). An earlier step has cut times
 * to whole ticks, so (ticks) is never before the beginning of its slot. */
static uint64_t slot_of(const struct moments_columns *m, int64_t ticks)
{
    double hz = (double)m->profile->tsc_hz, rate = m->slots.per_second;
    double slot = floor((double)ticks / hz * rate);

    if (ticks <= 0)
        return 0; /* a core may be a little ahead */
    if (slot >= (double)m->slots.count)
        return m->slots.count - 1;
    while (slot > 0 && (int64_t)(slot / rate * hz) > ticks)
        slot--;
    while ((int64_t)((slot + 1) / rate * hz) <= ticks)
        slot++;
    return slot < (double)m->slots.count ? (uint64_t)slot : m->slots.count - 1;
}

static void fill_slots(struct column *c, const void *context)
{
    const struct moments_columns *m = context;
    struct sample_log_reader r = sample_log_read(m->core);
    struct moment moment;
    uint64_t last = 0;

    while (sample_log_next(&r, &moment)) {
        uint64_t slot = slot_of(m, moment.ticks);

        column_add(c, slot >= last ? (slot - last) << 1
                                   : ((last - slot) << 1) - 1);
        last = slot;
    }
}

static void fill_entries(struct column *c, const void *context)
{
    const struct moments_columns *m = context;
    struct sample_log_reader r = sample_log_read(m->core);
    struct moment moment;

    while (sample_log_next(&r, &moment))
        column_add(c, moment.entry == MOMENT_OTHERS ? m->others : moment.entry);
}

static void fill_weights(struct column *c, const void *context)
{
    const struct moments_columns *m = context;
    struct sample_log_reader r = sample_log_read(m->core);
    struct moment moment;

    while (sample_log_next(&r, &moment))
        column_add(c, moment.weight);
}

static double period_of(const struct moment *m)
{
    return m->weight != 0 ? m->time / m->weight : 0;
}

/* Lateness in 64ths of the period. The lowest bit says whether it is LATE_TICKS
 * or more. */
static void fill_late(struct column *c, const void *context)
{
    const struct moments_columns *m = context;
    struct sample_log_reader r = sample_log_read(m->core);
    struct moment moment;

    while (sample_log_next(&r, &moment)) {
        double period = period_of(&moment);
        double late = period > 0 ? 64 * (double)moment.late / period : 0;

        column_add(c, (uint64_t)fmin(round(late), UINT32_MAX >> 1) << 1 |
                          (moment.late >= LATE_TICKS));
    }
}

/* The moments at which the period changes, with the new periods. */
static void fill_periods(struct column *c, const void *context)
{
    const struct moments_columns *m = context;
    struct sample_log_reader r = sample_log_read(m->core);
    struct moment moment;
    double last = -1;

    for (uint64_t at = 0; sample_log_next(&r, &moment); at++) {
        double period = period_of(&moment);

        if (period == last)
            continue;
        last = period;
        column_add(c, at);
        column_add(c, (uint64_t)period);
    }
}

/* Write pairs that (fill) adds. They are too large for a column of the page. */
static void write_pairs(struct pack *p, column_fill *fill, const void *context)
{
    struct column c = {0};

    fill(&c, context);
    pack_number(p, c.count / 2);
    c.to = p;
    fill(&c, context);
}

void html_write_moments(struct pack *p, const struct profile *profile,
                        size_t index, uint64_t others, struct html_slots slots)
{
    struct moments_columns m = {profile, &profile->cores[index], others, slots};

    pack_number(p, index);
    pack_column(p, fill_slots, &m);
    pack_column(p, fill_entries, &m);
    pack_column(p, fill_weights, &m);
    pack_column(p, fill_late, &m);
    write_pairs(p, fill_periods, &m);
}
