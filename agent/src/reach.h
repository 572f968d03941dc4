/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a device's registers can be touched, given their physical address. */
#ifndef TPROF_REACH_H
#define TPROF_REACH_H

#include <stdint.h>

/*
 * Returns the virtual address of (size) bytes of registers at (physical): what
 * config.map says, or (physical) itself where there is no such hook. 0: they
 * cannot be reached. Whether something is mapped there is not asked.
 * In tprof_init() only.
 */
uintptr_t tprof_reach(uint64_t physical, uint64_t size);

#endif
