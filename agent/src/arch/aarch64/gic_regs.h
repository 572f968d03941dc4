/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GIC registers: Arm GICv2 architecture specification (IHI 0048), chapter 4;
 * GICv3 (IHI 0069), chapter 12. Private interrupts of a core, INTID 0 to 31,
 * have the same registers in GICv2's distributor and in the second frame of
 * GICv3's redistributor.
 */
#ifndef TPROF_GIC_REGS_H
#define TPROF_GIC_REGS_H

#define GICD_SIZE  0x1000u /* all that the agent uses */
#define GICD_TYPER 0x004u  /* r */
#define GICD_ITARGETSR0                                                        \
    0x800u /* r   GICv2: the reading core's bit, four times */
#define GICD_SGIR              0xf00u /* w   GICv2 */
#define GICD_SGIR_TARGET_SHIFT 16

#define GIC_IGROUPR0   0x080u /* rw  bit 1: Group 1 */
#define GIC_ISENABLER0 0x100u /* rw  writing 1 enables */
#define GIC_ICENABLER0 0x180u /* rw  writing 1 disables */
#define GIC_ICPENDR0   0x280u /* rw  writing 1 ends a pending interrupt */

#define GICR_TYPER       0x0008u   /* r   64 bits; the upper half: affinities */
#define GICR_TYPER_VLPIS (1u << 1) /* four frames instead of two */
#define GICR_TYPER_LAST  (1u << 4)
#define GICR_FRAME       0x10000u
#define GICR_FRAMES      2u

/* ICC_SGI1R_EL1: Arm ARM, chapter D19 */
#define ICC_SGI_INTID_SHIFT 24
#define ICC_SGI_AFF1_SHIFT  16
#define ICC_SGI_AFF2_SHIFT  32
#define ICC_SGI_AFF3_SHIFT  48
#define ICC_SGI_RANGE_SHIFT 44 /* Aff0 / 16 */

#endif
