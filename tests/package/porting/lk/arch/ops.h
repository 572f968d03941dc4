/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, arch/: what agent/porting/lk.md uses of it. */
#ifndef LK_ARCH_OPS_H
#define LK_ARCH_OPS_H

typedef unsigned arch_interrupt_saved_state_t;

unsigned arch_curr_cpu_num(void);
arch_interrupt_saved_state_t arch_interrupt_save(void);
void arch_interrupt_restore(arch_interrupt_saved_state_t state);

#endif
