/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tprof in an EFI application, and in a kernel that begins as one.
 *
 * This header needs no EFI header, and may come before or after one.
 *
 * An application made of ELF files with objcopy links libtprof.a. An
 * application made by clang for x86_64-unknown-windows and lld-link links
 * tprof.lib.
 */
#ifndef TPROF_EFI_H
#define TPROF_EFI_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * Prepares the agent as tprof_init() does, for the image that the firmware has
 * loaded at (base): ImageBase of EFI_LOADED_IMAGE_PROTOCOL. The agent reads two
 * things in the headers of that PE image. Text is the section that contains the
 * entry point. The build-id is an ELF note in some section, or else the GUID in
 * the debug directory.
 *
 * Two fields must be set, and two have other defaults here:
 *   config.memory: pages of type EfiLoaderData, which remain after
 *     ExitBootServices()
 *   config.readable: the memory of stacks, also of the firmware's
 *   config.vector: 0 means 239, because the firmware has a handler in every
 *     gate
 *   config.install_vector: NULL takes that gate away from its handler
 *
 * The firmware may drive its timer events by the boot core's local APIC timer,
 * as OVMF does. Then this function returns TPROF_ERR_TIMER_TAKEN. An
 * application can move these events to another interrupt first, as
 * tests/guest/efi/tick.c does. With config.take_timer the agent takes the
 * timer, and the events stop.
 *
 * Call ExitBootServices() between tprof_stop_cpu() and tprof_start_cpu(),
 * because it stops the timer. A kernel then also loads its own IDT between
 * these two calls, on each core. The collector's session goes on.
 *
 * Returns the result of tprof_init_image(). TPROF_ERR_TEXT also means that
 * there is no PE image at (base).
 */
int tprof_init_efi(const struct tprof_config *config, const void *base);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
