/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the function's blocks and instructions, and their samples. */
#include <stdlib.h>
#include <string.h>

#include "annotate/blocks.h"
#include "annotate/builder.h"
#include "image/file/image.h"
#include "image/names/symbolize.h"
#include "util/cpu/cpu.h"

/* Most separate runs of code of one function. */
#define CODES_MAX 16u
/* Bytes of memory that a byte of code takes at most, for its instruction, text
 * and blocks. The rest is left for lines and source text. */
#define BYTE_COST 512u
#define BYTES_MIN 16384u /* code that is disassembled in any case */

/* Returns the number of bytes of code that may be disassembled. */
static uint64_t bytes_max(const struct builder *b)
{
    uint64_t most = b->job->memory / BYTE_COST;

    return most < BYTES_MIN          ? BYTES_MIN
           : most > BLOCKS_BYTES_MAX ? BLOCKS_BYTES_MAX
                                     : most;
}

/* Find the run of code that holds the link-time (address). */
static void find_extent(const struct builder *b, uint64_t address,
                        struct annotated_code *code)
{
    const struct symbol *s = symbolize(b->symbolizer, address);

    while (s->inlined_into != NULL)
        s = s->inlined_into;
    *code = (struct annotated_code){.address = s->start, .size = s->size};
    if (address - s->start >=
        s->size) /* the size of the symbol may differ from that of the code */
        *code = (struct annotated_code){.address = address, .size = 1};
}

/* Find the line of each of the (count) instructions at (insns). */
static int add_insn_lines(struct builder *b, struct annotated_insn *insns,
                          size_t count)
{
    uint64_t *pcs = calloc(count + 1, sizeof *pcs);
    int result = pcs != NULL ? 0 : -1;

    for (size_t i = 0; result == 0 && i < count; i++)
        pcs[i] = insns[i].address;
    if (result == 0)
        symbolizer_prepare(b->symbolizer, pcs, count);
    free(pcs);
    for (size_t i = 0; result == 0 && i < count; i++) {
        const struct symbol *s = symbolize(b->symbolizer, insns[i].address);

        insns[i].number = s->line;
        result = builder_add_line(b, s, s->inlined_into != NULL, NULL,
                                  &insns[i].body);
    }
    return result;
}

static int add_text(struct builder *b, struct annotated_insn *insn,
                    struct disasm *d, const uint8_t *code, size_t size)
{
    char text[DISASM_TEXT];

    (void)disasm_text(d, code, size, insn->address, text);
    insn->text = arena_strndup(b->arena, text, strlen(text));
    return insn->text != NULL ? 0 : -1;
}

static int add_insns(struct builder *b, struct annotated_code *code,
                     const struct blocks *found, const uint8_t *bytes)
{
    struct annotated_insn *insns =
        arena_alloc(b->arena, (found->insn_count + 1) * sizeof *insns);
    struct disasm *d = disasm_new(image_cpu(b->image));
    int result = insns != NULL && d != NULL ? 0 : -1;

    for (uint32_t i = 0; result == 0 && i < found->insn_count; i++) {
        const struct block_insn *from = &found->insns[i];

        insns[i].address = code->address + from->offset;
        insns[i].target = from->target;
        result = add_text(b, &insns[i], d, bytes + from->offset, from->size);
    }
    disasm_free(d);
    code->insns = insns;
    code->insn_count = found->insn_count;
    return result != 0 ? -1 : add_insn_lines(b, insns, found->insn_count);
}

/* Add the samples of (place) to the instruction of (code) that they hit.
 * (found) has the blocks of (code). */
static void hit(struct annotated_code *code, const struct blocks *found,
                const struct place *place)
{
    uint32_t i = blocks_insn_at(found, place->address - code->address);

    if (i == BLOCK_NONE)
        return;
    code->insns[i].samples += place->sum.amount.samples;
    if (place->sum.amount.time > 0)
        code->insns[i].late = place->sum.late / place->sum.amount.time;
    annotated_add(&code->blocks[blocks_block_of(found, i)].sum, &place->sum);
}

static int add_blocks(struct builder *b, struct annotated_code *code,
                      const struct blocks *found)
{
    code->blocks =
        arena_alloc(b->arena, (found->block_count + 1) * sizeof *code->blocks);
    if (code->blocks == NULL)
        return -1;
    code->block_count = found->block_count;
    code->jumps_away = found->jumps_away;
    for (uint32_t i = 0; i < found->block_count; i++) {
        code->blocks[i].first = found->blocks[i].first;
        code->blocks[i].count = found->blocks[i].count;
    }
    for (size_t i = 0; i < b->places.count; i++)
        if (b->places.list[i].address - code->address < code->size)
            hit(code, found, &b->places.list[i]);
    return 0;
}

/* Disassemble (code). (*left) is the number of bytes that may still be
 * disassembled. */
static int read_code(struct builder *b, struct annotated_code *code,
                     uint64_t *left)
{
    size_t have = code->size < SIZE_MAX ? (size_t)code->size : SIZE_MAX;
    const uint8_t *bytes = image_code(b->image, code->address, &have);
    struct blocks found;
    int result;

    code->unread = bytes == NULL || have < code->size || code->size > *left;
    if (code->unread)
        return 0;
    *left -= code->size;
    result =
        blocks_find(&found, image_cpu(b->image), bytes, (size_t)code->size);
    if (result == 0)
        result = add_insns(b, code, &found, bytes);
    if (result == 0)
        result = add_blocks(b, code, &found);
    blocks_fini(&found);
    return result;
}

/* Returns true if (place) is in the code that was added last. */
static bool is_in_last(const struct annotation *out, const struct place *place)
{
    const struct annotated_code *last;

    if (out->code_count == 0)
        return false;
    last = &out->codes[out->code_count - 1];
    return place->address - last->address < last->size;
}

int builder_add_codes(struct builder *b)
{
    struct annotation *out = b->out;
    uint64_t left = bytes_max(b);

    out->code_told = image_is_told(b->image);
    out->codes = arena_alloc(b->arena, CODES_MAX * sizeof *out->codes);
    if (out->codes == NULL)
        return -1;
    for (size_t i = 0; i < b->places.count && out->code_count < CODES_MAX;
         i++) {
        const struct place *place = &b->places.list[i];
        struct annotated_code *code = &out->codes[out->code_count];

        if (place->host != out->function || is_in_last(out, place))
            continue;
        find_extent(b, place->address, code);
        out->code_count++;
        if (read_code(b, code, &left) != 0)
            return -1;
    }
    return 0;
}
