/* SPDX-License-Identifier: BSD-2-Clause */
// OSv, include/osv/mmu.hh: what PORTING.md uses of it.
#ifndef MMU_HH
#define MMU_HH

namespace mmu {

typedef unsigned long phys;

phys virt_to_phys(void *virt);

}

#endif
