/* SPDX-License-Identifier: BSD-2-Clause */
// OSv, include/osv/mmio.hh: what agent/porting/osv.md uses of it.
#ifndef MMIO_HH
#define MMIO_HH

#include <cstddef>

typedef volatile void *mmioaddr_t;

mmioaddr_t mmio_map(unsigned long paddr, size_t size_bytes, const char *name);

#endif
