/* SPDX-License-Identifier: BSD-2-Clause */
/* One driver, one device, one host. */
#include "vsock_bed.h"

#include <string.h>

#include "check.h"
#include "transport/transport.h"

struct tprof_agent tprof_agent;
struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX];
uint32_t tprof_cpus;

static struct tprof_cpu cores[2];
struct tprof_vsock_link vsock;
struct tprof_channel channel;

void plug_in(void)
{
    memset(&fake, 0, sizeof fake);
    memset(&fake_irq, 0, sizeof fake_irq);
    fake.features = 1ull << 32 | 1u << 28 | 1u << 1 | 1u << 0;
    for (uint32_t i = 0; i <= FAKE_EVENT; i++)
        fake.queues[i].max = 128;
    tprof_agent.config.vector = 0xef;
    tprof_cpus = 2;
    for (uint32_t i = 0; i < 2; i++) {
        cores[i].hardware_id = 40 + i;
        tprof_cpu[i] = &cores[i];
    }
}

uint64_t bed_second = UINT64_MAX;

int bed_init(void)
{
    const struct tprof_transport_setup setup = {
        .memory = &vsock,
        .where = &tprof_agent.config.device,
        .second = bed_second,
        .config = &tprof_agent.config,
        .turned_away = &tprof_agent.counters.turned_away};

    return tprof_vsock.init(&setup, &channel);
}

int bed_open(void)
{
    return channel.open(channel.context);
}

int bed_send(const void *data, uint32_t size)
{
    return channel.send(channel.context, data, size);
}

uint32_t bed_pending(void)
{
    return channel.pending(channel.context);
}

int bed_receive(void *data, uint32_t size)
{
    return channel.receive(channel.context, data, size);
}

struct fake_packet packet(uint16_t op)
{
    return (struct fake_packet){.src_cid = HOST_CID,
                                .dst_cid = OWN_CID,
                                .src_port = HOST_PORT,
                                .dst_port = TPROF_VSOCK_PORT,
                                .type = 1,
                                .op = op,
                                .buf_alloc = ROOM};
}

void say(uint16_t op)
{
    struct fake_packet p = packet(op);

    CHECK(fake_to_guest(&p));
}

void say_data(const void *data, uint32_t size)
{
    struct fake_packet p = packet(FAKE_RW);

    p.data = data;
    p.len = size;
    CHECK(fake_to_guest(&p));
}

void call_from(uint32_t port)
{
    struct fake_packet p = packet(FAKE_REQUEST);

    p.src_port = port;
    CHECK(fake_to_guest(&p));
}

struct fake_packet expect(uint16_t op)
{
    struct fake_packet p = {0};

    CHECK(fake_from_guest(&p));
    CHECK_EQ(p.op, op);
    CHECK_EQ(p.src_cid, OWN_CID);
    CHECK_EQ(p.dst_cid, HOST_CID);
    CHECK_EQ(p.type, 1);
    return p;
}

void expect_nothing(void)
{
    struct fake_packet p;

    CHECK(!fake_from_guest(&p));
}

void attach_with(uint32_t room)
{
    struct fake_packet p = packet(FAKE_REQUEST);

    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK_EQ(bed_open(), 0);
    p.buf_alloc = room;
    CHECK(fake_to_guest(&p));
    CHECK_EQ(bed_open(), 1);
    expect(FAKE_RESPONSE);
}

void attach(void)
{
    attach_with(ROOM);
}

void hear(void)
{
    CHECK_EQ(bed_receive(NULL, 0), 0);
}

void give_credit(uint32_t room, uint32_t taken)
{
    struct fake_packet p = packet(FAKE_CREDIT_UPDATE);

    p.buf_alloc = room;
    p.fwd_cnt = taken;
    CHECK(fake_to_guest(&p));
}
