/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel in the manner of Toro: one address space, cooperative threads that
 * stay on their core, and no memory shared between cores but the bus. Each core
 * plays ping-pong with every other one: of two, the lower sends numbers and a
 * checksum over them, gets them back sorted, and checks what came. Two threads
 * of one core can play it, too.
 *
 * Options: run=N rounds of each game (default 2000; 0: for ever)
 *          cycles=N a game takes N cycles of the TSC instead
 *          burst=N messages that are under way at a time (default 16)
 *          words=N at most so many words in a message (default 96)
 *          local=1 every core has a game of its own, too, and the cores rest in
 *          turn, so that they do nothing for some of the time
 *          threads=1 the profiler keeps the times of threads
 *          requests=1 with threads=1: each message is a request, from its
 *          making to the check of its answer
 *          slow=N before every Nth answer of a core the thread waits for a disk
 *          report=N a line on the console every N rounds (default 100)
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "bus.h"
#include "console.h"
#include "cpu.h"
#include "guest.h"
#include "sched.h"
#include "timed.h"

#define WORDS_MAX   96
#define DISK_CYCLES 5000000 /* some milliseconds */
#define REST_ROUNDS 400000  /* some tenths of a second */

struct message {
    uint64_t number;
    uint64_t checksum; /* of words */
    uint32_t count;
    uint32_t words[WORDS_MAX];
};
_Static_assert(sizeof(struct message) <= BUS_BUFFER_LEN, "fits a buffer");

/* What the lower core of two knows of their game. */
struct game {
    unsigned peer; /* the other core */
    uint64_t start_tsc;
    uint64_t random;
    uint64_t messages; /* there and back are two */
    uint64_t errors;
};

static struct game games[GUEST_CORES_MAX][GUEST_CORES_MAX]; /* [low][high] */
static atomic_uint games_left;
static uint64_t run, cycles, burst, word_limit, report;
static bool is_local;
static uint64_t slow;
static uint64_t start_tsc;
static atomic_uint resting; /* core that rests */

static uint32_t NextRandom(struct game *game)
{
    uint64_t x = game->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    game->random = x;
    return (uint32_t)(x >> 32);
}

/* The request of message (number) of the game that (low) plays with (high). */
static uint64_t RequestOf(unsigned low, unsigned high, uint64_t number)
{
    return (number + 1) << 8 | low << 4 | high;
}

/* The same whatever the order of (words). */
static uint64_t Checksum(const uint32_t *words, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t x = words[i] * 0x9e3779b97f4a7c15ull;

        sum += x ^ x >> 29;
    }
    return sum;
}

static int CompareWords(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void MakeMessage(struct game *game, struct message *message,
                        uint64_t number)
{
    message->number = number;
    message->count =
        (uint32_t)(word_limit - NextRandom(game) % ((word_limit + 1) / 2));
    for (uint32_t i = 0; i < message->count; i++)
        message->words[i] = NextRandom(game);
    message->checksum = Checksum(message->words, message->count);
}

/* As much of (message) as is used. */
static void SendMessage(unsigned core, const struct message *message)
{
    SendTo(core, message,
           offsetof(struct message, words) +
               message->count * sizeof message->words[0]);
}

/* Is (message) answer (number) to what we sent? */
static bool CheckAnswer(const struct message *message, uint64_t number)
{
    if (message->number != number || message->count > WORDS_MAX ||
        Checksum(message->words, message->count) != message->checksum)
        return false;
    for (uint32_t i = 1; i < message->count; i++) {
        if (message->words[i - 1] > message->words[i])
            return false;
    }
    return true;
}

static bool IsOver(const struct game *game, uint64_t round)
{
    if (cycles != 0)
        return cpu_rdtsc() - game->start_tsc >= cycles;
    return run != 0 && round >= run;
}

/* Return whether core (arg) is to work. */
static bool IsAtWork(const void *arg)
{
    return atomic_load_explicit(&resting, memory_order_relaxed) !=
           (uintptr_t)arg;
}

/* Rest while it is this core's turn. */
static void Rest(unsigned self)
{
    const void *arg = (const void *)(uintptr_t)self;

    if (is_local && !IsAtWork(arg))
        WaitFor(IsAtWork, arg);
}

/* Relieve the core that rests, if this core is the next one. The cores count
 * rounds of their own games, and read no clock. */
static void TakeTurn(unsigned self)
{
    unsigned rests = atomic_load_explicit(&resting, memory_order_relaxed);

    if ((rests + 1) % core_count() != self)
        return;
    atomic_store_explicit(&resting, self, memory_order_relaxed);
    Wake(rests);
}

static bool HasPassed(const void *deadline)
{
    return cpu_rdtsc() >= *(const uint64_t *)deadline;
}

/* The planted reason why some requests are slow. */
static __attribute__((noinline)) void ReadFromDisk(void)
{
    uint64_t deadline = cpu_rdtsc() + DISK_CYCLES;

    WaitFor(HasPassed, &deadline);
}

/* The higher core's thread: take what the lower one sends, sort it, send it
 * back. */
static void Pong(void *arg)
{
    unsigned peer = (unsigned)(uintptr_t)arg, self = core_index();
    struct message message;

    for (uint64_t answers = 1;; answers++) {
        Rest(self);
        RecvFrom(peer, &message);
        timed_request(RequestOf(peer, self, message.number));
        if (slow != 0 && answers % slow == 0)
            ReadFromDisk();
        if (message.count > WORDS_MAX ||
            Checksum(message.words, message.count) != message.checksum) {
            message.number = UINT64_MAX; /* the answer to nothing: an error */
            message.count = 0;
        }
        if (message.count > 1)
            qsort(message.words, message.count, sizeof message.words[0],
                  CompareWords);
        timed_request(0); /* before the answer, so that Ping takes it */
        SendMessage(peer == self ? BUS_BACK : peer, &message);
    }
}

/* The last game that ends prints the sum of all and ends the machine. */
static void EndGame(void)
{
    uint64_t messages = 0, errors = 0;
    unsigned cores = core_count();

    /* acq_rel: the last one sees what the others counted */
    if (atomic_fetch_sub_explicit(&games_left, 1, memory_order_acq_rel) > 1)
        return;
    uint64_t took = cpu_rdtsc() - start_tsc;

    agent_end();
    for (unsigned low = 0; low < cores; low++) {
        for (unsigned high = low; high < cores; high++) {
            messages += games[low][high].messages;
            errors += games[low][high].errors;
        }
    }
    WriteConsoleF("toro: %u cores, %llu messages, %llu cycles, %llu errors\n",
                  cores, (unsigned long long)messages, (unsigned long long)took,
                  (unsigned long long)errors);
    guest_exit(errors != 0);
}

static void PlayRound(struct game *game, uint64_t round)
{
    unsigned self = core_index();
    struct message message;

    for (uint64_t i = 0; i < burst; i++) {
        timed_begin(RequestOf(self, game->peer, round * burst + i));
        MakeMessage(game, &message, round * burst + i);
        timed_request(0);
        SendMessage(game->peer, &message);
    }
    for (uint64_t i = 0; i < burst; i++) {
        RecvFrom(game->peer == core_index() ? BUS_BACK : game->peer, &message);
        timed_request(RequestOf(self, game->peer, message.number));
        if (!CheckAnswer(&message, round * burst + i))
            game->errors++;
        timed_end(RequestOf(self, game->peer, message.number));
        game->messages += 2;
    }
}

/* The lower core's thread: the game with one higher core. */
static void Ping(void *arg)
{
    struct game *game = arg;
    unsigned self = core_index();

    game->start_tsc = cpu_rdtsc();
    for (uint64_t round = 0; !IsOver(game, round); round++) {
        Rest(self);
        if (game->peer == self && round % REST_ROUNDS == REST_ROUNDS - 1)
            TakeTurn(self);
        PlayRound(game, round);
        if ((round + 1) % report == 0)
            WriteConsoleF("Core[%u] -> Core[%u]: %llu messages\n", core_index(),
                          game->peer, (unsigned long long)game->messages);
    }
    EndGame();
}

/* A core joins: a thread for its game with each other core. */
_Noreturn static void StartCore(void)
{
    unsigned self = core_index();

    agent_start_core();
    for (unsigned peer = 0; peer < self; peer++)
        BeginThread("Pong", peer, Pong, (void *)(uintptr_t)peer);
    if (is_local)
        BeginThread("Pong", self, Pong, (void *)(uintptr_t)self);
    for (unsigned peer = is_local ? self : self + 1; peer < core_count();
         peer++) {
        struct game *game = &games[self][peer];

        game->peer = peer;
        game->random = self * GUEST_CORES_MAX + peer + 1;
        BeginThread("Ping", peer, Ping, game);
    }
    StartThreads();
}

int guest_main(void)
{
    unsigned cores = core_count();

    run = opt_u64("run", 2000);
    cycles = opt_u64("cycles", 0);
    burst = opt_u64("burst", 16);
    word_limit = opt_u64("words", WORDS_MAX);
    is_local = opt_u64("local", 0) != 0;
    report = opt_u64("report", 100);
    if (cores < 2)
        guest_fail("toro: a game needs two cores");
    if (burst == 0 || burst > BUS_QUEUE_LEN || report == 0 || word_limit == 0 ||
        word_limit > WORDS_MAX)
        guest_fail("toro: burst is 1 to 32, words is 1 to 96, report not 0");

    bus_init(cores);
    sched_init();
    agent_init();
    if (opt_u64("threads", 0) != 0)
        timed_init();
    if (opt_u64("requests", 0) != 0)
        timed_requests_init("message");
    slow = opt_u64("slow", 0);
    games_left = cores * (cores - 1) / 2 + (is_local ? cores : 0);
    core_start_others(StartCore);
    start_tsc = cpu_rdtsc();
    StartCore();
}
