/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft, include/uk/plat/io.h: what agent/porting/unikraft.md uses of it. */
#ifndef UK_PLAT_IO_H
#define UK_PLAT_IO_H

unsigned long ukplat_virt_to_phys(const volatile void *address);

#endif
