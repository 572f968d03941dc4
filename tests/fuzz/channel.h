/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzzers of the agent's transports share: input, what a device does
 * to its queues, and the calls of a channel. Each byte of input is an act of
 * the device, or a call of the driver.
 *
 * A fuzzer defines FUZZ_QUEUES, includes this once, and defines the functions
 * declared below. It finds what a sanitizer sees, and a false check(). Only
 * fuzz_*.c include this: it defines LLVMFuzzerTestOneInput().
 */
#ifndef TPROF_FUZZ_CHANNEL_H
#define TPROF_FUZZ_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake_virtio.h"
#include "tprof/tprof.h"

#define SEND_MAX 600u

/* The fuzzer's: a new device and driver; sets channel and dead. */
static void init(void);

/* The fuzzer's: act (act) of the device, 0 to 7; act_on_queues() has four. */
static void act_as_device(uint32_t act);

/* Numbers mean the same in all inputs of the corpus: do not reuse them. */
enum fuzz_call {
    CALL_OPEN,
    CALL_SEND,
    CALL_RECEIVE,
    CALL_PENDING,
    CALL_NOTHING, /* was close() */
    CALL_INIT,
    FUZZ_CALLS
};

/* The fuzzer's: check what its driver promises of (result), of a call with
 * (size) bytes. */
static void check_call(enum fuzz_call call, uint32_t size, int result);

static struct tprof_channel channel;
static bool dead;       /* the driver has said since init() that it is */
static uint64_t in_use; /* at most what pending() may say */

static const uint8_t *input;
static size_t input_left;

static void check(bool promise)
{
    if (!promise)
        abort();
}

/* The next (bytes) bytes of input as a number; 0 where it has ended. */
static uint32_t next(size_t bytes)
{
    uint32_t val = 0;

    for (; bytes > 0 && input_left > 0; bytes--, input_left--)
        val = val << 8 | *input++;
    return val;
}

/* A queue that the driver has set up, or FAKE_QUEUES. */
static uint32_t next_queue(void)
{
    uint32_t queue = next(1) % FUZZ_QUEUES;

    return fake.queues[queue].size ? queue : FAKE_QUEUES;
}

static void scribble_used(uint32_t queue)
{
    uint32_t at = next(2) % 1024;

    if (queue == FAKE_QUEUES)
        return;
    const uint8_t *end = fake.queues[queue].memory + 1024;
    uint8_t *used = (uint8_t *)fake_used_flags(queue);

    if (used + at < end)
        used[at] = (uint8_t)next(1);
}

/* Acts 2 to 5: give a buffer back; give one back that may not be the device's;
 * move the used ring's index; write anything to the used ring. */
static void act_on_queues(uint32_t act)
{
    uint32_t queue = next_queue();
    struct fake_buffer b;

    if (act == 5) {
        scribble_used(queue);
        return;
    }
    if (queue == FAKE_QUEUES)
        return;
    if (act == 2) {
        if (fake_pop(queue, &b))
            fake_push(queue, b.id, next(1));
    } else if (act == 3) {
        fake_push(queue, next(1) & 0x80 ? next(4) : next(1) % 40, next(2));
    } else {
        *fake_pushed(queue) = (uint16_t)(*fake_pushed(queue) + next(1) - 2);
    }
}

static int receive(uint32_t size)
{
    /* as large as said, so that a sanitizer sees a byte too much */
    uint8_t *exact = malloc(size ? size : 1);
    int result = channel.receive(channel.context, exact, size);

    free(exact);
    return result;
}

static void call_driver(uint32_t call)
{
    static uint8_t bytes[SEND_MAX];
    uint32_t size = next(2) % sizeof bytes;
    int result = 0;

    switch (call) {
    case CALL_OPEN:
        result = channel.open(channel.context);
        check(result <= 1);
        break;
    case CALL_SEND:
        result = channel.send(channel.context, bytes, size);
        check(result <= (int)size);
        in_use += result > 0 ? (uint32_t)result : 0;
        break;
    case CALL_RECEIVE:
        result = receive(size);
        check(result <= (int)size);
        break;
    case CALL_PENDING:
        check(channel.pending(channel.context) <= in_use);
        break;
    case CALL_NOTHING:
        break;
    default:
        init();
        return;
    }
    check(result >= 0 || result == TPROF_ERR_CLOSED ||
          result == TPROF_ERR_DEVICE);
    check(!dead || call > CALL_RECEIVE || result == TPROF_ERR_DEVICE);
    check_call(call, size, result);
    if (result == TPROF_ERR_DEVICE) {
        dead = true;
        check(channel.pending(channel.context) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    input_left = size;
    init();
    while (input_left > 0 && channel.open) {
        uint32_t what = next(1);

        if (what & 0x80)
            call_driver(what % FUZZ_CALLS);
        else
            act_as_device(what % 8);
    }
    return 0;
}

#endif
