/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring, alone and with its two sides in two threads. */
#include <pthread.h>
#include <sched.h>

#include "check.h"
#include "sample/ring.h"

#define WORDS 16u
#define TOTAL 200000u

static uint64_t words[WORDS];
static struct tprof_ring ring;

static int push(uint64_t value)
{
    if (tprof_ring_room(&ring) == 0)
        return 0;
    *tprof_ring_at(&ring, 0) = value;
    tprof_ring_publish(&ring, tprof_ring_tail(&ring) + 1);
    return 1;
}

static uint64_t front(void)
{
    return ring.words[ring.head & ring.mask];
}

TEST(ring_gives_back_what_it_took_in_order)
{
    tprof_ring_init(&ring, words, WORDS);
    for (uint64_t round = 0; round < 100; round++) {
        for (uint64_t i = 0; i < 5; i++)
            CHECK(push(round * 5 + i));
        CHECK_EQ(tprof_ring_used(&ring), 5);
        for (uint64_t i = 0; i < 5; i++) {
            CHECK_EQ(front(), round * 5 + i);
            tprof_ring_consume(&ring, 1);
        }
    }
}

TEST(ring_full_takes_nothing_more) /* catches: overwriting unread words */
{
    tprof_ring_init(&ring, words, WORDS);
    for (uint64_t i = 0; i < WORDS; i++)
        CHECK(push(i));
    CHECK(!push(99));
    CHECK_EQ(front(), 0);
    tprof_ring_consume(&ring, 1);
    CHECK(push(99));
    CHECK_EQ(front(), 1);
}

TEST(ring_indices_wrap) /* catches: comparing instead of subtracting */
{
    tprof_ring_init(&ring, words, WORDS);
    ring.head = ring.tail = UINT32_MAX - 3;
    for (uint64_t i = 0; i < WORDS; i++)
        CHECK(push(i));
    CHECK(!push(99));
    for (uint64_t i = 0; i < WORDS; i++) {
        CHECK_EQ(front(), i);
        tprof_ring_consume(&ring, 1);
    }
    CHECK_EQ(tprof_ring_used(&ring), 0);
}

static void *write_all(void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < TOTAL;) {
        if (push(i))
            i++;
        else
            sched_yield(); /* the other may wait for this very core */
    }
    return NULL;
}

TEST(ring_hands_words_from_one_thread_to_another)
{
    pthread_t writer;

    tprof_ring_init(&ring, words, WORDS);
    CHECK_EQ(pthread_create(&writer, NULL, write_all, NULL), 0);
    for (uint64_t i = 0; i < TOTAL;) {
        if (tprof_ring_used(&ring) == 0) {
            sched_yield();
            continue;
        }
        CHECK_EQ(front(), i);
        tprof_ring_consume(&ring, 1);
        i++;
    }
    CHECK_EQ(pthread_join(writer, NULL), 0);
}
