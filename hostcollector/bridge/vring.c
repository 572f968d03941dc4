/* SPDX-License-Identifier: BSD-2-Clause */
/* The device's side of a split virtqueue (virtio 1.2, 2.7). */
#include "bridge/vring.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/bytes.h"

#define DESC_SIZE     16u /* address u64, length u32, flags u16, next u16 */
#define DESC_LENGTH   8u
#define DESC_FLAGS    12u
#define DESC_NEXT     14u
#define DESC_F_NEXT   1u
#define DESC_F_WRITE  2u
#define DESC_F_OTHERS (~3u) /* indirect descriptors were not offered */

/* u16. avail: 1 = no interrupts wanted; used: 1 = no kicks wanted. */
#define RING_FLAGS 0u
#define RING_INDEX 2u
#define RING_ENTRY 4u

#define AVAIL_ENTRY 2u
#define USED_ENTRY  8u

/* --- Words that both sides write ------------------------------------------ */

static uint16_t peek(const uint8_t *p)
{
    return __atomic_load_n((const uint16_t *)(const void *)p, __ATOMIC_RELAXED);
}

static void poke(uint8_t *p, uint16_t value)
{
    __atomic_store_n((uint16_t *)(void *)p, value, __ATOMIC_RELEASE);
}

/* The position after which the guest wants no interrupt. The guest writes
 * it. */
static const uint8_t *used_event(const struct vring *r)
{
    return r->avail + RING_ENTRY + (size_t)AVAIL_ENTRY * r->size;
}

/* The position at which the device wants a kick. The device writes it. */
static uint8_t *avail_event(const struct vring *r)
{
    return r->used + RING_ENTRY + (size_t)USED_ENTRY * r->size;
}

/* --- Set-up --------------------------------------------------------------- */

void vring_init(struct vring *r)
{
    *r = (struct vring){.kick = -1, .call = -1};
}

int vring_place(struct vring *r, const struct bridge_memory *m)
{
    /* space for the event index is there even if it is not agreed on */
    uint64_t avail_size = RING_ENTRY + (uint64_t)AVAIL_ENTRY * r->size + 2;
    uint64_t used_size = RING_ENTRY + (uint64_t)USED_ENTRY * r->size + 2;
    bool aligned = (r->desc_at & 15) == 0 && (r->avail_at & 1) == 0 &&
                   (r->used_at & 3) == 0;

    r->desc =
        bridge_memory_at_user(m, r->desc_at, (uint64_t)DESC_SIZE * r->size);
    r->avail = bridge_memory_at_user(m, r->avail_at, avail_size);
    r->used = bridge_memory_at_user(m, r->used_at, used_size);
    if (r->size != 0 && aligned && r->desc && r->avail && r->used &&
        ((uintptr_t)r->avail & 1) == 0 && ((uintptr_t)r->used & 3) == 0)
        return 0;
    r->desc = r->avail = r->used = NULL;
    return -1;
}

bool vring_runs(const struct vring *r)
{
    return r->desc != NULL && r->enabled && r->kick >= 0 && r->broken == NULL;
}

/* --- Taking --------------------------------------------------------------- */

static bool lie(struct vring *r, const char *how)
{
    r->broken = how;
    return false;
}

/* Do chains wait? If more chains wait than the ring has entries, the guest is
 * in error. */
static bool waiting(struct vring *r)
{
    uint16_t index = peek(r->avail + RING_INDEX);
    uint16_t count = (uint16_t)(index - r->next_avail);

    if (count > r->size)
        return lie(r, "more buffers than it has entries");
    return count != 0;
}

/* Add (size) bytes at guest address (guest) to (c). */
static bool add_piece(struct vring *r, const struct bridge_memory *m,
                      struct chain *c, uint64_t guest, uint64_t size,
                      bool writable)
{
    unsigned n = c->in_count + c->out_count;

    while (size > 0) {
        uint64_t here = size;
        uint8_t *at = bridge_memory_at(m, guest, &here);

        if (at == NULL)
            return lie(r, "a buffer outside of the guest's memory");
        if (n == CHAIN_PIECES)
            return lie(r, "a buffer of too many pieces");
        c->pieces[n++] = (struct iovec){at, (size_t)here};
        *(writable ? &c->out_count : &c->in_count) += 1;
        *(writable ? &c->out_size : &c->in_size) += (size_t)here;
        guest += here;
        size -= here;
    }
    return true;
}

/* Follow the chain from c->head. */
static bool follow(struct vring *r, const struct bridge_memory *m,
                   struct chain *c)
{
    uint32_t at = c->head;

    /* each step adds a piece, or counts as one if empty: loops end, too */
    for (unsigned steps = 0; steps < CHAIN_PIECES; steps++) {
        uint8_t desc[DESC_SIZE];

        if (at >= r->size)
            return lie(r, "a descriptor number outside its table");
        memcpy(desc, r->desc + (size_t)DESC_SIZE * at, sizeof desc);

        uint32_t flags = load_u16(desc + DESC_FLAGS);
        bool writable = (flags & DESC_F_WRITE) != 0;
        if ((flags & DESC_F_OTHERS) != 0)
            return lie(r, "a descriptor with flags that were not negotiated");
        if (!writable && c->out_count > 0)
            return lie(r, "a readable buffer after a writable one");
        if (!add_piece(r, m, c, load_u64(desc), load_u32(desc + DESC_LENGTH),
                       writable))
            return false;
        if ((flags & DESC_F_NEXT) == 0)
            return true;
        at = load_u16(desc + DESC_NEXT);
    }
    return lie(r, "a buffer of too many pieces");
}

bool vring_take(struct vring *r, const struct bridge_memory *m, struct chain *c)
{
    if (!vring_runs(r) || !waiting(r))
        return false;
    /* the entry is read after the index in waiting(), which was written after
     * it */
    atomic_thread_fence(memory_order_acquire);

    uint32_t slot = r->next_avail & (r->size - 1);
    c->head = peek(r->avail + RING_ENTRY + (size_t)AVAIL_ENTRY * slot);
    c->in_count = c->out_count = 0;
    c->in_size = c->out_size = 0;
    if (!follow(r, m, c))
        return false;
    r->next_avail++;
    return true;
}

void vring_untake(struct vring *r, unsigned count)
{
    r->next_avail = (uint16_t)(r->next_avail - count);
}

/* --- Giving back ---------------------------------------------------------- */

void vring_give(struct vring *r, uint16_t head, uint32_t size)
{
    uint32_t slot = r->next_used++ & (r->size - 1);
    uint8_t *entry = r->used + RING_ENTRY + (size_t)USED_ENTRY * slot;

    store_u32(entry, head);
    store_u32(entry + 4, size);
}

static bool wants_interrupt(const struct vring *r)
{
    if (!r->event_idx)
        return (peek(r->avail + RING_FLAGS) & 1) == 0;
    uint16_t event = peek(used_event(r));

    return (uint16_t)(r->next_used - event - 1) <
           (uint16_t)(r->next_used - r->told);
}

void vring_interrupt_guest(struct vring *r)
{
    if (r->used == NULL || r->told == r->next_used)
        return;
    poke(r->used + RING_INDEX, r->next_used);
    /* the index is published before the guest's wish is read; the guest does
     * the reverse */
    atomic_thread_fence(memory_order_seq_cst);
    if (wants_interrupt(r) && r->call >= 0)
        (void)eventfd_write(r->call, 1);
    r->told = r->next_used;
}

/* --- Kicks ---------------------------------------------------------------- */

bool vring_want_kicks(struct vring *r)
{
    if (!vring_runs(r))
        return false;
    if (r->event_idx)
        poke(avail_event(r), r->next_avail);
    poke(r->used + RING_FLAGS, 0);
    /* the wish is published before the index is read again; the guest does the
     * reverse */
    atomic_thread_fence(memory_order_seq_cst);
    return waiting(r);
}

void vring_mute_kicks(struct vring *r)
{
    /* with event indices, the old index is passed already and wants nothing */
    if (vring_runs(r) && !r->event_idx)
        poke(r->used + RING_FLAGS, 1);
}

/* --- Pieces --------------------------------------------------------------- */

unsigned pieces_cut(const struct iovec *pieces, unsigned count, size_t skip,
                    size_t size, struct iovec *out)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count && size > 0; i++) {
        size_t here = pieces[i].iov_len;

        if (skip >= here) {
            skip -= here;
            continue;
        }
        here = here - skip < size ? here - skip : size;
        out[n++] = (struct iovec){(uint8_t *)pieces[i].iov_base + skip, here};
        size -= here;
        skip = 0;
    }
    return n;
}

size_t pieces_read(const struct iovec *pieces, unsigned count, size_t skip,
                   void *bytes, size_t size)
{
    struct iovec cut[CHAIN_PIECES];
    unsigned n = pieces_cut(pieces, count, skip, size, cut);
    size_t done = 0;

    for (unsigned i = 0; i < n; i++) {
        memcpy((uint8_t *)bytes + done, cut[i].iov_base, cut[i].iov_len);
        done += cut[i].iov_len;
    }
    return done;
}

size_t pieces_write(const struct iovec *pieces, unsigned count, size_t skip,
                    const void *bytes, size_t size)
{
    struct iovec cut[CHAIN_PIECES];
    unsigned n = pieces_cut(pieces, count, skip, size, cut);
    size_t done = 0;

    for (unsigned i = 0; i < n; i++) {
        memcpy(cut[i].iov_base, (const uint8_t *)bytes + done, cut[i].iov_len);
        done += cut[i].iov_len;
    }
    return done;
}
