/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One table of operations for each CPU that guests may have. Everything that
 * names a register or an instruction is in the folder of its CPU.
 *
 * Registers have the numbers that DWARF gives them, and the program counter has
 * the number (pc). The bytes of code and memory are not trusted.
 */
#ifndef TPROF_UTIL_CPU_CPU_H
#define TPROF_UTIL_CPU_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cpu/guest_memory.h"
#include "util/cpu/insn.h"

/* Limits over all CPUs. */
#define CPU_GENERALS 32u /* general registers, with the stack pointer */
#define CPU_NUMBERS  33u /* and the program counter */
#define CPU_CALL_MAX 9u  /* bytes of the longest call, with prefixes */
#define CPU_STUB_MAX                                                           \
    808u /* bytes of registers that a debugger's stub sends                    \
          */
#define CPU_SYSTEMS   5u
#define CPU_SHOWN_MAX 36u /* registers that users see */

struct cpu;

/* Registers of a stopped core. */
struct cpu_registers {
    const struct cpu *cpu; /* that has these registers */
    uint64_t general[CPU_GENERALS];
    uint64_t pc, flags;
    uint64_t system[CPU_SYSTEMS]; /* numbered by the CPU; 0: not known */
    /* the core runs 64-bit code; otherwise its addresses are of little use */
    bool is_wide;
    /* (system) suffices to translate virtual addresses */
    bool can_translate;
};

/* Code that an interrupt has stopped. */
struct cpu_interrupted {
    uint64_t pc, sp;
};

/* A way to read physical memory. Returns the number of bytes before the first
 * unreadable byte; -1: the read failed, and (context) has the reason. */
typedef long cpu_read_physical(void *context, uint64_t address, void *to,
                               size_t size);

struct cpu {
    const char *name; /* "x86-64" */
    uint8_t wire;     /* WIRE_ARCH_* */
    uint16_t elf;     /* e_machine */
    uint16_t pe;      /* Machine of PE images; 0: they are refused */
    const char *qemu; /* as QEMU and uname name it: "x86_64" */

    /* QEMU's -kernel boots any ELF file. Otherwise it wants a header. */
    bool boots_elf;
    /* Symbols $x and $d mark where instructions and data begin. */
    bool has_marks;
    /* Compilers may keep values below the stack pointer, where interrupts on
     * the same stack overwrite them, and can be told not to. */
    bool has_red_zone;
    const char *fp_name, *sp_name; /* for users: "RBP" */
    /* Assembly that sets a frame up, and that removes the frame. */
    const char *begin_frame, *end_frame;
    /* Advice that gives a function a frame: in assembly, in any language. */
    const char *frame_advice, *any_frame_advice;

    /* --- Instructions --------------------------------------------------- */

    unsigned align;              /* of instructions, in bytes */
    unsigned call_min, call_max; /* bytes of a call */

    /*
     * Decode the instruction at (code). (len) bytes may be read.
     *
     * Returns:
     * - the length of the instruction, 1 to 15
     * - 0 if the bytes are no instruction, or are too few
     */
    size_t (*decode)(const uint8_t *code, size_t len, struct insn *out);

    /* Does a direct call of (function) start anywhere in the (size) bytes at
     * (code), which are loaded at (address)? May be true by mistake. */
    bool (*has_call)(const uint8_t *code, size_t size, uint64_t address,
                     uint64_t function);

    /* Each reference to a function from code is a distance from the end of four
     * bytes, or four bytes of the address. */
    bool refers_by_words;

    /* The (size) bytes at (code) as an instruction that explains a sample. */
    enum code_holdup (*holdup)(const uint8_t *code, size_t size);
    /* May such an instruction end at (end), or one instruction before? At least
     * CPU_HOLDUP_SPAN bytes are before (end). The answer is fast. A true answer
     * may be wrong. */
#define CPU_HOLDUP_SPAN 16u
    bool (*may_hold_up)(const uint8_t *end);

    /* Do the CPU_SLEEP_SPAN bytes before (end) end in instructions that sleep,
     * which no other code would have? */
#define CPU_SLEEP_SPAN 4u
    bool (*sleeps)(const uint8_t *end);
    /* Do the (CPU_SLEEP_SPAN) bytes before (end) end in an instruction that
     * sleeps until an interrupt is handled? */
    bool (*is_halt)(const uint8_t *end);

    /* --- Calls ---------------------------------------------------------- */

    unsigned generals;    /* registers 0 to below */
    unsigned sp, fp, pc;  /* numbers */
    unsigned back;        /* the return address's number in unwind tables */
    bool has_link;        /* calls leave the return address in (back) */
    unsigned call_pushes; /* bytes that a call pushes */
    uint64_t kept;        /* registers that functions restore, as bits */

    /* The address without the signature that the CPU may have put into a return
     * address. */
    uint64_t (*strip)(uint64_t address);

    /*
     * Find the frame that the CPU pushed at (address) in (memory) when it
     * interrupted code, or up to (below) words above. (is_code), called with
     * (context), tells whether code is at an address. Returns false if no words
     * there look like a frame, or if several do. NULL: the CPU pushes nothing.
     */
    bool (*find_interrupted)(const struct guest_memory *memory,
                             uint64_t address, unsigned below,
                             bool (*is_code)(const void *context, uint64_t pc),
                             const void *context, struct cpu_interrupted *out);
    /* Words that an interrupt's entry may have pushed below the frame before
     * any other work; and the limit if their number is not known. */
    unsigned pushed_below, pushed_below_max;
    unsigned pushed_span; /* bytes of the frame with (pushed_below) words */

    /* --- Registers ------------------------------------------------------ */

    /* Read the (size) bytes at (bytes), the registers of a debugger's stub.
     * Returns false if they are not those of this CPU. */
    bool (*from_stub)(const uint8_t *bytes, size_t size,
                      struct cpu_registers *out);
    /* Read (size) bytes of a note NT_PRSTATUS. Returns false if they are too
     * few. */
    bool (*from_status)(const uint8_t *bytes, size_t size,
                        struct cpu_registers *out);
    /* Read (size) bytes of QEMU's own note into (out), which from_status() has
     * filled. NULL: QEMU writes no such note. */
    void (*from_qemu_note)(const uint8_t *bytes, size_t size,
                           struct cpu_registers *out);

    /* Registers in the order in which users see them: the first (shown_least)
     * are always known. shown() returns number (i). */
    const char *const *shown_names;
    unsigned shown_count;
    uint64_t (*shown)(const struct cpu_registers *r, unsigned i);
    /* How many of the values, from the first on, are known? */
    unsigned (*shown_known)(const uint64_t *values);
    /* Are interrupts on, by the values that users see? */
    bool (*interruptible)(const uint64_t *values);

    /* --- Memory --------------------------------------------------------- */

    /* Read up to (size) bytes at virtual (address) by the page tables of (r),
     * which can_translate. Returns as (physical). NULL: never called. */
    long (*read_virtual)(const struct cpu_registers *r,
                         cpu_read_physical *physical, void *context,
                         uint64_t address, void *to, size_t size);
};

/* CPUs that images may be for, for messages. */
#define CPU_NAMES    "x86-64 and aarch64"
#define CPU_NAMES_PE "x86-64"

extern const struct cpu cpu_x86_64, cpu_aarch64;

/* The CPU that an ELF file is for; NULL: none of the table. */
const struct cpu *cpu_of_elf(uint16_t machine);

/* The CPU that a PE image is for; NULL: none of the table. */
const struct cpu *cpu_of_pe(uint16_t machine);

/* The CPU that the wire names; NULL: none of the table. */
const struct cpu *cpu_of_wire(uint64_t number);

/* CPU number (i) of the table; NULL after the last. */
const struct cpu *cpu_at(size_t i);

/* Do the (n) bytes at (code) end in a call instruction? Stores the distance
 * from its end to the called address in (*distance); 0: the instruction does
 * not contain the address. */
bool cpu_ends_in_call(const struct cpu *cpu, const uint8_t *code, size_t n,
                      int64_t *distance);

#endif
