/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the instruction right before a sample that explains why the sample
 * stands there: it switched interrupts on, or it takes long.
 */
#ifndef TPROF_IMAGE_CODE_HOLDUP_H
#define TPROF_IMAGE_CODE_HOLDUP_H

#include <stdint.h>

struct image;

/* A recording keeps these numbers. */
enum code_holdup {
    HOLDUP_NONE,
    /* Interrupts were off before. An interrupt that follows sti comes one
     * instruction later. */
    HOLDUP_STI,
    HOLDUP_POPF,
    /* The instruction takes long, in an emulator or as an exit to the host. */
    HOLDUP_IN,
    HOLDUP_OUT,
    HOLDUP_CPUID,
    HOLDUP_RDTSC, /* rdtscp, too */
    HOLDUP_RDMSR,
    HOLDUP_WRMSR,
    HOLDUPS
};

/* The instruction before link-time address (address) of (img). HOLDUP_NONE also
 * if the code or the function is unknown. */
enum code_holdup holdup_before(const struct image *img, uint64_t address);

/* Name of the instruction: "sti". "" for HOLDUP_NONE. */
const char *holdup_name(enum code_holdup holdup);

#endif
