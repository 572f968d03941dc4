/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console driver against a device that does whatever the input says: each
 * byte is a deed of the device's, or a call of the driver's. Found would be
 * what a sanitizer sees, and what check() calls a broken promise.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake_console.h"
#include "transport_console.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tprof_console console;
static struct tprof_channel channel;
static const uint8_t *input;
static size_t input_left;
static bool dead;       /* the driver has said so since init */
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
    uint32_t queue = next(1) % FAKE_QUEUES;

    return fake.queues[queue].size ? queue : FAKE_QUEUES;
}

static void init(void)
{
    static const struct tprof_device told = {.bus = TPROF_BUS_MMIO,
                                             .address = 1};

    memset(&fake, 0, sizeof fake);
    memset(&fake_console, 0, sizeof fake_console);
    fake.lazy = true;
    fake.legacy = next(1) & 1;
    fake.features = 1ull << 32 | 2;
    uint32_t short_one = next(1);
    uint32_t short_size = next(1) % 8;

    for (uint32_t i = 0; i < FAKE_QUEUES; i++)
        fake.queues[i].max = i == short_one ? short_size : 128;
    fake_console.ports[3].name = "tprof.0";
    dead = tprof_console_init(&console, &told, 0, &channel) < 0;
    in_use = 0;
}

/* --- The device ----------------------------------------------------------- */

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

static void act_as_device(uint32_t deed)
{
    static const char *const names[] = {NULL, "tprof.0", "tprof.00", ""};
    struct fake_buffer b;
    uint32_t queue;

    switch (deed) {
    case 0:
        fake_act();
        break;
    case 1: {
        uint32_t port = next(1) & 0x80 ? next(4) : next(1) % 40;
        uint16_t event = (uint16_t)(next(1) % 10);

        fake_control(port, event, (uint16_t)(next(1) & 1), names[next(1) % 4]);
        break;
    }
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
        fake.status = next(1);
        break;
    default:
        fake_host(3, next(1) & 1);
        break;
    }
}

/* --- The driver ----------------------------------------------------------- */

static void call_driver(uint32_t call)
{
    static uint8_t bytes[600];
    uint32_t size = next(2) % sizeof bytes;
    int result = 0;

    switch (call) {
    case 0:
        result = channel.open(channel.context);
        check(result <= 1);
        break;
    case 1:
        result = channel.send(channel.context, bytes, size);
        check(result <= 0 || result == (int)size);
        in_use += result > 0 ? (uint32_t)result : 0;
        break;
    case 2: {
        uint8_t *exact = malloc(size ? size : 1);

        result = channel.receive(channel.context, exact, size);
        free(exact);
        check(result <= (int)size);
        break;
    }
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
    check(result >= 0 || result == TPROF_ERR_CLOSED ||
          result == TPROF_ERR_DEVICE);
    check(!dead || call > 2 || result == TPROF_ERR_DEVICE);
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
