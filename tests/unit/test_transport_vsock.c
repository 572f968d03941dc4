/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vsock driver and its hosts: they call, speak, leave and die, and each
 * side gives the other credit. The same over real devices: tests/system/vsock.
 */
#include "transport/transport_vsock.h"

#include <string.h>

#include "check.h"
#include "vsock_bed.h"

/* --- A session ------------------------------------------------------------ */

TEST(call_is_answered_when_opened) /* catches: any field of the answer */
{
    struct fake_packet p;

    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    say(FAKE_REQUEST);
    expect_nothing();
    CHECK_EQ(bed_open(), 1);
    p = expect(FAKE_RESPONSE);
    CHECK_EQ(p.src_port, TPROF_VSOCK_PORT);
    CHECK_EQ(p.dst_port, HOST_PORT);
    CHECK_EQ(p.len, 0);
    CHECK_EQ(p.flags, 0);
    CHECK_EQ(p.buf_alloc, 16 * (256 - 44));
    CHECK_EQ(p.fwd_cnt, 0);
    hear();
    expect_nothing();
    CHECK_EQ(bed_open(), 1); /* who is asked again says the same */
    expect_nothing();
}

TEST(data_go_out_from_where_they_are) /* catches: a copy, wrong accounting */
{
    static const char data[2][100] = {"one", "two"};
    struct fake_packet p[2] = {0};
    uint32_t id[2];

    attach();
    CHECK_EQ(bed_send(data[0], 100), 100);
    CHECK_EQ(bed_send(data[1], 30), 30);
    CHECK_EQ(bed_pending(), 130);
    for (int i = 0; i < 2; i++) {
        CHECK(fake_hold(&p[i], &id[i]));
        CHECK_EQ(p[i].op, FAKE_RW);
        CHECK_EQ(p[i].dst_port, HOST_PORT);
        CHECK(p[i].data == data[i]);
    }
    CHECK_EQ(p[0].len, 100);
    CHECK_EQ(p[1].len, 30);
    /* out of order: the oldest is freed first, whatever comes back */
    fake_push(FAKE_TX, id[1], 0);
    CHECK_EQ(bed_pending(), 130);
    fake_push(FAKE_TX, id[0], 0);
    CHECK_EQ(bed_pending(), 0);
}

TEST(data_come_in_by_pieces_and_are_counted)
{
    char got[8] = "";

    attach();
    say_data("abcdefg", 7);
    CHECK_EQ(bed_receive(got, 3), 3);
    CHECK_EQ(bed_receive(got + 3, 8 - 3), 4);
    CHECK_STR(got, "abcdefg");
    CHECK_EQ(bed_receive(got, 8), 0);
    CHECK_EQ(bed_send("x", 1), 1);
    CHECK_EQ(expect(FAKE_RW).fwd_cnt, 7);
}

TEST(stream_of_any_length_passes) /* catches: a buffer that is lost */
{
    uint8_t out[200], in[200];

    attach();
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t size = 1 + i * 7 % 200;

        memset(out, (int)i, sizeof out);
        say_data(out, size);
        CHECK_EQ(bed_receive(in, sizeof in), size);
        CHECK_MEM(in, out, size);
    }
}

TEST(host_that_leaves_is_noticed_and_may_come_again)
{
    attach();
    say(FAKE_RST);
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
    CHECK_EQ(bed_send("x", 1), TPROF_ERR_CLOSED);
    expect_nothing(); /* no answer to a RST */
    CHECK_EQ(bed_open(), 0);
    say(FAKE_REQUEST);
    CHECK_EQ(bed_open(), 1);
    expect(FAKE_RESPONSE);
    CHECK_EQ(bed_send("x", 1), 1);
    CHECK_EQ(expect(FAKE_RW).fwd_cnt, 0);
}

TEST(what_was_said_before_leaving_is_heard)
{
    char got[4] = "";

    attach();
    say_data("abc", 3);
    say(FAKE_RST);
    CHECK_EQ(bed_receive(got, 2), 2);
    CHECK_EQ(bed_receive(got + 2, 2), 1);
    CHECK_STR(got, "abc");
    CHECK_EQ(bed_receive(got, 2), TPROF_ERR_CLOSED);
}

TEST(shutdown_is_answered_when_nobody_listens)
{
    struct fake_packet p = packet(FAKE_SHUTDOWN);

    attach();
    p.flags = 2; /* will not send */
    CHECK(fake_to_guest(&p));
    hear();
    CHECK_EQ(bed_send("x", 1), 1);
    expect(FAKE_RW);
    p.flags = 3;
    CHECK(fake_to_guest(&p));
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
    p = expect(FAKE_RST);
    CHECK_EQ(p.dst_port, HOST_PORT);
    CHECK_EQ(p.src_port, TPROF_VSOCK_PORT);
    say(FAKE_RST);
    CHECK_EQ(bed_open(), 0);
    expect_nothing();
}

TEST(nonsense_ends_a_session)
{
    static const uint16_t ops[] = {0, FAKE_RESPONSE, 8, UINT16_MAX};

    for (uint32_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        attach();
        say(ops[i]);
        CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
        expect(FAKE_RST);
    }
}

/* Snapshots save memory, and not what a device was about to hear: a device that
 * was resumed waits for a notification that has come and gone. */
TEST(resumed_device_is_notified_of_all_it_has) /* catches: a deaf agent */
{
    attach();
    CHECK_EQ(bed_send("x", 1), 1);
    *fake_used_flags(FAKE_RX) = *fake_used_flags(FAKE_TX) = 1; /* stale */
    unsigned rx = fake.queues[FAKE_RX].notified;
    unsigned tx = fake.queues[FAKE_TX].notified;

    CHECK(fake_event(0));
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
    CHECK(fake.queues[FAKE_RX].notified > rx);
    CHECK(fake.queues[FAKE_TX].notified > tx);
}

/* An event index that a snapshot has kept says: no notification for long. */
TEST(stale_event_index_keeps_nothing_back)
{
    plug_in();
    fake.features |= 1ull << 29; /* EVENT_IDX, which the driver leaves */
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK(!(fake.accepted & 1ull << 29));
    for (uint32_t i = 0; i <= FAKE_EVENT; i++) /* behind the used ring */
        fake_pushed(i)[1 + 4 * fake.queues[i].size] = 0x8000;
    say(FAKE_REQUEST);
    CHECK_EQ(bed_open(), 1);
    for (unsigned n = fake.queues[FAKE_TX].notified, i = 1; i < 8; i++) {
        CHECK_EQ(bed_send("x", 1), 1);
        CHECK_EQ(fake.queues[FAKE_TX].notified, n + i);
    }
}

/* What hypervisors send when they resume a guest: a reset of the old stream, an
 * event, both in either order, and the next host calls at once. */
TEST(next_host_attaches_at_once_after_a_snapshot)
{
    for (int how = 0; how < 4; how++) {
        bool event = how & 1;
        bool late = how & 2; /* the old stream's end comes after the call */

        attach();
        CHECK_EQ(bed_send("abc", 3), 3);
        if (!late)
            say(FAKE_RST);
        call_from(HOST_PORT + 1);
        if (late)
            say(FAKE_RST);
        CHECK(!event || fake_event(0));
        CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
        expect(FAKE_RW);      /* of the old session */
        if (late && !event) { /* the old one was there when the next called */
            CHECK_EQ(expect(FAKE_RST).dst_port, HOST_PORT + 1);
            CHECK_EQ(expect(FAKE_CREDIT_REQUEST).dst_port, HOST_PORT);
            call_from(HOST_PORT + 1);
        }
        CHECK_EQ(bed_open(), 1);
        CHECK_EQ(expect(FAKE_RESPONSE).dst_port, HOST_PORT + 1);
        CHECK_EQ(bed_send("abc", 3), 3);
        CHECK_EQ(expect(FAKE_RW).dst_port, HOST_PORT + 1);
        CHECK_EQ(bed_receive(NULL, 0), 0);
    }
}

TEST(migration_ends_a_session_without_a_word)
{
    attach();
    CHECK(fake_event(1)); /* nothing that we know */
    hear();
    say_data("unread", 6);
    char got[1];

    CHECK_EQ(bed_receive(got, 1), 1);
    for (int i = 0; i < 10; i++) {
        CHECK(fake_event(0));
        CHECK_EQ(bed_receive(got, 1), TPROF_ERR_CLOSED);
        CHECK_EQ(bed_open(), 0);
    }
    expect_nothing();
    CHECK_EQ(vsock.device.queues[FAKE_RX].ring.in_flight, 0x55555555);
    say(FAKE_REQUEST);
    CHECK(fake_event(0)); /* the caller is gone, too: it is heard later */
    CHECK_EQ(bed_open(), 1);
}

/* --- Credit --------------------------------------------------------------- */

TEST(no_more_is_sent_than_there_is_room) /* catches: a host that must drop */
{
    static const uint8_t data[1000];

    attach_with(100);
    CHECK_EQ(bed_send(data, 1000), 100);
    expect(FAKE_CREDIT_REQUEST);
    expect(FAKE_RW);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(bed_send(data, 1000), 0);
    expect_nothing(); /* it is asked once */
    give_credit(100, 60);
    hear();
    CHECK_EQ(bed_send(data, 1000), 60);
    give_credit(50, 160); /* room was taken back */
    hear();
    CHECK_EQ(bed_send(data, 1000), 50);
    give_credit(10, 170); /* and more of it than is free */
    hear();
    CHECK_EQ(bed_send(data, 1000), 0);
    give_credit(0, 210);
    hear();
    CHECK_EQ(bed_send(data, 1), 0);
    give_credit(UINT32_MAX, 210);
    hear();
    CHECK_EQ(bed_send(data, 1000), 1000);
}

TEST(credit_is_each_sessions_own)
{
    static const uint8_t data[10];

    attach_with(10);
    for (uint32_t i = 0; i < 3; i++) {
        struct fake_packet p = packet(FAKE_RST);

        CHECK_EQ(bed_send(data, 10), 10);
        expect(FAKE_RW);
        p.fwd_cnt = i % 2 ? 10 : 0; /* says nothing of the next one */
        CHECK(fake_to_guest(&p));
        CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
        p = packet(FAKE_REQUEST);
        p.buf_alloc = 10;
        CHECK(fake_to_guest(&p));
        CHECK_EQ(bed_open(), 1);
        expect(FAKE_RESPONSE);
    }
}

TEST(no_room_for_ever_is_no_end)
{
    attach_with(0);
    for (int i = 0; i < 1000; i++) {
        CHECK_EQ(bed_send("x", 1), 0);
        give_credit(0, 0);
        hear();
        CHECK_EQ(bed_pending(), 0);
        expect(FAKE_CREDIT_REQUEST);
    }
    expect_nothing();
}

TEST(counts_wrap)
{
    char got[64];

    attach_with(64);
    vsock.sent = vsock.host_taken = UINT32_MAX - 9;
    CHECK_EQ(bed_send("0123456789abcdef0123456789abcdef", 32), 32);
    give_credit(64, UINT32_MAX - 9);
    hear();
    CHECK_EQ(bed_send(got, 64), 32);
    give_credit(64, 22); /* all */
    hear();
    CHECK_EQ(bed_send(got, 64), 32);
    give_credit(64, 22 + 64);
    hear();
    CHECK_EQ(bed_send(got, 64), 64);

    attach();
    vsock.taken = vsock.told = UINT32_MAX - 2;
    say_data("abcdef", 6);
    CHECK_EQ(bed_receive(got, 64), 6);
    CHECK_EQ(bed_send("x", 1), 1);
    CHECK_EQ(expect(FAKE_RW).fwd_cnt, 3);
}

TEST(host_that_took_what_was_not_sent_is_sent_away)
{
    static const uint16_t ops[] = {FAKE_CREDIT_UPDATE, FAKE_CREDIT_REQUEST,
                                   FAKE_RW};
    char got[1];

    for (uint32_t i = 0; i < 3; i++) {
        struct fake_packet p = packet(ops[i]);

        attach();
        CHECK_EQ(bed_send("abc", 3), 3);
        expect(FAKE_RW);
        p.fwd_cnt = 4;
        p.data = "x";
        p.len = ops[i] == FAKE_RW;
        CHECK(fake_to_guest(&p));
        CHECK_EQ(bed_receive(got, 1), TPROF_ERR_CLOSED);
        expect(FAKE_RST);
    }
}

TEST(question_for_credit_is_answered)
{
    char got[8];

    attach();
    say_data("abcdef", 6);
    CHECK_EQ(bed_receive(got, 8), 6);
    say(FAKE_CREDIT_REQUEST);
    hear();
    struct fake_packet p = expect(FAKE_CREDIT_UPDATE);

    CHECK_EQ(p.fwd_cnt, 6);
    CHECK_EQ(p.buf_alloc, TPROF_VSOCK_CREDIT);
    expect_nothing();
}

TEST(host_hears_in_time_that_its_bytes_were_taken)
{
    static uint8_t data[212];
    uint32_t unknown = 0;

    attach();
    for (int i = 0; i < 100; i++) {
        struct fake_packet p;

        say_data(data, sizeof data);
        CHECK_EQ(bed_receive(data, sizeof data), sizeof data);
        unknown += (uint32_t)sizeof data;
        hear();
        while (fake_from_guest(&p)) {
            CHECK_EQ(p.op, FAKE_CREDIT_UPDATE);
            CHECK_EQ(p.fwd_cnt, (i + 1) * (int)sizeof data);
            unknown = 0;
        }
        CHECK(unknown <= TPROF_VSOCK_CREDIT / 2);
    }
}

/* --- Others --------------------------------------------------------------- */

/* A caller with (cid) and (port): may it attach? If not, all that it gets is
 * a RST. */
static bool may_call(uint64_t cid, uint32_t port)
{
    struct fake_packet p = packet(FAKE_REQUEST);

    p.src_cid = cid;
    p.src_port = port;
    CHECK(fake_to_guest(&p));
    bool accepted = bed_open() == 1;

    CHECK(fake_from_guest(&p));
    CHECK_EQ(p.op, accepted ? FAKE_RESPONSE : FAKE_RST);
    CHECK_EQ(p.dst_cid, cid);
    CHECK_EQ(p.dst_port, port);
    if (!accepted) { /* neither has it a connection now */
        p = packet(FAKE_RW);
        p.src_cid = cid;
        p.src_port = port;
        CHECK(fake_to_guest(&p));
        CHECK_EQ(bed_open(), 0);
        CHECK(fake_from_guest(&p));
        CHECK_EQ(p.op, FAKE_RST);
    }
    expect_nothing();
    return accepted;
}

static bool may_attach(uint32_t flags, uint64_t cid, uint32_t port)
{
    plug_in();
    tprof_agent.config.device.flags = flags;
    CHECK_EQ(bed_init(), TPROF_OK);
    CHECK_EQ(bed_open(), 0);
    return may_call(cid, port);
}

TEST(only_the_host_may_attach) /* catches: a guest beside that reads along */
{
    uint32_t any = TPROF_DEVICE_ANY_CID, low = TPROF_DEVICE_PRIVILEGED;

    CHECK(may_attach(0, 2, 1024));
    CHECK(!may_attach(0, 3, 1024)); /* the guest itself */
    CHECK(!may_attach(0, 1ull << 32 | 2, 1024));
    CHECK(!may_attach(0, 1, 1));
    CHECK(may_attach(any, 9, 50000));
    CHECK(may_attach(low, 2, 1023));
    CHECK(!may_attach(low, 2, 1024));
    CHECK(!may_attach(low, 9, 1023));
    CHECK(may_attach(low | any, 9, 1023));
    CHECK(!may_attach(low | any, 9, 1024));
}

static uint64_t asked_cid;
static uint32_t asked_port;
static int answer;

static int accept(void *context, uint64_t cid, uint32_t port)
{
    CHECK(context == &answer);
    asked_cid = cid;
    asked_port = port;
    return answer;
}

TEST(kernel_is_asked_who_may_attach)
{
    tprof_agent.config.accept = accept;
    tprof_agent.config.context = &answer;
    CHECK(!may_attach(0, 2, 50001));
    CHECK_EQ(asked_cid, 2);
    CHECK_EQ(asked_port, 50001);
    CHECK_EQ(tprof_agent.counters.turned_away, 1);
    CHECK(!may_call(9, 50002)); /* the kernel is not even asked */
    CHECK_EQ(asked_port, 50001);
    CHECK_EQ(tprof_agent.counters.turned_away, 2);
    answer = 1;
    CHECK(may_call(2, 50003));
    CHECK_EQ(tprof_agent.counters.turned_away, 2);
}

TEST(others_are_refused_by_name) /* catches: an answer to the wrong one */
{
    struct fake_packet p = packet(FAKE_REQUEST);

    attach();
    p.src_cid = 77;
    p.dst_cid = 78;
    p.src_port = 9;
    p.dst_port = 10;
    CHECK(fake_to_guest(&p));
    hear();
    CHECK(fake_from_guest(&p));
    CHECK_EQ(p.op, FAKE_RST);
    CHECK_EQ(p.dst_cid, 77);
    CHECK_EQ(p.src_cid, 78);
    CHECK_EQ(p.dst_port, 9);
    CHECK_EQ(p.src_port, 10);
    CHECK_EQ(p.type, 1);
    expect_nothing(); /* no reason to doubt the one who is there */
    p.src_cid = 77;
    p.dst_cid = OWN_CID;
    p.dst_port = TPROF_VSOCK_PORT;
    p.op = FAKE_REQUEST;
    CHECK(fake_to_guest(&p));
    hear();
    CHECK(fake_from_guest(&p));
    CHECK_EQ(p.op, FAKE_RST);
    expect_nothing(); /* nor if a stranger would take the host's place */
    p = packet(FAKE_REQUEST);
    p.type = 2; /* not a stream */
    CHECK(fake_to_guest(&p));
    hear();
    CHECK(fake_from_guest(&p));
    CHECK_EQ(p.op, FAKE_RST);
    CHECK_EQ(p.type, 2);
    p.op = FAKE_RST;
    CHECK(fake_to_guest(&p));
    hear();
    expect_nothing();
    CHECK_EQ(bed_send("x", 1), 1);
}

TEST(others_cannot_speak_for_the_host)
{
    char got[1];

    attach();
    for (uint32_t i = 0; i < 4; i++) {
        struct fake_packet p = packet(FAKE_RW);

        p.data = "x";
        p.len = 1;
        p.src_cid += i == 0;
        p.dst_cid += i == 1;
        p.src_port += i == 2;
        p.dst_port += i == 3;
        CHECK(fake_to_guest(&p));
        CHECK_EQ(bed_receive(got, 1), 0);
        CHECK(fake_from_guest(&p));
        CHECK_EQ(p.op, FAKE_RST);
    }
    CHECK_EQ(bed_send("x", 1), 1);
}

TEST(packets_of_no_session_are_refused)
{
    static const uint16_t ops[] = {
        0,       FAKE_RESPONSE,      FAKE_SHUTDOWN,
        FAKE_RW, FAKE_CREDIT_UPDATE, FAKE_CREDIT_REQUEST,
        99};

    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    for (uint32_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        say(ops[i]);
        CHECK_EQ(bed_open(), 0);
        expect(FAKE_RST);
    }
    say(FAKE_RST);
    CHECK_EQ(bed_open(), 0);
    expect_nothing();
}

TEST(second_host_is_refused_while_the_first_lives)
{
    attach();
    call_from(60000);
    hear();
    struct fake_packet p = expect(FAKE_RST);

    CHECK_EQ(p.dst_port, 60000);
    CHECK_EQ(expect(FAKE_CREDIT_REQUEST).dst_port, HOST_PORT);
    call_from(60001); /* the question is not asked again */
    hear();
    expect(FAKE_RST);
    expect_nothing();
    give_credit(ROOM, 0);
    hear();
    vsock.second = 0;
    hear(); /* it lives */
    CHECK_EQ(bed_send("x", 1), 1);
}

TEST(second_host_may_come_when_the_first_is_dead)
{
    attach();
    call_from(60000);
    hear();
    expect(FAKE_RST);
    expect(FAKE_CREDIT_REQUEST);
    vsock.second = 0;
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
    CHECK_EQ(expect(FAKE_RST).dst_port, HOST_PORT);
    call_from(60000);
    CHECK_EQ(bed_open(), 1);
    CHECK_EQ(expect(FAKE_RESPONSE).dst_port, 60000);
    say_data("late", 4); /* of the first one */
    hear();
    CHECK_EQ(expect(FAKE_RST).dst_port, HOST_PORT);
}

TEST(host_that_calls_again_has_forgotten)
{
    char got[8];

    attach();
    say_data("abcd", 4);
    CHECK_EQ(bed_receive(got, 8), 4);
    CHECK_EQ(bed_send("abc", 3), 3);
    expect(FAKE_RW);
    say(FAKE_REQUEST);
    say_data("wxyz", 4);
    CHECK_EQ(bed_receive(got, 8), TPROF_ERR_CLOSED);
    CHECK_EQ(bed_send("x", 1), TPROF_ERR_CLOSED);
    CHECK_EQ(bed_open(), 1);
    CHECK_EQ(expect(FAKE_RESPONSE).fwd_cnt, 0);
    give_credit(ROOM, 0);
    CHECK_EQ(bed_receive(got, 8), 4);
    CHECK_MEM(got, "wxyz", 4);
    hear();
    CHECK_EQ(bed_send("x", 1), 1);
}

/* The driver's places are all taken, by answers to somebody; their numbers. */
static void take_places(uint32_t id[TPROF_VSOCK_PACKETS])
{
    struct fake_packet p = packet(FAKE_REQUEST);
    struct fake_packet held;

    p.dst_port = 1;
    for (uint32_t i = 0; i < TPROF_VSOCK_PACKETS; i++) {
        CHECK(fake_to_guest(&p));
        CHECK(bed_open() >= 0);
        bed_receive(NULL, 0);
        CHECK(fake_hold(&held, &id[i]));
    }
}

TEST(call_waits_for_a_place)
{
    uint32_t id[TPROF_VSOCK_PACKETS];

    plug_in();
    CHECK_EQ(bed_init(), TPROF_OK);
    take_places(id);
    say(FAKE_REQUEST);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(bed_open(), 0);
    expect_nothing();
    fake_push(FAKE_TX, id[0], 0);
    CHECK_EQ(bed_open(), 1);
    expect(FAKE_RESPONSE);
}

TEST(what_is_owed_dies_with_the_session)
{
    uint32_t id[TPROF_VSOCK_PACKETS];

    attach();
    take_places(id);
    CHECK_EQ(bed_send(NULL, ROOM + 1), 0); /* and so asks for credit */
    say(FAKE_REQUEST);
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
    for (uint32_t i = 0; i < TPROF_VSOCK_PACKETS; i++)
        fake_push(FAKE_TX, id[i], 0);
    CHECK_EQ(bed_open(), 1);
    hear();
    expect(FAKE_RESPONSE);
    expect_nothing();

    attach();
    take_places(id);
    call_from(60000);
    hear();
    CHECK(fake_event(0)); /* elsewhere nobody waits for that answer */
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
    for (uint32_t i = 0; i < TPROF_VSOCK_PACKETS; i++)
        fake_push(FAKE_TX, id[i], 0);
    CHECK_EQ(bed_open(), 0);
    expect_nothing();
}

TEST(caller_hears_before_the_dead_one)
{
    uint32_t id[TPROF_VSOCK_PACKETS];

    attach();
    take_places(id);
    call_from(60000);
    hear();
    vsock.second = 0;
    hear(); /* not yet: one answer waits */
    for (uint32_t i = 0; i < TPROF_VSOCK_PACKETS; i++)
        fake_push(FAKE_TX, id[i], 0);
    CHECK_EQ(bed_receive(NULL, 0), TPROF_ERR_CLOSED);
    CHECK_EQ(expect(FAKE_RST).dst_port, 60000);
    expect(FAKE_CREDIT_REQUEST);
    CHECK_EQ(expect(FAKE_RST).dst_port, HOST_PORT);
}

TEST(only_one_answer_waits) /* catches: a queue that a host can grow */
{
    struct fake_packet p = packet(FAKE_REQUEST);
    struct fake_packet held;
    uint32_t id[TPROF_VSOCK_PACKETS];
    uint32_t sent = 0;

    attach();
    p.dst_port = 1;
    for (uint32_t i = 0; i < 1000 && fake_to_guest(&p); i++)
        hear();
    while (fake_hold(&held, &id[sent]))
        CHECK(held.op == FAKE_RST && ++sent <= TPROF_VSOCK_PACKETS);
    CHECK_EQ(sent, TPROF_VSOCK_PACKETS);
    for (uint32_t i = 0; i < sent; i++)
        fake_push(FAKE_TX, id[i], 0);
    for (uint32_t i = 0; i < 3; i++)
        hear();
    for (sent = 0; fake_from_guest(&held); sent++)
        hear();
    CHECK_EQ(sent, TPROF_VSOCK_BUFFERS + 1);
}

TEST(data_leave_places_for_answers)
{
    attach();
    uint32_t sent = 0;

    while (bed_send("x", 1) == 1)
        sent++;
    CHECK_EQ(sent, TPROF_VSOCK_PACKETS - 2);
    say(FAKE_CREDIT_REQUEST);
    hear();
    call_from(60000);
    hear();
    while (sent-- > 0)
        expect(FAKE_RW);
    expect(FAKE_CREDIT_UPDATE);
    expect(FAKE_RST);
    hear();
    expect(FAKE_CREDIT_REQUEST); /* the probe */
}
