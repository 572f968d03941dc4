/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfaces of KVM to its guests: Linux, Documentation/virt/kvm/x86/cpuid.rst
 * and msr.rst */
#ifndef TPROF_KVM_REGS_H
#define TPROF_KVM_REGS_H

/* CPUID: signature in EBX, ECX, EDX; the features are one leaf further, EAX */
#define KVM_LEAF        0x40000000u
#define KVM_LEAF_STEP   0x100u      /* added if Hyper-V's leaves come first */
#define KVM_SIGNATURE_B 0x4b4d564bu /* "KVMKVMKVM" and three bytes of 0 */
#define KVM_SIGNATURE_C 0x564b4d56u
#define KVM_SIGNATURE_D 0x0000004du
#define KVM_HAS_CLOCK   (1u << 3) /* KVM_MSR_CLOCK */
#define KVM_HAS_STEAL   (1u << 5) /* KVM_MSR_STEAL */

/* Physical address of the calling core's page, and a bit that enables it */
#define KVM_MSR_CLOCK  0x4b564d01u /* rw  32 bytes: pvclock.c */
#define KVM_MSR_STEAL  0x4b564d03u /* rw  64 bytes, aligned to that */
#define KVM_MSR_ENABLE (1u << 0)

/* The page of KVM_MSR_STEAL, in words of 64 bits */
#define KVM_STEAL_NS      0 /* time in which the core was ready, but not run */
#define KVM_STEAL_VERSION 1 /* in the lower half; 0: never written */

/* Guests whose memory the host cannot read: Intel TDX module ("IntelTDX    " in
 * EBX, EDX, ECX), and AMD APM volume 2, "Secure Encrypted Virtualization" */
#define CPUID_TDX       0x21u
#define TDX_B           0x65746e49u
#define TDX_D           0x5844546cu
#define TDX_C           0x20202020u
#define CPUID_EXTENDED  0x80000000u
#define CPUID_SEV       0x8000001fu
#define CPUID_SEV_A_SEV (1u << 1) /* there is MSR_SEV */
#define MSR_SEV         0xc0010131u
#define MSR_SEV_ON      (1u << 0)

#endif
