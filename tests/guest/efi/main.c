/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An EFI application that is profiled before and after ExitBootServices(), on
 * all cores: by MP services first, then started by itself. Each phase lasts
 * until each core has been sampled often enough.
 */
#include <efi.h>
#include <tprof/efi.h>

#include "cpu.h"
#include "own.h"
#include "tick.h"
#include "work.h"

#define SAMPLES   500
#define CORES_MAX 8
#define MAP_BYTES 65536

#ifdef __ELF__
#define ENTRY /* gnu-efi's crt0 calls it as C does */
#else
#define ENTRY EFIAPI
#endif

/* gnu-efi has not got these: PI specification 1.7, volume 2, 13.4. */
typedef VOID(EFIAPI *MP_PROCEDURE)(VOID *argument);
struct mp_services {
    EFI_STATUS(EFIAPI *get_number)(struct mp_services *, UINTN *all, UINTN *on);
    VOID *get_info;
    EFI_STATUS(EFIAPI *start_all)
    (struct mp_services *, MP_PROCEDURE, BOOLEAN one_by_one, EFI_EVENT end,
     UINTN timeout_us, VOID *argument, UINTN **failed);
};
static EFI_GUID mp_guid = {0x3fdda605,
                           0xa76e,
                           0x4f46,
                           {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

static EFI_BOOT_SERVICES *boot;
static UINT8 map[MAP_BYTES];
static UINTN cores = 1;

static void must(EFI_STATUS status, const char *what)
{
    if (!EFI_ERROR(status))
        return;
    own_print("efi: failed: ");
    own_print(what);
    own_print("\r\n");
    own_exit(1);
}

static void must_tprof(int error)
{
    must(error == TPROF_OK ? EFI_SUCCESS : EFI_ABORTED, tprof_strerror(error));
}

static UINTN read_map(UINTN *key, UINTN *step)
{
    UINTN size = sizeof map;
    UINT32 version;

    must(boot->GetMemoryMap(&size, (EFI_MEMORY_DESCRIPTOR *)map, key, step,
                            &version),
         "GetMemoryMap");
    return size;
}

/* RAM below 4 GiB: stacks lie in it, and firmware maps all of it. */
static struct tprof_range find_ram(void)
{
    UINTN key, step, size = read_map(&key, &step);
    UINT64 end = 0;

    for (UINTN at = 0; at < size; at += step) {
        const EFI_MEMORY_DESCRIPTOR *d = (const void *)(map + at);
        UINT64 here = d->PhysicalStart + d->NumberOfPages * 4096;

        if (d->Type != EfiReservedMemoryType &&
            d->Type <= EfiConventionalMemory && here > end && here >> 32 == 0)
            end = here;
    }
    return (struct tprof_range){0x100000, end - 0x100000};
}

static uint32_t apic_id(void *context)
{
    (void)context;
    return cpu_cpuid(1, 0).ebx >> 24;
}

/* What begins otherwise than the image at (base) is none, and told so. */
static void refuse_others(const struct tprof_config *config, VOID *base)
{
    static UINT8 headers[4096];
    const UINT32 at_pe = 0x3c;

    boot->CopyMem(headers, base, sizeof headers);
    UINT32 pe = *(const UINT32 *)(headers + at_pe);
    /* "MZ", "PE", PE32+ */
    const UINT32 magics[] = {0, pe, pe + 24};

    for (UINTN i = 0; i < 3; i++) {
        headers[magics[i]] ^= 1;
        must(tprof_init_efi(config, headers) == TPROF_ERR_TEXT ? EFI_SUCCESS
                                                               : EFI_ABORTED,
             "what is no image was taken for one");
        headers[magics[i]] ^= 1;
    }
}

static void start_profiler(EFI_HANDLE handle)
{
    static struct tprof_config config = {.version = TPROF_CONFIG_VERSION};
    EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *image = NULL;
    EFI_PHYSICAL_ADDRESS memory;

    must(boot->HandleProtocol(handle, &guid, (VOID **)&image), "LoadedImage");
    config.cpus = CORES_MAX;
#ifndef __ELF__ /* hooks are called in this compiler's own way, too */
    config.cpu_source = TPROF_CPU_HOOK;
    config.cpu_index = apic_id;
#endif
    config.memory_size = tprof_mem_size(&config);
    must(boot->AllocatePages(AllocateAnyPages, EfiLoaderData,
                             config.memory_size / 4096 + 1, &memory),
         "AllocatePages");
    config.memory = (void *)memory;
    config.readable[0] = find_ram();
    tick_move_firmware();
    refuse_others(&config, image->ImageBase);
    must_tprof(tprof_init_efi(&config, image->ImageBase));
    own_print("efi: base ");
    own_print_hex((UINT64)image->ImageBase);
    own_print("\r\n");
}

/* The calling core joins: its number. */
static uint32_t join(void)
{
    struct tprof_stats stats;
    uint32_t core = 0;

    must_tprof(tprof_start_cpu());
    while (tprof_get_stats(core, &stats) != TPROF_OK ||
           stats.apic_id != apic_id(NULL))
        core = (core + 1) % CORES_MAX;
    return core;
}

/* Does (work) until the calling core is known well, which then leaves. */
static void profile(uint32_t core, void (*work)(void))
{
    struct tprof_stats stats;
    uint64_t enough;

    must_tprof(tprof_get_stats(core, &stats));
    enough = stats.samples + SAMPLES;
    cpu_irq_enable();
    while (stats.samples < enough) {
        work();
        must_tprof(tprof_get_stats(core, &stats));
    }
    cpu_irq_disable();
    must_tprof(tprof_stop_cpu());
}

static void ap(void)
{
    profile(join(), work_ap);
}

static VOID EFIAPI ap_of_firmware(VOID *argument)
{
    (VOID) argument;
    ap();
}

/* This core is number 0; the others have their work from boot services. */
static void phase_boot(void)
{
    struct mp_services *mp = NULL;
    EFI_EVENT end = NULL;
    UINTN on;
    uint32_t core = join();

    must(boot->LocateProtocol(&mp_guid, NULL, (VOID **)&mp), "MP services");
    must(mp->get_number(mp, &cores, &on), "GetNumberOfProcessors");
    must(boot->CreateEvent(0, 0, NULL, NULL, &end), "CreateEvent");
    if (cores > 1)
        must(mp->start_all(mp, ap_of_firmware, FALSE, end, 0, NULL, NULL),
             "StartupAllAPs");
    profile(core, work_boot);
    cpu_irq_enable();
    while (cores > 1 && boot->CheckEvent(end) != EFI_SUCCESS)
        cpu_pause();
}

static void leave_boot_services(EFI_HANDLE handle)
{
    UINTN key, step;

    do
        read_map(&key, &step);
    while (EFI_ERROR(boot->ExitBootServices(handle, key)));
    tick_end();
    own_begin();
}

static void phase_own(uintptr_t page)
{
    uint32_t core = join();

    own_start(page, ap);
    profile(core, work_own);
    own_join((unsigned)cores - 1);
}

EFI_STATUS ENTRY efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *system)
{
    EFI_PHYSICAL_ADDRESS page = 0xfffff;

    boot = system->BootServices;
    system->ConOut->OutputString(system->ConOut, (CHAR16 *)L"efi: hello\r\n");
    start_profiler(handle);
    must(boot->AllocatePages(AllocateMaxAddress, EfiLoaderCode, 1, &page),
         "AllocatePages");
    phase_boot();
    leave_boot_services(handle);
    phase_own(page);
    tprof_flush(4096);
    own_print("efi: done\r\n");
    own_exit(0);
}
