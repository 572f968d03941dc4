/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed chunks of a recording -> frames of the wire. */
#include "recording/packed/unpack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "recording/packed/format.h"
#include "recording/packed/unpack_parts.h"

struct unpack *unpack_new(void)
{
    struct unpack *u = calloc(1, sizeof *u);

    if (u != NULL)
        u->decompressor = ZSTD_createDCtx();
    if (u == NULL || u->decompressor == NULL) {
        unpack_free(u);
        return NULL;
    }
    return u;
}

static void forget_stacks(struct unpack *u)
{
    free(u->nodes);
    free(u->stacks);
    u->nodes = NULL;
    u->stacks = NULL;
    u->node_count = u->stack_count = 0;
}

void unpack_free(struct unpack *u)
{
    if (u == NULL)
        return;
    forget_stacks(u);
    (void)ZSTD_freeDCtx(u->decompressor);
    free(u->block);
    free(u);
}

static struct cursor nothing(void)
{
    static const uint8_t none[1];

    return cursor_init(none, 0);
}

int unpack_begin(struct unpack *u, const void *data, size_t size, struct err *e)
{
    unsigned long long whole = ZSTD_getFrameContentSize(data, size);

    forget_stacks(u);
    u->in = nothing();
    u->left = u->shared = u->taken = 0;
    u->later_ns = u->window_ms = 0;
    if (whole == ZSTD_CONTENTSIZE_ERROR || whole == ZSTD_CONTENTSIZE_UNKNOWN ||
        whole == 0)
        return err_set(e, "a packed chunk is not compressed as it should be");
    if (whole > PACKED_BLOCK_MAX)
        return err_set(e, "a packed chunk of %llu bytes exceeds %u", whole,
                       PACKED_BLOCK_MAX);
    if (whole > u->room) {
        free(u->block);
        u->block = malloc((size_t)whole);
        u->room = u->block != NULL ? (size_t)whole : 0;
    }
    if (u->block == NULL)
        return err_memory(e);
    if (ZSTD_decompressDCtx(u->decompressor, u->block, (size_t)whole, data,
                            size) != whole)
        return err_set(e, "the bytes of a packed chunk are damaged");
    u->in = cursor_init(u->block, (size_t)whole);
    return 0;
}

/* Read the number of things that take at least one byte each. */
static size_t get_count(struct cursor *c)
{
    uint64_t count = cursor_uleb(c);

    return count <= cursor_left(c) ? (size_t)count : (size_t)cursor_fail(c);
}

/* Read addresses, which rise. Each is stored as its difference from the
 * last. */
static uint64_t *get_addresses(struct cursor *c, size_t *count)
{
    *count = get_count(c);
    uint64_t *list = malloc((*count + 1) * sizeof *list), address = 0;

    for (size_t i = 0; list != NULL && i < *count; i++)
        list[i] = address += cursor_uleb(c);
    return list;
}

static uint64_t pick(struct cursor *c, const uint64_t *list, size_t count)
{
    uint64_t i = cursor_uleb(c);

    return i < count ? list[i] : cursor_fail(c);
}

/* Read the nodes of the trees of callers. A node follows its caller's node. */
static void get_nodes(struct unpack *u, const uint64_t *list, size_t count)
{
    struct cursor *c = &u->in;

    for (size_t i = 0; i < u->node_count && !c->bad; i++) {
        struct unpack_node *n = &u->nodes[i];
        uint64_t back = cursor_uleb(c);

        n->parent = back == 0 || back > i ? NODE_NONE : (uint32_t)(i - back);
        n->depth = n->parent == NODE_NONE
                       ? 1
                       : (uint8_t)(u->nodes[n->parent].depth + 1);
        if (back > i || n->depth > WIRE_STACK_FRAMES_MAX)
            (void)cursor_fail(c);
    }
    for (size_t i = 0; i < u->node_count && !c->bad; i++)
        u->nodes[i].address = pick(c, list, count);
}

static void get_stack(struct unpack *u, struct unpack_stack *s,
                      const uint64_t *list, size_t count)
{
    struct cursor *c = &u->in;
    uint64_t node = cursor_uleb(c);

    s->node = node == 0 ? NODE_NONE : (uint32_t)(node - 1);
    if (node > u->node_count)
        (void)cursor_fail(c);
    s->end = cursor_u8(c);
    s->mask = cursor_u8(c);
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (s->mask >> i & 1)
            s->words[i] = pick(c, list, count);
    s->sp = cursor_uleb(c);
    s->generation = (uint32_t)cursor_uleb(c);
}

int unpack_stacks(struct unpack *u, struct err *e)
{
    struct cursor *c = &u->in;
    size_t count;

    forget_stacks(u);
    /* the shared columns belonged to the stacks before */
    u->shared = u->taken = u->pair_count = 0;
    u->text_start = cursor_uleb(c);
    uint64_t *list = get_addresses(c, &count);

    u->node_count = get_count(c);
    u->nodes = calloc(u->node_count + 1, sizeof *u->nodes);
    if (list != NULL && u->nodes != NULL)
        get_nodes(u, list, count);
    u->stack_count = get_count(c);
    if (u->stack_count > PACKED_STACKS_MAX)
        u->stack_count = (size_t)cursor_fail(c);
    u->stacks = calloc(u->stack_count + 1, sizeof *u->stacks);
    bool memory = list != NULL && u->nodes != NULL && u->stacks != NULL;

    for (size_t i = 1; memory && i <= u->stack_count && !c->bad; i++)
        get_stack(u, &u->stacks[i], list, count);
    free(list);
    return memory ? 0 : err_memory(e);
}

/* Copy a frame that is stored unchanged. Returns its size; 0 if it is cut. */
static long get_frame(struct unpack *u)
{
    struct cursor *c = &u->in;
    unsigned type = cursor_u8(c);
    size_t length = get_count(c);
    const uint8_t *body =
        length <= WIRE_BODY_MAX ? cursor_bytes(c, length) : NULL;

    if (c->bad || body == NULL)
        return (long)cursor_fail(c);
    if (type == WIRE_HELLO) { /* HELLO begins a session */
        u->seq = u->epoch = 0;
        for (size_t i = 1; i <= u->stack_count; i++)
            u->stacks[i].defined = 0;
    }
    dump_frame_begin(&u->frame, (enum wire_type)type, u->seq++);
    memcpy(u->frame.bytes + WIRE_FRAME_HEADER, body, length);
    u->frame.used += length;
    dump_frame_end(&u->frame);
    return (long)u->frame.used;
}

static int get_item(struct unpack *u, long *size, struct err *e)
{
    struct cursor *c = &u->in;

    switch (cursor_u8(c)) {
    case PACKED_FRAME:
        *size = get_frame(u);
        return 0;
    case PACKED_GAP:
        u->seq = (uint16_t)(u->seq + (cursor_uleb(c) & INT16_MAX));
        return 0;
    case PACKED_LATER:
        u->later_ns = cursor_uleb(c);
        return 0;
    case PACKED_STACKS:
        return unpack_stacks(u, e);
    case PACKED_SAMPLES:
        unpack_samples_begin(u);
        return 0;
    case PACKED_SHARED:
        if (unpack_stacks(u, e) != 0)
            return -1;
        unpack_columns(u);
        return 0;
    case PACKED_WINDOW:
        u->window_ms = cursor_uleb(c);
        u->later_ns = cursor_uleb(c);
        return 0;
    case PACKED_RUN:
        unpack_run_begin(u);
        return 0;
    default: /* an item of an unknown kind: its end is unknown */
        (void)cursor_fail(c);
        return 0;
    }
}

long unpack_next(struct unpack *u, const uint8_t **frame, uint64_t *later_ns,
                 struct err *e)
{
    long size = 0;

    while (size == 0 && !u->in.bad &&
           (u->left != 0 || cursor_left(&u->in) != 0)) {
        if (u->left != 0)
            size = unpack_samples_next(u);
        else if (get_item(u, &size, e) != 0)
            return -1;
    }
    if (u->in.bad) {
        u->left = 0;
        u->in = nothing();
        return err_set(e, "a packed chunk contradicts itself");
    }
    *frame = u->frame.bytes;
    *later_ns = u->later_ns;
    return size;
}

uint64_t unpack_window(const struct unpack *u)
{
    return u->window_ms;
}
