/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the fields of HELLO, STATS, STATUS, PONG and MAP. */
#include "decode/fields.h"

#include <string.h>

#include "util/cursor.h"

#define MAX_DICT_SLOTS (1u << WIRE_CELL_ID_BITS)

struct field {
    uint8_t tag;
    const uint8_t *bytes;
    size_t length;
    uint64_t value; /* of an integer; of 1 to 8 bytes, else 0 */
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

/* Larger values than the wire knows, from a guest that lies, are cut. */
static uint32_t to_u32(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static uint8_t to_u8(uint64_t value)
{
    return value > UINT8_MAX ? UINT8_MAX : (uint8_t)value;
}

uint16_t fields_hello_version(const uint8_t *body, size_t length)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    if (!next_field(&c, &f) || f.tag != WIRE_HELLO_WIRE_VERSION ||
        f.value > UINT16_MAX)
        return 0;
    return (uint16_t)f.value;
}

/* Text into (to) of (size) bytes, zeroed; cut to fit. */
static void take_text(char *to, size_t size, const struct field *f)
{
    memcpy(to, f->bytes, f->length < size ? f->length : size - 1);
}

/* Returns what is wrong with it, or NULL. */
static const char *take_build_id(uint8_t *to, uint32_t *length,
                                 const struct field *f)
{
    if (f->length > GUEST_BUILD_ID_MAX)
        return "build-id is longer than 64 bytes";
    memcpy(to, f->bytes, f->length);
    *length = (uint32_t)f->length;
    return NULL;
}

/* Returns what is wrong with the field, or NULL. */
static const char *hello_field(struct guest *g, const struct field *f)
{
    switch (f->tag) {
    case WIRE_HELLO_WIRE_VERSION:
        g->wire_version = (uint16_t)f->value;
        break;
    case WIRE_HELLO_AGENT_VERSION:
        take_text(g->agent_version, sizeof g->agent_version, f);
        break;
    case WIRE_HELLO_ARCH:
        g->arch = to_u8(f->value);
        break;
    case WIRE_HELLO_BOOT_ID:
        if (f->length != WIRE_BOOT_ID_SIZE)
            return "boot id is not of 16 bytes";
        memcpy(g->boot_id, f->bytes, f->length);
        break;
    case WIRE_HELLO_CORES:
        g->cores = to_u32(f->value);
        break;
    case WIRE_HELLO_TSC_HZ:
        g->tsc_hz = f->value;
        break;
    case WIRE_HELLO_BUILD_ID:
        return take_build_id(g->build_id, &g->build_id_len, f);
    case WIRE_HELLO_TEXT_START:
        g->text_start = f->value;
        break;
    case WIRE_HELLO_TEXT_SIZE:
        g->text_size = f->value;
        break;
    case WIRE_HELLO_TEXT_CRC:
        g->has_text_crc = true;
        g->text_crc = to_u32(f->value);
        break;
    case WIRE_HELLO_ANCHOR:
        g->anchor = f->value;
        break;
    case WIRE_HELLO_RATE_HZ:
        g->rate_hz = to_u32(f->value);
        break;
    case WIRE_HELLO_DEPTH:
        g->depth = to_u32(f->value);
        break;
    case WIRE_HELLO_INTERVALS:
        g->intervals = to_u8(f->value);
        break;
    case WIRE_HELLO_DICT_SLOTS:
        g->dict_slots = to_u32(f->value);
        break;
    case WIRE_HELLO_FEATURES:
        g->features = to_u32(f->value);
        break;
    case WIRE_HELLO_DIRECTORY:
        g->directory = f->value;
        break;
    case WIRE_HELLO_KERNEL_HZ:
        g->kernel_hz = to_u32(f->value);
        break;
    case WIRE_HELLO_READABLE:
        g->has_readable = true;
        g->readable = to_u8(f->value);
        break;
    default: /* of a later minor version */
        break;
    }
    return NULL;
}

const char *fields_hello(const uint8_t *body, size_t length, struct guest *g)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    *g = (struct guest){0};
    while (next_field(&c, &f)) {
        const char *wrong = hello_field(g, &f);

        if (wrong)
            return wrong;
    }
    if (c.bad)
        return "HELLO ends inside a field";
    if (g->cores == 0 || g->cores > GUEST_CORES_MAX)
        return "number of cores is not 1 to 1024";
    if (g->tsc_hz > GUEST_TSC_HZ_MAX)
        return "a TSC of more than 1 THz";
    if (g->dict_slots > MAX_DICT_SLOTS)
        return "more than 8192 stack ids";
    return NULL;
}

static void stats_field(struct core_stats *s, const struct field *f)
{
    switch (f->tag) {
    case WIRE_STATS_CORE:
        s->core = to_u32(f->value);
        break;
    case WIRE_STATS_APIC_ID:
        s->apic_id = to_u32(f->value);
        break;
    case WIRE_STATS_TSC:
        s->tsc = f->value;
        break;
    case WIRE_STATS_FLAGS:
        s->flags = (uint8_t)f->value;
        break;
    case WIRE_STATS_TICKS:
        s->ticks = f->value;
        break;
    case WIRE_STATS_SAMPLES:
        s->samples = f->value;
        break;
    case WIRE_STATS_MISSED:
        s->missed = f->value;
        break;
    case WIRE_STATS_RING_FULL:
        s->ring_full = f->value;
        break;
    case WIRE_STATS_REENTERED:
        s->reentered = f->value;
        break;
    case WIRE_STATS_COST:
        s->cost_tsc = f->value;
        break;
    case WIRE_STATS_COST_MAX:
        s->cost_max_tsc = f->value;
        break;
    case WIRE_STATS_BY_DIVISION:
        s->by_division = f->value;
        break;
    case WIRE_STATS_STACKS:
        s->stacks = f->value;
        break;
    case WIRE_STATS_FOREIGN:
        s->foreign = f->value;
        break;
    case WIRE_STATS_DEVICE_ERRORS:
        s->device_errors = f->value;
        break;
    case WIRE_STATS_BUSY:
        s->busy = f->value;
        break;
    case WIRE_STATS_UNKNOWN_CPU:
        s->unknown_cpu = f->value;
        break;
    case WIRE_STATS_REPAIRED:
        s->repaired = f->value;
        break;
    case WIRE_STATS_STEAL:
        s->has_steal = f->value != UINT64_MAX;
        s->steal_ns = s->has_steal ? f->value : 0;
        break;
    default: /* of a later minor version */
        break;
    }
}

const char *fields_stats(const uint8_t *body, size_t length,
                         struct core_stats *s)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    *s = (struct core_stats){0};
    while (next_field(&c, &f))
        stats_field(s, &f);
    return c.bad ? "STATS ends inside a field" : NULL;
}

const char *fields_status(const uint8_t *body, size_t length,
                          struct guest_status *s)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    *s = (struct guest_status){0};
    while (next_field(&c, &f)) {
        switch (f.tag) {
        case WIRE_CONTROL_RATE_HZ:
            s->rate_hz = to_u32(f.value);
            break;
        case WIRE_CONTROL_DEPTH:
            s->depth = to_u32(f.value);
            break;
        case WIRE_CONTROL_FEATURES:
            s->features = to_u32(f.value);
            break;
        case WIRE_CONTROL_PERIOD_TSC:
            s->period_tsc = f.value;
            break;
        case WIRE_CONTROL_STATE:
            s->state = to_u8(f.value);
            break;
        case WIRE_CONTROL_EVERY:
            s->every = to_u32(f.value);
            break;
        case WIRE_CONTROL_ERROR:
            s->refusal = to_u8(f.value);
            break;
        default: /* of a later minor version */
            break;
        }
    }
    return c.bad ? "STATUS ends inside a field" : NULL;
}

const char *fields_pong(const uint8_t *body, size_t length,
                        struct guest_pong *p)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    *p = (struct guest_pong){0};
    while (next_field(&c, &f)) {
        if (f.tag == WIRE_PING_COOKIE)
            p->cookie = f.value;
        else if (f.tag == WIRE_PING_TSC)
            p->tsc = f.value;
    }
    return c.bad ? "PONG ends inside a field" : NULL;
}

/* The file's name, without the folders that a kernel may have before it. */
static void take_file_name(char *to, size_t size, const struct field *f)
{
    const uint8_t *slash = memrchr(f->bytes, '/', f->length);
    struct field name = *f;

    if (slash != NULL) {
        name.length -= (size_t)(slash + 1 - f->bytes);
        name.bytes = slash + 1;
    }
    take_text(to, size, &name);
}

/* Returns what is wrong with the field, or NULL. */
static const char *map_field(struct guest_map *m, const struct field *f)
{
    switch (f->tag) {
    case WIRE_MAP_START:
        m->start = f->value;
        break;
    case WIRE_MAP_SIZE:
        m->size = f->value;
        break;
    case WIRE_MAP_LINK_START:
        m->link_start = f->value;
        break;
    case WIRE_MAP_NAME:
        take_file_name(m->name, sizeof m->name, f);
        break;
    case WIRE_MAP_BUILD_ID:
        return take_build_id(m->build_id, &m->build_id_len, f);
    case WIRE_MAP_TEXT_CRC:
        m->has_text_crc = true;
        m->text_crc = to_u32(f->value);
        break;
    default: /* of a later minor version */
        break;
    }
    return NULL;
}

const char *fields_map(const uint8_t *body, size_t length, struct guest_map *m)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    *m = (struct guest_map){0};
    while (next_field(&c, &f)) {
        const char *wrong = map_field(m, &f);

        if (wrong)
            return wrong;
    }
    if (c.bad)
        return "MAP ends inside a field";
    if (m->start == 0 || m->size == 0 || m->start + m->size < m->start)
        return "MAP of an impossible range";
    return NULL;
}
