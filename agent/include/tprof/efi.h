/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tprof in an EFI application, and in a kernel that begins as one: where the
 * firmware has put it, what its PE headers say, and firmware's interrupts. It
 * needs no EFI header, and goes before or after one.
 *
 * Made of ELF files with objcopy, an application links libtprof.a; made by
 * clang for x86_64-unknown-windows and lld-link, tprof.lib.
 */
#ifndef TPROF_EFI_H
#define TPROF_EFI_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * As tprof_init(), for the image that the firmware has loaded at (base):
 * ImageBase of EFI_LOADED_IMAGE_PROTOCOL. Its headers say where text is: the
 * section of its entry point; and its build-id: the section of an ELF note, or
 * the GUID in the debug directory.
 *
 * config.memory is needed: pages of type EfiLoaderData stay after
 * ExitBootServices(). config.readable is where stacks lie, the firmware's.
 *
 * Firmware has a handler in every gate. So config.vector is 239 here by
 * default, and config.install_vector takes the gate from whoever has it.
 *
 * Firmware's own timer may be the boot core's local APIC's (OVMF's is), which
 * tprof_start_cpu() takes: events with timers wait from then on, unless its
 * interrupt comes from elsewhere (tests/guest/efi/tick.c does that).
 *
 * ExitBootServices() stops that timer, and a kernel then loads an IDT of its
 * own: both go between tprof_stop_cpu() and tprof_start_cpu() on each core. The
 * collector's session goes on.
 *
 * Returns what tprof_init() does; TPROF_ERR_TEXT: no PE image is there.
 */
int tprof_init_efi(const struct tprof_config *config, const void *base);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
