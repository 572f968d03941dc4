/* SPDX-License-Identifier: BSD-2-Clause */
// OSv, include/osv/mempool.hh: what agent/porting/osv.md uses of it.
#ifndef MEMPOOL_HH
#define MEMPOOL_HH

#include <cstddef>

namespace memory {

extern size_t phys_mem_size;

}

#endif
