/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio devices with registers in memory: version 2, and legacy version 1. */
#include <stddef.h>

#include "arch/arch.h"
#include "state/reach.h"
#include "virtio/virtio.h"
#include "virtio/virtio_mmio_line.h"
#include "virtio/virtio_mmio_regs.h"

#define AT(reg) TPROF_VIRTIO_AT(reg, 4)

static const uint16_t mmio_map[VIRTIO_REGS] = {
    [VIRTIO_STATUS] = AT(VIRTIO_MMIO_STATUS),
    [VIRTIO_DEVICE_FEATURES_SEL] = AT(VIRTIO_MMIO_DEVICE_FEATURES_SEL),
    [VIRTIO_DEVICE_FEATURES] = AT(VIRTIO_MMIO_DEVICE_FEATURES),
    [VIRTIO_DRIVER_FEATURES_SEL] = AT(VIRTIO_MMIO_DRIVER_FEATURES_SEL),
    [VIRTIO_DRIVER_FEATURES] = AT(VIRTIO_MMIO_DRIVER_FEATURES),
    [VIRTIO_QUEUE_SEL] = AT(VIRTIO_MMIO_QUEUE_SEL),
    [VIRTIO_QUEUE_SIZE_MAX] = AT(VIRTIO_MMIO_QUEUE_SIZE_MAX),
    [VIRTIO_QUEUE_SIZE] = AT(VIRTIO_MMIO_QUEUE_SIZE),
    [VIRTIO_QUEUE_DESC] = AT(VIRTIO_MMIO_QUEUE_DESC),
    [VIRTIO_QUEUE_DESC_HIGH] = AT(VIRTIO_MMIO_QUEUE_DESC + 4),
    [VIRTIO_QUEUE_AVAIL] = AT(VIRTIO_MMIO_QUEUE_AVAIL),
    [VIRTIO_QUEUE_AVAIL_HIGH] = AT(VIRTIO_MMIO_QUEUE_AVAIL + 4),
    [VIRTIO_QUEUE_USED] = AT(VIRTIO_MMIO_QUEUE_USED),
    [VIRTIO_QUEUE_USED_HIGH] = AT(VIRTIO_MMIO_QUEUE_USED + 4),
    [VIRTIO_QUEUE_READY] = AT(VIRTIO_MMIO_QUEUE_READY),
    /* any register: its value is multiplied by 0 */
    [VIRTIO_QUEUE_NOTIFY_OFF] = AT(VIRTIO_MMIO_MAGIC),
    [VIRTIO_GUEST_PAGE_SIZE] = AT(VIRTIO_MMIO_GUEST_PAGE_SIZE),
    [VIRTIO_QUEUE_ALIGN] = AT(VIRTIO_MMIO_QUEUE_ALIGN),
    [VIRTIO_QUEUE_PFN] = AT(VIRTIO_MMIO_QUEUE_PFN),
};

static uint32_t mmio_read(uintptr_t base, uint32_t reg)
{
    return tprof_arch_read(base + reg, 4);
}

/* Offers the device at (physical) if it has the wanted type. (told): the kernel
 * says that there is a device. */
static bool mmio_offer(struct tprof_virtio_search *s, uint64_t physical,
                       bool told)
{
    struct tprof_virtio *dev = s->dev;
    uintptr_t base = tprof_reach(physical, VIRTIO_MMIO_SIZE);

    if (!base || tprof_arch_faults(base, VIRTIO_MMIO_SIZE, 0)) {
        if (told)
            s->why = TPROF_ERR_DEVICE_UNMAPPED;
        return false;
    }
    if (mmio_read(base, VIRTIO_MMIO_MAGIC) != VIRTIO_MMIO_MAGIC_VALUE ||
        mmio_read(base, VIRTIO_MMIO_DEVICE_TYPE) != s->type)
        return false;
    uint32_t version = mmio_read(base, VIRTIO_MMIO_VERSION);

    if (version != 1 && version != 2)
        return false;
    dev->legacy = version == 1;
    dev->map = mmio_map;
    dev->registers = base;
    dev->physical = physical;
    dev->doorbells = base + VIRTIO_MMIO_QUEUE_NOTIFY;
    dev->doorbell_step = 0;
    dev->doorbell_bytes = 4;
    return tprof_virtio_offer(s);
}

bool tprof_virtio_mmio_find(struct tprof_virtio_search *s, bool scan)
{
    const char *entry = s->where->command_line;

    if (s->where->address != 0)
        return mmio_offer(s, s->where->address, true);
    while (entry != NULL && (entry = tprof_mmio_line_next(entry)) != NULL) {
        uint64_t base = tprof_mmio_line_address(entry);

        scan = false; /* a command line with devices names all of them */
        if (base != 0 && mmio_offer(s, base, true))
            return true;
    }
    for (uint64_t base = TPROF_ARCH_VIRTIO_START;
         scan && base < TPROF_ARCH_VIRTIO_END; base += TPROF_ARCH_VIRTIO_STEP) {
        if (mmio_offer(s, base, false))
            return true;
    }
    return false;
}
