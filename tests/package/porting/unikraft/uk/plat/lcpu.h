/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft, include/uk/plat/lcpu.h: what agent/porting/unikraft.md uses of it.
 */
#ifndef UK_PLAT_LCPU_H
#define UK_PLAT_LCPU_H

unsigned ukplat_lcpu_count(void);

#endif
