/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/code/frame_flow.h"

#include <stdlib.h>

#include "util/cpu/cpu.h"

/* Greatest stack depth. The limit keeps sums from overflowing. */
#define MAX_DEPTH (1 << 24)
#define WORD      8

int frame_part_init(struct frame_part *p, size_t size)
{
    *p = (struct frame_part){.size = size};
    p->states = calloc(size, sizeof *p->states);
    p->flags = calloc(size, sizeof *p->flags);
    return p->states != NULL && p->flags != NULL ? 0 : -1;
}

void frame_part_fini(struct frame_part *p)
{
    free(p->states);
    free(p->flags);
}

int frame_flow_init(struct frame_flow *f, const struct cpu *cpu,
                    const uint8_t *code, size_t size)
{
    *f = (struct frame_flow){.cpu = cpu, .code = code};
    f->queue = calloc(size, sizeof *f->queue);
    f->calls = calloc(size, sizeof *f->calls);
    return frame_part_init(&f->own, size) == 0 && f->queue != NULL &&
                   f->calls != NULL
               ? 0
               : -1;
}

void frame_flow_fini(struct frame_flow *f)
{
    frame_part_fini(&f->own);
    free(f->queue);
    free(f->calls);
}

/* Join (from) into (to). (to) is then true for both paths. Returns whether (to)
 * changed. */
static bool join_state(struct frame_state *to, uint8_t *flags,
                       const struct frame_state *from)
{
    struct frame_state s = *to;

    if ((*flags & FRAME_REACHED) == 0) {
        *flags |= FRAME_REACHED;
        *to = *from;
        return true;
    }
    if (s.depth != from->depth)
        s.depth = FRAME_DEPTH_UNKNOWN;
    if (s.saved != from->saved)
        s.saved = 0;
    if (s.back != from->back)
        s.back = FRAME_BACK_LOST;
    if (s.fp != from->fp || (s.fp == FP_FRAME && s.frame != from->frame))
        s.fp = FP_OTHER;
    s.done = s.done && from->done;
    if (s.depth == to->depth && s.saved == to->saved && s.fp == to->fp &&
        s.back == to->back && s.done == to->done)
        return false;
    *to = s;
    return true;
}

void frame_flow_to(struct frame_flow *f, uint64_t to,
                   const struct frame_state *s)
{
    struct frame_part *c = f->cold;
    uint8_t *flags;

    if (to < f->own.size) {
        flags = &f->own.flags[to];
        if (join_state(&f->own.states[to], flags, s) &&
            (*flags & FRAME_QUEUED) == 0) {
            *flags |= FRAME_QUEUED;
            f->queue[f->queued++] = (uint32_t)to;
        }
    } else if (c != NULL && to - c->from < c->size) {
        (void)join_state(&c->states[to - c->from], &c->flags[to - c->from], s);
    }
}

static void add_depth(struct frame_state *s, int64_t bytes)
{
    if (s->depth == FRAME_DEPTH_UNKNOWN)
        return;
    if (bytes > MAX_DEPTH || bytes < -MAX_DEPTH || s->depth > MAX_DEPTH ||
        s->depth < -MAX_DEPTH)
        s->depth = FRAME_DEPTH_UNKNOWN;
    else
        s->depth += (int32_t)bytes;
    if (s->depth < 0) /* the return address was popped */
        s->depth = FRAME_DEPTH_UNKNOWN;
    /* memory above the top of the stack may be overwritten at any time */
    if (s->depth == FRAME_DEPTH_UNKNOWN || s->depth < s->saved)
        s->saved = 0;
    if (s->depth != FRAME_DEPTH_UNKNOWN && s->depth < s->back)
        s->back = FRAME_BACK_LOST;
}

/* Set FP to SP plus (value). FP is the function's frame if it now points to the
 * caller's saved FP, right below the return address. */
static void set_fp(struct frame_state *s, int64_t value)
{
    bool frame =
        s->fp == FP_CALLER && s->saved != 0 && s->back == s->saved - WORD &&
        s->depth != FRAME_DEPTH_UNKNOWN && s->depth - value == s->saved;

    s->fp = frame ? FP_FRAME : FP_OTHER;
    s->frame = frame ? s->saved : 0;
}

/* FP was saved at (depth). */
static void save_fp(struct frame_state *s, int64_t depth)
{
    if (s->fp == FP_CALLER && s->depth != FRAME_DEPTH_UNKNOWN && depth > 0 &&
        depth <= s->depth)
        s->saved = (int32_t)depth;
}

static void push_fp(struct frame_state *s)
{
    add_depth(s, WORD);
    save_fp(s, s->depth);
}

/* FP was loaded from (depth), or from an unknown place. */
static void restore_fp(struct frame_state *s, int64_t depth)
{
    bool framed = s->fp == FP_FRAME;
    bool restored = framed ? depth == s->frame || depth == FRAME_DEPTH_UNKNOWN
                           : s->saved != 0 && depth == s->saved;

    s->done = s->done || (restored && framed);
    s->fp = restored ? FP_CALLER : FP_OTHER;
    s->saved = 0;
}

static void pop_fp(struct frame_state *s)
{
    restore_fp(s, s->depth);
    add_depth(s, -WORD);
}

/* Set SP to FP plus (value). The depth is known while FP is the function's
 * frame. */
static void set_sp_from_fp(struct frame_state *s, int64_t value)
{
    s->depth = FRAME_DEPTH_UNKNOWN;
    if (s->fp == FP_FRAME && value <= s->frame && value > -MAX_DEPTH)
        s->depth = (int32_t)(s->frame - value);
}

/* The depth of the word that is (distance) above SP. */
static int64_t depth_at(const struct frame_state *s, int64_t distance)
{
    return s->depth != FRAME_DEPTH_UNKNOWN ? s->depth - distance
                                           : FRAME_DEPTH_UNKNOWN;
}

static void store(struct frame_state *s, const struct insn *in)
{
    add_depth(s, -in->value);

    int64_t back = depth_at(s, in->lr_at);

    if ((in->registers & INSN_FP) != 0)
        save_fp(s, depth_at(s, in->fp_at));
    if ((in->registers & INSN_LR) != 0 && s->back == FRAME_BACK_IN_LINK &&
        back > 0 && back <= s->depth)
        s->back = (int32_t)back;
    add_depth(s, -in->after);
}

static void load(struct frame_state *s, const struct insn *in)
{
    add_depth(s, -in->value);
    if ((in->registers & INSN_FP) != 0)
        restore_fp(s, depth_at(s, in->fp_at));
    if ((in->registers & INSN_LR) != 0)
        s->back = s->back > 0 && depth_at(s, in->lr_at) == s->back
                      ? FRAME_BACK_IN_LINK
                      : FRAME_BACK_LOST;
    add_depth(s, -in->after);
}

/* LR has another value than the return address. */
static void lose_link(struct frame_state *s)
{
    if (s->back == FRAME_BACK_IN_LINK)
        s->back = FRAME_BACK_LOST;
}

/* Apply instruction (in) to state (s). */
static void execute(struct frame_state *s, const struct insn *in)
{
    switch (in->kind) {
    case INSN_PUSH:
    case INSN_CALL_NEXT:
        add_depth(s, WORD);
        break;
    case INSN_PUSH_FP:
        push_fp(s);
        break;
    case INSN_PUSH_RETURN: /* the state right after a call */
        s->depth = 0;
        s->saved = 0;
        break;
    case INSN_POP:
        add_depth(s, -WORD);
        break;
    case INSN_POP_FP:
        pop_fp(s);
        break;
    case INSN_ADD_SP:
        add_depth(s, -in->value);
        break;
    case INSN_SP_FROM_FP:
        set_sp_from_fp(s, in->value);
        break;
    case INSN_FP_FROM_SP:
        set_fp(s, in->value);
        break;
    case INSN_LEAVE:
        set_sp_from_fp(s, 0);
        pop_fp(s);
        break;
    case INSN_ENTER:
        push_fp(s);
        set_fp(s, 0);
        add_depth(s, in->value);
        break;
    case INSN_STORE:
        store(s, in);
        break;
    case INSN_LOAD:
        load(s, in);
        break;
    case INSN_SET_LR:
        lose_link(s);
        break;
    case INSN_SET_SP:
        s->depth = FRAME_DEPTH_UNKNOWN;
        s->saved = 0;
        break;
    case INSN_SET_FP:
        s->fp = FP_OTHER;
        break;
    default:
        break;
    }
}

/*
 * Handle the code after a call. A call may never return, and the code after the
 * call may belong to another path. So the call waits in f->calls until all
 * jumps were followed. let_return() then passes the call's state to (next),
 * unless a jump has reached (next).
 */
static void flow_after_call(struct frame_flow *f, size_t call, uint64_t next)
{
    if (next >= f->own.size)
        return;
    if ((f->own.flags[next] & FRAME_RETURNED) != 0) {
        struct frame_state behind = f->own.states[call];

        lose_link(&behind);
        frame_flow_to(f, next, &behind);
    } else if ((f->own.flags[next] & FRAME_REACHED) == 0 &&
               (f->own.flags[call] & FRAME_PENDING) == 0) {
        f->own.flags[call] |= FRAME_PENDING;
        f->calls[f->pending++] = (uint32_t)call;
    }
}

/* Handle a jump through a table. A jump after the frame was removed is a tail
 * call instead. */
static void flow_away(struct frame_flow *f, const struct frame_state *s)
{
    uint8_t flags = f->has_away ? FRAME_REACHED : 0;

    if (s->done)
        return;
    (void)join_state(&f->away, &flags, s);
    f->has_away = true;
}

/* Note facts about the whole function from one instruction, with the states
 * (before) and (behind) it. */
static void note_facts(struct frame_flow *f, const struct insn *in,
                       const struct frame_state *before,
                       const struct frame_state *behind)
{
    if ((in->marks & INSN_CLEARS_FP) != 0 && before->fp == FP_CALLER &&
        before->saved == 0)
        f->outermost = true;
    if ((in->marks & INSN_ENDS_INTERRUPT) != 0)
        f->outermost = f->interrupt = true;
    if ((in->marks & INSN_NEW_STACK) != 0)
        f->new_stack = true;
    if (behind->fp == FP_FRAME)
        f->has_frame = true;
    if (behind->fp == FP_OTHER)
        f->other_fp = true;
    if (in->kind == INSN_CALL)
        f->has_call = true;
    if ((in->marks & INSN_TO_CALLER) != 0)
        *(before->depth == 0 && before->back != FRAME_BACK_LOST
              ? &f->returns_level
              : &f->returns_uneven) = true;
}

static void flag_next(struct frame_flow *f, uint64_t next, uint8_t flag)
{
    if (next < f->own.size)
        f->own.flags[next] |= flag;
}

static void jump_to(struct frame_flow *f, uint64_t to,
                    const struct frame_state *s)
{
    if (to >= f->own.size)
        f->ends = true;
    frame_flow_to(f, to, s);
}

/* Pass on (s), the state after instruction (in) at (at), along the flow of
 * control. (next) is the offset of the instruction that follows. */
static void flow_on(struct frame_flow *f, size_t at, uint64_t next,
                    const struct insn *in, const struct frame_state *s)
{
    switch (in->kind) {
    case INSN_JUMP:
        jump_to(f, next + (uint64_t)in->value, s);
        break;
    case INSN_BRANCH:
        jump_to(f, next + (uint64_t)in->value, s);
        frame_flow_to(f, next, s);
        break;
    case INSN_JUMP_AWAY:
        f->ends = true;
        flow_away(f, s);
        break;
    case INSN_CALL:
        flag_next(f, next, FRAME_CALLED);
        flow_after_call(f, at, next);
        break;
    case INSN_RETURN:
        f->ends = true;
        break;
    case INSN_TRAP:
        break;
    case INSN_HALT:
        flag_next(f, next, FRAME_IDLE);
        frame_flow_to(f, next, s);
        break;
    default:
        frame_flow_to(f, next, s);
        break;
    }
}

/* Pass on the state before the instruction at (at). */
static void visit_insn(struct frame_flow *f, size_t at)
{
    const struct frame_state before = f->own.states[at];
    struct frame_state behind = before;
    struct insn in;
    size_t len = f->cpu->decode(f->code + at, f->own.size - at, &in);

    if (len == 0) {
        f->lost = true;
        return; /* data or an unknown instruction: no state is passed on */
    }
    execute(&behind, &in);
    note_facts(f, &in, &before, &behind);
    flow_on(f, at, at + len, &in, &behind);
}

/* Assume that the call at (at) returns, unless jumps lead to the code after
 * it. */
static void let_return(struct frame_flow *f, size_t at)
{
    struct insn in;
    size_t next = at + f->cpu->decode(f->code + at, f->own.size - at, &in);

    f->own.flags[at] &= (uint8_t)~FRAME_PENDING;
    if ((f->own.flags[next] & FRAME_REACHED) == 0)
        f->own.flags[next] |= FRAME_RETURNED;
    flow_after_call(f, at, next);
}

static void settle_flow(struct frame_flow *f)
{
    while (f->queued != 0 || f->pending != 0) {
        if (f->queued != 0) {
            size_t at = f->queue[--f->queued];

            f->own.flags[at] &= (uint8_t)~FRAME_QUEUED;
            visit_insn(f, at);
        } else {
            let_return(f, f->calls[--f->pending]);
        }
    }
}

/*
 * Give a state to code that no jump leads to. If the function jumps through a
 * table of addresses, such code is reached through the table. Compilers put
 * only instructions between instructions, so each instruction begins at the end
 * of the previous one. Padding up to an aligned address is never executed, so
 * no state is passed on from padding.
 */
static void settle_unreached(struct frame_flow *f)
{
    struct insn in;

    for (size_t at = 0, len; at < f->own.size; at += len) {
        len = f->cpu->decode(f->code + at, f->own.size - at, &in);
        if (len == 0)
            return;
        if ((f->own.flags[at] & FRAME_REACHED) != 0 || in.kind == INSN_NOP)
            continue;
        if (in.kind == INSN_HALT && at + len < f->own.size)
            f->own.flags[at + len] |= FRAME_IDLE;
        if (f->has_away) {
            frame_flow_to(f, at, &f->away);
            settle_flow(f);
        }
    }
}

void frame_flow_run(struct frame_flow *f)
{
    settle_flow(f);
    settle_unreached(f);
}

/* Returns the place of the frame, without regard to the previous
 * instruction. */
static enum code_place frame_place(const struct frame_flow *f, size_t at)
{
    if (!f->has_frame)
        return CODE_NO_FRAME;
    if ((f->own.flags[at] & FRAME_REACHED) == 0)
        return CODE_UNKNOWN;
    switch (f->own.states[at].fp) {
    case FP_FRAME:
        return CODE_BODY;
    case FP_CALLER:
        return f->own.states[at].done ? CODE_EPILOGUE : CODE_PROLOGUE;
    case FP_OTHER:
        break;
    }
    return CODE_UNKNOWN;
}

enum code_place frame_flow_place(const struct frame_flow *f, size_t at)
{
    enum code_place place = frame_place(f, at);

    if ((f->own.flags[at] & FRAME_IDLE) == 0)
        return place;
    return place == CODE_BODY ? CODE_IDLE : CODE_IDLE_BARE;
}

struct code_exit frame_flow_exit(const struct frame_flow *f, size_t at)
{
    const struct frame_state *s = &f->own.states[at];
    struct code_exit out = {.words = CODE_FAR,
                            .called = (f->own.flags[at] & FRAME_CALLED) != 0};

    if ((f->own.flags[at] & FRAME_REACHED) == 0)
        return out;
    out.fp_kept = s->fp == FP_CALLER;
    if (f->cpu->has_link) { /* the only word is the link register */
        out.words = s->back == FRAME_BACK_IN_LINK ? 0 : CODE_FAR;
        return out;
    }
    int words = s->back >= 0 ? (s->depth - s->back) / WORD : -1;

    if (s->depth >= 0 && s->depth % WORD == 0 && words >= 0 &&
        words < (int)CODE_FAR)
        out.words = (unsigned)words;
    return out;
}
