/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of aarch64 that arch.h needs */
#ifndef TPROF_ARCH_TYPES_H
#define TPROF_ARCH_TYPES_H

#include <stdint.h>

#include "tprof/aarch64.h"

struct tprof_arch_core {
    uint32_t gic_target; /* GICv2: this core's bit in GICD_SGIR */
};

/* The interrupted code, as the kernel has saved it */
struct tprof_arch_trap {
    struct tprof_interrupted at;
};

/* The hook cpu_index runs on the kernel's stack. */
#define TPROF_ARCH_SPARE(config) ((void)(config), 0u)
#define TPROF_ARCH_SPARE_MAX     0u

#define TPROF_ARCH_CALL

#define TPROF_ARCH_WIRE WIRE_ARCH_AARCH64

#define TPROF_ARCH_SYMBOL(name, value)                                         \
    __asm__ volatile(".globl " #name "\n.set " #name ", %c0" ::"i"(value))

/* A function that has no frame keeps its caller in x30. */
#define TPROF_ARCH_WORDS 1u

/* QEMU's virt */
#define TPROF_ARCH_VIRTIO_START 0x0a000000u
#define TPROF_ARCH_VIRTIO_END   0x0a004000u
#define TPROF_ARCH_VIRTIO_STEP  0x200u

#define TPROF_ARCH_IN_REGISTER(value) __asm__("" : "+r"(value))

#endif
