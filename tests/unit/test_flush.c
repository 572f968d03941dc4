/* SPDX-License-Identifier: BSD-2-Clause */
/* tprof_flush() of a guest that exits just when its host ends the session */
#include <string.h>

#include "check.h"
#include "guest/talk/talk.h"
#include "machine.h"
#include "one_way.h"
#include "state/agent.h"
#include "tprof_wire.h"

#define CORES  2u
#define HZ     1000000u /* of the clock */
#define FRAMES 4096u    /* more than the rings hold */

static struct tprof_counter work = {.name = "requests"};
static uint8_t order[COMMAND_MAX];
static size_t order_size;
static uint32_t frames[256]; /* by type */
static bool is_stopped;

static int is_here(void *context)
{
    (void)context;
    return 1;
}

/* Returns the first field (tag) of a frame, or 0. */
static uint64_t field(const uint8_t *frame, uint32_t size, uint8_t tag)
{
    const uint8_t *at = frame + WIRE_FRAME_HEADER;
    uint64_t value = 0;

    while (at + 2 < frame + size - WIRE_FRAME_TRAILER && at[0] != tag)
        at += 2 + at[1];
    if (at[0] != tag)
        return 0;
    for (uint32_t i = at[1]; i > 0; i--)
        value = value << 8 | at[1 + i];
    return value;
}

static int take(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data;
    uint8_t type = frame[2];

    (void)context;
    frames[type]++;
    if (type == WIRE_STATUS)
        is_stopped =
            field(frame, size, WIRE_CONTROL_STATE) == WIRE_STATE_STOPPED;
    return (int)size;
}

static int hear(void *context, void *data, uint32_t size)
{
    int n = (int)order_size;

    (void)context;
    CHECK(order_size <= size);
    memcpy(data, order, order_size);
    order_size = 0;
    return n;
}

static void say(uint8_t type)
{
    const struct command c = {.type = type, .rate_hz = 100};

    order_size = command_encode(&c, 0, order);
}

/* A tenth of a second passes on all cores, with kernel ticks. */
static void pass(void)
{
    const struct tprof_regs regs = {0};

    for (uint32_t t = 0; t < 100; t++) {
        tprof_machine.now += HZ / 1000;
        for (uint32_t i = 0; i < CORES; i++) {
            on_core(i);
            tprof_tick(&regs);
        }
    }
    on_core(0);
}

/* Cores sample, and the host has said STOP, which only core 0 knows. */
static void stop_in_the_middle(void)
{
    static const struct tprof_channel channel = {
        .flags = TPROF_CHANNEL_IRQ_SAFE,
        .open = is_here,
        .send = take,
        .receive = hear,
    };
    struct tprof_config config = {
        .timer = TPROF_TIMER_KERNEL,
        .kernel_hz = 1000,
        .tsc_hz = HZ,
        .cpus = CORES,
        .channel = &channel,
    };

    one_way_init(&config, take);
    for (uint32_t i = 0; i < CORES; i++) {
        on_core(i);
        tprof_machine.cores[i].hardware_id = i;
        CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    }
    CHECK_EQ(tprof_add_counter(&work), TPROF_OK);
    pass();
    say(WIRE_START);
    pass();
    tprof_progress(&work, 5);
    CHECK(frames[WIRE_SAMPLES] > 0);
    say(WIRE_STOP);
    while (order_size > 0 || tprof_state() == WIRE_STATE_SAMPLING)
        tprof_poll();
    CHECK_EQ(tprof_state(), WIRE_STATE_DRAINING);
    CHECK_EQ(frames[WIRE_STATS], 0);
    CHECK_EQ(frames[WIRE_PROGRESS], 0);
}

/* catches: counters of work and last counters of a core that the host never
 * gets, because the guest exits while core 1 does not know of the STOP yet */
TEST(flush_sends_the_last_words_that_follow_a_stop)
{
    stop_in_the_middle();
    CHECK_EQ(tprof_flush(FRAMES), 0);
    CHECK_EQ(tprof_state(), WIRE_STATE_STOPPED);
    CHECK_EQ(frames[WIRE_PROGRESS], 1);
    CHECK_EQ(frames[WIRE_STATS], CORES);
    CHECK(is_stopped);
}

/* catches: an end without bound, and a success that is none: core 1 has three
 * eighths of a second to follow, and these tries take less */
TEST(flush_that_gives_up_before_the_last_words_says_so)
{
    stop_in_the_middle();
    CHECK_EQ(tprof_flush(1), 1);
    CHECK_EQ(tprof_state(), WIRE_STATE_DRAINING);
    CHECK(!is_stopped);
}
