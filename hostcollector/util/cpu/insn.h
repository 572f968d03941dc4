/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One x86-64 instruction: its length, its effect on the flow of control, and
 * its effect on RSP and RBP. Functions are unknown here.
 */
#ifndef TPROF_UTIL_CPU_INSN_H
#define TPROF_UTIL_CPU_INSN_H

#include <stddef.h>
#include <stdint.h>

enum insn_kind {
    /* leaves RSP and RBP alone; the next instruction follows */
    INSN_OTHER,
    INSN_NOP,          /* does nothing; fills up to an aligned address */
    INSN_PUSH,         /* 8 bytes */
    INSN_PUSH_RBP,     /* push rbp */
    INSN_PUSH_RETURN,  /* push [r10-8]: begins a realigned stack */
    INSN_POP,          /* 8 bytes, not into RBP */
    INSN_POP_RBP,      /* pop rbp */
    INSN_ADD_RSP,      /* rsp += value */
    INSN_RSP_FROM_RBP, /* rsp = rbp + value */
    INSN_RBP_FROM_RSP, /* rbp = rsp + value */
    INSN_LEAVE,        /* rsp = rbp; pop rbp */
    INSN_ENTER,        /* push rbp; rbp = rsp; rsp -= value */
    INSN_SET_RSP,      /* RSP becomes something else */
    INSN_SET_RBP,      /* RBP becomes something else */
    /* value: distance of the target from the end of this instruction. An
     * indirect call has the value 0, as a call to the next instruction
     * would. */
    INSN_CALL,
    INSN_CALL_NEXT, /* call to the next instruction: pushes its address */
    INSN_JUMP,      /* value: distance, as for INSN_CALL */
    INSN_BRANCH,    /* conditional; value: distance, as for INSN_CALL */
    INSN_JUMP_AWAY, /* through a register or memory */
    INSN_RETURN,    /* ret, iret, sysret */
    /* hlt, mwait: sleeps, then the next instruction follows */
    INSN_HALT,
    INSN_TRAP, /* ud2, int3: the next instruction does not follow */
};

struct insn {
    enum insn_kind kind;
    int64_t value;
};

/*
 * Decode the instruction at (code). (len) bytes may be read.
 *
 * Returns:
 * - the length of the instruction, 1 to 15
 * - 0 if the bytes are no instruction, or are too few
 */
size_t insn_decode(const uint8_t *code, size_t len, struct insn *out);

#endif
