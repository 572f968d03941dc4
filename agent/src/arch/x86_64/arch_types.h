/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of x86-64 that arch.h needs */
#ifndef TPROF_ARCH_TYPES_H
#define TPROF_ARCH_TYPES_H

#include <stdatomic.h>
#include <stdint.h>

/* A timer that is lent to the kernel: timer_lend.c */
struct tprof_lent {
    uint64_t due;   /* TSC of the next thorough look; 0: look at once */
    uint32_t armed; /* initial count that the agent has written last */
    /* A kernel that waits by the timer's count changes the count. 1 + the count
     * with which the agent has last tried to take the timer back; 0: no such
     * try. */
    uint32_t resting_count;
    _Atomic uint32_t state; /* enum lend_state; read by other cores */
};

struct tprof_arch_core {
    uint64_t saved_tsc_aux; /* the kernel's, while TSC_AUX is the agent's */
    struct tprof_lent lent;
};

/* The words that the CPU pushes when it interrupts 64-bit code */
struct tprof_arch_trap {
    uint64_t rip, cs, rflags, rsp, ss;
};

/* Bytes below each core's stack: the stack of the kernel's cpu_index hook, see
 * isr.S, or stack and slot of the core's NMIs, see nmi.S. NMI and fault
 * handlers may run on the former, as on each core's own stack. */
#define TPROF_ARCH_SPARE(config)                                               \
    ((config)->nmi                            ? TPROF_ARCH_NMI_SPARE           \
     : (config)->cpu_source == TPROF_CPU_HOOK ? 4096u                          \
                                              : 0u)
#define TPROF_ARCH_NMI_SPARE 16384u
#define TPROF_ARCH_SPARE_MAX TPROF_ARCH_NMI_SPARE

/* One calling convention for C and assembly, even if the compiler has another
 * default (EFI applications by clang) */
#define TPROF_ARCH_CALL __attribute__((sysv_abi))

#define TPROF_ARCH_WIRE WIRE_ARCH_X86_64

#define TPROF_ARCH_SYMBOL(name, value)                                         \
    __asm__ volatile(".globl " #name "\n.set " #name ", %c0" ::"i"(value))

#define TPROF_ARCH_WORDS 4u

/* QEMU's microvm */
#define TPROF_ARCH_VIRTIO_START 0xfeb00000u
#define TPROF_ARCH_VIRTIO_END   0xfeb03000u
#define TPROF_ARCH_VIRTIO_STEP  0x200u

#define TPROF_ARCH_IN_REGISTER(value) __asm__("" : "+r"(value))

#endif
