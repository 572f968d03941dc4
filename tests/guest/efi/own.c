/* SPDX-License-Identifier: BSD-2-Clause */
#include "own.h"

#include "cpu.h"

#define SYSV         __attribute__((sysv_abi)) /* of what own.S knows */
#define COM1         0x3f8
#define COM1_STATUS  0x3fd
#define COM1_READY   0x20
#define EXIT_PORT    0xf4
#define APIC(reg)    ((volatile uint32_t *)(uintptr_t)(0xfee00000u + (reg)))
#define APIC_SVR     0xf0u
#define APIC_ICR     0x300u
#define ICR_INIT_ALL 0xc4500u /* all but self */
#define ICR_SIPI_ALL 0xc4600u
#define MSR_EFER     0xc0000080u
#define EFER_LMA     0x400u
#define EXCEPTIONS   32u
#define VECTORS      256u
#define STACK_SIZE   16384u
#define CORES_MAX    8u

struct gate {
    uint16_t offset_0, selector;
    uint8_t ist, type;
    uint16_t offset_16;
    uint32_t offset_32, zero;
};

struct table {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

/* What own.S finds at the end of its page; the offsets are its. */
struct start {
    uint64_t cr0, cr3, cr4, efer;
    uint64_t stacks; /* the next core's */
    uint64_t entry;
    struct table gdt;
    uint32_t far_offset;
    uint16_t far_selector;
} __attribute__((packed));
_Static_assert(sizeof(struct start) == 64, "own.S");

extern SYSV void own_fault_entry(void), own_left_over_entry(void);
extern const char own_ap_begin[], own_ap_long[], own_ap_end[];
SYSV void own_fault(const uint64_t *frame);
SYSV void own_ap(void);

static uint64_t gdt[] = {0, 0x00af9b000000ffff, 0x00cf93000000ffff};
static struct gate idt[VECTORS];
static uint8_t stacks[CORES_MAX][STACK_SIZE] __attribute__((aligned(64)));
static void (*ap_work)(void);
static unsigned done;

void own_print(const char *text)
{
    for (; *text; text++) {
        while (!(cpu_in8(COM1_STATUS) & COM1_READY))
            cpu_pause();
        cpu_out8(COM1, (uint8_t)*text);
    }
}

void own_print_hex(uint64_t value)
{
    char digits[17];

    for (int i = 16; i-- > 0; value >>= 4)
        digits[i] = "0123456789abcdef"[value & 15];
    digits[16] = '\0';
    own_print(digits);
}

_Noreturn void own_exit(int status)
{
    for (;;)
        cpu_out32(EXIT_PORT, status == 0 ? 0x10 : 0x11);
}

SYSV void own_fault(const uint64_t *frame)
{
    own_print("efi: fault: ");
    own_print_hex(frame[0]);
    own_print(" ");
    own_print_hex(frame[1]);
    own_print("\r\n");
    own_exit(1);
}

static void load_idt(void)
{
    struct table t = {sizeof idt - 1, (uintptr_t)idt};

    __asm__ volatile("lidt %0" : : "m"(t));
}

static struct table gdt_table(void)
{
    return (struct table){sizeof gdt - 1, (uintptr_t)gdt};
}

static void set_gate(unsigned vector, void SYSV (*entry)(void))
{
    uintptr_t to = (uintptr_t)entry;

    idt[vector] = (struct gate){
        .offset_0 = (uint16_t)to,
        .offset_16 = (uint16_t)(to >> 16),
        .offset_32 = (uint32_t)(to >> 32),
        .selector = 8,
        .type = 0x8e,
    };
}

/* A timer's interrupt may have come while the firmware had interrupts off: the
 * local APIC holds it, and delivers it as soon as they are on. The gates are
 * free again afterwards: the agent chooses its own. */
static void take_left_over(void)
{
    for (unsigned i = EXCEPTIONS; i < VECTORS; i++)
        set_gate(i, own_left_over_entry);
    cpu_irq_enable();
    for (int i = 0; i < 100; i++)
        cpu_pause();
    cpu_irq_disable();
    for (unsigned i = EXCEPTIONS; i < VECTORS; i++)
        idt[i] = (struct gate){0};
}

void own_begin(void)
{
    struct table t = gdt_table();

    cpu_irq_disable();
    cpu_out8(0x21, 0xff);
    cpu_out8(0xa1, 0xff);
    __asm__ volatile("lgdt %0; pushq $8; leaq 1f(%%rip), %%rax; pushq %%rax; "
                     "lretq; 1: movl $16, %%eax; movl %%eax, %%ds; "
                     "movl %%eax, %%es; movl %%eax, %%ss"
                     :
                     : "m"(t)
                     : "rax", "memory");
    for (unsigned i = 0; i < EXCEPTIONS; i++)
        set_gate(i, own_fault_entry);
    load_idt();
    take_left_over();
}

SYSV void own_ap(void)
{
    load_idt();
    *APIC(APIC_SVR) = 0x1ff;
    ap_work();
    __atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
}

/* INIT is to be over before the first SIPI. */
static void wait_ms(unsigned ms)
{
    for (unsigned i = 0; i < ms * 1000; i++)
        cpu_in8(0x80);
}

void own_start(uintptr_t page, void (*work)(void))
{
    volatile char *code = (volatile char *)page;
    struct start *s = (struct start *)(page + 4096 - sizeof *s);
    uintptr_t begin = (uintptr_t)own_ap_begin;

    for (uintptr_t i = 0; i < (uintptr_t)own_ap_end - begin; i++)
        code[i] = own_ap_begin[i];
    __asm__("movq %%cr0, %0" : "=r"(s->cr0));
    __asm__("movq %%cr3, %0" : "=r"(s->cr3));
    __asm__("movq %%cr4, %0" : "=r"(s->cr4));
    s->efer = cpu_rdmsr(MSR_EFER) & ~(uint64_t)EFER_LMA;
    s->gdt = gdt_table();
    s->stacks = (uintptr_t)stacks;
    s->entry = (uintptr_t)own_ap;
    s->far_offset = (uint32_t)(page + (uintptr_t)own_ap_long - begin);
    s->far_selector = 8;
    ap_work = work;
    done = 0;
    *APIC(APIC_ICR) = ICR_INIT_ALL;
    wait_ms(10);
    *APIC(APIC_ICR) = ICR_SIPI_ALL | (uint32_t)(page >> 12);
}

void own_join(unsigned cores)
{
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < cores)
        cpu_pause();
}
