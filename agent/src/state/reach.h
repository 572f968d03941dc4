/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual addresses of a device's registers */
#ifndef TPROF_REACH_H
#define TPROF_REACH_H

#include <stdint.h>

/*
 * Returns the virtual address of (size) bytes of registers at (physical): the
 * result of config.map, or without that hook (physical) itself. 0: the
 * registers cannot be reached. Does not check that memory is mapped there. In
 * tprof_init() only.
 */
uintptr_t tprof_reach(uint64_t physical, uint64_t size);

#endif
