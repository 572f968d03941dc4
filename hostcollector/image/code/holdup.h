/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the instruction directly before a sample that explains the place of the
 * sample: it has switched interrupts on, or it takes long.
 */
#ifndef TPROF_IMAGE_CODE_HOLDUP_H
#define TPROF_IMAGE_CODE_HOLDUP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/cpu/insn.h"

struct image;

/* Returns the instruction before link-time address (address) of (img), in the
 * same function. HOLDUP_NONE also if the code or the function is unknown, or if
 * the function is larger than HOLDUP_FUNCTION_MAX bytes. */
#define HOLDUP_FUNCTION_MAX (1u << 20)
enum code_holdup holdup_before(const struct image *img, uint64_t address);

/* Is (address) the first instruction of a function, and does the function jump
 * there, as a loop does? */
bool holdup_loops_to(const struct image *img, uint64_t address);

#endif
