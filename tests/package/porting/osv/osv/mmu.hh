/* SPDX-License-Identifier: BSD-2-Clause */
// OSv, include/osv/mmu.hh and mmu-defs.hh: what agent/porting/osv.md uses of them.
#ifndef MMU_HH
#define MMU_HH

#include <cstdint>

namespace mmu {

typedef unsigned long phys;

enum class mem_area { main, page, mempool };

constexpr mem_area identity_mapped_areas[] = {mem_area::main, mem_area::page,
                                              mem_area::mempool};

constexpr uintptr_t get_mem_area_base(mem_area area)
{
    return uintptr_t(area);
}

phys virt_to_phys(void *virt);
void *phys_to_virt(phys pa);

}

#endif
