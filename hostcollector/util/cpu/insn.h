/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kinds of instructions that matter for frames, for the flow of control and
 * for interrupts, whatever the CPU. SP is the stack pointer, FP the frame
 * pointer of the calling convention, LR the link register of a CPU whose calls
 * leave the return address in a register.
 */
#ifndef TPROF_UTIL_CPU_INSN_H
#define TPROF_UTIL_CPU_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_kind {
    /* leaves SP and FP alone; the next instruction follows */
    INSN_OTHER,
    INSN_NOP,         /* does nothing; fills up to an aligned address */
    INSN_PUSH,        /* 8 bytes */
    INSN_PUSH_FP,     /* 8 bytes, the FP */
    INSN_PUSH_RETURN, /* pushes the return address again: realigned stack */
    INSN_POP,         /* 8 bytes, not into FP */
    INSN_POP_FP,      /* 8 bytes, into FP */
    INSN_ADD_SP,      /* SP += value */
    INSN_SP_FROM_FP,  /* SP = FP + value */
    INSN_FP_FROM_SP,  /* FP = SP + value */
    INSN_LEAVE,       /* SP = FP; pop FP */
    INSN_ENTER,       /* push FP; FP = SP; SP -= value */
    INSN_STORE,       /* SP += value; store (registers); SP += after */
    INSN_LOAD,        /* SP += value; load (registers); SP += after */
    INSN_SET_SP,      /* SP becomes something else */
    INSN_SET_FP,      /* FP becomes something else */
    INSN_SET_LR,      /* LR becomes something else */
    /* value: distance of the target from the end of this instruction. An
     * indirect call has the value 0, as a call to the next instruction
     * would. */
    INSN_CALL,
    INSN_CALL_NEXT, /* call to the next instruction: pushes its address */
    INSN_JUMP,      /* value: distance, as for INSN_CALL */
    INSN_BRANCH,    /* conditional; value: distance, as for INSN_CALL */
    INSN_JUMP_AWAY, /* through a register or memory */
    INSN_RETURN,    /* also from an interrupt */
    /* sleeps until an interrupt or event, then the next instruction follows */
    INSN_HALT,
    INSN_TRAP, /* the next instruction does not follow */
};

/* (registers) of INSN_STORE and INSN_LOAD. */
#define INSN_FP 1u
#define INSN_LR 2u

/* (marks) of any kind. */
#define INSN_CLEARS_FP      1u /* FP = 0: the outermost frame */
#define INSN_ENDS_INTERRUPT 2u /* returns to the interrupted code */
#define INSN_NEW_STACK      4u /* SP moves to another stack */
#define INSN_TO_CALLER      8u /* returns to the caller */

struct insn {
    enum insn_kind kind;
    uint8_t registers, marks;
    /* INSN_STORE, INSN_LOAD: distance of the words from SP, and (after) */
    int16_t fp_at, lr_at, after;
    int64_t value;
};

/* Instructions before a sample that explain the sample's place. The numbers are
 * stored in recordings. */
enum code_holdup {
    HOLDUP_NONE,
    /* Interrupts were off before. After sti, an interrupt comes one instruction
     * later. */
    HOLDUP_STI,
    HOLDUP_POPF,
    /* The instruction takes long, in an emulator or as an exit to the host. */
    HOLDUP_IN,
    HOLDUP_OUT,
    HOLDUP_CPUID,
    HOLDUP_RDTSC, /* also rdtscp */
    HOLDUP_RDMSR,
    HOLDUP_WRMSR,
    /* No instruction before the sample: the address is a function's first
     * instruction, and a jump leads there (holdup_loops_to()). */
    HOLDUP_JUMP,
    /* aarch64: interrupts were off before. */
    HOLDUP_DAIFCLR, /* msr daifclr */
    HOLDUP_DAIF,    /* msr daif, from a register */
    HOLDUPS
};

/* Were interrupts off before (holdup)? */
static inline bool holdup_is_gate(enum code_holdup holdup)
{
    return holdup == HOLDUP_STI || holdup == HOLDUP_POPF ||
           holdup == HOLDUP_DAIFCLR || holdup == HOLDUP_DAIF;
}

/* Does an interrupt come only after the next instruction? */
static inline bool holdup_is_late(enum code_holdup holdup)
{
    return holdup == HOLDUP_STI;
}

/* Does (holdup) itself take long? */
static inline bool holdup_is_slow(enum code_holdup holdup)
{
    return holdup >= HOLDUP_IN && holdup <= HOLDUP_WRMSR;
}

/* Name of the instruction: "sti". "" for HOLDUP_NONE and HOLDUP_JUMP. */
const char *holdup_name(enum code_holdup holdup);

#endif
