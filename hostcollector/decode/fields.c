/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the fields of HELLO, STATS, STATUS and PONG. */
#include "decode/fields.h"

#include <string.h>

#include "decode/cursor.h"

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

static void hello_text(struct guest *g, const struct field *f)
{
    size_t length = f->length;

    if (length > sizeof g->agent_version - 1)
        length = sizeof g->agent_version - 1;
    memcpy(g->agent_version, f->bytes, length);
}

/* Returns what is wrong with the field, or NULL. */
static const char *hello_field(struct guest *g, const struct field *f)
{
    switch (f->tag) {
    case WIRE_HELLO_WIRE_VERSION:
        g->wire_version = (uint16_t)f->value;
        break;
    case WIRE_HELLO_AGENT_VERSION:
        hello_text(g, f);
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
        if (f->length > sizeof g->build_id)
            return "build-id is longer than 64 bytes";
        memcpy(g->build_id, f->bytes, f->length);
        g->build_id_len = (uint32_t)f->length;
        break;
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
