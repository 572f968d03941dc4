/* SPDX-License-Identifier: BSD-2-Clause */
#include "device_tree.h"

#include <stddef.h>

#include "base/mem.h"

#define TREE_MAGIC       0xd00dfeedu
#define TREE_SIZE_MAX    (2u << 20)
#define HEADER_SIZE      0x04u
#define HEADER_STRUCTURE 0x08u
#define HEADER_STRINGS   0x0cu
#define HEADER_BYTES     40u

#define TOKEN_BEGIN_NODE 1u
#define TOKEN_END_NODE   2u
#define TOKEN_PROPERTY   3u
#define TOKEN_NOP        4u

#define DEPTH_MAX 16u
#define CELLS_USUAL                                                            \
    2u /* of an address or a size, in the root of QEMU's trees */

/* A walk over the tree. All offsets are from (start). */
struct walk {
    const uint8_t *start;
    uint32_t size, at, strings;
};

/* A node of the path from the root to the node that is being read */
struct node {
    uint32_t address_cells, size_cells; /* of its children */
    uint32_t version;                   /* of a GIC; 0: the node is no GIC */
    uint32_t reg, reg_size;             /* the property "reg" */
};

static uint32_t word_at(const struct walk *w, uint32_t at)
{
    return at <= w->size - 4 ? __builtin_bswap32(tprof_load32(w->start + at))
                             : 0;
}

/* Do the bytes at (at) begin with (text) and a byte of 0, before (end)? */
static bool is_text(const struct walk *w, uint32_t at, uint32_t end,
                    const char *text)
{
    for (;; at++, text++) {
        if (at >= end || at >= w->size || w->start[at] != (uint8_t)*text)
            return false;
        if (*text == 0)
            return true;
    }
}

/* Returns the version of the GIC of which (at) is the property "compatible", a
 * list of texts of (size) bytes; 0: it is no GIC. */
static uint32_t version_of(const struct walk *w, uint32_t at, uint32_t size)
{
    uint32_t end = at + size;

    while (at < end) {
        if (is_text(w, at, end, "arm,gic-v3"))
            return 3;
        if (is_text(w, at, end, "arm,cortex-a15-gic") ||
            is_text(w, at, end, "arm,gic-400"))
            return 2;
        while (at < end && w->start[at] != 0)
            at++;
        at++;
    }
    return 0;
}

/* Reads a property. Returns false if the tree is damaged. */
static bool read_property(struct walk *w, struct node *n)
{
    uint32_t size = word_at(w, w->at), name = word_at(w, w->at + 4);
    uint32_t at = w->at + 8;

    if (size > w->size || at > w->size - size || name > w->size)
        return false;
    w->at = (at + size + 3) & ~3u;
    name += w->strings;
    if (is_text(w, name, w->size, "#address-cells"))
        n->address_cells = word_at(w, at);
    else if (is_text(w, name, w->size, "#size-cells"))
        n->size_cells = word_at(w, at);
    else if (is_text(w, name, w->size, "compatible"))
        n->version = version_of(w, at, size);
    else if (is_text(w, name, w->size, "reg")) {
        n->reg = at;
        n->reg_size = size;
    }
    return true;
}

/* Returns the address of (cells) cells, 1 or 2, at (at). */
static uint64_t address_at(const struct walk *w, uint32_t at, uint32_t cells)
{
    return cells == 1 ? word_at(w, at)
                      : (uint64_t)word_at(w, at) << 32 | word_at(w, at + 4);
}

/* Is (n), whose parent is (parent), a GIC with both addresses? Stores them. */
static bool take_gic(const struct walk *w, const struct node *n,
                     const struct node *parent, struct tprof_tree_gic *gic)
{
    uint32_t cells = parent->address_cells;
    uint32_t entry = 4 * (cells + parent->size_cells);

    if (n->version == 0 || cells < 1 || cells > 2 || parent->size_cells > 2 ||
        n->reg_size < 2 * entry)
        return false;
    gic->version = n->version;
    gic->distributor = address_at(w, n->reg, cells);
    gic->cpu = address_at(w, n->reg + entry, cells);
    return true;
}

/* Moves behind the name of a node that begins here. */
static void skip_name(struct walk *w)
{
    while (w->at < w->size && w->start[w->at] != 0)
        w->at++;
    w->at = (w->at + 4) & ~3u;
}

uint32_t tprof_tree_size(const void *tree)
{
    const struct walk w = {.start = tree, .size = 8};
    uint32_t size = word_at(&w, HEADER_SIZE);

    if (word_at(&w, 0) != TREE_MAGIC || size < HEADER_BYTES)
        return 0;
    return size < TREE_SIZE_MAX ? size : TREE_SIZE_MAX;
}

bool tprof_tree_find_gic(const void *tree, uint64_t readable,
                         struct tprof_tree_gic *gic)
{
    struct node path[DEPTH_MAX + 1] = {{CELLS_USUAL, CELLS_USUAL, 0, 0, 0}};
    struct walk w = {.start = tree, .size = tprof_tree_size(tree)};
    uint32_t depth = 0;

    if (w.size < HEADER_BYTES || w.size > readable)
        return false;
    w.strings = word_at(&w, HEADER_STRINGS);
    w.at = word_at(&w, HEADER_STRUCTURE);
    if (w.strings > w.size || w.at > w.size || w.at % 4 != 0)
        return false;
    while (w.at < w.size) {
        uint32_t token = word_at(&w, w.at);

        w.at += 4;
        switch (token) {
        case TOKEN_BEGIN_NODE:
            if (++depth > DEPTH_MAX)
                return false;
            path[depth] = (struct node){CELLS_USUAL, CELLS_USUAL, 0, 0, 0};
            skip_name(&w);
            break;
        case TOKEN_END_NODE:
            if (depth == 0)
                return false;
            if (take_gic(&w, &path[depth], &path[depth - 1], gic))
                return true;
            depth--;
            break;
        case TOKEN_PROPERTY:
            if (!read_property(&w, &path[depth]))
                return false;
            break;
        case TOKEN_NOP:
            break;
        default:
            return false;
        }
    }
    return false;
}
