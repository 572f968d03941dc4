/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The split ring's layout, by numbers from the specification (virtio 1.2, 2.7;
 * legacy 2.7.2). Its behaviour, and that of a lying device, is tested through
 * the driver: test_transport_console.c.
 */
#include "virtio/virtqueue.h"

#include <string.h>

#include "check.h"
#include "tprof/tprof.h"

static struct tprof_virtqueue_memory memory;
static struct tprof_virtqueue q;

static uint64_t at(uint32_t offset, size_t size)
{
    uint64_t val = 0;

    memcpy(&val, memory.bytes + offset, size);
    return val;
}

TEST(rings_of_every_size_fit) /* catches: used ring beyond the memory */
{
    for (uint32_t size = 1; size <= TPROF_VIRTQUEUE_MAX; size *= 2) {
        uint32_t avail = tprof_virtqueue_avail_offset(size);
        uint32_t used = tprof_virtqueue_used_offset(size);

        CHECK_EQ(avail, 16 * size);
        CHECK(used >= avail + 6 + 2 * size);
        CHECK(used < avail + 6 + 2 * size + TPROF_VIRTQUEUE_ALIGN);
        CHECK_EQ(used % TPROF_VIRTQUEUE_ALIGN, 0);
        CHECK(used + 6 + 8 * size <= TPROF_VIRTQUEUE_BYTES);
    }
    CHECK_EQ((uintptr_t)&memory % TPROF_VIRTQUEUE_BYTES, 0);
}

TEST(descriptors_and_available_ring_are_as_specified)
{
    memset(&memory, 0xee, sizeof memory);
    tprof_virtqueue_init(&q, &memory, 4);
    CHECK_EQ(at(64, 2), 1); /* avail.flags: no interrupt */
    CHECK_EQ(at(66, 2), 0);

    tprof_virtqueue_add(&q, 2, 0x1122334455667788, 0x99aabbcc, true);
    tprof_virtqueue_add(&q, 0, 0x10, 7, false);
    CHECK_EQ(at(66, 2), 0); /* not before it is published */
    CHECK(tprof_virtqueue_publish(&q));
    CHECK_EQ(at(32, 8), 0x1122334455667788);
    CHECK_EQ(at(40, 4), 0x99aabbcc);
    CHECK_EQ(at(44, 2), 2); /* VIRTQ_DESC_F_WRITE */
    CHECK_EQ(at(0, 8), 0x10);
    CHECK_EQ(at(8, 4), 7);
    CHECK_EQ(at(12, 2), 0);
    CHECK_EQ(at(66, 2), 2); /* avail.idx */
    CHECK_EQ(at(68, 2), 2); /* avail.ring */
    CHECK_EQ(at(70, 2), 0);
    CHECK(tprof_virtqueue_busy(&q, 2));
    CHECK(!tprof_virtqueue_busy(&q, 1));
}

TEST(used_ring_is_read_as_specified)
{
    uint32_t length = 0;
    const uint32_t used = 128; /* 64 + 6 + 8, to the next multiple of 64 */

    memset(&memory, 0xee, sizeof memory); /* left over from before */
    tprof_virtqueue_init(&q, &memory, 4);
    CHECK_EQ(tprof_virtqueue_reap(&q, &length), TPROF_VIRTQUEUE_NONE);
    tprof_virtqueue_add(&q, 3, 0, 8, true);
    tprof_virtqueue_publish(&q);
    memcpy(memory.bytes + used + 4, "\3\0\0\0\5\1\0\0", 8);
    CHECK_EQ(tprof_virtqueue_reap(&q, &length), TPROF_VIRTQUEUE_NONE);
    memory.bytes[used + 2] = 1;
    CHECK_EQ(tprof_virtqueue_reap(&q, &length), 3);
    CHECK_EQ(length, 261);
    CHECK_EQ(tprof_virtqueue_reap(&q, &length), TPROF_VIRTQUEUE_NONE);
    memory.bytes[used] = 1; /* VIRTQ_USED_F_NO_NOTIFY */
    tprof_virtqueue_add(&q, 3, 0, 8, true);
    CHECK(!tprof_virtqueue_publish(&q));
}

TEST(count_that_exceeds_what_is_in_flight_is_refused)
{
    uint32_t length;

    tprof_virtqueue_init(&q, &memory, 4);
    tprof_virtqueue_add(&q, 3, 0, 8, true);
    tprof_virtqueue_publish(&q);
    memory.bytes[130] = 2;
    CHECK_EQ(tprof_virtqueue_reap(&q, &length), TPROF_ERR_DEVICE);
    memory.bytes[130] = memory.bytes[131] = 0xff;
    CHECK_EQ(tprof_virtqueue_reap(&q, &length), TPROF_ERR_DEVICE);
}

TEST(pair_is_a_chain_of_two) /* catches: a header without its data */
{
    const struct tprof_virtqueue_part part[2] = {{0x1122334455667788, 44},
                                                 {0x99aabbccddeeff00, 1500}};
    const uint32_t used = 128;
    uint32_t length = 0;

    memset(&memory, 0xee, sizeof memory);
    tprof_virtqueue_init(&q, &memory, 4);
    tprof_virtqueue_add_pair(&q, 2, part, false);
    tprof_virtqueue_publish(&q);
    CHECK_EQ(at(32, 8), 0x1122334455667788);
    CHECK_EQ(at(40, 4), 44);
    CHECK_EQ(at(44, 2), 1); /* VIRTQ_DESC_F_NEXT */
    CHECK_EQ(at(46, 2), 3);
    CHECK_EQ(at(48, 8), 0x99aabbccddeeff00);
    CHECK_EQ(at(56, 4), 1500);
    CHECK_EQ(at(60, 2), 0);
    CHECK_EQ(at(66, 2), 1); /* one buffer */
    CHECK_EQ(at(68, 2), 2); /* by its head's name */
    CHECK(tprof_virtqueue_busy(&q, 2));
    CHECK(!tprof_virtqueue_busy(&q, 3));
    memcpy(memory.bytes + used + 4, "\3\0\0\0\0\0\0\0", 8);
    memory.bytes[used + 2] = 1;
    CHECK_EQ(tprof_virtqueue_reap(&q, &length), TPROF_ERR_DEVICE);
    memory.bytes[used + 4] = 2;
    CHECK_EQ(tprof_virtqueue_reap(&q, &length), 2);
    CHECK_EQ(tprof_virtqueue_idle(&q), 0);
    tprof_virtqueue_add_pair(&q, 0, part, true);
    CHECK_EQ(at(12, 2), 3); /* _NEXT and VIRTQ_DESC_F_WRITE */
    CHECK_EQ(at(14, 2), 1);
    CHECK_EQ(at(28, 2), 2);
}

TEST(interrupt_is_asked_for_and_what_waits_is_seen)
{
    const uint32_t used = 128;

    memset(&memory, 0xee, sizeof memory);
    tprof_virtqueue_init(&q, &memory, 4);
    CHECK_EQ(at(64, 2), 1); /* VIRTQ_AVAIL_F_NO_INTERRUPT */
    tprof_virtqueue_interrupt(&q, true);
    CHECK_EQ(at(64, 2), 0);
    CHECK(!tprof_virtqueue_waiting(&q));
    memory.bytes[used + 2] = 1;
    CHECK(tprof_virtqueue_waiting(&q));
    tprof_virtqueue_interrupt(&q, false);
    CHECK_EQ(at(64, 2), 1);
}

TEST(first_idle_descriptor_is_found)
{
    tprof_virtqueue_init(&q, &memory, TPROF_VIRTQUEUE_MAX);
    for (uint32_t id = 0; id < TPROF_VIRTQUEUE_MAX; id++) {
        CHECK_EQ(tprof_virtqueue_idle(&q), id);
        tprof_virtqueue_add(&q, id, 0, 8, true);
    }
    CHECK_EQ(tprof_virtqueue_idle(&q), TPROF_VIRTQUEUE_MAX);
}
