/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liar VHOST_USER UDS LIE: the bridge, which serves a guest's vsock device
 * honestly until it gets SIGUSR1. Then it tells one lie, and goes on. It prints
 * "lied" when that is done, and "given up" when the guest's driver has stopped
 * the device after that.
 *
 * It is the bridge's own code, and reaches into what that keeps to itself.
 */
#include "bridge/bridge.c" /* NOLINT(bugprone-suspicious-include) */

#include <signal.h>
#include <sys/eventfd.h>

#define TURN_MS 5

static volatile sig_atomic_t shall_lie;

static void on_signal(int number)
{
    (void)number;
    shall_lie = 1;
}

/* --- What a device does to a ring ----------------------------------------- */

static uint16_t *used_word(const struct vring *r, size_t at)
{
    return (uint16_t *)(void *)(r->used + at);
}

static void set_used_index(const struct vring *r, uint16_t index)
{
    __atomic_store_n(used_word(r, 2), index, __ATOMIC_RELEASE);
}

static void interrupt(const struct vring *r)
{
    if (r->call >= 0)
        (void)eventfd_write(r->call, 1);
}

static struct vring *rx(struct bridge *b)
{
    return &b->user.rings[RING_RX];
}

static struct vring *tx(struct bridge *b)
{
    return &b->user.rings[RING_TX];
}

/* Says that (head) is done, with (size) bytes, whether that is so or not. */
static void give(struct vring *r, uint32_t head, uint32_t size)
{
    uint8_t *entry = r->used + 4 + (size_t)8 * (r->next_used & (r->size - 1));

    store_u32(entry, head);
    store_u32(entry + 4, size);
    set_used_index(r, ++r->next_used);
    interrupt(r);
}

/* A buffer of the guest's for what it receives. False: there is none now. */
static bool take(struct bridge *b, struct chain *c)
{
    return vring_take(rx(b), &b->user.memory, c);
}

/* Sends (k) with bytes that make no sense, and says that it is (size) bytes. */
static bool send_packet(struct bridge *b, const struct packet *k, uint32_t size)
{
    static uint8_t bytes[4096];
    struct chain c;

    if (!take(b, &c))
        return false;
    packet_store(k, bytes);
    pieces_write(c.pieces, c.out_count, 0, bytes,
                 c.out_size < sizeof bytes ? c.out_size : sizeof bytes);
    give(rx(b), c.head, size);
    return true;
}

/* The connection with the host that samples. */
static struct packet of_host(struct bridge *b, uint16_t op)
{
    const struct conn *c = TAILQ_FIRST(&b->vsock.conns.all);

    return (struct packet){
        .src_cid = CID_HOST,
        .dst_cid = b->config.cid,
        .src_port = c ? c->host_port : 1,
        .dst_port = c ? c->guest_port : 1,
        .type = TYPE_STREAM,
        .op = op,
        .buf_alloc = 65536,
        .fwd_cnt = c ? c->taken : 0,
    };
}

/* --- Lies: each returns false until it could be told ---------------------- */

static bool index_ahead(struct bridge *b)
{
    set_used_index(rx(b), (uint16_t)(rx(b)->next_used + rx(b)->size + 1));
    return true;
}

static bool index_back(struct bridge *b)
{
    set_used_index(rx(b), (uint16_t)(rx(b)->next_used - 1));
    return true;
}

static bool index_half_way_round(struct bridge *b)
{
    set_used_index(tx(b), (uint16_t)(tx(b)->next_used + 0x8000));
    return true;
}

/* Before the driver has sent it. */
static bool done_before_kick(struct bridge *b)
{
    give(tx(b), 0, 0);
    set_used_index(tx(b), (uint16_t)(tx(b)->next_used + tx(b)->size));
    return true;
}

static bool id_behind_the_ring(struct bridge *b)
{
    give(rx(b), rx(b)->size, 44);
    return true;
}

static bool id_huge(struct bridge *b)
{
    give(rx(b), UINT32_MAX, 44);
    return true;
}

static bool id_twice(struct bridge *b)
{
    struct packet k = of_host(b, 99);
    struct chain c;

    if (!take(b, &c))
        return false;
    k.src_port = 5; /* nobody's */
    uint8_t bytes[PACKET_HEADER];

    packet_store(&k, bytes);
    pieces_write(c.pieces, c.out_count, 0, bytes, sizeof bytes);
    give(rx(b), c.head, PACKET_HEADER);
    give(rx(b), c.head, PACKET_HEADER);
    return true;
}

static bool id_in_the_middle(struct bridge *b)
{
    struct chain c;

    if (!take(b, &c))
        return false;
    give(rx(b), c.head + 1u, 44);
    return true;
}

static bool length_huge(struct bridge *b)
{
    struct packet k = of_host(b, OP_RW);

    k.length = 0x7fffffff;
    return send_packet(b, &k, UINT32_MAX);
}

static bool length_one_too_many(struct bridge *b)
{
    struct packet k = of_host(b, OP_RW);

    k.length = 213;
    return send_packet(b, &k, 257);
}

static bool length_short(struct bridge *b)
{
    struct packet k = of_host(b, OP_RW);

    return send_packet(b, &k, PACKET_HEADER - 1);
}

static bool length_none(struct bridge *b)
{
    struct packet k = of_host(b, OP_RW);

    return send_packet(b, &k, 0);
}

static bool header_longer_than_packet(struct bridge *b)
{
    struct packet k = of_host(b, OP_RW);

    k.length = 200;
    return send_packet(b, &k, PACKET_HEADER + 10);
}

static bool credit_of_the_future(struct bridge *b)
{
    struct packet k = of_host(b, OP_CREDIT_UPDATE);

    k.fwd_cnt += 1u << 20;
    return send_packet(b, &k, PACKET_HEADER);
}

static bool strangers(struct bridge *b)
{
    static unsigned sent;
    struct packet k = of_host(b, (uint16_t)(sent % 11));

    k.src_port = 7000 + sent;
    k.src_cid = sent % 3;
    k.dst_port = sent % 2 ? 7077 : sent;
    k.type = (uint16_t)(sent % 5);
    k.flags = sent % 4;
    sent += send_packet(b, &k, PACKET_HEADER);
    return sent >= 2000;
}

static bool interrupt_for_nothing(struct bridge *b)
{
    interrupt(rx(b));
    interrupt(tx(b));
    return true;
}

static bool interrupts_in_floods(struct bridge *b)
{
    static unsigned turns;

    for (int i = 0; i < 200; i++) {
        interrupt(rx(b));
        usleep(1);
    }
    return ++turns >= 100;
}

/* The device takes nothing, and says that it wants no kicks either. */
static bool deaf_for_a_while(struct bridge *b)
{
    __atomic_store_n(used_word(tx(b), 0), 1, __ATOMIC_RELEASE);
    __atomic_store_n(used_word(rx(b), 0), 1, __ATOMIC_RELEASE);
    usleep(1500000);
    __atomic_store_n(used_word(tx(b), 0), 0, __ATOMIC_RELEASE);
    __atomic_store_n(used_word(rx(b), 0), 0, __ATOMIC_RELEASE);
    b->busy = true;
    return true;
}

/* Whatever a device may write to, and both rings. */
static bool scribble(struct bridge *b)
{
    static uint64_t random = 1;
    struct vring *rings[] = {rx(b), tx(b)};

    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const struct vring *r = rings[random >> 63];

        r->used[(random >> 32) % (6 + 8 * r->size)] = (uint8_t)(random >> 24);
        if (i % 50 == 0)
            interrupt(r);
    }
    return true;
}

static bool leave(struct bridge *b)
{
    (void)b;
    (void)puts("lied\ngiven up");
    exit(0);
}

static const struct lie {
    const char *name;
    bool (*tell)(struct bridge *b);
} lies[] = {
    {"index ahead", index_ahead},
    {"index back", index_back},
    {"index half way round", index_half_way_round},
    {"done before kick", done_before_kick},
    {"id behind the ring", id_behind_the_ring},
    {"id huge", id_huge},
    {"id twice", id_twice},
    {"id in the middle", id_in_the_middle},
    {"length huge", length_huge},
    {"length one too many", length_one_too_many},
    {"length short", length_short},
    {"length none", length_none},
    {"header longer than packet", header_longer_than_packet},
    {"credit of the future", credit_of_the_future},
    {"strangers", strangers},
    {"interrupt for nothing", interrupt_for_nothing},
    {"interrupts in floods", interrupts_in_floods},
    {"deaf for a while", deaf_for_a_while},
    {"scribble", scribble},
    {"leave", leave},
};

static const struct lie *find_lie(const char *name)
{
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        if (strcmp(lies[i].name, name) == 0)
            return &lies[i];
    }
    (void)fprintf(stderr, "liar: no lie is called %s\n", name);
    exit(2);
}

/* --- Serving -------------------------------------------------------------- */

static void serve(struct bridge *b, const struct lie *lie)
{
    bool has_lied = false, is_given_up = false;
    struct err e;

    while (bridge_turn(b, TURN_MS, &e) == 0) {
        if (shall_lie && !has_lied && vhost_user_runs(&b->user) &&
            lie->tell(b)) {
            has_lied = true;
            (void)puts("lied");
        }
        if (has_lied && !is_given_up && rx(b)->used == NULL) {
            is_given_up = true;
            (void)puts("given up");
        }
    }
    (void)fprintf(stderr, "liar: %s\n", e.text);
    exit(1);
}

int main(int argc, char **argv)
{
    struct bridge_config config = {.cid = 3, .stop_fd = -1};
    struct err e;

    if (argc != 4)
        return 2;
    config.vhost_user = argv[1];
    config.uds = argv[2];
    const struct lie *lie = find_lie(argv[3]);

    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    (void)signal(SIGUSR1, on_signal);
    struct bridge *b = bridge_open(&config, &e);

    if (b == NULL) {
        (void)fprintf(stderr, "liar: %s\n", e.text);
        return 1;
    }
    serve(b, lie);
}
