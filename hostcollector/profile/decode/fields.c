/* SPDX-License-Identifier: BSD-2-Clause */
/* Frame bodies that consist of fields. */
#include "profile/decode/fields.h"

#include "profile/decode/field_rules.h"

#define MAX_DICT_SLOTS (1u << WIRE_CELL_ID_BITS)

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
    UINT(WIRE_STATS_KICKS, core_stats, kicks),
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

uint16_t fields_hello_version(const uint8_t *body, size_t length)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    if (!field_rules_next(&c, &f) || f.tag != WIRE_HELLO_WIRE_VERSION ||
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
