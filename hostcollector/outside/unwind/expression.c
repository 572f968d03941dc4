/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions in call frame information: an error empties the cursor. */
#include "outside/unwind/expression.h"

#include "image/dwarf/constants.h"

#define STACK_MAX 64u
#define STEPS_MAX 1024u /* since an expression may jump backwards */

struct machine {
    const struct expression *e;
    struct cursor at;
    uint64_t stack[STACK_MAX];
    unsigned depth;
};

static void push_value(struct machine *m, uint64_t value)
{
    if (m->depth == STACK_MAX)
        (void)cursor_fail(&m->at);
    else
        m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
    if (m->depth == 0)
        return cursor_fail(&m->at);
    return m->stack[--m->depth];
}

/* The value (n) places below the top. */
static uint64_t peek(struct machine *m, unsigned n)
{
    if (n >= m->depth)
        return cursor_fail(&m->at);
    return m->stack[m->depth - 1 - n];
}

/* Operations that push a constant. Returns false for other (op). */
static bool run_constant(struct machine *m, uint8_t op)
{
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
        push_value(m, op - (unsigned)DW_OP_lit0);
    } else if (op >= DW_OP_const1u && op <= DW_OP_const8s) {
        unsigned kind = op - (unsigned)DW_OP_const1u;
        size_t bytes = (size_t)1 << kind / 2;

        push_value(m, kind % 2 != 0 ? (uint64_t)cursor_int(&m->at, bytes)
                                    : cursor_uint(&m->at, bytes));
    } else if (op == DW_OP_constu) {
        push_value(m, cursor_uleb(&m->at));
    } else if (op == DW_OP_consts) {
        push_value(m, (uint64_t)cursor_sleb(&m->at));
    } else if (op == DW_OP_addr) {
        push_value(m, cursor_uint(&m->at, 8) + m->e->slide);
    } else {
        return false;
    }
    return true;
}

static void push_register(struct machine *m, uint64_t number)
{
    uint64_t offset = (uint64_t)cursor_sleb(&m->at);

    if (number >= m->e->registers->count ||
        !unwind_known(m->e->registers, (unsigned)number))
        (void)cursor_fail(&m->at);
    else
        push_value(m, m->e->registers->value[number] + offset);
}

static void dereference(struct machine *m, size_t size)
{
    uint64_t value = 0, address = pop(m);

    if (m->at.bad || !guest_memory_number(m->e->memory, address, size, &value))
        (void)cursor_fail(&m->at);
    push_value(m, value);
}

/* Operations that read registers and memory. Returns false for other (op). */
static bool run_read(struct machine *m, uint8_t op)
{
    if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
        push_register(m, op - (unsigned)DW_OP_breg0);
    else if (op == DW_OP_bregx)
        push_register(m, cursor_uleb(&m->at));
    else if (op == DW_OP_deref)
        dereference(m, 8);
    else if (op == DW_OP_deref_size)
        dereference(m, cursor_u8(&m->at));
    else
        return false;
    return true;
}

static uint64_t shift_signed(uint64_t a, uint64_t b)
{
    uint64_t sign = a >> 63 != 0 ? UINT64_MAX : 0;

    if (b == 0)
        return a;
    return b < 64 ? a >> b | sign << (64 - b) : sign;
}

/* Signed division. The lowest number has no opposite. */
static uint64_t divide(struct machine *m, uint64_t a, uint64_t b)
{
    if (b == 0)
        return cursor_fail(&m->at);
    if (b == UINT64_MAX)
        return 0 - a;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t remainder_of(struct machine *m, uint64_t a, uint64_t b)
{
    return b == 0 ? cursor_fail(&m->at) : a % b;
}

/* Operations on the two top values. Returns false for other (op). */
static bool combine(struct machine *m, uint8_t op, uint64_t a, uint64_t b,
                    uint64_t *out)
{
    switch (op) {
    case DW_OP_and:
        *out = a & b;
        return true;
    case DW_OP_or:
        *out = a | b;
        return true;
    case DW_OP_xor:
        *out = a ^ b;
        return true;
    case DW_OP_plus:
        *out = a + b;
        return true;
    case DW_OP_minus:
        *out = a - b;
        return true;
    case DW_OP_mul:
        *out = a * b;
        return true;
    case DW_OP_div:
        *out = divide(m, a, b);
        return true;
    case DW_OP_mod:
        *out = remainder_of(m, a, b);
        return true;
    case DW_OP_shl:
        *out = b < 64 ? a << b : 0;
        return true;
    case DW_OP_shr:
        *out = b < 64 ? a >> b : 0;
        return true;
    case DW_OP_shra:
        *out = shift_signed(a, b);
        return true;
    default:
        return false;
    }
}

/* Comparisons of the two top values. Returns false for other (op). */
static bool compare(uint8_t op, int64_t a, int64_t b, uint64_t *out)
{
    switch (op) {
    case DW_OP_eq:
        *out = a == b;
        return true;
    case DW_OP_ne:
        *out = a != b;
        return true;
    case DW_OP_ge:
        *out = a >= b;
        return true;
    case DW_OP_gt:
        *out = a > b;
        return true;
    case DW_OP_le:
        *out = a <= b;
        return true;
    case DW_OP_lt:
        *out = a < b;
        return true;
    default:
        return false;
    }
}

static bool run_two(struct machine *m, uint8_t op)
{
    uint64_t a, b, value = 0;

    if (m->depth < 2)
        return false;
    b = m->stack[m->depth - 1];
    a = m->stack[m->depth - 2];
    if (!combine(m, op, a, b, &value) &&
        !compare(op, (int64_t)a, (int64_t)b, &value))
        return false;
    m->depth -= 2;
    push_value(m, value);
    return true;
}

/* Operations on the top value. Returns false for other (op). */
static bool run_one(struct machine *m, uint8_t op)
{
    uint64_t value;

    switch (op) {
    case DW_OP_abs:
        value = pop(m);
        push_value(m, value >> 63 != 0 ? 0 - value : value);
        return true;
    case DW_OP_neg:
        push_value(m, 0 - pop(m));
        return true;
    case DW_OP_not:
        push_value(m, ~pop(m));
        return true;
    case DW_OP_plus_uconst:
        value = pop(m);
        push_value(m, value + cursor_uleb(&m->at));
        return true;
    default:
        return false;
    }
}

/* Rotate: the second value becomes the first, and the first the third. */
static void rotate(struct machine *m)
{
    uint64_t a = pop(m), b = pop(m), c = pop(m);

    push_value(m, a);
    push_value(m, c);
    push_value(m, b);
}

/* Operations that move values. Returns false for other (op). */
static bool run_stack(struct machine *m, uint8_t op)
{
    uint64_t a, b;

    switch (op) {
    case DW_OP_nop:
        return true;
    case DW_OP_dup:
        push_value(m, peek(m, 0));
        return true;
    case DW_OP_drop:
        (void)pop(m);
        return true;
    case DW_OP_over:
        push_value(m, peek(m, 1));
        return true;
    case DW_OP_pick:
        push_value(m, peek(m, cursor_u8(&m->at)));
        return true;
    case DW_OP_swap:
        a = pop(m);
        b = pop(m);
        push_value(m, a);
        push_value(m, b);
        return true;
    case DW_OP_rot:
        rotate(m);
        return true;
    default:
        return false;
    }
}

/* Jump by (by) bytes from here. */
static void jump(struct machine *m, int64_t by)
{
    int64_t at = m->at.at - m->e->bytes.at;

    if (m->at.bad || at + by < 0 || by > m->at.end - m->at.at)
        (void)cursor_fail(&m->at);
    else
        m->at.at += by;
}

static void step(struct machine *m)
{
    uint8_t op = cursor_u8(&m->at);

    if (op == DW_OP_skip || op == DW_OP_bra) {
        int64_t by = cursor_int(&m->at, 2);

        if (op == DW_OP_skip || pop(m) != 0)
            jump(m, by);
        return;
    }
    if (!run_constant(m, op) && !run_read(m, op) && !run_two(m, op) &&
        !run_one(m, op) && !run_stack(m, op))
        (void)cursor_fail(&m->at);
}

bool expression_value(const struct expression *e, uint64_t *out)
{
    struct machine m = {.e = e, .at = e->bytes};

    if (e->first != NULL)
        push_value(&m, *e->first);
    for (unsigned n = 0; m.at.at < m.at.end; n++) {
        if (n == STEPS_MAX)
            return false;
        step(&m);
    }
    *out = pop(&m);
    return !m.at.bad;
}
