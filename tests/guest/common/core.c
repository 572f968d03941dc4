/* SPDX-License-Identifier: BSD-2-Clause */
/* The cores: counting, starting and telling them apart. */
#include <stdatomic.h>

#include "cpu.h"
#include "guest.h"
#include "kit.h"
#include "mem.h"

/* QEMU's fw_cfg, the one place that tells on every machine how many CPUs. Under
 * Xen, which has none, the options cpus=N and apic_step=N tell: ids of cores
 * are 2 apart there. */
#define FW_CFG_SELECT    0x510 /* w  u16 */
#define FW_CFG_DATA      0x511 /* r  u8, the next byte */
#define FW_CFG_SIGNATURE 0x0000
#define FW_CFG_NB_CPUS   0x0005

#define ICR_INIT    0x00004500u
#define ICR_STARTUP 0x00004600u
#define TRAMPOLINE  0x8000u /* page number is the start-up IPI's vector */
#define APIC_ID_MAX 254u

/*
 * A core of a busy host may take its time, and one that is taken for absent
 * but answers later would share the next one's stack; ids without a core are
 * rare. The first is for the first of two start-up IPIs.
 */
#define ANSWER_SOON_TSC 100000000u
#define ANSWER_EVER_TSC 10000000000u

static struct core {
    uint32_t index; /* at gs:0 */
    uint32_t apic_id;
} cores[GUEST_CORES_MAX];

static _Alignas(16) char stacks[GUEST_CORES_MAX - 1][65536];
static unsigned count;
static atomic_uint started = 1;
static atomic_uint welcomed = 1; /* of (started): no start-up IPI will follow */
static void (*others_entry)(void);
static void (*all_work)(void);
static atomic_uint working;

static uint16_t fw_cfg_u16(uint16_t key)
{
    cpu_out16(FW_CFG_SELECT, key);
    uint16_t lo = cpu_in8(FW_CFG_DATA);

    return (uint16_t)(lo | cpu_in8(FW_CFG_DATA) << 8);
}

static unsigned ask_core_count(void)
{
    if (fw_cfg_u16(FW_CFG_SIGNATURE) != ('Q' | 'E' << 8))
        return (unsigned)opt_u64("cpus", 1);
    unsigned found = fw_cfg_u16(FW_CFG_NB_CPUS);

    return found < GUEST_CORES_MAX ? found : GUEST_CORES_MAX;
}

unsigned core_count(void)
{
    return count;
}

uint32_t core_apic_id(unsigned index)
{
    return cores[index].apic_id;
}

void core_init(unsigned index)
{
    struct core *core = &cores[index];

    if (index == 0)
        count = ask_core_count();
    lapic_init();
    core->index = index;
    core->apic_id = lapic_id();
    cpu_wrmsr(CPU_MSR_GS_BASE, (uintptr_t)core);
}

static void other_boot(void)
{
    /* acquire: pairs with the release below; others_entry is set */
    unsigned index = atomic_load_explicit(&started, memory_order_acquire);

    core_init(index);
    idt_load();
    /* release: pairs with the acquire in answered(); boot_stack is free */
    atomic_fetch_add_explicit(&started, 1, memory_order_release);
    while (atomic_load_explicit(&welcomed, memory_order_acquire) <= index)
        cpu_pause();
    others_entry();
}

/* Does the core that is to be number (index) come up? */
static bool answered(unsigned index, uint64_t within_tsc)
{
    uint64_t start = cpu_rdtsc();

    do {
        if (atomic_load_explicit(&started, memory_order_acquire) > index)
            return true;
        cpu_pause();
    } while (cpu_rdtsc() - start < within_tsc);
    return false;
}

/*
 * One at a time, so that they are numbered in the order of their ids.
 *
 * The second IPI may find a core that was only slow. The CPU ignores it, but
 * QEMU (7.2, TCG) forgets an interrupt that it has just noticed until something
 * else makes it look: so nobody enables interrupts before (welcomed).
 */
static bool start_one(uint32_t apic_id, unsigned index)
{
    boot_stack = (uintptr_t)stacks[index - 1] + sizeof stacks[0];
    lapic_command(apic_id, ICR_INIT);
    lapic_command(apic_id, ICR_STARTUP | TRAMPOLINE >> 12);
    if (!answered(index, ANSWER_SOON_TSC)) {
        lapic_command(apic_id, ICR_STARTUP | TRAMPOLINE >> 12);
        if (!answered(index, ANSWER_EVER_TSC))
            return false;
    }
    atomic_store_explicit(&welcomed, index + 1, memory_order_release);
    return true;
}

void core_start_others(void (*entry)(void))
{
    unsigned next = 1;

    memcpy((void *)(GUEST_DIRECT_MAP + (uintptr_t)TRAMPOLINE), boot_trampoline,
           (size_t)(boot_trampoline_end - boot_trampoline));
    others_entry = entry;
    boot_entry = other_boot;
    uint32_t step = (uint32_t)opt_u64("apic_step", 1);

    for (uint32_t id = 0; id < APIC_ID_MAX && next < count; id += step) {
        if (id != core_apic_id(0) && start_one(id, next))
            next++;
    }
    if (next < count)
        guest_fail("a core does not start");
}

static unsigned reset_index;
static atomic_uint is_back, may_go_on;

static void other_boot_again(void)
{
    core_init(reset_index);
    idt_load();
    atomic_store_explicit(&is_back, 1, memory_order_release);
    while (!atomic_load_explicit(&may_go_on, memory_order_acquire))
        cpu_pause();
    others_entry();
}

static bool came_back(uint64_t within_tsc)
{
    uint64_t start = cpu_rdtsc();

    while (!atomic_load_explicit(&is_back, memory_order_acquire)) {
        if (cpu_rdtsc() - start > within_tsc)
            return false;
        cpu_pause();
    }
    return true;
}

void core_reset(unsigned index)
{
    uint32_t apic_id = core_apic_id(index);

    reset_index = index;
    is_back = may_go_on = 0;
    boot_stack = (uintptr_t)stacks[index - 1] + sizeof stacks[0];
    boot_entry = other_boot_again;
    lapic_command(apic_id, ICR_INIT);
    lapic_command(apic_id, ICR_STARTUP | TRAMPOLINE >> 12);
    if (!came_back(ANSWER_SOON_TSC)) {
        lapic_command(apic_id, ICR_STARTUP | TRAMPOLINE >> 12);
        if (!came_back(ANSWER_EVER_TSC))
            guest_fail("a core that was reset does not start");
    }
    atomic_store_explicit(&may_go_on, 1, memory_order_release);
}

static void work_and_count(void)
{
    all_work();
    atomic_fetch_sub(&working, 1);
}

void core_run_all(void (*work)(void))
{
    all_work = work;
    working = count;
    core_start_others(work_and_count);
    work_and_count();
    while (atomic_load(&working))
        cpu_pause();
}
