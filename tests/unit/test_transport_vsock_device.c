/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vsock driver and its device: what is asked of it, its interrupt, and
 * every lie that it can tell.
 */
#include "transport/transport_vsock.h"

#include <string.h>

#include "check.h"
#include "transport/transport.h"
#include "vsock_bed.h"

/* --- Finding -------------------------------------------------------------- */

TEST(device_is_claimed_and_given_buffers) /* catches: a deaf listener */
{
    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK_EQ(fake.status, 15);
    CHECK_EQ(fake.accepted, 1ull << 32);
    CHECK_EQ(fake.queues[FAKE_RX].size, 2 * TPROF_VSOCK_BUFFERS);
    CHECK_EQ(fake.queues[FAKE_TX].size, 2 * TPROF_VSOCK_PACKETS);
    CHECK(fake.queues[FAKE_RX].notified > 0);
    CHECK(fake.queues[FAKE_EVENT].notified > 0);
    CHECK_EQ(channel.flags, TPROF_CHANNEL_IRQ_SAFE);
    CHECK_EQ(bed_open(), 0);
    expect_nothing();
}

/* catches: a guest that never hears a call, since its device wants a descriptor
 * for the header and another one for the data */
TEST(header_and_data_have_a_descriptor_each)
{
    struct fake_buffer b;

    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    for (uint32_t i = 0; i < TPROF_VSOCK_BUFFERS; i++) {
        CHECK(fake_pop(FAKE_RX, &b));
        CHECK_EQ(b.id, 2 * i);
        CHECK(b.writable);
        CHECK_EQ(b.size, FAKE_HEADER);
        CHECK(b.more == b.data + FAKE_HEADER);
        CHECK_EQ(b.more_size, TPROF_VSOCK_BUFFER_SIZE - FAKE_HEADER);
        CHECK_EQ((uintptr_t)b.data / 4096, (uintptr_t)(b.data + 255) / 4096);
    }
    CHECK(!fake_pop(FAKE_RX, &b));
}

TEST(legacy_device_serves_as_well)
{
    plug_in();
    fake.legacy = true;
    fake.features = 0;
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK_EQ(fake.accepted, 0);
    say(FAKE_REQUEST);
    CHECK_EQ(bed_open(), 1);
    expect(FAKE_RESPONSE);
}

TEST(small_queues_are_enough_or_refused)
{
    for (uint32_t max = 0; max <= 16; max++) {
        plug_in();
        fake.queues[FAKE_TX].max = max;
        CHECK_EQ(bed_init(), max < 8 ? TPROF_ERR_DEVICE : TPROF_OK);
        CHECK_EQ(fake.status, max < 8 ? 0 : 15);
    }
    for (uint32_t queue = 0; queue <= FAKE_EVENT; queue++) {
        plug_in();
        fake.queues[queue].max = 0;
        CHECK_EQ(bed_init(), TPROF_ERR_DEVICE);
        CHECK_EQ(fake.status, 0);
    }
    plug_in();
    fake.queues[FAKE_RX].max = 1;
    CHECK_EQ(bed_init(), TPROF_ERR_DEVICE);
    plug_in();
    fake.queues[FAKE_RX].max = 2;
    fake.queues[FAKE_EVENT].max = 1;
    CHECK_EQ(bed_init(), TPROF_OK);
    say(FAKE_REQUEST);
    CHECK_EQ(bed_open(), 1);
}

TEST(device_that_refuses_or_has_a_driver_is_left)
{
    plug_in();
    fake.refuses = true;
    CHECK_EQ(bed_init(), TPROF_ERR_DEVICE);
    plug_in();
    fake.status = 15;
    CHECK_EQ(bed_init(), TPROF_ERR_DEVICE_TAKEN);
    CHECK_EQ(fake.resets, 0);
}

TEST(device_of_a_confidential_guest_is_told_from_others)
{
    plug_in();
    fake.features |= 1ull << 33;
    CHECK_EQ(bed_init(), TPROF_OK); /* it may be used without */
    plug_in();
    fake.features |= 1ull << 33;
    fake.platform = true;
    CHECK_EQ(bed_init(), TPROF_ERR_DEVICE_PLATFORM);
    CHECK_EQ(fake.status, 0);
}

/* catches: queues that are set up while the device still uses the old ones */
TEST(reset_is_waited_for_and_not_for_ever)
{
    plug_in();
    fake.reset_looks = 100000; /* hardware takes milliseconds */
    CHECK_EQ(bed_init(), TPROF_OK);
    plug_in();
    fake.reset_looks = UINT32_MAX;
    bed_second = 1000;
    CHECK_EQ(bed_init(), TPROF_ERR_DEVICE);
    CHECK_EQ(fake.accepted, 0);
    for (uint32_t i = 0; i < FAKE_QUEUES; i++)
        CHECK_EQ(fake.queues[i].size, 0);
}

/* --- Notice --------------------------------------------------------------- */

static bool is_noticed(void)
{
    CHECK_EQ(fake_avail_flags(FAKE_EVENT), fake_avail_flags(FAKE_RX));
    CHECK_EQ(fake_avail_flags(FAKE_TX), 1);
    if (channel.flags & TPROF_CHANNEL_NOTICE)
        CHECK_EQ(fake_avail_flags(FAKE_RX), 0);
    return (channel.flags & TPROF_CHANNEL_NOTICE) != 0;
}

TEST(interrupt_is_aimed_at_the_core_that_looks)
{
    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK_EQ(fake_avail_flags(FAKE_RX), 1);
    CHECK_EQ(bed_open(), 0);
    CHECK(is_noticed());
    CHECK_EQ(fake_irq.vector, 0xef);
    CHECK_EQ(fake_irq.apic_id, 40);
    CHECK_EQ(bed_open(), 0);
    CHECK_EQ(fake_irq.routed, 1);
    CHECK_EQ(fake_irq.acked, 2);
    atomic_store(&tprof_agent.watching_core, 1);
    CHECK_EQ(bed_open(), 0);
    CHECK_EQ(fake_irq.apic_id, 41);
    CHECK_EQ(fake_irq.routed, 2);
    atomic_store(&tprof_agent.watching_core, 2); /* nobody */
    CHECK_EQ(bed_open(), 0);
    CHECK(!is_noticed());
    CHECK_EQ(fake_irq.routed, 2);
}

/* Catches: an interrupt for each connect() of anybody */
TEST(callers_in_vain_do_not_interrupt)
{
    struct fake_packet p = packet(FAKE_REQUEST);

    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK_EQ(bed_open(), 0);
    CHECK(is_noticed());
    p.dst_port = 1234; /* nobody's */
    CHECK(fake_to_guest(&p));
    CHECK_EQ(bed_open(), 0);
    CHECK(fake_from_guest(&p));
    CHECK_EQ(p.op, FAKE_RST);
    CHECK(!is_noticed());
    CHECK_EQ(fake_avail_flags(FAKE_RX), 1);
    p = packet(FAKE_REQUEST);
    p.src_cid = 9; /* may not attach */
    CHECK(fake_to_guest(&p));
    CHECK_EQ(bed_open(), 0);
    CHECK(!is_noticed());
    CHECK_EQ(bed_open(), 0); /* quiet again */
    CHECK(is_noticed());
}

TEST(exit_resets_the_device_and_masks_its_interrupt)
{
    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK_EQ(bed_open(), 0);
    tprof_vsock.exit(&vsock);
    CHECK_EQ(fake.status, 0);
    CHECK_EQ(fake_irq.masked, 1);
    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK); /* and once more from the beginning */
    CHECK_EQ(bed_open(), 0);
    fake.status = 0; /* another driver has it: it is left alone */
    CHECK_EQ(bed_open(), TPROF_ERR_DEVICE);
    fake.status = 7;
    tprof_vsock.exit(&vsock);
    CHECK_EQ(fake.status, 7);
}

TEST(session_needs_no_interrupt)
{
    attach();
    CHECK(!is_noticed());
    CHECK_EQ(fake_avail_flags(FAKE_RX), 1);
    say(FAKE_RST);
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
    CHECK(!is_noticed()); /* until somebody has looked */
    CHECK_EQ(bed_open(), 0);
    CHECK(is_noticed());
}

TEST(what_is_left_to_hear_is_looked_for) /* catches: a call that is missed */
{
    struct fake_packet p = packet(FAKE_REQUEST);

    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK_EQ(bed_open(), 0);
    p.op = FAKE_SHUTDOWN; /* of a connection that is no more */
    p.dst_port = 1;
    for (uint32_t i = 0; i < TPROF_VSOCK_BUFFERS; i++)
        CHECK(fake_to_guest(&p));
    CHECK_EQ(bed_open(), 0);
    CHECK(is_noticed());
    /* no answer leaves: the last packet stays where it is */
    for (uint32_t i = 0; i < 2; i++)
        CHECK(fake_to_guest(&p));
    CHECK_EQ(bed_open(), 0);
    CHECK(!is_noticed());
    while (fake_from_guest(&p))
        ;
    CHECK_EQ(bed_open(), 0);
    CHECK(is_noticed());
}

static uint32_t hook_vector, hook_apic_id;
static int hook_result;

static int route(void *context, uint32_t vector, uint32_t apic_id)
{
    CHECK(context == &hook_result);
    hook_vector = vector;
    hook_apic_id = apic_id;
    return hook_result;
}

TEST(kernel_may_route_the_interrupt)
{
    for (int fails = 0; fails < 2; fails++) {
        plug_in();
        fake_irq.none = true;
        hook_result = fails;
        tprof_agent.config.context = &hook_result;
        tprof_agent.config.route_irq = route;
        CHECK_EQ(bed_init(), TPROF_OK);
        CHECK_EQ(bed_open(), 0);
        CHECK_EQ(is_noticed(), !fails);
        CHECK_EQ(hook_vector, 0xef);
        CHECK_EQ(hook_apic_id, 40);
        CHECK_EQ(fake_irq.routed, 0);
    }
}

TEST(interrupt_that_is_impossible_or_unwanted_is_not_waited_for)
{
    for (int why = 0; why < 6; why++) {
        plug_in();
        fake_irq.none = why == 0;
        fake_irq.unbound = why == 1;
        fake_irq.unroutable = why == 2;
        tprof_agent.config.notice = why == 3   ? TPROF_NOTICE_LOOK
                                    : why == 4 ? TPROF_NOTICE_POLL
                                               : TPROF_NOTICE_AUTO;
        tprof_agent.config.timer =
            why == 5 ? TPROF_TIMER_KERNEL : TPROF_TIMER_APIC;
        CHECK_EQ(bed_init(), TPROF_OK);
        for (int i = 0; i < 3; i++)
            CHECK_EQ(bed_open(), 0);
        CHECK(!is_noticed());
        CHECK_EQ(fake_avail_flags(FAKE_RX), 1);
        CHECK_EQ(fake_irq.routed, why == 2);
        CHECK_EQ(fake_irq.acked, 3); /* a line that is up all the same */
        say(FAKE_REQUEST);
        CHECK_EQ(bed_open(), 1);
    }
}

/* --- Devices that lie ----------------------------------------------------- */

/* The driver has given the device up, and says so for ever. */
static void expect_given_up(void)
{
    char got[8];

    for (int i = 0; i < 3; i++) {
        CHECK_EQ(bed_receive(got, sizeof got), TPROF_ERR_DEVICE);
        CHECK_EQ(bed_send("x", 1), TPROF_ERR_DEVICE);
        CHECK_EQ(bed_open(), TPROF_ERR_DEVICE);
        CHECK_EQ(bed_pending(), 0);
    }
    CHECK_EQ(fake.status, 0x80);
}

TEST(length_that_cannot_be_is_a_lie)
{
    static const uint32_t lengths[] = {0, 43, 257, 1u << 31, UINT32_MAX};
    char got[8];

    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct fake_buffer b;

        attach();
        CHECK_EQ(bed_send("x", 1), 1);
        CHECK(fake_pop(FAKE_RX, &b));
        fake_push(FAKE_RX, b.id, lengths[i]);
        CHECK_EQ(bed_receive(got, sizeof got), TPROF_ERR_DEVICE);
        expect_given_up();
    }
}

TEST(packet_that_says_it_is_longer_is_a_lie)
{
    static const uint32_t sizes[] = {5, 213, UINT32_MAX - 43, UINT32_MAX};
    char got[300];

    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        attach();
        say_data("abcd", 4);
        memcpy(&vsock.device.buffers[1][24], &sizes[i], 4);
        CHECK_EQ(bed_receive(got, sizeof got), TPROF_ERR_DEVICE);
        expect_given_up();
    }
}

TEST(descriptor_that_it_does_not_have_is_a_lie)
{
    static const uint32_t ids[] = {0, 2, 16, 31, 32, UINT32_MAX};

    for (uint32_t queue = 0; queue <= FAKE_EVENT; queue++) {
        for (uint32_t i = 0; i < sizeof ids / sizeof *ids; i++) {
            bool has = queue == FAKE_TX   ? ids[i] == 2
                       : queue == FAKE_RX ? ids[i] < 32 && ids[i] % 2 == 0
                                          : ids[i] < 4;

            attach();
            CHECK_EQ(bed_send("x", 1), 1); /* at place 1, descriptors 2 and 3 */
            if (has)
                continue;
            fake_push(queue, ids[i], 44);
            CHECK(queue == FAKE_TX || bed_receive(NULL, 0) == TPROF_ERR_DEVICE);
            CHECK_EQ(bed_pending(), 0);
            expect_given_up();
        }
    }
    attach();
    CHECK_EQ(bed_send("x", 1), 1);
    fake_push(FAKE_TX, 3, 0); /* the second half of the pair */
    CHECK_EQ(bed_pending(), 0);
    expect_given_up();
}

TEST(ring_that_ran_ahead_is_a_lie)
{
    for (uint32_t queue = 0; queue <= FAKE_EVENT; queue++) {
        attach();
        CHECK_EQ(bed_send("x", 1), 1);
        *fake_pushed(queue) = (uint16_t)(*fake_pushed(queue) + 100);
        CHECK(queue == FAKE_TX || bed_receive(NULL, 0) == TPROF_ERR_DEVICE);
        CHECK_EQ(bed_pending(), 0);
        expect_given_up();
    }
}

TEST(event_of_another_size_is_a_lie)
{
    struct fake_buffer b;

    attach();
    CHECK(fake_pop(FAKE_EVENT, &b));
    fake_push(FAKE_EVENT, b.id, 3);
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_DEVICE);
    expect_given_up();
}

TEST(device_that_is_gone_is_not_touched)
{
    static const uint32_t statuses[] = {UINT32_MAX, 0, 3, 0x4f, 0x8f};

    for (uint32_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        plug_in();
        CHECK_EQ(bed_init(), TPROF_OK);
        CHECK_EQ(bed_open(), 0);
        CHECK(is_noticed());
        fake.status = statuses[i];
        unsigned notified = fake.queues[FAKE_RX].notified;

        say(FAKE_REQUEST);
        CHECK_EQ(bed_open(), TPROF_ERR_DEVICE);
        CHECK_EQ(fake.status, statuses[i]);
        CHECK_EQ(fake.queues[FAKE_RX].notified, notified);
        CHECK_EQ(bed_open(), TPROF_ERR_DEVICE);
        CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_DEVICE);
    }
}

TEST(device_that_never_runs_dry_ends_no_call)
{
    struct fake_packet p = packet(FAKE_REQUEST);

    attach();
    fake_flood = true;
    p.dst_port = 1;
    CHECK(fake_to_guest(&p));
    hear();
    CHECK(fake.queues[FAKE_TX].notified < 20);
}

TEST(device_that_takes_nothing_is_busy)
{
    attach();
    while (bed_send("x", 1) > 0)
        ;
    for (int i = 0; i < 1000; i++) {
        CHECK_EQ(bed_send("x", 1), 0);
        hear();
    }
    CHECK_EQ(bed_pending(), TPROF_VSOCK_PACKETS - 2);
}
