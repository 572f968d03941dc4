/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, kernel/vm.h: what agent/porting/lk.md uses of it. */
#ifndef LK_KERNEL_VM_H
#define LK_KERNEL_VM_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_SIZE                     4096
#define KERNEL_ASPACE_BASE            0xffffff8000000000ul
#define ARCH_MMU_FLAG_UNCACHED_DEVICE 2
#define ROUNDUP(size, unit)           (((size) + (unit)-1) & ~((unit)-1ul))

typedef unsigned uint;
typedef uintptr_t paddr_t;
typedef struct vmm_aspace vmm_aspace_t;

paddr_t vaddr_to_paddr(void *address);
vmm_aspace_t *vmm_get_kernel_aspace(void);
int vmm_alloc_physical(vmm_aspace_t *space, const char *name, size_t size,
                       void **start, uint8_t align_log2, paddr_t physical,
                       unsigned vmm_flags, unsigned arch_mmu_flags);

#endif
