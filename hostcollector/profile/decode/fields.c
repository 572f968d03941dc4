/* SPDX-License-Identifier: BSD-2-Clause */
/* Frame bodies that consist of fields. */
#include "profile/decode/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "util/cursor.h"

#define MAX_DICT_SLOTS (1u << WIRE_CELL_ID_BITS)

struct field {
    uint8_t tag;
    const uint8_t *bytes;
    size_t length;
    uint64_t value; /* of an integer of 1 to 8 bytes, else 0 */
};

/* The next field; false at the end, with c->bad if that lies in a field. */
static bool next_field(struct cursor *c, struct field *f)
{
    if (cursor_left(c) == 0)
        return false;
    f->tag = (uint8_t)cursor_uint(c, 1);
    f->length = (size_t)cursor_uint(c, 1);
    f->bytes = cursor_bytes(c, f->length);
    if (c->bad)
        return false;
    f->value = 0;
    if (f->length <= 8) {
        struct cursor value = cursor_init(f->bytes, f->length);

        f->value = cursor_uint(&value, f->length);
    }
    return true;
}

/* Conversions from a field to a member of a struct. */
enum field_kind {
    FIELD_UINT, /* integer; limited to the member's maximum */
    /* integer; bits for which the member has no room are dropped */
    FIELD_FLAGS,
    FIELD_UNTIL_MAX, /* integer; UINT64_MAX: not known */
    FIELD_TEXT,      /* text, cut to fit; ends in a NUL */
    /* file name without its folders, cut to fit; ends in a NUL */
    FIELD_FILE_NAME,
    FIELD_BOOT_ID,  /* exactly as many bytes as the member has */
    FIELD_BUILD_ID, /* at most as many bytes, and their number */
    FIELD_CHAIN,    /* differences of addresses, and their number */
    FIELD_CLASSES,  /* pairs of a number below 64, and its element's value */
};

/*
 * Sets the member for one field of a frame. Each type of frame has a table of
 * rules; a new field is a member of model/guest.h and a line in a table.
 * (told) is the offset of a second member: a bool that becomes true, or for
 * FIELD_BUILD_ID and FIELD_CHAIN a uint32_t that becomes the length. 0: there
 * is no second member; no second member is the first in its struct.
 */
struct field_rule {
    uint8_t tag;
    enum field_kind kind;
    size_t offset, size, told;
};

#define MEMBER(type, member)                                                   \
    offsetof(struct type, member), sizeof((struct type *)0)->member
#define UINT(tag, type, member)                                                \
    {                                                                          \
        tag, FIELD_UINT, MEMBER(type, member), 0                               \
    }
#define RULE(tag, kind, type, member)                                          \
    {                                                                          \
        tag, kind, MEMBER(type, member), 0                                     \
    }
#define TOLD(tag, kind, type, member, told)                                    \
    {                                                                          \
        tag, kind, MEMBER(type, member), offsetof(struct type, told)           \
    }

#define BEGAN(counter)                                                         \
    TOLD(WIRE_STATS_BEGAN + WIRE_COUNTER_##counter, FIELD_UINT, core_stats,    \
         began[WIRE_COUNTER_##counter], has_began)

static const struct field_rule hello_rules[] = {
    UINT(WIRE_HELLO_WIRE_VERSION, guest, wire_version),
    RULE(WIRE_HELLO_AGENT_VERSION, FIELD_TEXT, guest, agent_version),
    UINT(WIRE_HELLO_ARCH, guest, arch),
    RULE(WIRE_HELLO_BOOT_ID, FIELD_BOOT_ID, guest, boot_id),
    UINT(WIRE_HELLO_CORES, guest, cores),
    UINT(WIRE_HELLO_TSC_HZ, guest, tsc_hz),
    TOLD(WIRE_HELLO_BUILD_ID, FIELD_BUILD_ID, guest, build_id, build_id_len),
    UINT(WIRE_HELLO_TEXT_START, guest, text_start),
    UINT(WIRE_HELLO_TEXT_SIZE, guest, text_size),
    TOLD(WIRE_HELLO_TEXT_CRC, FIELD_UINT, guest, text_crc, has_text_crc),
    UINT(WIRE_HELLO_ANCHOR, guest, anchor),
    UINT(WIRE_HELLO_RATE_HZ, guest, rate_hz),
    UINT(WIRE_HELLO_DEPTH, guest, depth),
    UINT(WIRE_HELLO_INTERVALS, guest, intervals),
    UINT(WIRE_HELLO_DICT_SLOTS, guest, dict_slots),
    UINT(WIRE_HELLO_FEATURES, guest, features),
    UINT(WIRE_HELLO_DIRECTORY, guest, directory),
    UINT(WIRE_HELLO_KERNEL_HZ, guest, kernel_hz),
    TOLD(WIRE_HELLO_READABLE, FIELD_UINT, guest, readable, has_readable),
    UINT(WIRE_HELLO_CODE, guest, code),
    UINT(WIRE_HELLO_NONCE, guest, nonce),
    TOLD(WIRE_HELLO_SLIDE, FIELD_UINT, guest, slide, has_slide),
};

static const struct field_rule stats_rules[] = {
    UINT(WIRE_STATS_CORE, core_stats, core),
    TOLD(WIRE_STATS_APIC_ID, FIELD_UINT, core_stats, apic_id, has_apic_id),
    UINT(WIRE_STATS_TSC, core_stats, tsc),
    RULE(WIRE_STATS_FLAGS, FIELD_FLAGS, core_stats, flags),
    UINT(WIRE_STATS_TICKS, core_stats, ticks),
    UINT(WIRE_STATS_SAMPLES, core_stats, samples),
    UINT(WIRE_STATS_MISSED, core_stats, missed),
    UINT(WIRE_STATS_RING_FULL, core_stats, ring_full),
    UINT(WIRE_STATS_REENTERED, core_stats, reentered),
    UINT(WIRE_STATS_COST, core_stats, cost_tsc),
    UINT(WIRE_STATS_COST_MAX, core_stats, cost_max_tsc),
    UINT(WIRE_STATS_BY_DIVISION, core_stats, by_division),
    UINT(WIRE_STATS_STACKS, core_stats, stacks),
    UINT(WIRE_STATS_FOREIGN, core_stats, foreign),
    UINT(WIRE_STATS_DEVICE_ERRORS, core_stats, device_errors),
    UINT(WIRE_STATS_BUSY, core_stats, busy),
    UINT(WIRE_STATS_UNKNOWN_CPU, core_stats, unknown_cpu),
    UINT(WIRE_STATS_REPAIRED, core_stats, repaired),
    UINT(WIRE_STATS_FAULTS, core_stats, faults),
    TOLD(WIRE_STATS_STEAL, FIELD_UNTIL_MAX, core_stats, steal_ns, has_steal),
    BEGAN(SAMPLES),
    BEGAN(MISSED),
    BEGAN(RING_FULL),
    BEGAN(REENTERED),
};

static const struct field_rule status_rules[] = {
    UINT(WIRE_CONTROL_RATE_HZ, guest_status, rate_hz),
    UINT(WIRE_CONTROL_DEPTH, guest_status, depth),
    UINT(WIRE_CONTROL_FEATURES, guest_status, features),
    UINT(WIRE_CONTROL_PERIOD_TSC, guest_status, period_tsc),
    UINT(WIRE_CONTROL_STATE, guest_status, state),
    UINT(WIRE_CONTROL_EVERY, guest_status, every),
    UINT(WIRE_CONTROL_ERROR, guest_status, refusal),
    UINT(WIRE_CONTROL_TURNED_AWAY, guest_status, turned_away),
    UINT(WIRE_CONTROL_REFUSED, guest_status, refused),
    UINT(WIRE_CONTROL_REFUSED_CORE, guest_status, refused_core),
    UINT(WIRE_CONTROL_REFUSED_ERROR, guest_status, refused_error),
};

static const struct field_rule pong_rules[] = {
    UINT(WIRE_PING_COOKIE, guest_pong, cookie),
    UINT(WIRE_PING_TSC, guest_pong, tsc),
};

static const struct field_rule map_rules[] = {
    UINT(WIRE_MAP_START, guest_map, start),
    UINT(WIRE_MAP_SIZE, guest_map, size),
    UINT(WIRE_MAP_LINK_START, guest_map, link_start),
    RULE(WIRE_MAP_NAME, FIELD_FILE_NAME, guest_map, name),
    TOLD(WIRE_MAP_BUILD_ID, FIELD_BUILD_ID, guest_map, build_id, build_id_len),
    TOLD(WIRE_MAP_TEXT_CRC, FIELD_UINT, guest_map, text_crc, has_text_crc),
    UINT(WIRE_MAP_SINCE, guest_map, since),
    UINT(WIRE_MAP_UNTIL, guest_map, until),
};

static const struct field_rule progress_rules[] = {
    UINT(WIRE_PROGRESS_COUNTER, guest_progress, counter),
    RULE(WIRE_PROGRESS_NAME, FIELD_TEXT, guest_progress, name),
    UINT(WIRE_PROGRESS_UNITS, guest_progress, units),
    UINT(WIRE_PROGRESS_TSC, guest_progress, tsc),
    UINT(WIRE_PROGRESS_BEGAN_UNITS, guest_progress, began_units),
    UINT(WIRE_PROGRESS_BEGAN_TSC, guest_progress, began_tsc),
    UINT(WIRE_PROGRESS_MARK, guest_progress, mark),
};

static const struct field_rule thread_rules[] = {
    UINT(WIRE_THREAD_SERIAL, guest_thread, serial),
    UINT(WIRE_THREAD_ID, guest_thread, id),
    RULE(WIRE_THREAD_NAME, FIELD_TEXT, guest_thread, name),
    RULE(WIRE_THREAD_FLAGS, FIELD_FLAGS, guest_thread, flags),
    UINT(WIRE_THREAD_NOW, guest_thread, now),
    UINT(WIRE_THREAD_SINCE, guest_thread, since),
    UINT(WIRE_THREAD_STATE, guest_thread, state),
    UINT(WIRE_THREAD_RUNNING, guest_thread, running),
    UINT(WIRE_THREAD_READY, guest_thread, ready),
    UINT(WIRE_THREAD_BLOCKED, guest_thread, blocked),
    UINT(WIRE_THREAD_SWITCHES, guest_thread, switches),
    TOLD(WIRE_THREAD_WAIT, FIELD_UINT, guest_thread, wait, has_wait),
};

static const struct field_rule wait_rules[] = {
    UINT(WIRE_WAIT_KIND, guest_wait, kind),
    UINT(WIRE_WAIT_SERIAL, guest_wait, serial),
    TOLD(WIRE_WAIT_STACK, FIELD_CHAIN, guest_wait, frames, depth),
    UINT(WIRE_WAIT_END, guest_wait, end),
    UINT(WIRE_WAIT_COUNT, guest_wait, count),
    UINT(WIRE_WAIT_TIME, guest_wait, time),
    UINT(WIRE_WAIT_LONGEST, guest_wait, longest),
    UINT(WIRE_WAIT_ENTRY, guest_wait, entry),
};

static const struct field_rule sched_rules[] = {
    UINT(WIRE_SCHED_CORE, guest_sched, core),
    UINT(WIRE_SCHED_NOW, guest_sched, now),
    UINT(WIRE_SCHED_SINCE, guest_sched, since),
    UINT(WIRE_SCHED_SWITCHES, guest_sched, switches),
    UINT(WIRE_SCHED_RUNNING, guest_sched, running),
    UINT(WIRE_SCHED_IDLE, guest_sched, idle),
    UINT(WIRE_SCHED_UNNAMED, guest_sched, unnamed),
    UINT(WIRE_SCHED_MOVED, guest_sched, moved),
    TOLD(WIRE_SCHED_READY_IDLE, FIELD_UINT, guest_sched, ready_idle,
         has_ready_idle),
    RULE(WIRE_SCHED_HISTOGRAM, FIELD_CLASSES, guest_sched, ready),
    UINT(WIRE_SCHED_EVICTED, guest_sched, evicted),
    UINT(WIRE_SCHED_REFUSED, guest_sched, refused),
};

/* Store the low (size) bytes of (value) at (to), in this machine's byte
 * order. */
static void put_uint(uint8_t *to, size_t size, uint64_t value)
{
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                   "low bytes come first");
    memcpy(to, &value, size);
}

/* Limit (value) to what (size) bytes hold: a hostile guest may send more. */
static uint64_t at_most(size_t size, uint64_t value)
{
    uint64_t most = UINT64_MAX >> (64 - 8 * size);

    return value < most ? value : most;
}

/* Store a text in the zeroed (size) bytes at (to), cut to fit. */
static void put_text(uint8_t *to, size_t size, const uint8_t *text,
                     size_t length)
{
    memcpy(to, text, length < size ? length : size - 1);
}

/* Store a file's name. A kernel may send a path, so the folders are removed. */
static void put_file_name(uint8_t *to, size_t size, const struct field *f)
{
    const uint8_t *slash = memrchr(f->bytes, '/', f->length);
    const uint8_t *name = slash != NULL ? slash + 1 : f->bytes;

    put_text(to, size, name, f->length - (size_t)(name - f->bytes));
}

/* Store the addresses of (f), each as the difference from the one before, in
 * the (size) bytes at (to), and their number at (count). */
static const char *put_chain(uint8_t *to, size_t size, uint8_t *count,
                             const struct field *f)
{
    struct cursor c = cursor_init(f->bytes, f->length);
    uint64_t address = 0;
    size_t n = 0;

    for (; cursor_left(&c) != 0; n++) {
        address += cursor_zigzag(&c);
        if (c.bad)
            return "a chain of addresses is cut";
        if (n == size / sizeof address)
            return "a chain of more than 16 addresses";
        put_uint(to + n * sizeof address, sizeof address, address);
    }
    put_uint(count, sizeof(uint32_t), n);
    return NULL;
}

/* Store the classes of (f) in the (size) bytes at (to). Classes of a later
 * version are left out. */
static const char *put_classes(uint8_t *to, size_t size, const struct field *f)
{
    struct cursor c = cursor_init(f->bytes, f->length);

    while (cursor_left(&c) != 0) {
        uint64_t at = cursor_uleb(&c), count = cursor_uleb(&c);

        if (c.bad)
            return "a histogram is cut";
        if (at < size / sizeof count)
            put_uint(to + at * sizeof count, sizeof count, count);
    }
    return NULL;
}

/* Store (f) in the struct at (to), by rule (r). Returns a text that says what
 * is wrong with (f), or NULL. */
static const char *put_field(uint8_t *to, const struct field_rule *r,
                             const struct field *f)
{
    uint8_t *member = to + r->offset;

    switch (r->kind) {
    case FIELD_UNTIL_MAX:
        if (f->value == UINT64_MAX)
            return NULL;
        put_uint(member, r->size, f->value);
        break;
    case FIELD_UINT:
        put_uint(member, r->size, at_most(r->size, f->value));
        break;
    case FIELD_FLAGS:
        put_uint(member, r->size, f->value);
        break;
    case FIELD_TEXT:
        put_text(member, r->size, f->bytes, f->length);
        break;
    case FIELD_FILE_NAME:
        put_file_name(member, r->size, f);
        break;
    case FIELD_BOOT_ID:
        if (f->length != r->size)
            return "boot id is not of 16 bytes";
        memcpy(member, f->bytes, f->length);
        break;
    case FIELD_BUILD_ID:
        if (f->length > r->size)
            return "build-id is longer than 64 bytes";
        memcpy(member, f->bytes, f->length);
        put_uint(to + r->told, sizeof(uint32_t), f->length);
        return NULL;
    case FIELD_CHAIN:
        return put_chain(member, r->size, to + r->told, f);
    case FIELD_CLASSES:
        return put_classes(member, r->size, f);
    }
    if (r->told != 0)
        to[r->told] = true;
    return NULL;
}

/*
 * Read (body) into the zeroed struct at (to). Fields without a rule are of a
 * later minor version. Returns a text that says what is wrong, or NULL. The
 * text is (cut) if the body ends inside a field.
 */
static const char *read_fields(const uint8_t *body, size_t length, void *to,
                               const struct field_rule *rules, size_t count,
                               const char *cut)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    while (next_field(&c, &f)) {
        size_t i = 0;

        while (i < count && rules[i].tag != f.tag)
            i++;
        const char *wrong = i < count ? put_field(to, &rules[i], &f) : NULL;

        if (wrong != NULL)
            return wrong;
    }
    return c.bad ? cut : NULL;
}

#define READ_FIELDS(body, length, to, rules, name)                             \
    read_fields(body, length, to, rules, sizeof(rules) / sizeof(rules)[0],     \
                name " ends inside a field")

uint16_t fields_hello_version(const uint8_t *body, size_t length)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    if (!next_field(&c, &f) || f.tag != WIRE_HELLO_WIRE_VERSION ||
        f.value > UINT16_MAX)
        return 0;
    return (uint16_t)f.value;
}

const char *fields_hello(const uint8_t *body, size_t length, struct guest *g)
{
    *g = (struct guest){0};
    const char *wrong = READ_FIELDS(body, length, g, hello_rules, "HELLO");

    if (wrong != NULL)
        return wrong;
    if (g->cores == 0 || g->cores > GUEST_CORES_MAX)
        return "number of cores is not 1 to 1024";
    if (g->tsc_hz > GUEST_TSC_HZ_MAX)
        return "a TSC of more than 1 THz";
    if (g->dict_slots > MAX_DICT_SLOTS)
        return "more than 8192 stack ids";
    return NULL;
}

const char *fields_stats(const uint8_t *body, size_t length,
                         struct core_stats *s)
{
    *s = (struct core_stats){0};
    return READ_FIELDS(body, length, s, stats_rules, "STATS");
}

const char *fields_status(const uint8_t *body, size_t length,
                          struct guest_status *s)
{
    *s = (struct guest_status){0};
    return READ_FIELDS(body, length, s, status_rules, "STATUS");
}

const char *fields_pong(const uint8_t *body, size_t length,
                        struct guest_pong *p)
{
    *p = (struct guest_pong){0};
    return READ_FIELDS(body, length, p, pong_rules, "PONG");
}

const char *fields_map(const uint8_t *body, size_t length, struct guest_map *m)
{
    *m = (struct guest_map){0};
    const char *wrong = READ_FIELDS(body, length, m, map_rules, "MAP");

    if (wrong != NULL)
        return wrong;
    if (m->start == 0 || m->size == 0 || m->start + m->size < m->start)
        return "MAP of an impossible range";
    if (m->until != 0 && m->since >= m->until)
        return "MAP of an image that was unloaded before it was loaded";
    return NULL;
}

const char *fields_progress(const uint8_t *body, size_t length,
                            struct guest_progress *p)
{
    *p = (struct guest_progress){0};
    const char *wrong =
        READ_FIELDS(body, length, p, progress_rules, "PROGRESS");

    if (wrong != NULL)
        return wrong;
    if (p->counter >= WIRE_PROGRESS_COUNTERS)
        return "PROGRESS of a counter with a number above 7";
    return NULL;
}

/* Do three times add up to the time from (since) to (now)? */
static bool add_up(uint64_t since, uint64_t now, uint64_t a, uint64_t b,
                   uint64_t c)
{
    uint64_t all = now - since;

    return since <= now && a <= all && b <= all - a && c == all - a - b;
}

const char *fields_thread(const uint8_t *body, size_t length,
                          struct guest_thread *t)
{
    *t = (struct guest_thread){.state = WIRE_IS_UNKNOWN};
    const char *wrong = READ_FIELDS(body, length, t, thread_rules, "THREAD");

    if (wrong != NULL)
        return wrong;
    if (t->serial == 0)
        return "THREAD without a serial number";
    if (t->state >= WIRE_IS_UNKNOWN && !(t->flags & WIRE_THREAD_ENDED))
        t->since = t->now; /* nothing is known about the time before */
    return add_up(t->since, t->now, t->running, t->ready, t->blocked)
               ? NULL
               : "THREAD whose running, ready and blocked time do not add up "
                 "to its time";
}

const char *fields_wait(const uint8_t *body, size_t length, uint64_t text_start,
                        struct guest_wait *w)
{
    *w = (struct guest_wait){.end = WIRE_END_REASONS};
    const char *wrong = READ_FIELDS(body, length, w, wait_rules, "WAIT");

    if (wrong != NULL || w->kind > WIRE_WAIT_WAKER)
        return wrong != NULL ? wrong : "WAIT of an unknown kind";
    if (w->longest > w->time)
        return "WAIT whose longest wait is longer than all waits";
    if (w->end > WIRE_END_REASONS)
        w->end = WIRE_END_REASONS;
    for (size_t i = 0; i < w->depth; i++)
        w->frames[i] += text_start;
    return NULL;
}

const char *fields_sched(const uint8_t *body, size_t length,
                         struct guest_sched *s)
{
    *s = (struct guest_sched){0};
    const char *wrong = READ_FIELDS(body, length, s, sched_rules, "SCHED");

    if (wrong != NULL)
        return wrong;
    return add_up(s->since, s->now, s->running, s->idle, s->unnamed)
               ? NULL
               : "SCHED whose running, idle and unnamed time do not add up to "
                 "its core's time";
}
