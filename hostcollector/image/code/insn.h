/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One x86-64 instruction: how long it is, where control goes, and what it does
 * to RSP and RBP. Pure; knows nothing about functions.
 */
#ifndef TPROF_IMAGE_CODE_INSN_H
#define TPROF_IMAGE_CODE_INSN_H

#include <stddef.h>
#include <stdint.h>

enum insn_kind {
    INSN_OTHER,        /* touches neither RSP nor RBP, and the next follows */
    INSN_NOP,          /* does nothing; what fills up to an aligned address */
    INSN_PUSH,         /* 8 bytes */
    INSN_PUSH_RBP,     /* push rbp */
    INSN_PUSH_RETURN,  /* push [r10-8], with which a realigned stack begins */
    INSN_POP,          /* 8 bytes, not into RBP */
    INSN_POP_RBP,      /* pop rbp */
    INSN_ADD_RSP,      /* rsp += value */
    INSN_RSP_FROM_RBP, /* rsp = rbp + value */
    INSN_RBP_FROM_RSP, /* rbp = rsp + value */
    INSN_LEAVE,        /* rsp = rbp; pop rbp */
    INSN_ENTER,        /* push rbp; rbp = rsp; rsp -= value */
    INSN_SET_RSP,      /* RSP becomes something else */
    INSN_SET_RBP,      /* RBP becomes something else */
    INSN_CALL,         /* value: to the end of this instruction relative; 0 is
                          the next one, and also for an indirect call */
    INSN_CALL_NEXT,    /* call to the next instruction: pushes its address */
    INSN_JUMP,         /* value: relative as above */
    INSN_BRANCH,       /* conditional, likewise */
    INSN_JUMP_AWAY,    /* through a register or memory */
    INSN_RETURN,       /* ret, iret, sysret */
    INSN_HALT,         /* hlt, mwait: sleeps, then the next follows */
    INSN_TRAP,         /* ud2, int3: the next does not follow */
};

struct insn {
    enum insn_kind kind;
    int64_t value;
};

/*
 * Decode the instruction at (code), of which (len) bytes may be read.
 *
 * Returns its length, 1 to 15; 0 if it is none or does not fit.
 */
size_t insn_decode(const uint8_t *code, size_t len, struct insn *out);

#endif
