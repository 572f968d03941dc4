/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of several boots and sessions, and thousands of random cuts of them.
 * The truth is what was put into the whole stream: what came and what is said
 * to be lost is what was sent, or the account says that it is not exact.
 *
 * One thing no reader can see: a hole that has swallowed a new boot's HELLO and
 * more frames behind it than the session before had. So holes end at a HELLO.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"

#include "profile/decode/decode.h"
#include "wiregen.h"

#define CORES   3u
#define FRAMES  600u
#define SERIALS 20000u
#define ROUNDS  6000u
#define TEXT    0x400000u

struct sums {
    uint64_t samples, missed, ring_full, reentered;
};

static struct wiregen whole, cut;
static size_t frame_at[FRAMES + 1]; /* in (whole), and its end */
static bool is_hello[FRAMES];
static size_t frames;
static struct sums truth[CORES];

/* The agent: what it has counted, since boot and when the session began. */
static uint64_t counter[CORES][4], began[CORES][4];
static bool has_begun[CORES];
static uint32_t serial;
static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

static void close_frame(bool hello)
{
    is_hello[frames++] = hello;
    frame_at[frames] = whole.size;
}

/* (n) of what (i) counts happen on (core) in this session. */
static void happen(uint32_t core, uint32_t i, uint64_t n)
{
    uint64_t *sum[] = {&truth[core].samples, &truth[core].missed,
                       &truth[core].ring_full, &truth[core].reentered};

    counter[core][i] += n;
    *sum[i] += n;
}

static void send_hello(uint8_t boot)
{
    wiregen_hello(&whole, &(struct wiregen_hello){.version = 0x0202,
                                                  .boot = boot,
                                                  .cores = CORES,
                                                  .tsc_hz = 1000000000,
                                                  .text_start = TEXT,
                                                  .text_size = 0x1000000});
    close_frame(true);
    wiregen_open(&whole, 4); /* STATUS */
    wiregen_field(&whole, 5, 1, 1);
    wiregen_close(&whole);
    close_frame(false);
}

/* Drops that no record has told yet. */
static uint64_t untold[CORES][2], untold_missed[CORES][2];

static void drop_ticks(uint32_t core)
{
    uint32_t i = below(2);

    happen(core, 2 + i, 1);
    untold[core][i]++;
    if (below(2)) {
        happen(core, 1, 2);
        untold_missed[core][i] += 2;
    }
}

static void send_samples(uint32_t core)
{
    wiregen_samples_begin(
        &whole, &(struct wiregen_samples){
                    .core = (uint16_t)core, .period = 1000, .epoch = 1});
    for (uint64_t i = 0; i < 2; i++) {
        if (untold[core][i])
            wiregen_lost(&whole, 2 + i, untold[core][i],
                         untold_missed[core][i]);
        untold[core][i] = untold_missed[core][i] = 0;
    }
    if (!has_begun[core])
        wiregen_begin(&whole, 1000, 0, 1000, 1);
    has_begun[core] = true;
    for (uint32_t n = below(12); n > 0; n--) {
        happen(core, 0, 1);
        if (below(8)) {
            wiregen_short(&whole, 1, 10, ++serial, 0);
            continue;
        }
        happen(core, 1, 3);
        wiregen_long_sample(
            &whole, &(struct wiregen_long){.leaf = ++serial, .weight = 4});
    }
    wiregen_samples_end(&whole, counter[core]);
    close_frame(false);
}

static void send_stats(uint32_t core, uint8_t flags)
{
    struct wiregen_stats s = {.core = (uint16_t)core, .flags = flags};

    memcpy(s.counters, counter[core], sizeof s.counters);
    s.began = has_begun[core] ? began[core] : NULL;
    wiregen_stats(&whole, &s);
    close_frame(false);
}

/* A session of this host; (cut_short): its end is the guest's end, or the
 * host's. */
static void session(uint8_t boot, bool cut_short)
{
    send_hello(boot);
    for (uint32_t core = 0; core < CORES; core++) {
        for (uint32_t i = 0; i < 4; i++) /* what it did for other hosts */
            counter[core][i] += below(2) ? below(50) : 0;
        memcpy(began[core], counter[core], sizeof began[core]);
        memset(untold[core], 0, sizeof untold[core]);
        memset(untold_missed[core], 0, sizeof untold_missed[core]);
        has_begun[core] = false;
    }
    for (uint32_t n = 6 + below(25); n > 0; n--) {
        uint32_t core = below(CORES);

        if (has_begun[core] && below(6) == 0)
            send_stats(core, 0);
        if (has_begun[core] && below(4) == 0)
            drop_ticks(core);
        send_samples(core);
    }
    for (uint32_t core = 0; core < CORES && !cut_short; core++)
        send_stats(core, 1);
}

static void build(uint64_t seed)
{
    random_state = seed;
    whole.size = cut.size = frames = 0;
    serial = 0;
    memset(truth, 0, sizeof truth);
    for (uint32_t boot = 1; boot <= 1 + below(3); boot++) {
        memset(counter, 0, sizeof counter);
        for (uint32_t n = 1 + below(3); n > 0; n--)
            session((uint8_t)boot, below(6) == 0);
    }
}

/* --- Cuts ----------------------------------------------------------------- */

static void put(size_t frame)
{
    wiregen_bytes(&cut, whole.bytes + frame_at[frame],
                  frame_at[frame + 1] - frame_at[frame]);
}

/* Each frame is lost with a chance of (rate) in 1000. */
static void lose_any(uint32_t rate)
{
    for (size_t i = 0; i < frames; i++) {
        bool alone = i == 0 || !is_hello[i - 1];

        /* a HELLO alone, and not the first one */
        if (below(1000) >= rate || i == 0 || !alone)
            put(i);
    }
}

static void lose_hole(void)
{
    size_t from = 1 + below((uint32_t)frames - 1), to = from;

    for (uint32_t n = 1 + below(20); n > 0 && to < frames; n--)
        if (!is_hello[to])
            to++;
    for (size_t i = 0; i < frames; i++)
        if (i < from || i >= to)
            put(i);
}

static void repeat_one(void)
{
    size_t one = below((uint32_t)frames);
    size_t last = one + below(below(3) ? 4 : 60), at = one;

    /* of another session it may be in its place, and then contradicts */
    while (at < last && at + 1 < frames && !is_hello[at + 1])
        at++;
    for (size_t i = 0; i < frames; i++) {
        put(i);
        if (i == at)
            put(one);
    }
}

/* Two frames between two HELLOs change places. */
static void swap_two(void)
{
    size_t one = 1 + below((uint32_t)frames - 1);
    size_t two = one + 1 + below(below(3) ? 2 : 20);

    for (size_t i = one; i <= two && i < frames; i++)
        if (is_hello[i])
            two = one;
    for (size_t i = 0; i < frames; i++)
        put(i == one && two < frames ? two : i == two ? one : i);
}

static void flip_bytes(void)
{
    lose_any(0);
    for (uint32_t n = 1 + below(3); n > 0; n--) {
        uint32_t at =
            (uint32_t)frame_at[1] + below((uint32_t)(cut.size - frame_at[1]));

        cut.bytes[at] ^= (uint8_t)(1u << below(8));
    }
}

static void cut_stream(void)
{
    switch (below(7)) {
    case 0:
        lose_any(20);
        break;
    case 1:
        lose_any(500);
        break;
    case 2:
        lose_hole();
        break;
    case 3:
        repeat_one();
        break;
    case 4:
        swap_two();
        break;
    case 5:
        flip_bytes();
        break;
    default:
        lose_any(0); /* nothing happens to it */
    }
}

/* --- What the reader makes of it ------------------------------------------ */

static struct account accounts[CORES];
static struct sums came[CORES];
static uint8_t times[SERIALS];
static bool twice[CORES];

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    (void)context;
    (void)kind;
    (void)g;
    (void)e;
    return 0;
}

static uint32_t on_stack(void *context, uint32_t core, const struct stack *s)
{
    (void)context;
    (void)core;
    (void)s;
    return STACK_UNKNOWN;
}

static void on_samples(void *context, const struct sample_batch *batch)
{
    (void)context;
    for (size_t i = 0; i < batch->count; i++) {
        came[batch->core].samples++;
        if (times[batch->samples[i].leaf - TEXT]++)
            twice[batch->core] = true;
    }
}

static void on_account(void *context, uint32_t core, const struct account *a)
{
    (void)context;
    accounts[core] = *a;
}

static void on_loss(void *context, const struct loss *l)
{
    (void)context;
    (void)l;
}

static void on_stats(void *context, const struct core_stats *s)
{
    (void)context;
    (void)s;
}

static void on_status(void *context, const struct guest_status *s)
{
    (void)context;
    (void)s;
}

static void on_pong(void *context, const struct guest_pong *p)
{
    (void)context;
    (void)p;
}

static void on_gap(void *context, uint32_t n)
{
    (void)context;
    (void)n;
}

static const struct events events = {.hello = on_hello,
                                     .stack = on_stack,
                                     .samples = on_samples,
                                     .loss = on_loss,
                                     .account = on_account,
                                     .stats = on_stats,
                                     .status = on_status,
                                     .pong = on_pong,
                                     .gap = on_gap};

static void read_stream(void)
{
    struct decode *d = decode_new(&events, NULL);
    struct err e;

    memset(accounts, 0, sizeof accounts);
    memset(came, 0, sizeof came);
    memset(times, 0, sizeof times);
    memset(twice, 0, sizeof twice);
    CHECK_EQ(decode_feed(d, cut.bytes, cut.size, &e), 0);
    CHECK_EQ(decode_end(d, &e), 0);
    CHECK_EQ(decode_health(d)->malformed, 0);
    decode_free(d);
}

static void check_core(uint64_t seed, uint32_t core)
{
    const struct account *a = &accounts[core];
    const struct sums *t = &truth[core];
    bool exact = account_is_exact(a);
    bool right = a->samples + a->lost == t->samples && a->missed == t->missed &&
                 a->ring_full == t->ring_full && a->reentered == t->reentered;
    bool within = a->samples + a->lost <= t->samples &&
                  a->missed <= t->missed && a->ring_full <= t->ring_full &&
                  a->reentered <= t->reentered;

    if ((exact && (!right || twice[core])) ||
        (a->violations && a->restored == 0) ||
        (!within && a->cut == 0 && a->restored == 0))
        printf("seed %llu, core %u: exact %d, %llu + %llu lost of %llu, "
               "missed %llu of %llu, full %llu of %llu, inside %llu of %llu; "
               "cut %u, unknown %u, restored %llu\n",
               (unsigned long long)seed, core, exact,
               (unsigned long long)a->samples, (unsigned long long)a->lost,
               (unsigned long long)t->samples, (unsigned long long)a->missed,
               (unsigned long long)t->missed, (unsigned long long)a->ring_full,
               (unsigned long long)t->ring_full,
               (unsigned long long)a->reentered,
               (unsigned long long)t->reentered, a->cut, a->begin_unknown,
               (unsigned long long)a->restored);
    /* the guest is not accused of what was lost, unless several HELLOs were */
    CHECK(a->violations == 0 || a->restored != 0);
    CHECK_EQ(a->samples, came[core].samples);
    CHECK(!exact || right);
    CHECK(!exact || !twice[core]);
    CHECK(within || a->cut != 0 || a->restored != 0);
}

/* Catches: a loss that is not counted, one that is counted twice, and "exact"
 * where it is not */
TEST(what_came_and_what_is_lost_is_what_was_sent)
{
    uint64_t exact = 0;

    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        build(seed);
        CHECK(frames < FRAMES && serial < SERIALS);
        cut_stream();
        read_stream();
        for (uint32_t core = 0; core < CORES; core++) {
            check_core(seed, core);
            exact += account_is_exact(&accounts[core]);
        }
    }
    /* most cuts do not make it say that it does not know */
    CHECK(exact > ROUNDS);
    wiregen_fini(&whole);
    wiregen_fini(&cut);
}
