/* SPDX-License-Identifier: BSD-2-Clause */
#include "gic.h"

#include "gic_regs.h"
#include "state/reach.h"

struct tprof_gic tprof_gic;

static uint32_t read32(uintptr_t address)
{
    return tprof_arch_read(address, 4);
}

static void write32(uintptr_t address, uint32_t value)
{
    tprof_arch_write(address, 4, value);
}

/* Returns the virtual address of (size) bytes at (physical); 0: not mapped */
static uintptr_t reach(uint64_t physical, uint32_t size)
{
    uintptr_t at = tprof_reach(physical, size);

    return at && !tprof_arch_faults(at, size, false) ? at : 0;
}

int tprof_gic_init(void)
{
    struct tprof_gic *g = &tprof_gic;

    if ((g->version != 2 && g->version != 3) || !g->distributor_at)
        return TPROF_ERR_APIC;
    g->distributor = reach(g->distributor_at, GICD_SIZE);
    g->cpu = g->version == 3 && g->cpu_at
                 ? reach(g->cpu_at, GICR_FRAMES * GICR_FRAME)
                 : 0;
    if (!g->distributor || (g->version == 3 && g->cpu_at && !g->cpu))
        return TPROF_ERR_APIC_UNMAPPED;
    return g->version == 2 || g->cpu ? TPROF_OK : TPROF_ERR_APIC;
}

/* GICv3: returns the second frame of this core's redistributor; 0: there is
 * none. All redistributors lie one after the other. */
static uintptr_t find_redistributor(void)
{
    uint64_t at = tprof_gic.cpu_at;
    uint32_t id = tprof_arch_core_id();

    for (uint32_t i = 0; i < 256; i++) {
        uintptr_t frames = reach(at, GICR_FRAMES * GICR_FRAME);

        if (!frames)
            return 0;
        uint32_t type = read32(frames + GICR_TYPER);

        if (read32(frames + GICR_TYPER + 4) == id)
            return frames + GICR_FRAME;
        if (type & GICR_TYPER_LAST)
            return 0;
        at += (type & GICR_TYPER_VLPIS ? 2 : 1) * GICR_FRAMES * GICR_FRAME;
    }
    return 0;
}

/* Returns the registers of this core's private interrupts, or 0. */
static uintptr_t private_registers(void)
{
    return tprof_gic.version == 2 ? tprof_gic.distributor
                                  : find_redistributor();
}

int tprof_gic_enable(struct tprof_arch_core *core, uint32_t intid)
{
    uint32_t ours = 1u << intid | 1u << tprof_gic.sgi;
    uintptr_t at = private_registers();

    if (!at)
        return TPROF_ERR_APIC;
    if (tprof_gic.version == 2)
        core->gic_target = read32(at + GICD_ITARGETSR0) & 0xff;
    else /* Group 1 arrives as IRQ, as the kernel's own interrupts do */
        write32(at + GIC_IGROUPR0, read32(at + GIC_IGROUPR0) | ours);
    write32(at + GIC_ISENABLER0, ours);
    return TPROF_OK;
}

void tprof_gic_disable(uint32_t intid)
{
    uint32_t ours = 1u << intid | 1u << tprof_gic.sgi;
    uintptr_t at = private_registers();

    if (at)
        write32(at + GIC_ICENABLER0, ours);
}

void tprof_gic_send(uint32_t hardware_id, uint32_t target)
{
    uint64_t id = hardware_id;
    uint64_t sgi = tprof_gic.sgi;

    /* the other core sees what this core has written before */
    __asm__ volatile("dsb ishst" : : : "memory");
    if (tprof_gic.version == 2) {
        write32(tprof_gic.distributor + GICD_SGIR,
                target << GICD_SGIR_TARGET_SHIFT | (uint32_t)sgi);
        return;
    }
    uint64_t command =
        sgi << ICC_SGI_INTID_SHIFT | (id >> 8 & 0xff) << ICC_SGI_AFF1_SHIFT |
        (id >> 16 & 0xff) << ICC_SGI_AFF2_SHIFT |
        (id >> 24) << ICC_SGI_AFF3_SHIFT |
        (id >> 4 & 0xf) << ICC_SGI_RANGE_SHIFT | 1ull << (id & 0xf);

    TPROF_WRITE_REGISTER(S3_0_C12_C11_5, command); /* ICC_SGI1R_EL1 */
    tprof_isb();
}
