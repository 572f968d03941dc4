/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/cpu/aarch64/a64.h"

#include "util/bytes.h"

/* The answer to "g": x0 to x30, SP and the PC, 8 bytes each, and 4 bytes of
 * PSTATE. Other stubs than QEMU's add the vector registers. */
#define G_FLAGS   ((size_t)33 * 8)
#define G_QEMU    (G_FLAGS + 4)
#define G_VECTORS (G_QEMU + (size_t)32 * 16 + 8)

/* struct elf_prstatus of Linux: x0 to x30, SP, PC, PSTATE */
#define STATUS_REGISTERS 112u
#define STATUS_SIZE      392u

/* PSTATE */
#define FLAGS_32BIT (1u << 4)
#define FLAGS_I     (1u << 7) /* interrupts are masked */

static void take(const uint8_t *bytes, uint64_t flags,
                 struct cpu_registers *out)
{
    *out = (struct cpu_registers){.cpu = &cpu_aarch64,
                                  .pc = load_u64(bytes + (size_t)8 * A64_PC),
                                  .flags = flags,
                                  .is_wide = (flags & FLAGS_32BIT) == 0};
    for (unsigned i = 0; i < A64_GENERALS; i++)
        out->general[i] = load_u64(bytes + (size_t)8 * i);
}

bool a64_from_stub(const uint8_t *bytes, size_t size, struct cpu_registers *out)
{
    if (size != G_QEMU && size != G_VECTORS)
        return false;
    take(bytes, load_u32(bytes + G_FLAGS), out);
    return true;
}

bool a64_from_status(const uint8_t *bytes, size_t size,
                     struct cpu_registers *out)
{
    if (size != STATUS_SIZE)
        return false;
    bytes += STATUS_REGISTERS;
    take(bytes, load_u64(bytes + G_FLAGS), out);
    return true;
}

/* Registers that users see. */
enum shown {
    SHOWN_PC,
    SHOWN_SP,
    SHOWN_X0,
    SHOWN_PSTATE = SHOWN_X0 + 31,
    SHOWN
};
_Static_assert(SHOWN == A64_SHOWN, "one name each");

const char *const a64_shown_names[A64_SHOWN] = {
    "pc",  "sp",  "x0",  "x1",  "x2",  "x3",  "x4",    "x5",  "x6",
    "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13",   "x14", "x15",
    "x16", "x17", "x18", "x19", "x20", "x21", "x22",   "x23", "x24",
    "x25", "x26", "x27", "x28", "x29", "x30", "pstate"};

uint64_t a64_shown(const struct cpu_registers *r, unsigned i)
{
    if (i == SHOWN_PC)
        return r->pc;
    if (i == SHOWN_PSTATE)
        return r->flags;
    return i == SHOWN_SP ? r->general[A64_SP] : r->general[i - SHOWN_X0];
}

unsigned a64_shown_known(const uint64_t *values)
{
    (void)values;
    return SHOWN;
}

bool a64_interruptible(const uint64_t *values)
{
    return (values[SHOWN_PSTATE] & FLAGS_I) == 0;
}
