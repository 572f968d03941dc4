/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console driver against a device made of memory: the handshake, hosts
 * that come and go, and every lie that a device can tell. The same over real
 * devices: tests/guest/virtio_console.
 */
#include "transport/transport_console.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "fake_console.h"
#include "transport/transport.h"

#define OURS 3u /* our port's number */

static struct tprof_console console;
static struct tprof_channel channel;
static const struct tprof_device anywhere;
static const struct tprof_device told = {.bus = TPROF_BUS_MMIO, .address = 1};

/* A device with our port, and others beside it */
static void plug_in(void)
{
    memset(&fake, 0, sizeof fake);
    memset(&fake_console, 0, sizeof fake_console);
    fake.features = 1ull << 32 | 1u << 28 | 1u << 1 | 1u << 0;
    for (uint32_t i = 0; i < FAKE_QUEUES; i++)
        fake.queues[i].max = i == 2 || i == 3 ? 32 : 128;
    fake_console.ports[1].name = "org.example.0";
    fake_console.ports[2].name = "tprof.00";
    fake_console.ports[OURS].name = "tprof.0";
    fake_console.ports[4].name =
        "a name that is longer than the buffer which a driver "
        "has for it, and so is cut";
    fake_console.ports[5].name = "tprof.";
}

static int init(const struct tprof_device *where)
{
    const struct tprof_transport_setup setup = {
        .memory = &console, .where = where, .second = 1000};

    return tprof_console_init(&setup, &channel);
}

/* Accesses to registers in one call: a quarter of those of a start. */
#define ACCESSES_MAX 14u

/* open() as often as it wants to be called. */
static int open(void)
{
    int result;

    for (int i = 0; i < 20; i++) {
        unsigned before = fake.accesses;

        result = channel.open(channel.context);
        CHECK(fake.accesses - before <= ACCESSES_MAX);
        if (result != 0 || !(channel.flags & TPROF_CHANNEL_SOON))
            break;
    }
    return result;
}

static int send(const void *data, uint32_t size)
{
    return channel.send(channel.context, data, size);
}

static uint32_t pending(void)
{
    return channel.pending(channel.context);
}

static int receive(void *data, uint32_t size)
{
    return channel.receive(channel.context, data, size);
}

/* The driver at work, a host attached. */
static void attach(void)
{
    plug_in();
    CHECK_EQ(init(&anywhere), TPROF_OK);
    CHECK_EQ(open(), 0);
    fake_host(OURS, true);
    CHECK_EQ(open(), 1);
}

/* The driver at work on a device that does not have our port yet. */
static void start_without_our_port(void)
{
    plug_in();
    fake_console.ports[OURS].name = NULL;
    CHECK_EQ(init(&told), TPROF_OK);
    CHECK_EQ(open(), 0);
}

/* The device announces our port, where a host waits. */
static void plug_our_port_in(void)
{
    fake_console.ports[OURS].name = "tprof.0";
    fake_console.ports[OURS].host = true;
    CHECK(fake_control(OURS, 1, 1, NULL));
}

/* --- Finding -------------------------------------------------------------- */

TEST(port_is_found_by_its_name) /* catches: prefixes, cut names, port 0 */
{
    plug_in();
    CHECK_EQ(init(&anywhere), TPROF_OK);
    CHECK_EQ(console.port, OURS);
    CHECK_EQ(channel.flags, TPROF_CHANNEL_IRQ_SAFE);
    CHECK_EQ(fake.accepted, 1ull << 32 | 1u << 1);
    CHECK_EQ(open(), 0);
    CHECK(fake_console.ports[OURS].guest);
    CHECK(!fake_console.ports[1].guest);
    for (uint32_t i = 0; i < FAKE_QUEUES; i++) /* control and ours only */
        CHECK_EQ(fake.queues[i].size != 0,
                 i == 2 || i == 3 || i == 8 || i == 9);
}

TEST(port_of_any_number_is_found) /* catches: queue numbers, bit of 31 */
{
    for (uint32_t port = 0; port < TPROF_CONSOLE_PORTS; port++) {
        plug_in();
        memset(fake_console.ports, 0, sizeof fake_console.ports);
        fake_console.ports[port].name = "tprof.0";
        fake_console.ports[port].host = true; /* from before */
        CHECK_EQ(init(&anywhere), TPROF_OK);
        CHECK_EQ(open(), 1);
        CHECK_EQ(send("x", 1), 1);
        CHECK_EQ(fake.queues[fake_out(port)].notified, 1);
    }
}

TEST(thirty_one_ports_are_asked) /* catches: answers that find no buffer */
{
    plug_in();
    for (uint32_t port = 0; port < 31; port++) {
        fake_console.ports[port].name = "org.example";
        fake_console.ports[port].host = true;
    }
    fake_console.ports[30].name = "tprof.0";
    CHECK_EQ(init(&anywhere), TPROF_OK);
    CHECK_EQ(open(), 1);
}

TEST(legacy_device_works) /* catches: features that it does not know */
{
    plug_in();
    fake.legacy = true;
    fake.features = 1u << 1;
    fake.refuses = true; /* has no FEATURES_OK */
    CHECK_EQ(init(&anywhere), TPROF_OK);
    CHECK_EQ(fake.accepted, 1u << 1);
}

TEST(device_without_our_port_is_left_in_reset)
{
    plug_in();
    fake_console.ports[OURS].name = NULL;
    CHECK_EQ(init(&anywhere), TPROF_ERR_DEVICE_PORT);
    CHECK_EQ(fake.found, 1);
    CHECK_EQ(fake.status, 0);
    for (uint32_t i = 0; i < FAKE_QUEUES; i++)
        CHECK_EQ(fake.queues[i].size, 0);
}

TEST(device_that_has_a_driver_is_left_alone)
{
    plug_in();
    fake.status = 0xf;
    CHECK_EQ(init(&anywhere), TPROF_ERR_DEVICE_TAKEN);
    CHECK_EQ(fake.status, 0xf);
    CHECK_EQ(fake.resets, 0);
    CHECK_EQ(init(&told), TPROF_OK); /* unless we are told that it is ours */
}

TEST(device_that_lacks_what_we_need_is_refused)
{
    plug_in();
    fake.features |= 1ull << 33;
    fake.platform = true;
    CHECK_EQ(init(&anywhere), TPROF_ERR_DEVICE_PLATFORM);
    plug_in();
    fake.features = 1ull << 32; /* one port only */
    CHECK_EQ(init(&told), TPROF_ERR_DEVICE);
    plug_in();
    fake.features = 1u << 1; /* not virtio 1.x */
    CHECK_EQ(init(&told), TPROF_ERR_DEVICE);
    plug_in();
    fake.refuses = true;
    CHECK_EQ(init(&told), TPROF_ERR_DEVICE);
    plug_in();
    fake.queues[FAKE_CONTROL_IN].max = 0;
    CHECK_EQ(init(&told), TPROF_ERR_DEVICE);
    plug_in();
    fake.queues[fake_out(OURS)].max = 0;
    CHECK_EQ(init(&told), TPROF_OK);
    CHECK_EQ(open(), TPROF_ERR_DEVICE);
}

TEST(short_queues_do) /* catches: buffers beyond what the device takes */
{
    char text[4] = "";

    plug_in();
    for (uint32_t i = 0; i < FAKE_QUEUES; i++)
        fake.queues[i].max = i == FAKE_CONTROL_IN ? 5 : 1;
    CHECK_EQ(init(&anywhere), TPROF_OK);
    fake_host(OURS, true);
    CHECK_EQ(open(), 1);
    CHECK_EQ(fake.queues[FAKE_CONTROL_IN].size, 4);
    CHECK_EQ(send("x", 1), 1);
    CHECK_EQ(send("y", 1), 0);
    for (int i = 0; i < 3; i++) {
        CHECK(fake_receive(OURS, "abc", 3));
        CHECK_EQ(receive(text, 4), 3);
        CHECK_STR(text, "abc");
    }
}

TEST(handshake_goes_on_from_look_to_look) /* catches: waiting for a device */
{
    int looks = 0;

    plug_in();
    fake.lazy = true;
    CHECK_EQ(init(&told), TPROF_OK);
    fake_console.ports[OURS].host = true;
    for (int state = 0; state == 0; looks++) {
        fake_act();
        state = open();
        CHECK(state >= 0 && looks < 50);
    }
    CHECK(fake_console.ports[OURS].guest ||
          (fake_act(), fake_console.ports[OURS].guest));
}

TEST(device_that_answers_in_its_own_time_is_found) /* as under KVM */
{
    for (int i = 0; i < 100; i++) {
        plug_in();
        fake.lazy = true;
        fake_console.ports[OURS].host = true;
        fake_run();
        CHECK_EQ(init(&anywhere), TPROF_OK);
        while (open() == 0)
            ;
        CHECK_EQ(send("x", 1), 1);
        fake_stop();

        plug_in();
        fake.lazy = true;
        fake_console.ports[OURS].name = NULL;
        fake_run();
        CHECK_EQ(init(&anywhere), TPROF_ERR_DEVICE_PORT);
        fake_stop();
    }
}

TEST(port_may_be_plugged_in_later_and_move)
{
    plug_in();
    fake_console.ports[OURS].name = NULL;
    CHECK_EQ(init(&told), TPROF_OK);
    CHECK_EQ(open(), 0);
    fake_console.ports[OURS].name = "tprof.0";
    fake_control(OURS, 1, 1, NULL);
    CHECK_EQ(open(), 0);
    fake_host(OURS, true);
    CHECK_EQ(open(), 1);

    fake_console.ports[OURS].name = NULL;
    fake_control(OURS, 2, 1, NULL);
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
    CHECK_EQ(open(), 0);
    fake_console.ports[7].name = "tprof.0";
    fake_console.ports[7].host = true;
    fake_control(7, 1, 1, NULL);
    CHECK_EQ(open(), 1);
    CHECK_EQ(console.port, 7);
}

TEST(number_of_our_port_may_become_another_s)
{
    static const char *const names[] = {"org.example.0", NULL};

    for (int i = 0; i < 2; i++) { /* NULL: a port without a name */
        attach();
        fake_console.ports[OURS].name = NULL;
        fake_host(OURS, false);
        fake_control(OURS, 2, 1, NULL);
        CHECK_EQ(open(), 0);
        fake_console.ports[OURS].name = "";
        fake_console.mute[OURS] = names[i] == NULL;
        if (names[i])
            fake_console.ports[OURS].name = names[i];
        fake_console.ports[OURS].host = true;
        fake_control(OURS, 1, 1, NULL);
        CHECK_EQ(open(), 0);
        CHECK(!fake_console.ports[OURS].guest);

        fake_console.ports[1].host = true; /* it was another's */
        fake_control(1, 2, 1, NULL);
        fake_console.ports[1].name = "tprof.0";
        fake_control(1, 1, 1, NULL);
        CHECK_EQ(open(), 1);
        CHECK_EQ(console.port, 1);
    }
}

/* --- Data ----------------------------------------------------------------- */

TEST(what_is_sent_is_not_copied_and_kicked_once)
{
    static const char data[] = "nothing but this";
    struct fake_buffer b;

    attach();
    CHECK_EQ(send(data, 7), 7);
    CHECK_EQ(fake.queues[fake_out(OURS)].notified, 1);
    CHECK(fake_pop(fake_out(OURS), &b));
    CHECK(b.data == (const uint8_t *)data);
    CHECK_EQ(b.size, 7);
    CHECK(!b.writable);
    CHECK_EQ(pending(), 7);
    fake_push(fake_out(OURS), b.id, 0);
    CHECK_EQ(pending(), 0);

    *fake_used_flags(fake_out(OURS)) = 1;
    CHECK_EQ(send(data, 7), 7);
    CHECK_EQ(fake.queues[fake_out(OURS)].notified, 1);
}

TEST(device_sees_physical_addresses)
{
    struct fake_buffer b;

    attach();
    console.physical = 0x100000000; /* from here on */
    CHECK_EQ(send("x", 1), 1);
    CHECK(fake_pop(fake_out(OURS), &b));
    CHECK_EQ((uintptr_t)b.data & 0xffffffff, (uintptr_t) "x" & 0xffffffff);
    CHECK_EQ((uintptr_t)b.data >> 32, ((uintptr_t) "x" >> 32) + 1);
}

TEST(full_queue_sends_nothing) /* catches: a descriptor used twice */
{
    struct fake_buffer b;

    attach();
    for (uint32_t i = 0; i < 32; i++)
        CHECK_EQ(send("abc", 3), 3);
    CHECK_EQ(send("abc", 3), 0);
    CHECK_EQ(pending(), 96);
    CHECK(fake_pop(fake_out(OURS), &b));
    fake_push(fake_out(OURS), b.id, 0);
    CHECK_EQ(send("abc", 3), 3);
    CHECK_EQ(send("abc", 3), 0);
}

TEST(pending_frees_the_oldest_first) /* catches: completion out of order */
{
    struct fake_buffer b[3];

    attach();
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQ(send("data", i + 1), (int)i + 1);
        CHECK(fake_pop(fake_out(OURS), &b[i]));
    }
    fake_push(fake_out(OURS), b[1].id, 0);
    CHECK_EQ(pending(), 6); /* 1 is still in use, so 2 is not free */
    fake_push(fake_out(OURS), b[0].id, 0);
    CHECK_EQ(pending(), 3);
    fake_push(fake_out(OURS), b[2].id, 0);
    CHECK_EQ(pending(), 0);
}

TEST(ring_indices_wrap)
{
    struct fake_buffer b;
    char text[8];

    attach();
    for (uint32_t i = 0; i < 200000; i++) {
        CHECK_EQ(send("data", 4), 4);
        CHECK(fake_pop(fake_out(OURS), &b));
        fake_push(fake_out(OURS), b.id, 0);
        CHECK(fake_receive(OURS, &i, sizeof i));
        CHECK_EQ(receive(text, sizeof text), 4);
        CHECK_MEM(text, &i, 4);
    }
    CHECK_EQ(pending(), 0);
}

TEST(received_bytes_come_in_any_portion)
{
    uint8_t bytes[64];
    uint8_t got[600];

    attach();
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    CHECK_EQ(receive(got, sizeof got), 0);
    CHECK(fake_receive(OURS, bytes, 64));
    CHECK(fake_receive(OURS, bytes, 10));
    CHECK(fake_receive(OURS, bytes, 1));
    CHECK_EQ(receive(got, 1), 1);
    CHECK_EQ(receive(got + 1, 40), 40);
    CHECK_EQ(receive(got + 41, 500), 23);
    CHECK_EQ(receive(got + 64, 500), 10);
    CHECK_EQ(receive(got + 74, 1), 1);
    CHECK_MEM(got, bytes, 64);
    CHECK_MEM(got + 64, bytes, 10);
    CHECK_EQ(got[74], 0);
    CHECK_EQ(receive(got, sizeof got), 0);
    for (int i = 0; i < 32; i++) /* all buffers are back */
        CHECK(fake_receive(OURS, bytes, 64));
    CHECK(!fake_receive(OURS, bytes, 64));
}

/* --- Hosts come and go ---------------------------------------------------- */

TEST(host_that_leaves_takes_its_bytes_along)
{
    struct fake_buffer b;
    char text[8];

    attach();
    CHECK_EQ(send("abc", 3), 3);
    CHECK(fake_pop(fake_out(OURS), &b)); /* half sent: QEMU keeps it for good */
    CHECK(fake_receive(OURS, "old", 3));
    fake_host(OURS, false);
    CHECK_EQ(receive(text, sizeof text), TPROF_ERR_CLOSED);
    CHECK_EQ(pending(), 0);
    CHECK_EQ(send("abc", 3), TPROF_ERR_CLOSED);
    CHECK_EQ(open(), 0);
    fake_host(OURS, true);
    CHECK_EQ(open(), 1);
    CHECK_EQ(receive(text, sizeof text), 0);
    CHECK_EQ(send("abc", 3), 3);
}

TEST(host_that_changes_between_two_looks_is_noticed)
{
    attach();
    fake_host(OURS, false);
    fake_host(OURS, true);
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
    CHECK_EQ(open(), 1);
    CHECK_EQ(receive(&(char){0}, 1), 0);
}

TEST(hosts_that_overrun_the_control_queue_are_noticed)
{
    for (uint32_t last = 0; last < 2; last++) {
        attach();
        for (uint32_t i = 0; i < 50; i++) { /* of 32 buffers */
            fake_host(1, i % 2 == 0);
            fake_host(OURS, i % 2 == last);
        }
        CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
        CHECK_EQ(open(), last);
    }
}

TEST(what_the_control_queue_dropped_is_asked_again)
{
    attach();
    for (uint32_t i = 0; i < 32; i++)
        fake_host(1, i % 2 == 0);
    fake_host(OURS, false); /* no buffer left for this */
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
    CHECK_EQ(open(), 0);
}

TEST(open_tells_the_device_that_the_guest_listens)
{
    attach();
    CHECK(fake_console.ports[OURS].guest);
    fake_host(OURS, false); /* so the device is started again */
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
    CHECK(!fake_console.ports[OURS].guest);
    CHECK_EQ(open(), 0);
    CHECK(fake_console.ports[OURS].guest);
}

/* catches: 60 traps in one interrupt after each host */
TEST(start_after_a_host_is_divided)
{
    attach();
    unsigned before = fake.accesses;
    unsigned resets = fake.resets;

    fake_host(OURS, false);
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
    CHECK_EQ(fake.accesses - before, 2); /* reset, and is that over? */
    CHECK_EQ(fake.resets, resets + 1);
    CHECK_EQ(open(), 0);
    CHECK(fake.accesses - before > 4 * ACCESSES_MAX);
    CHECK(!(channel.flags & TPROF_CHANNEL_SOON));
    CHECK_EQ(fake.resets, resets + 1);
}

/* catches: buffers that are filled again while the device still reads them */
TEST(reset_that_takes_time_is_not_waited_for)
{
    attach();
    CHECK_EQ(send("abc", 3), 3);
    fake.lazy = true;
    fake.reset_looks = 6;
    fake_host(OURS, false);
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
    CHECK_EQ(pending(), 3);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(channel.open(channel.context), 0);
        CHECK(channel.flags & TPROF_CHANNEL_SOON);
        CHECK_EQ(fake.queues[fake_out(OURS)].size, 0);
    }
    CHECK_EQ(pending(), 0);
    fake.lazy = false;
    CHECK_EQ(open(), 0);
    fake_host(OURS, true);
    CHECK_EQ(open(), 1);
}

TEST(reset_that_never_ends_is_the_device_s_end)
{
    for (int asked = 0; asked < 2; asked++) {
        attach();
        CHECK_EQ(send("abc", 3), 3);
        fake.reset_looks = UINT32_MAX;
        fake_host(OURS, false);
        CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
        /* the pump opens nothing as long as bytes are in use */
        for (int i = 0; asked && i < 1000; i++)
            pending();
        for (int i = 0; !asked && i < 1000; i++)
            channel.open(channel.context);
        CHECK_EQ(pending(), 0);
        CHECK_EQ(channel.open(channel.context), TPROF_ERR_DEVICE);
    }
}

TEST(device_that_another_driver_takes_meanwhile_is_not_touched)
{
    attach();
    fake_host(OURS, false);
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_CLOSED);
    CHECK_EQ(channel.open(channel.context), 0);
    fake.status = 15;
    CHECK_EQ(channel.open(channel.context), TPROF_ERR_DEVICE);
    CHECK_EQ(fake.status, 15);
    CHECK_EQ(channel.open(channel.context), TPROF_ERR_DEVICE);
}

TEST(init_begins_anew_with_a_device_at_work)
{
    attach();
    CHECK_EQ(send("x", 1), 1);
    CHECK_EQ(init(&told), TPROF_OK);
    CHECK_EQ(pending(), 0);
    CHECK_EQ(open(), 1);
}

/* --- A device that lies --------------------------------------------------- */

/* Given up: FAILED in its status, no memory of ours, no further word with it.
 */
static void check_given_up(void)
{
    unsigned resets = fake.resets;

    CHECK_EQ(fake.status, 0x80);
    CHECK_EQ(pending(), 0);
    CHECK_EQ(send("x", 1), TPROF_ERR_DEVICE);
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_DEVICE);
    CHECK_EQ(open(), TPROF_ERR_DEVICE);
    CHECK_EQ(fake.resets, resets);
    for (uint32_t i = 0; i < FAKE_QUEUES; i++)
        CHECK_EQ(fake.queues[i].size, 0);
    CHECK_EQ(init(&anywhere), TPROF_OK); /* a reset mends it */
    CHECK_EQ(open(), 1);
}

TEST(used_index_beyond_what_was_given_is_a_lie)
{
    attach();
    CHECK_EQ(send("x", 1), 1);
    *fake_pushed(fake_out(OURS)) += 2;
    CHECK_EQ(send("x", 1), TPROF_ERR_DEVICE);
    check_given_up();
}

TEST(used_index_that_goes_back_is_a_lie)
{
    attach();
    *fake_pushed(fake_in(OURS)) -= 1;
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_DEVICE);
    check_given_up();
}

TEST(descriptor_that_was_not_given_is_a_lie)
{
    static const uint32_t ids[] = {1, 31, 32, 255, 65536, UINT32_MAX};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        attach();
        CHECK_EQ(send("x", 1), 1); /* number 0 */
        fake_push(fake_out(OURS), ids[i], 0);
        CHECK_EQ(send("x", 1), TPROF_ERR_DEVICE);
        check_given_up();
    }
}

TEST(descriptor_given_back_twice_is_a_lie)
{
    attach();
    CHECK_EQ(send("x", 1), 1);
    CHECK_EQ(send("y", 1), 1);
    fake_push(fake_out(OURS), 0, 0);
    fake_push(fake_out(OURS), 0, 0);
    CHECK_EQ(pending(), 0);
    check_given_up();
}

TEST(length_beyond_the_buffer_is_a_lie)
{
    static const uint32_t lengths[] = {0, 65, 65536, UINT32_MAX};
    struct fake_buffer b;

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        attach();
        CHECK(fake_pop(fake_in(OURS), &b));
        fake_push(fake_in(OURS), b.id, lengths[i]);
        CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_DEVICE);
        check_given_up();
    }
}

TEST(control_queue_that_lies_is_given_up)
{
    attach();
    fake_push(FAKE_CONTROL_IN, 99, 8);
    CHECK_EQ(receive(&(char){0}, 1), TPROF_ERR_DEVICE);
    check_given_up();

    start_without_our_port();
    *fake_pushed(FAKE_CONTROL_OUT) += 100;
    plug_our_port_in(); /* the driver asks for its name */
    CHECK_EQ(open(), TPROF_ERR_DEVICE);
    check_given_up();
}

TEST(device_that_takes_no_message_is_not_waited_for)
{
    start_without_our_port();
    fake.lazy = true;
    for (int i = 0; i < 100; i++) {
        fake_control(1, 1, 1, NULL); /* each time the driver asks its name */
        CHECK_EQ(open(), 0);
    }
    plug_our_port_in();
    CHECK_EQ(open(), 0);
    /* the queue is full */
    CHECK_EQ(console.queues[TPROF_CONSOLE_CONTROL_OUT].ring.in_flight,
             UINT32_MAX);
    fake.lazy = false;
    fake_act();
    CHECK_EQ(open(), 1);
}

TEST(control_messages_of_no_sense_are_ignored)
{
    struct fake_buffer b;

    attach();
    for (uint16_t event = 0; event < 20; event++) {
        if (event == 1) /* more ports than there can be: 32 and up */
            continue;
        fake_control(TPROF_CONSOLE_PORTS, event, 1, "tprof.0");
        fake_control(UINT32_MAX, event, 1, "tprof.0");
        CHECK_EQ(receive(&(char){0}, 1), 0);
    }
    for (uint32_t length = 0; length < 8; length++) {
        CHECK(fake_pop(FAKE_CONTROL_IN, &b));
        memcpy(b.data, "\3\0\0\0\6\0\0", 8); /* it would close our port */
        fake_push(FAKE_CONTROL_IN, b.id, length);
    }
    CHECK_EQ(receive(&(char){0}, 1), 0);
}

TEST(name_needs_no_final_zero)
{
    static const struct {
        const char *text;
        uint32_t size;
        bool ours;
    } names[] = {{"tprof.0", 8, true},    {"tprof.0", 7, true},
                 {"tprof.0", 6, false},   {"tprof.00", 8, false},
                 {"tprof.0\0", 9, false}, {"", 0, false}};
    struct fake_buffer b;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        plug_in();
        memset(fake_console.ports, 0, sizeof fake_console.ports);
        CHECK_EQ(init(&told), TPROF_OK);
        CHECK(fake_pop(FAKE_CONTROL_IN, &b));
        memcpy(b.data, "\5\0\0\0\7\0\1", 8);
        memcpy(b.data + 8, names[i].text, names[i].size);
        fake_push(FAKE_CONTROL_IN, b.id, 8 + names[i].size);
        CHECK_EQ(open(), 0);
        CHECK_EQ(console.port == 5, names[i].ours);
    }
}

TEST(device_that_is_gone_is_dead_and_not_touched)
{
    static const uint32_t states[] = {0xff, 0xffffffff, 0x4f, 0x8f, 0, 3};

    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        attach();
        unsigned resets = fake.resets;

        CHECK_EQ(send("x", 1), 1);
        fake.status = states[i];
        CHECK_EQ(open(), TPROF_ERR_DEVICE);
        CHECK_EQ(pending(), 0);
        CHECK_EQ(fake.status, states[i]);
        CHECK_EQ(fake.resets, resets);
    }
}

TEST(device_that_answers_nothing_ends_the_search)
{
    plug_in();
    fake.lazy = true;
    CHECK_EQ(init(&anywhere), TPROF_ERR_DEVICE);
    CHECK_EQ(fake.status, 0);
}
