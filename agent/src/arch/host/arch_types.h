/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of a virtual core that arch.h needs */
#ifndef TPROF_ARCH_TYPES_H
#define TPROF_ARCH_TYPES_H

#include <stdint.h>

/* The state of a core is part of the machine: machine.h. */
struct tprof_arch_core {
    uint32_t unused;
};

struct tprof_arch_trap {
    uint64_t pc, sp;
};

/* the same as on x86-64, for the same layout of memory */
#define TPROF_ARCH_SPARE(config)                                               \
    ((config)->nmi                            ? TPROF_ARCH_NMI_SPARE           \
     : (config)->cpu_source == TPROF_CPU_HOOK ? 4096u                          \
                                              : 0u)
#define TPROF_ARCH_NMI_SPARE 16384u
#define TPROF_ARCH_SPARE_MAX TPROF_ARCH_NMI_SPARE
#define TPROF_ARCH_CALL
/* the CPU of the guest that is sampled from outside */
#define TPROF_ARCH_WIRE                                                        \
    (tprof_machine.wire_arch != 0 ? tprof_machine.wire_arch : WIRE_ARCH_X86_64)
#define TPROF_ARCH_SYMBOL(name, value)                                         \
    _Static_assert((value) > 0, "the collector looks for " #name)

#define TPROF_ARCH_WORDS 4u

/* QEMU's microvm */
#define TPROF_ARCH_VIRTIO_START 0xfeb00000u
#define TPROF_ARCH_VIRTIO_END   0xfeb03000u
#define TPROF_ARCH_VIRTIO_STEP  0x200u

#define TPROF_ARCH_IN_REGISTER(value) __asm__("" : "+r"(value))

#endif
