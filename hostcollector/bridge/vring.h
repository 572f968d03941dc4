/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's side of a split virtqueue: takes chains of buffers and returns
 * them. Everything in the ring is written by the guest, and checked.
 */
#ifndef TPROF_BRIDGE_VRING_H
#define TPROF_BRIDGE_VRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "bridge/bridge_memory.h"

#define VRING_MAX    1024u /* entries of a ring, a power of two */
#define CHAIN_PIECES 34u   /* of a chain; Linux uses up to 18 */

struct vring {
    uint32_t size;                       /* entries; 0: not known yet */
    uint64_t desc_at, avail_at, used_at; /* the front-end's addresses */
    const uint8_t *desc, *avail;         /* NULL: not mapped yet */
    uint8_t *used;
    uint16_t next_avail; /* the entry of avail to take next */
    uint16_t next_used;  /* the entry of used to fill next */
    uint16_t told;       /* next_used when the guest was last told */
    bool event_idx;      /* VIRTIO_F_EVENT_IDX was agreed on */
    bool enabled;        /* by the front-end */
    int kick, call;      /* eventfds; -1: none */
    const char *broken;  /* what the guest did wrong; NULL: nothing */
};

/* A chain of buffers, its descriptors read once and resolved. */
struct chain {
    uint16_t head;                     /* its name in the used ring */
    unsigned in_count, out_count;      /* pieces to read, then to write */
    size_t in_size, out_size;          /* bytes of them */
    struct iovec pieces[CHAIN_PIECES]; /* those to read first */
};

/* All zero, without descriptors. */
void vring_init(struct vring *r);

/*
 * Find the ring's three parts in (m) by the front-end's addresses, again
 * after each bridge_memory_map(). Returns 0; -1 if they are not in there.
 */
int vring_place(struct vring *r, const struct bridge_memory *m);

/* Is the ring sized, mapped, enabled and not broken? */
bool vring_runs(const struct vring *r);

/*
 * Take the next chain. Returns true with (c) filled; false if there is none.
 * Also false if the guest did something wrong; then r->broken says what, and
 * the ring does not run until it is set up anew.
 */
bool vring_take(struct vring *r, const struct bridge_memory *m,
                struct chain *c);

/* Undo the last (count) calls of vring_take(); these chains were not used. */
void vring_untake(struct vring *r, unsigned count);

/* Return the chain named (head), with (size) bytes written to it. */
void vring_give(struct vring *r, uint16_t head, uint32_t size);

/* Show the guest the chains that vring_give() returned, and interrupt it if it
 * asks for interrupts. */
void vring_interrupt_guest(struct vring *r);

/*
 * Ask the guest for a kick with its next chain. Returns true if a chain is
 * there already, for which no kick will come.
 */
bool vring_want_kicks(struct vring *r);

/* Tell the guest that no kicks are needed for now. */
void vring_mute_kicks(struct vring *r);

/* Copy (size) bytes between (bytes) and the pieces, from (skip) bytes behind
 * the beginning of the pieces on. Returns how many were copied. */
size_t pieces_read(const struct iovec *pieces, unsigned count, size_t skip,
                   void *bytes, size_t size);
size_t pieces_write(const struct iovec *pieces, unsigned count, size_t skip,
                    const void *bytes, size_t size);

/*
 * The pieces of (size) bytes, (skip) bytes behind the beginning of (count), to
 * (out), which has room for (count). Returns how many pieces these are.
 */
unsigned pieces_cut(const struct iovec *pieces, unsigned count, size_t skip,
                    size_t size, struct iovec *out);

#endif
