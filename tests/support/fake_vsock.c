/* SPDX-License-Identifier: BSD-2-Clause */
/* The other side of transport_vsock.c and virtio_vsock.c, written from the
 * specification (virtio 1.2, section 5.10), not from them. */
#include "fake_vsock.h"

#include <stdlib.h>
#include <string.h>

#include "virtio/virtio_irq.h"

struct fake_irq fake_irq;

bool fake_flood;
static struct fake_buffer last; /* to the driver */

void fake_act(void)
{
    struct fake_packet p;

    if (fake_flood && fake_from_guest(&p))
        fake_push(FAKE_RX, last.id, FAKE_HEADER);
}

void fake_forget(void)
{
}

/* --- Packets -------------------------------------------------------------- */

static void store(uint8_t *at, uint64_t val, size_t size)
{
    memcpy(at, &val, size);
}

static void put_header(uint8_t *at, const struct fake_packet *p)
{
    store(at, p->src_cid, 8);
    store(at + 8, p->dst_cid, 8);
    store(at + 16, p->src_port, 4);
    store(at + 20, p->dst_port, 4);
    store(at + 24, p->len, 4);
    store(at + 28, p->type, 2);
    store(at + 30, p->op, 2);
    store(at + 32, p->flags, 4);
    store(at + 36, p->buf_alloc, 4);
    store(at + 40, p->fwd_cnt, 4);
}

static void get_header(struct fake_packet *p, const uint8_t *at)
{
    p->src_cid = fake_load(at, 8);
    p->dst_cid = fake_load(at + 8, 8);
    p->src_port = (uint32_t)fake_load(at + 16, 4);
    p->dst_port = (uint32_t)fake_load(at + 20, 4);
    p->len = (uint32_t)fake_load(at + 24, 4);
    p->type = (uint16_t)fake_load(at + 28, 2);
    p->op = (uint16_t)fake_load(at + 30, 2);
    p->flags = (uint32_t)fake_load(at + 32, 4);
    p->buf_alloc = (uint32_t)fake_load(at + 36, 4);
    p->fwd_cnt = (uint32_t)fake_load(at + 40, 4);
}

/* As strict as Firecracker before 1.6, Cloud Hypervisor before 36 and the
 * rust-vmm of 2022: a header and its data each want a descriptor. */
bool fake_to_guest(const struct fake_packet *p)
{
    struct fake_buffer b;

    if (!fake_pop(FAKE_RX, &b) || !b.writable || b.size != FAKE_HEADER ||
        !b.more || p->len > b.more_size)
        return false;
    last = b;
    put_header(b.data, p);
    if (p->len > 0)
        memcpy(b.more, p->data, p->len);
    fake_push(FAKE_RX, b.id, FAKE_HEADER + p->len);
    return true;
}

bool fake_hold(struct fake_packet *p, uint32_t *id)
{
    struct fake_buffer b;

    if (!fake_pop(FAKE_TX, &b))
        return false;
    if (b.writable || b.size != FAKE_HEADER)
        abort(); /* a header is a descriptor of its own */
    get_header(p, b.data);
    if (p->len != b.more_size)
        abort(); /* and its data are what it says, one more */
    p->data = b.more;
    *id = b.id;
    return true;
}

bool fake_from_guest(struct fake_packet *p)
{
    uint32_t id;

    if (!fake_hold(p, &id))
        return false;
    fake_push(FAKE_TX, id, 0);
    return true;
}

bool fake_event(uint32_t event)
{
    struct fake_buffer b;

    if (!fake_pop(FAKE_EVENT, &b) || !b.writable || b.size < 4)
        return false;
    store(b.data, event, 4);
    fake_push(FAKE_EVENT, b.id, 4);
    return true;
}

/* --- The interrupt -------------------------------------------------------- */

int tprof_virtio_irq_init(struct tprof_virtio_irq *irq,
                          const struct tprof_virtio *dev,
                          const struct tprof_device *where)
{
    (void)where;
    irq->dev = dev;
    return fake_irq.none ? TPROF_ERR_DEVICE : TPROF_OK;
}

int tprof_virtio_irq_bind(const struct tprof_virtio *dev)
{
    (void)dev;
    return fake_irq.unbound ? TPROF_ERR_DEVICE : TPROF_OK;
}

int tprof_virtio_irq_route(const struct tprof_virtio_irq *irq, uint32_t vector,
                           uint32_t apic_id)
{
    (void)irq;
    fake_irq.routed++;
    fake_irq.vector = vector;
    fake_irq.apic_id = apic_id;
    return fake_irq.unroutable ? TPROF_ERR_DEVICE : TPROF_OK;
}

void tprof_virtio_irq_mask(const struct tprof_virtio_irq *irq)
{
    (void)irq;
    fake_irq.masked++;
}

void tprof_virtio_irq_ack(const struct tprof_virtio *dev)
{
    (void)dev;
    fake_irq.acked++;
}
