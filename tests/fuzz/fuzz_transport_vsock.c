/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vsock driver against a device, and hosts behind it, that do whatever the
 * input says: each byte is a deed of theirs, or a call of the driver's. Found
 * would be what a sanitizer sees, and what check() calls a broken promise.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "fake_vsock.h"
#include "transport.h"
#include "transport_vsock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SEND_MAX 600u

struct tprof_agent tprof_agent;
struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX];
uint32_t tprof_cpus;

static struct tprof_cpu core;
static struct tprof_vsock vsock;
static struct tprof_channel channel;
static const uint8_t *input;
static size_t input_left;
static bool dead;       /* the driver has said so since init */
static bool attached;   /* open() said so, and nothing else since */
static uint64_t in_use; /* at most what pending() may say */

static void check(bool promise)
{
    if (!promise)
        abort();
}

static uint32_t next(size_t bytes)
{
    uint32_t val = 0;

    for (; bytes > 0 && input_left > 0; bytes--, input_left--)
        val = val << 8 | *input++;
    return val;
}

/* A queue that is at work, or none. */
static uint32_t next_queue(void)
{
    uint32_t queue = next(1) % (FAKE_EVENT + 1);

    return fake.queues[queue].size ? queue : FAKE_QUEUES;
}

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
    tprof_agent.second = shape & 8 ? 0 : UINT64_MAX;
    tprof_cpu[0] = &core;
    tprof_cpus = 1;
    for (uint32_t i = 0; i <= FAKE_EVENT; i++)
        fake.queues[i].max = shape & 16u << i ? next(1) % 40 : 128;
    channel.open = NULL;
    dead = tprof_vsock.init(&vsock, &told, 0, &channel) < 0;
    attached = false;
    in_use = 0;
}

/* --- The device, and hosts ------------------------------------------------ */

static void scribble_used(void)
{
    uint32_t queue = next_queue();
    uint32_t at = next(2) % 1024;

    if (queue == FAKE_QUEUES)
        return;
    const uint8_t *end = fake.queues[queue].memory + 1024;
    uint8_t *used = (uint8_t *)fake_used_flags(queue);

    if (used + at < end)
        used[at] = (uint8_t)next(1);
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

static void act_as_device(uint32_t deed)
{
    struct fake_buffer b;
    uint32_t queue;

    switch (deed) {
    case 0:
    case 1:
        speak();
        break;
    case 2:
        if ((queue = next_queue()) != FAKE_QUEUES && fake_pop(queue, &b))
            fake_push(queue, b.id, next(1));
        break;
    case 3:
        if ((queue = next_queue()) != FAKE_QUEUES)
            fake_push(queue, next(1) & 0x80 ? next(4) : next(1) % 40, next(2));
        break;
    case 4:
        if ((queue = next_queue()) != FAKE_QUEUES)
            *fake_pushed(queue) = (uint16_t)(*fake_pushed(queue) + next(1) - 2);
        break;
    case 5:
        scribble_used();
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

/* --- The driver ----------------------------------------------------------- */

static int call_send(const uint8_t *bytes, uint32_t size)
{
    int result = channel.send(channel.context, bytes, size);

    check(result <= (int)size);
    check(result <= 0 || attached);
    in_use += result > 0 ? (uint32_t)result : 0;
    return result;
}

static int call_receive(uint32_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    int result = channel.receive(channel.context, exact, size);

    free(exact);
    check(result <= (int)size);
    check(result <= 0 || attached);
    return result;
}

static void call_driver(uint32_t call)
{
    static uint8_t bytes[SEND_MAX];
    uint32_t size = next(2) % sizeof bytes;
    int result = 0;

    switch (call) {
    case 0:
        result = channel.open(channel.context);
        check(result <= 1);
        attached = result == 1;
        break;
    case 1:
        result = call_send(bytes, size);
        break;
    case 2:
        result = call_receive(size);
        break;
    case 3:
        check(channel.pending(channel.context) <= in_use);
        break;
    case 4:
        channel.close(channel.context);
        break;
    default:
        init();
        return;
    }
    attached &= result >= 0;
    check(result >= 0 || result == TPROF_ERR_CLOSED ||
          result == TPROF_ERR_DEVICE);
    check(!dead || call > 2 || result == TPROF_ERR_DEVICE);
    /* a device that dies while nobody is there is found out by open() */
    check(!(channel.flags & TPROF_CHANNEL_NOTICE) ||
          (!attached && !fake_irq.none && !fake_irq.unroutable &&
           (call != 0 || result == 0)));
    if (result == TPROF_ERR_DEVICE) {
        dead = true;
        check(channel.pending(channel.context) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    input_left = size;
    init();
    while (input_left > 0 && channel.open) {
        uint32_t what = next(1);

        if (what & 0x80)
            call_driver(what % 6);
        else
            act_as_device(what % 8);
    }
    return 0;
}
