/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vsock driver against a device, and hosts behind it, that do whatever the
 * input says (channel.h).
 */
#include "fake_vsock.h"
#include "state/agent.h"
#include "transport/transport.h"
#include "transport/transport_vsock.h"

#define FUZZ_QUEUES (FAKE_EVENT + 1)
#include "channel.h"

struct tprof_agent tprof_agent;
struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX];
uint32_t tprof_cpus;

static struct tprof_cpu core;
static struct tprof_vsock_link vsock;
static bool attached; /* open() said so, and no call since that it is over */

static void init(void)
{
    static const struct tprof_device told = {.bus = TPROF_BUS_MMIO,
                                             .address = 1};
    uint32_t shape = next(1);

    memset(&fake, 0, sizeof fake);
    memset(&fake_irq, 0, sizeof fake_irq);
    fake.lazy = true;
    fake.legacy = shape & 1;
    fake.features = 1ull << 32;
    fake_irq.none = shape & 2;
    fake_irq.unroutable = shape & 4;
    tprof_cpu[0] = &core;
    tprof_cpus = 1;
    for (uint32_t i = 0; i <= FAKE_EVENT; i++)
        fake.queues[i].max = shape & 16u << i ? next(1) % 40 : 128;
    channel.open = NULL;
    const struct tprof_transport_setup setup = {
        .memory = &vsock,
        .where = &told,
        .second = shape & 8 ? 0 : UINT64_MAX,
        .config = &tprof_agent.config,
        .turned_away = &tprof_agent.counters.turned_away,
    };

    dead = tprof_vsock.init(&setup, &channel) < 0;
    attached = false;
    in_use = 0;
}

/* A packet that is sane but for what the input says. */
static void speak(void)
{
    static const uint8_t bytes[212];
    uint32_t odd = next(1);
    struct fake_packet p = {
        .src_cid = odd & 1 ? next(1) : 2,
        .dst_cid = odd & 2 ? next(1) : 3,
        .src_port = odd & 4 ? next(1) % 4 : 1,
        .dst_port = odd & 8 ? next(1) : TPROF_VSOCK_PORT,
        .len = odd & 16 ? next(1) % (sizeof bytes + 1) : 0,
        .type = (uint16_t)(odd & 32 ? next(1) : 1),
        .op = (uint16_t)(next(1) % 9),
        .flags = odd & 64 ? next(1) % 4 : 3,
        .buf_alloc = odd & 128 ? next(4) : 4096,
        .fwd_cnt = odd & 128 ? next(4) : vsock.sent,
        .data = bytes,
    };

    fake_to_guest(&p);
}

static void act_as_device(uint32_t act)
{
    switch (act) {
    case 0:
    case 1:
        speak();
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        act_on_queues(act);
        break;
    case 6:
        if (next(1) & 1)
            fake.status = next(1);
        else
            fake_event(next(1) % 3);
        break;
    default: /* all that the driver has sent is read, as it says it is */
        for (struct fake_packet p; fake_from_guest(&p);)
            check(p.len <= SEND_MAX && (p.op == FAKE_RW || p.len == 0));
        break;
    }
}

static void check_call(enum fuzz_call call, uint32_t size, int result)
{
    (void)size;
    if (call == CALL_OPEN)
        attached = result == 1;
    if (call == CALL_SEND || call == CALL_RECEIVE)
        check(result <= 0 || attached);
    attached &= result >= 0;
    /* a device that dies while nobody is there is found out by open() */
    check(!(channel.flags & TPROF_CHANNEL_NOTICE) ||
          (!attached && !fake_irq.none && !fake_irq.unroutable &&
           (call != CALL_OPEN || result == 0)));
}
