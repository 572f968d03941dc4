/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts that a guest sends about itself. Leaf. Text is unchanged from the
 * guest: escape it before showing it. */
#ifndef TPROF_MODEL_GUEST_H
#define TPROF_MODEL_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tprof_wire.h"

#define GUEST_CORES_MAX    1024u
#define GUEST_TSC_HZ_MAX   1000000000000u
#define GUEST_BUILD_ID_MAX 64u

/* HELLO, WIRE.md 3. Addresses are run-time ones. */
struct guest {
    uint16_t wire_version;  /* major << 8 | minor */
    char agent_version[32]; /* cut to fit; "" if not sent */
    uint8_t arch;           /* WIRE_ARCH_* */
    uint8_t boot_id[WIRE_BOOT_ID_SIZE];
    /* of the session, because clones share a boot id; 0: not sent */
    uint64_t nonce;
    uint32_t cores;  /* 1 to GUEST_CORES_MAX */
    uint64_t tsc_hz; /* at most GUEST_TSC_HZ_MAX; 0: the guest does not know */
    uint8_t build_id[GUEST_BUILD_ID_MAX];
    uint32_t build_id_len; /* 0: the image has none */
    uint64_t text_start, text_size;
    bool has_text_crc;
    uint32_t text_crc;       /* CRC-32C of the first WIRE_TEXT_CRC_SPAN bytes */
    uint64_t anchor;         /* address of tprof_anchor; 0: not sent */
    uint64_t code;           /* address of tprof_init_image; 0: not sent */
    uint32_t rate_hz, depth; /* defaults if START gives none */
    uint8_t intervals;       /* enum wire_intervals */
    uint32_t dict_slots;     /* stack ids for each core */
    uint32_t features;       /* WIRE_FEATURE_* */
    uint64_t directory;      /* address of tprof_directory; 0: not sent */
    /* rate of the kernel's tick, with WIRE_INTERVALS_KERNEL */
    uint32_t kernel_hz;
    bool has_readable; /* (readable) was sent */
    /* number of ranges in config.readable; 0: only the image */
    uint8_t readable;
    bool has_slide; /* the image was found from outside, at (slide) */
    uint64_t slide; /* distance from its link-time addresses */
};

/* Do both describe the same image at the same address? */
static inline bool guest_same_image(const struct guest *a,
                                    const struct guest *b)
{
    return a->build_id_len == b->build_id_len &&
           memcmp(a->build_id, b->build_id, a->build_id_len) == 0 &&
           a->text_start == b->text_start && a->text_size == b->text_size &&
           a->has_text_crc == b->has_text_crc && a->text_crc == b->text_crc;
}

/* STATS, WIRE.md 6: the counters of one core; 0 if not sent. */
struct core_stats {
    uint32_t core;
    uint32_t apic_id; /* valid if (has_apic_id) */
    bool has_apic_id;
    uint64_t tsc;
    uint8_t flags; /* WIRE_STATS_FINAL, WIRE_STATS_STARTED, ... */
    uint64_t ticks, samples, missed, ring_full, reentered;
    uint64_t cost_tsc, cost_max_tsc; /* TSC ticks in the profiler's interrupt */
    /* ticks with too many deadlines to draw the interval */
    uint64_t by_division;
    uint64_t stacks; /* stacks that were defined */
    /* interrupts that were neither ticks nor other work of the agent */
    uint64_t foreign;
    /* Counters of the whole agent, which only core 0 sends. */
    uint64_t device_errors, busy, unknown_cpu;
    uint64_t repaired; /* times that the agent took back the core's timer */
    uint64_t faults;   /* words of stacks that were not mapped */
    uint64_t kicks;    /* deadlines that senders of NMIs have counted */
    bool has_steal;    /* (steal_ns) is known; otherwise (steal_ns) is 0 */
    uint64_t steal_ns;
    /* Values of the counters, by enum wire_counter, when the core began to
     * sample in this session. Not set if the core has not begun, or before wire
     * version 2.2. */
    bool has_began;
    uint64_t began[WIRE_COUNTERS];
};

/* MAP, WIRE.md 8: an image that the kernel has loaded. Escape its text. */
struct guest_map {
    uint64_t start, size; /* its code at run time; neither 0 nor wrapping */
    uint64_t link_start;  /* address of (start) in the ELF file */
    char name[64];        /* without folders, cut to fit; "" if not sent */
    uint8_t build_id[GUEST_BUILD_ID_MAX];
    uint32_t build_id_len; /* 0: the image has none */
    bool has_text_crc;
    uint32_t text_crc; /* CRC-32C of the first WIRE_TEXT_CRC_SPAN bytes */
    /* The first generation with this image, and the first without it; 0: still
     * loaded. */
    uint32_t since, until;
};

/* Are (a) and (b) the same image, perhaps at different addresses? */
static inline bool guest_same_map(const struct guest_map *a,
                                  const struct guest_map *b)
{
    return a->size == b->size && a->link_start == b->link_start &&
           strcmp(a->name, b->name) == 0 &&
           a->build_id_len == b->build_id_len &&
           memcmp(a->build_id, b->build_id, a->build_id_len) == 0 &&
           a->has_text_crc == b->has_text_crc && a->text_crc == b->text_crc;
}

#define GUEST_COUNTER_NAME 64u
#define GUEST_MAPS_MAX     64u
#define GENERATION_NONE    UINT32_MAX /* not known */

/* STATUS, WIRE.md 7: settings in effect. */
struct guest_status {
    uint8_t state;   /* enum wire_state */
    uint8_t refusal; /* enum wire_refusal */
    uint32_t rate_hz, depth, features;
    uint64_t period_tsc;
    /* one sample for this many kernel ticks, on average */
    uint32_t every;
    uint64_t turned_away; /* hosts that were refused since boot */
    /* Failed calls of tprof_start_cpu(), the APIC id of the first core that
     * failed, and the reason: enum wire_start_error. */
    uint32_t refused, refused_core, refused_error;
};

/* PROGRESS, WIRE.md 9: a counter of the kernel's work, or a mark. Escape its
 * name. */
struct guest_progress {
    uint8_t counter;               /* below WIRE_PROGRESS_COUNTERS */
    char name[GUEST_COUNTER_NAME]; /* cut to fit; "" if not sent */
    uint64_t mark;                 /* time of a mark; 0: a counter */
    uint64_t units, tsc;           /* since boot, and the time of reading */
    /* (units) and (tsc) when sampling started */
    uint64_t began_units, began_tsc;
};

/* PONG, WIRE.md 7. */
struct guest_pong {
    uint64_t cookie;
    uint64_t tsc;
};

#endif
