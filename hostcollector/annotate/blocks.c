/* SPDX-License-Identifier: BSD-2-Clause */
#include "annotate/blocks.h"

#include <stdlib.h>

#include "util/cpu/cpu.h"

/* Flags of one byte of the function. */
enum byte_flag {
    BYTE_BEGINS = 1, /* an instruction begins here */
    BYTE_LEADS = 2,  /* a block begins here if an instruction does */
};

struct finder {
    struct blocks *out;
    const struct cpu *cpu;
    const uint8_t *code;
    size_t size;
    /* enum byte_flag by offset, for one byte more than the function has */
    uint8_t *bytes;
};

/* Returns true if control may continue elsewhere than after (in). */
static bool ends_block(const struct insn *in)
{
    switch (in->kind) {
    case INSN_JUMP:
    case INSN_BRANCH:
    case INSN_JUMP_AWAY:
    case INSN_RETURN:
    case INSN_TRAP:
        return true;
    default:
        return false;
    }
}

/* Returns the offset of the direct target of (in); (end) is the offset after
 * (in). Returns (size) if the target is outside of the function. */
static size_t target_of(const struct finder *f, const struct insn *in,
                        size_t end)
{
    uint64_t to = (uint64_t)end + (uint64_t)in->value; /* may wrap: too far */
    bool leads = in->kind == INSN_JUMP || in->kind == INSN_BRANCH ||
                 (in->kind == INSN_CALL && in->value != 0);

    return leads && to < f->size ? (size_t)to : f->size;
}

/* Split the function into instructions. A byte that is no instruction becomes
 * an entry of its own. */
static void find_insns(struct finder *f)
{
    struct blocks *b = f->out;

    f->bytes[0] |= BYTE_LEADS;
    for (size_t at = 0; at < f->size;) {
        struct insn in = {.kind = INSN_TRAP};
        size_t size = f->cpu->decode(f->code + at, f->size - at, &in);
        struct block_insn *insn = &b->insns[b->insn_count++];

        insn->offset = (uint32_t)at;
        insn->bad = size == 0;
        insn->size = (uint8_t)(size != 0 ? size : 1);
        b->jumps_away += size != 0 && in.kind == INSN_JUMP_AWAY;
        f->bytes[at] |= BYTE_BEGINS;
        at += insn->size;
        if (insn->bad || ends_block(&in))
            f->bytes[at] |= BYTE_LEADS;
        f->bytes[target_of(f, &in, at)] |= BYTE_LEADS;
    }
}

/* A jump into the middle of an instruction begins no block. */
static void find_blocks(struct finder *f)
{
    struct blocks *b = f->out;

    for (uint32_t i = 0; i < b->insn_count; i++) {
        if ((f->bytes[b->insns[i].offset] & BYTE_LEADS) != 0)
            b->blocks[b->block_count++].first = i;
        b->blocks[b->block_count - 1].count++;
    }
}

static void find_targets(struct finder *f)
{
    struct blocks *b = f->out;

    for (uint32_t i = 0; i < b->insn_count; i++) {
        struct block_insn *insn = &b->insns[i];
        struct insn in = {.kind = INSN_TRAP};
        size_t end = (size_t)insn->offset + insn->size;

        insn->target = BLOCK_NONE;
        if (f->cpu->decode(f->code + insn->offset, insn->size, &in) == 0)
            continue;
        size_t to = target_of(f, &in, end);

        if (to < f->size && (f->bytes[to] & BYTE_BEGINS) != 0)
            insn->target = blocks_block_of(b, blocks_insn_at(b, to));
    }
}

int blocks_find(struct blocks *out, const struct cpu *cpu, const uint8_t *code,
                size_t size)
{
    struct finder f = {out, cpu, code, size, NULL};

    *out = (struct blocks){0};
    if (size == 0 || size > BLOCKS_BYTES_MAX)
        return 0;
    f.bytes = calloc(size + 1, sizeof *f.bytes);
    out->insns = calloc(size, sizeof *out->insns);
    out->blocks = calloc(size, sizeof *out->blocks);
    if (f.bytes == NULL || out->insns == NULL || out->blocks == NULL) {
        free(f.bytes);
        return -1;
    }
    find_insns(&f);
    find_blocks(&f);
    find_targets(&f);
    free(f.bytes);
    return 0;
}

void blocks_fini(struct blocks *b)
{
    free(b->insns);
    free(b->blocks);
    *b = (struct blocks){0};
}

uint32_t blocks_insn_at(const struct blocks *b, uint64_t offset)
{
    uint32_t low = 0, high = b->insn_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct block_insn *insn = &b->insns[middle];

        if (offset < insn->offset)
            high = middle;
        else if (offset - insn->offset < insn->size)
            return middle;
        else
            low = middle + 1;
    }
    return BLOCK_NONE;
}

uint32_t blocks_block_of(const struct blocks *b, uint32_t insn)
{
    uint32_t low = 0, high = b->block_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (insn < b->blocks[middle].first)
            high = middle;
        else
            low = middle;
    }
    return low;
}
