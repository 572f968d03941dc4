/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's side of a split virtqueue: takes chains of buffers and returns
 * them. The guest writes the whole ring, so every value is checked.
 */
#ifndef TPROF_BRIDGE_VRING_H
#define TPROF_BRIDGE_VRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "bridge/bridge_memory.h"

#define VRING_MAX    1024u /* limit of a ring's entries; a power of two */
#define CHAIN_PIECES 34u   /* limit for a chain; Linux uses up to 18 */

struct vring {
    uint32_t size;                       /* entries; 0: not set yet */
    uint64_t desc_at, avail_at, used_at; /* addresses in the front-end */
    const uint8_t *desc, *avail;         /* NULL: not mapped yet */
    uint8_t *used;
    uint16_t next_avail; /* next entry of avail to take */
    uint16_t next_used;  /* next entry of used to fill */
    uint16_t told;       /* next_used when the guest was last interrupted */
    bool event_idx;      /* VIRTIO_F_EVENT_IDX was agreed on */
    bool enabled;        /* the front-end has enabled the ring */
    int kick, call;      /* eventfds; -1: none */
    const char *broken;  /* error of the guest; NULL: none */
};

/* A chain of buffers. Its descriptors were read once and resolved. */
struct chain {
    uint16_t head; /* its number in the used ring */
    /* pieces to read, followed by pieces to write */
    unsigned in_count, out_count;
    size_t in_size, out_size;          /* sums of their sizes */
    struct iovec pieces[CHAIN_PIECES]; /* pieces to read first */
};

/* Set (r) to zero, without descriptors. */
void vring_init(struct vring *r);

/*
 * Find the ring's three parts in (m) by the front-end's addresses. Call it
 * again after each bridge_memory_map(). Returns 0; -1 if (m) does not hold
 * them.
 */
int vring_place(struct vring *r, const struct bridge_memory *m);

/* Does the ring have a size, mapped parts and no error, and is it enabled? */
bool vring_runs(const struct vring *r);

/*
 * Take the next chain. Returns true with (c) filled; false if there is none, or
 * if the guest made an error. Then r->broken names the error, and the ring
 * stops until it is set up again.
 */
bool vring_take(struct vring *r, const struct bridge_memory *m,
                struct chain *c);

/* Undo the last (count) calls of vring_take(), whose chains were not used. */
void vring_untake(struct vring *r, unsigned count);

/* Return the chain named (head), with (size) bytes written to it. */
void vring_give(struct vring *r, uint16_t head, uint32_t size);

/* Publish the chains that vring_give() returned, and interrupt the guest if it
 * wants interrupts. */
void vring_interrupt_guest(struct vring *r);

/*
 * Ask the guest for a kick with its next chain. Returns true if a chain is
 * there already, for which no kick will come.
 */
bool vring_want_kicks(struct vring *r);

/* Ask the guest for no more kicks. */
void vring_mute_kicks(struct vring *r);

/* Copy (size) bytes between (bytes) and the pieces, beginning (skip) bytes into
 * the pieces. Returns the number of bytes copied. */
size_t pieces_read(const struct iovec *pieces, unsigned count, size_t skip,
                   void *bytes, size_t size);
size_t pieces_write(const struct iovec *pieces, unsigned count, size_t skip,
                    const void *bytes, size_t size);

/*
 * Find the pieces of (size) bytes that begin (skip) bytes into the (count)
 * pieces, and write these pieces to (out), which has room for (count). Returns
 * the number of pieces.
 */
unsigned pieces_cut(const struct iovec *pieces, unsigned count, size_t skip,
                    size_t size, struct iovec *out);

#endif
