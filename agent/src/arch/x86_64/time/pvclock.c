/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux, Documentation/virt/kvm/x86/msr.rst, MSR_KVM_SYSTEM_TIME_NEW. */
#include "time/pvclock.h"

#define VERSION    0u /* odd while the hypervisor writes; grows */
#define MULTIPLIER 6u
#define SHIFT      7u /* in its low byte, signed */

#define TRIES      8
#define SECOND     1000000000u /* ns */
#define NORMALIZED (1u << 31)  /* set in the multiplier of every hypervisor */
#define SHIFT_MIN  (-9)        /* 10^12 Hz */
#define SHIFT_MAX  31

/* Returns the rate. The page states nanoseconds as (ticks << shift) x
 * multiplier / 2^32. */
static uint64_t hz_of(uint32_t multiplier, int shift)
{
    uint64_t unshifted;

    if (multiplier < NORMALIZED || shift < SHIFT_MIN || shift > SHIFT_MAX)
        return 0;
    unshifted = ((uint64_t)SECOND << 32) / multiplier;
    return shift < 0 ? unshifted << -shift : unshifted >> shift;
}

uint64_t tprof_pvclock_hz(const volatile uint32_t *words)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t version = words[VERSION];
        uint32_t multiplier = words[MULTIPLIER];
        int32_t shift = (int32_t)(words[SHIFT] << 24) >> 24;

        if (!(version & 1) && words[VERSION] == version)
            return hz_of(multiplier, shift);
    }
    return 0;
}
