/* SPDX-License-Identifier: BSD-2-Clause */
#include "lacking.h"

#include "cpu.h"
#include "guest.h"
#include "mem.h"

#define FIRST_VECTOR  32u
#define LAST_VECTOR   239u
#define GATE_SIZE     16u
#define GATE_TYPE     5u
#define MSR_TSC_AUX   0xc0000103u
#define VIRTIO_STATUS 0x70u
#define PAGE_FAULT    14

#define PCI_ADDRESS 0xcf8u
#define PCI_DATA    0xcfcu
#define PCI_BAR0    0x10u
#define BARS        6u
#define BAR_PAGES   4u /* of a virtio device's */

uint32_t lapic_reg_read(uint32_t reg)
{
    return *(volatile uint32_t *)(LAPIC + reg);
}

void lapic_reg_write(uint32_t reg, uint32_t val)
{
    *(volatile uint32_t *)(LAPIC + reg) = val;
}

struct idt idt_get(void)
{
    struct idt idt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    return idt;
}

void idt_set(const struct idt *idt)
{
    __asm__ volatile("lidt %0" : : "m"(*idt));
}

IDT_ENTRY(taken_entry, taken_handler);

void taken_handler(const struct idt_frame *frame)
{
    (void)frame;
    guest_fail("an interrupt that nobody wanted");
}

void idt_take(uint8_t vector, bool taken)
{
    if (taken)
        idt_set_gate(vector, taken_entry);
    else
        memset((void *)(idt_get().base + GATE_SIZE * vector), 0, GATE_SIZE);
}

void idt_take_all(bool taken)
{
    for (unsigned v = FIRST_VECTOR; v <= LAST_VECTOR; v++)
        idt_take((uint8_t)v, taken);
}

/* "virtio_mmio.device=512@0xfeb00e00:12" */
static uintptr_t find_device(void)
{
    const char *text = opt_line();
    uintptr_t address = 0;

    while (*text != '@' && *text != '\0')
        text++;
    if (*text == '\0')
        return 0;
    for (text += 3; *text != ':'; text++)
        address = address << 4 |
                  (uintptr_t)(*text >= 'a' ? *text - 'a' + 10 : *text - '0');
    return address;
}

/* How much of (idt) there is to look at. */
static size_t gates_size(const struct idt *idt)
{
    size_t size = idt->limit != 0 ? idt->limit + 1ul : 0;
    size_t most = sizeof((struct state *)NULL)->gates;

    return size < most ? size : most;
}

bool state_has_apic = true, state_has_device = true;

struct state state_get(void)
{
    static const uint16_t registers[] = {0x320,          0x3e0, 0x380,
                                         LAPIC_SPURIOUS, 0x350, 0x280};
    struct state s = {.idt = idt_get(), .device = find_device()};

    memcpy(s.gates, (const void *)s.idt.base, gates_size(&s.idt));
    s.apic_base = cpu_rdmsr(CPU_MSR_APIC_BASE);
    for (unsigned i = 0; state_has_apic && i < 6; i++)
        s.apic[i] = lapic_reg_read(registers[i]);
    s.tsc_aux = cpu_rdmsr(MSR_TSC_AUX);
    __asm__ volatile("pushfq; popq %0" : "=r"(s.flags));
    s.flags &= 1u << 9; /* interrupts */
    if (s.device && state_has_device)
        s.status = *(volatile uint32_t *)(s.device + VIRTIO_STATUS);
    return s;
}

static void must_be(bool same, const char *part, const char *what)
{
    if (same)
        return;
    con_printf("doctor: %s has changed: %s\n", part, what);
    guest_exit(1);
}

void state_check(const struct state *want, const char *what)
{
    static struct state now;
    struct idt idt = idt_get();

    must_be(idt.limit == want->idt.limit && idt.base == want->idt.base, "IDTR",
            what);
    must_be(memcmp((const void *)idt.base, want->gates, gates_size(&idt)) == 0,
            "the IDT", what);
    now = state_get();
    must_be(!state_has_apic ||
                memcmp(now.apic, want->apic, sizeof now.apic) == 0,
            "the APIC", what);
    must_be(now.apic_base == want->apic_base && now.tsc_aux == want->tsc_aux,
            "an MSR", what);
    must_be(now.flags == want->flags, "RFLAGS", what);
    must_be(now.status == 0, "the device", what);
}

/* fault_at() reads here, and the handler returns 1 from it. */
__asm__(".pushsection .text\n"
        ".globl fault_at\n"
        "fault_at:\n"
        "movl $0, %eax\n"
        "fault_read:\n"
        "testl %eax, (%rdi)\n"
        "ret\n"
        "fault_entry:\n"
        "pushq %rax\n"
        "leaq fault_read(%rip), %rax\n"
        "cmpq %rax, 16(%rsp)\n" /* behind RAX and the error code */
        "jne fault_kernels\n"
        "addq $2, 16(%rsp)\n" /* past the instruction */
        "popq %rax\n"
        "addq $8, %rsp\n"
        "movl $1, %eax\n"
        "iretq\n"
        "fault_kernels:\n"
        "popq %rax\n"
        "addq $8, %rsp\n"
        "jmp fault_unexpected\n"
        ".popsection");
void fault_entry(void);
IDT_ENTRY(fault_unexpected, on_unexpected);

void on_unexpected(const struct idt_frame *frame)
{
    con_printf("doctor: rip 0x%lx cr2 0x%lx\n", frame->rip, cpu_cr2());
    guest_fail("a fault of the profiler's reached the kernel");
}

void fault_init(void)
{
    idt_set_gate(PAGE_FAULT, fault_entry);
}

static uint32_t pci_read(uint32_t function, uint32_t offset)
{
    cpu_out32(PCI_ADDRESS, 1u << 31 | function << 8 | offset);
    return cpu_in32(PCI_DATA);
}

static uintptr_t bars[BARS];

void pci_unmap_bars(uint32_t function)
{
    for (uint32_t i = 0; i < BARS; i++) {
        uint32_t bar = pci_read(function, PCI_BAR0 + 4 * i);

        if (bar & 1 || bar < 1u << 20)
            continue; /* ports; or none, or the upper half of one */
        bars[i] = bar & ~0xfffu;
        for (uintptr_t n = 0; n < BAR_PAGES; n++)
            page_unmap(bars[i] + n * 4096);
    }
}

void pci_map_bars(void)
{
    for (uint32_t i = 0; i < BARS; i++) {
        for (uintptr_t n = 0; bars[i] && n < BAR_PAGES; n++)
            page_map(bars[i] + n * 4096);
    }
}
