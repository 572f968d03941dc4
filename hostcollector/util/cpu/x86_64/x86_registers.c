/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/cpu/x86_64/x86_registers.h"

#include "util/bytes.h"
#include "util/cpu/x86_64/x86_paging.h"

/* Layout of the answer to "g": sixteen general registers in the order of the
 * instruction set, RIP, EFLAGS, six segments of four bytes. QEMU adds three
 * bases and the control registers, which other stubs omit. */
#define G_PC      ((size_t)16 * 8)
#define G_FLAGS   ((size_t)17 * 8)
#define G_CS      (G_FLAGS + 4)
#define G_LEAST   (G_FLAGS + 28)
#define G_CONTROL (G_LEAST + 24) /* cr0 cr2 cr3 cr4 cr8 efer */
#define CR3       16u
#define CR4       24u
#define EFER      40u
#define G_QEMU    608u

/* struct elf_prstatus of Linux */
#define STATUS_REGISTERS 112u /* u64 each, in the order of (status_places) */
#define STATUS_PC        16u  /* index of the program counter */
#define STATUS_CS        17u
#define STATUS_FLAGS     18u
#define STATUS_SIZE      336u

/* QEMUCPUState of QEMU's target/i386/arch_dump.c */
#define QEMU_VERSION  0u /* u32 1 */
#define QEMU_CS_FLAGS 160u
#define QEMU_CS_LONG  (1u << 21) /* flag of the segment's descriptor */
#define QEMU_CR0      392u       /* u64 each */
#define QEMU_CR3      416u
#define QEMU_CR4      424u
#define QEMU_SIZE     432u /* bytes of the note that are read */

/* Order in the stub's answer. */
static const uint8_t stub_order[X86_GENERALS] = {
    X86_RAX,    X86_RBX,    X86_RCX,    X86_RDX,    X86_RSI,    X86_RDI,
    X86_RBP,    X86_RSP,    X86_R8,     X86_R8 + 1, X86_R8 + 2, X86_R8 + 3,
    X86_R8 + 4, X86_R8 + 5, X86_R8 + 6, X86_R15};

/* Index into a note's registers for each register. */
static const uint8_t status_places[X86_GENERALS] = {
    10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0};

bool x86_from_stub(const uint8_t *bytes, size_t size, struct cpu_registers *out)
{
    if (size < G_LEAST)
        return false;
    *out = (struct cpu_registers){.cpu = &cpu_x86_64, .is_wide = true};
    for (unsigned i = 0; i < X86_GENERALS; i++)
        out->general[stub_order[i]] = load_u64(bytes + (size_t)8 * i);
    out->pc = load_u64(bytes + G_PC);
    out->flags = load_u32(bytes + G_FLAGS);
    out->system[X86_CS] = load_u16(bytes + G_CS);
    if (size == G_QEMU) {
        out->system[X86_CR0] = load_u64(bytes + G_CONTROL);
        out->system[X86_CR3] = load_u64(bytes + G_CONTROL + CR3);
        out->system[X86_CR4] = load_u64(bytes + G_CONTROL + CR4);
        out->system[X86_EFER] = load_u64(bytes + G_CONTROL + EFER);
        out->is_wide = (out->system[X86_EFER] & PAGING_EFER_LMA) != 0;
        out->can_translate = true;
    }
    return true;
}

static uint64_t status_word(const uint8_t *bytes, unsigned i)
{
    return load_u64(bytes + STATUS_REGISTERS + 8 * (size_t)i);
}

bool x86_from_status(const uint8_t *bytes, size_t size,
                     struct cpu_registers *out)
{
    if (size != STATUS_SIZE)
        return false;
    *out = (struct cpu_registers){.cpu = &cpu_x86_64,
                                  .pc = status_word(bytes, STATUS_PC),
                                  .flags = status_word(bytes, STATUS_FLAGS),
                                  .is_wide = true};
    out->system[X86_CS] = (uint16_t)status_word(bytes, STATUS_CS);
    for (size_t i = 0; i < X86_GENERALS; i++)
        out->general[i] = status_word(bytes, status_places[i]);
    return true;
}

void x86_from_qemu_note(const uint8_t *bytes, size_t size,
                        struct cpu_registers *out)
{
    if (size < QEMU_SIZE || load_u32(bytes + QEMU_VERSION) != 1)
        return;
    out->can_translate = true;
    out->is_wide = (load_u32(bytes + QEMU_CS_FLAGS) & QEMU_CS_LONG) != 0;
    out->system[X86_CR0] = load_u64(bytes + QEMU_CR0);
    out->system[X86_CR3] = load_u64(bytes + QEMU_CR3);
    out->system[X86_CR4] = load_u64(bytes + QEMU_CR4);
}

/* Registers that users see. */
enum shown {
    SHOWN_RIP,
    SHOWN_RSP,
    SHOWN_RBP,
    SHOWN_RAX,
    SHOWN_RBX,
    SHOWN_RCX,
    SHOWN_RDX,
    SHOWN_RSI,
    SHOWN_RDI,
    SHOWN_R8,
    SHOWN_R15 = SHOWN_R8 + 7,
    SHOWN_RFLAGS,
    SHOWN_CS,
    /* The registers from here on are 0 if a debugger's stub does not give them,
     * or if a dump is not QEMU's. No dump gives EFER. */
    SHOWN_CR0,
    SHOWN_CR3,
    SHOWN_CR4,
    SHOWN_EFER,
    SHOWN,
};
_Static_assert(SHOWN == X86_SHOWN, "one name each");

#define FLAGS_IF 0x200u /* interrupts are on */

const char *const x86_shown_names[X86_SHOWN] = {
    "rip", "rsp",    "rbp", "rax", "rbx", "rcx", "rdx", "rsi",
    "rdi", "r8",     "r9",  "r10", "r11", "r12", "r13", "r14",
    "r15", "rflags", "cs",  "cr0", "cr3", "cr4", "efer"};

uint64_t x86_shown(const struct cpu_registers *r, unsigned i)
{
    static const uint8_t generals[SHOWN_R8] = {
        [SHOWN_RSP] = X86_RSP, [SHOWN_RBP] = X86_RBP, [SHOWN_RAX] = X86_RAX,
        [SHOWN_RBX] = X86_RBX, [SHOWN_RCX] = X86_RCX, [SHOWN_RDX] = X86_RDX,
        [SHOWN_RSI] = X86_RSI, [SHOWN_RDI] = X86_RDI};

    if (i == SHOWN_RIP)
        return r->pc;
    if (i == SHOWN_RFLAGS)
        return r->flags;
    if (i >= SHOWN_CS)
        return r->system[X86_CS + (i - SHOWN_CS)];
    return r->general[i < SHOWN_R8 ? generals[i] : X86_R8 + (i - SHOWN_R8)];
}

/* In 64-bit code paging is on, so CR0 and EFER are not 0. */
unsigned x86_shown_known(const uint64_t *values)
{
    if (values[SHOWN_CR0] == 0)
        return SHOWN_CR0;
    return values[SHOWN_EFER] != 0 ? SHOWN : SHOWN_EFER;
}

bool x86_interruptible(const uint64_t *values)
{
    return (values[SHOWN_RFLAGS] & FLAGS_IF) != 0;
}
