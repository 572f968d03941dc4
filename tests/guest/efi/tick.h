/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware's own timer, where that is the local APIC's, which the profiler
 * takes: events with timers, and so MP services' that do not block, would wait
 * for ever. Its interrupt then comes from the PC's old timer.
 */
#ifndef EFI_TICK_H
#define EFI_TICK_H

/* On the boot core, before tprof_init_efi(); ends with ExitBootServices. */
void tick_move_firmware(void);
void tick_end(void);

#endif
