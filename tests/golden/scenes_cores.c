/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes of which cores a guest has, what they are called, and how they start.
 */
#include <string.h>

#include "scenes.h"

void memory_for_more(void)
{
    hello(&(struct hello){.cores = 6});
    status(0, 0);
    busy_core(0, 20);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL);
    for (uint16_t core = 2; core < 6; core++) {
        struct wiregen_stats s = {.core = core,
                                  .flags = WIRE_STATS_FINAL,
                                  .counters = {core == 4 ? 7 : 0}};

        wiregen_stats(&wire, &s);
    }
}

void numbers_of_the_kernel(void)
{
    hello(&(struct hello){.cores = 3});
    status(0, 0);
    for (uint16_t core = 0; core < 3; core++) {
        struct wiregen_stats s = {.core = core,
                                  .flags = core < 2 ? STARTED_FINAL : 0,
                                  .counters = {core < 2 ? 252 : 0},
                                  .has_apic_id = true,
                                  .apic_id = 16u * core};

        if (core < 2)
            busy_core(core, 20);
        s.counters[1] = core < 2 ? 2 : 0;
        wiregen_stats(&wire, &s);
    }
}

static void mark(uint8_t number, const char *name, uint64_t tsc)
{
    wiregen_open(&wire, WIRE_PROGRESS);
    wiregen_field(&wire, WIRE_PROGRESS_COUNTER, number, 1);
    wiregen_field_bytes(&wire, WIRE_PROGRESS_NAME, name, (uint8_t)strlen(name));
    wiregen_field(&wire, WIRE_PROGRESS_MARK, tsc, 8);
    wiregen_close(&wire);
}

void from_boot(void)
{
    hello(&(struct hello){.cores = 2, .features = WIRE_FEATURE_BOOT});
    status(0, 0);
    busy_core(0, 20);
    busy_core(1, 20);
    mark(0, "memory", TSC_HZ / 1000 * 62);
    mark(1, "re\033[31mady", TSC_HZ / 1000 * 240);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL);
}
