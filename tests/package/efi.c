/* SPDX-License-Identifier: BSD-2-Clause */
/* The least that an EFI application does to be profiled; it says what came of
 * it. */
#include <efi.h>
#include <tprof/efi.h>

#include "own.h"

#ifdef __ELF__
#define ENTRY /* gnu-efi's crt0 calls it as C does */
#else
#define ENTRY EFIAPI
#endif

EFI_STATUS ENTRY efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *system)
{
    /* OVMF ticks by that timer, and has nothing to do any more: it ends here */
    static struct tprof_config config = {.version = TPROF_CONFIG_VERSION,
                                         .take_timer = 1};
    EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_BOOT_SERVICES *boot = system->BootServices;
    EFI_LOADED_IMAGE *image;
    EFI_PHYSICAL_ADDRESS memory;

    config.memory_size = tprof_mem_size(&config);
    if (EFI_ERROR(boot->HandleProtocol(handle, &guid, (VOID **)&image)) ||
        EFI_ERROR(boot->AllocatePages(AllocateAnyPages, EfiLoaderData,
                                      config.memory_size / 4096 + 1, &memory)))
        own_exit(1);
    config.memory = (void *)memory;
    config.readable[0] = (struct tprof_range){memory, config.memory_size};
    int error = tprof_init_efi(&config, image->ImageBase);

    if (error == TPROF_OK)
        error = tprof_start_cpu();
    own_print("package: tprof " TPROF_VERSION_STRING ": ");
    own_print(tprof_strerror(error));
    own_print("\r\n");
    own_exit(0);
}
