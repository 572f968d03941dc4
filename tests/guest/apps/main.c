/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that runs applications as compilers make them, in the way of those
 * that do so: every gate of its IDT is taken, its interrupts have a stack of
 * their own by the TSS (IST), since applications have a red zone, and with
 * ring=3 the application has not even the kernel's rights.
 *
 * ring=3   the application runs there, with a GS that is not the kernel's
 * smap=1   ... and what is its own cannot be read by the kernel (-cpu max)
 * ist=0    the profiler's gate has no stack: in ring 0 the red zone breaks
 * rounds=N how much work
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "mem.h"
#include "must.h"

#define VECTOR       0xe0
#define GATE_SIZE    16
#define GATE_IST     4
#define GATE_TYPE    5
#define GATE_USER    0xee /* present, callable from ring 3 */
#define GATE_CALL    0x80
#define TSS_SELECTOR 0x30
#define CR4_SMAP     (1u << 21)
#define PAGE_USER    0x4u
#define STACK_SIZE   16384
#define FLUSH_FRAMES 4096

/* app.S, ring3.S */
extern const char app_end[], ring3_end[];
uint64_t app_main(uint64_t rounds);
uint64_t ring3_call(uint64_t (*function)(uint64_t), uint64_t argument,
                    void *stack_end, uint64_t *back);
void ring3_start(void);
void ring3_back(void);
void ring3_unexpected(void);

struct tss {
    uint32_t reserved_0;
    uint32_t rsp[3][2]; /* low, high: not aligned to 8 */
    uint32_t reserved_1[2];
    uint32_t ist[7][2];
    uint32_t reserved_2[2];
    uint16_t reserved_3, io_map;
};
_Static_assert(sizeof(struct tss) == 104, "as the CPU reads it");

/* What a core needs to leave the interrupted stack. */
static struct core {
    _Alignas(16) char interrupt_stack[STACK_SIZE];
    _Alignas(16) char kernel_stack[STACK_SIZE]; /* what comes from ring 3 */
    uint64_t back;
    uint64_t gdt[8];
    struct tss tss;
} cores[GUEST_CORES_MAX];

static _Alignas(4096) char app_stacks[GUEST_CORES_MAX][STACK_SIZE];

static uint64_t ring, rounds;
static atomic_ulong broken;

struct descriptor {
    uint16_t pad[3];
    uint16_t limit;
    uint64_t base;
};

static void set_address(uint32_t field[2], const void *address)
{
    field[0] = (uint32_t)(uintptr_t)address;
    field[1] = (uint32_t)((uintptr_t)address >> 32);
}

/* This core's GDT and TSS; selectors as in boot.S, and behind them ours. */
static void load_tss(struct core *c)
{
    uint64_t base = (uintptr_t)&c->tss;
    const uint64_t gdt[8] = {
        0,
        0x00af9a000000ffff, /* 0x08  code */
        0x00cf92000000ffff, /* 0x10  data */
        0x00cf9a000000ffff, /* 0x18  32-bit code */
        0x00cff2000000ffff, /* 0x20  ring 3's data */
        0x00affa000000ffff, /* 0x28  and code */
        (sizeof c->tss - 1) | (base & 0xffffff) << 16 | 0x890000000000 |
            (base >> 24 & 0xff) << 56,
        base >> 32,
    };
    struct descriptor d = {.limit = sizeof gdt - 1};

    memcpy(c->gdt, gdt, sizeof gdt);
    d.base = (uintptr_t)c->gdt;
    c->tss.io_map = sizeof c->tss;
    set_address(c->tss.rsp[0], &c->back);
    set_address(c->tss.ist[0], c->interrupt_stack + STACK_SIZE);
    __asm__ volatile("lgdt (%0)" : : "r"(&d.limit), "m"(d));
    __asm__ volatile("ltr %w0" : : "r"(TSS_SELECTOR));
}

static uint8_t *gate(uint32_t vector)
{
    struct descriptor d;

    __asm__ volatile("sidt (%0)" : : "r"(&d.limit) : "memory");
    __asm__ volatile("" : "=m"(d) : "m"(d));
    return (uint8_t *)(uintptr_t)d.base + (uintptr_t)vector * GATE_SIZE;
}

/* Of agent/porting/gate.md; it gives the gate the stack of IST 1. */
int gate_with_stack(void *context, uint32_t vector, void (*entry)(void));

static int install_vector(void *context, uint32_t vector, void (*entry)(void))
{
    int error = gate_with_stack(context, vector, entry);

    if (opt_u64("ist", 1) == 0)
        gate(vector)[GATE_IST] = 0;
    return error;
}

/* Let ring 3 use the pages of [start, end). */
static void give_pages(const volatile void *start, const volatile void *end)
{
    uint64_t *pml4, *pdpt;
    uint64_t cr3;

    __asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
    pml4 = (uint64_t *)(uintptr_t)(cr3 & ~0xfffull);
    pdpt = (uint64_t *)(uintptr_t)(pml4[0] & ~0xfffull);
    pml4[0] |= PAGE_USER;
    pdpt[0] |= PAGE_USER;
    for (uintptr_t at = (uintptr_t)start & ~0xfffull; at < (uintptr_t)end;
         at += 4096) {
        uint64_t *pd = (uint64_t *)(uintptr_t)(pdpt[0] & ~0xfffull);

        page_map(at); /* cuts its block of 2 MiB into pages */
        pd[at >> 21] |= PAGE_USER;
        uint64_t *table = (uint64_t *)(uintptr_t)(pd[at >> 21] & ~0xfffull);

        table[at >> 12 & 0x1ff] |= PAGE_USER;
        __asm__ volatile("invlpg (%0)" : : "r"(at) : "memory");
    }
}

static void set_smap(void)
{
    uint64_t cr4;

    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | CR4_SMAP) : "memory");
}

static uint64_t run_in_ring3(struct core *c, void *stack_end)
{
    uint64_t gs = cpu_rdmsr(CPU_MSR_GS_BASE);

    /* as between two swapgs: the application's, and here nothing is */
    cpu_wrmsr(CPU_MSR_GS_BASE, 0x7fff00000000);
    uint64_t result = ring3_call(app_main, rounds, stack_end, &c->back);

    cpu_wrmsr(CPU_MSR_GS_BASE, gs);
    return result;
}

static void work(void)
{
    unsigned index = core_index();
    struct core *c = &cores[index];

    load_tss(c);
    if (ring == 3 && opt_u64("smap", 0))
        set_smap();
    must(tprof_start_cpu());
    cpu_irq_enable();
    atomic_fetch_add(&broken,
                     ring == 3 ? run_in_ring3(c, app_stacks[index] + STACK_SIZE)
                               : app_main(rounds));
    cpu_irq_enable();
    must(tprof_stop_cpu());
}

/* The stacks of ring 3 are readable only where SMAP does not forbid it. */
static void set_readable(struct tprof_config *config)
{
    uint64_t start = (uintptr_t)__tprof_image_start;
    uint64_t end = (uintptr_t)__tprof_image_end;
    uint64_t stacks = (uintptr_t)app_stacks;

    config->readable[0] = (struct tprof_range){start, stacks - start};
    config->readable[1] = (struct tprof_range){
        stacks + sizeof app_stacks, end - stacks - sizeof app_stacks};
}

int guest_main(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 0),
        .transport = &tprof_uart,
    };

    ring = opt_u64("ring", 0);
    rounds = opt_u64("rounds", 3000);
    for (unsigned i = 32; i < 255; i++)
        idt_set_gate((uint8_t)i, ring3_unexpected);
    idt_set_gate(GATE_CALL, ring3_back);
    gate(GATE_CALL)[GATE_TYPE] = GATE_USER;
    if (opt_u64("smap", 0))
        set_readable(&config);
    if (tprof_init(&config) != TPROF_ERR_VECTOR)
        guest_fail("every gate is taken, and tprof_init() found a free one");
    config.vector = VECTOR;
    config.install_vector = install_vector;
    must(tprof_init(&config));
    if (ring == 3) {
        give_pages((const void *)(uintptr_t)app_main, app_end);
        give_pages((const void *)(uintptr_t)ring3_start, ring3_end);
        give_pages(app_stacks, app_stacks + GUEST_CORES_MAX);
    }
    core_run_all(work);
    tprof_flush(FLUSH_FRAMES);
    uint64_t deadlines = 0;

    for (unsigned i = 0; i < core_count(); i++) {
        struct tprof_stats stats;

        must(tprof_get_stats(i, &stats));
        deadlines += stats.ticks + stats.missed;
    }
    con_printf("apps: %lu deadlines, %lu broken\n", deadlines,
               atomic_load(&broken));
    return 0;
}
