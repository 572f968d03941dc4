/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the profiler costs: a guest that shows it frame chains of any length and
 * number, in random order. A chain is data, made as calls would have left it,
 * so its length is exact and changing it takes no calls.
 *
 * Options: frames=N of each chain, 1 to 127; stacks=N different chains; fresh=1
 * changes the chain at each visit, so that no stack comes twice; visits=N to
 * chains, of rounds=N instructions each. Stacks that end otherwise: root=1,
 * where the outermost return address would be lies something else at each
 * visit; range=0, no stack is in readable memory; text=0, the visits are to
 * code in no text. Or seconds=N: each core sleeps at one of 200 addresses, of a
 * chain picked anew after each tick, for so long. And those of
 * ../accuracy/profile.h.
 */
#include "../accuracy/profile.h"
#include "cpu.h"
#include "guest.h"

#define FRAMES_MAX 127
#define STACKS_MAX 1024
#define FORK_BITS  10 /* a stack's number decides its last calls, bit by bit */
#define HALTS      200
#define CORES_MAX  4
#define TSC_HZ     1000000000u /* under icount with shift=0 */
#define FAR_CODE   0x3000000u  /* memory that nobody else uses */
#define NO_CODE    0x1234u     /* is in no text */

/* sites.S */
void cost_spin(uint64_t rbp, uint64_t rounds);
extern const uint8_t cost_spin_end[];
extern void (*const cost_halts[HALTS])(uint64_t rbp);

/* ../accuracy/on_stack.S */
void call_on_stack(void (*function)(void), void *top);

struct frame {
    uint64_t next; /* what RBP was in the caller */
    uint64_t back; /* return address */
};

static struct {
    uint64_t frames, stacks, fresh, visits, rounds, seconds;
    uint64_t root, range, text, shuffle;
} options;

static void (*spin)(uint64_t rbp, uint64_t rounds) = cost_spin;

/* A stack for each core, and the chains above them, as frames must be. */
static struct {
    _Alignas(16) char stack[CORES_MAX][16384];
    struct frame chains[STACKS_MAX][FRAMES_MAX];
} arena;

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x >> 16;
}

/* Some return address, always the same for the same (key). */
static uint64_t place(uint64_t key)
{
    uint64_t start = (uintptr_t)__tprof_text_start;
    uint64_t size = (uint64_t)(uintptr_t)__tprof_text_end - start;
    uint64_t x = (key + 1 + options.shuffle) * 0x9e3779b97f4a7c15u;

    return start + next_random(&x) % size;
}

/*
 * Stacks as a program has them: paths in a tree of calls. They have their outer
 * frames in common; the innermost ten each go one of two ways.
 */
static void make_chain(struct frame *chain, uint64_t number)
{
    for (uint64_t i = 0; i < options.frames; i++) {
        uint64_t way = i < FORK_BITS ? number >> i : 0;
        int last = i + 1 == options.frames;

        chain[i].next = last ? 0 : (uintptr_t)&chain[i + 1];
        chain[i].back = place(i << 32 | way);
    }
}

static void visit_all(uint64_t seed)
{
    uint64_t random = seed;

    for (uint64_t i = 0; i < options.visits; i++) {
        struct frame *chain =
            arena.chains[next_random(&random) % options.stacks];

        if (options.fresh)
            chain[0].back = place(i);
        if (options.root)
            chain[options.frames - 1].back = NO_CODE + (i << 32);
        spin((uintptr_t)chain, options.rounds);
    }
}

static void sleep_all(uint64_t seed)
{
    uint64_t end = cpu_rdtsc() + options.seconds * TSC_HZ;
    uint64_t random = seed;

    while (cpu_rdtsc() < end) {
        uint64_t draw = next_random(&random);

        cost_halts[draw % HALTS](
            (uintptr_t)arena.chains[draw / HALTS % options.stacks]);
    }
}

static void leave_text(void)
{
    const uint8_t *from = (const uint8_t *)(uintptr_t)cost_spin;
    uint8_t *to = (uint8_t *)(uintptr_t)FAR_CODE;

    while (from < cost_spin_end)
        *to++ = *from++;
    spin = (void (*)(uint64_t, uint64_t))(uintptr_t)FAR_CODE;
}

static void visit(void)
{
    uint64_t seed = (core_index() + 1) * 88172645463325252u;

    if (options.seconds)
        sleep_all(seed);
    else
        visit_all(seed);
}

static void run_core(void)
{
    profile_begin();
    call_on_stack(visit, arena.stack[core_index()] + sizeof arena.stack[0]);
    profile_drain();
    profile_end();
}

int guest_main(void)
{
    options.frames = opt_u64("frames", 16);
    options.stacks = opt_u64("stacks", 64);
    options.fresh = opt_u64("fresh", 0);
    options.visits = opt_u64("visits", 1000);
    options.rounds = opt_u64("rounds", 1000);
    options.seconds = opt_u64("seconds", 0);
    options.root = opt_u64("root", 0);
    options.range = opt_u64("range", 1);
    options.text = opt_u64("text", 1);
    options.shuffle = opt_u64("shuffle", 0);
    if (options.frames - 1 >= FRAMES_MAX || options.stacks - 1 >= STACKS_MAX)
        guest_fail("frames= or stacks= is out of range");
    if (core_count() > CORES_MAX)
        guest_fail("too many cores");
    for (uint64_t i = 0; i < options.stacks; i++)
        make_chain(arena.chains[i], i);

    if (!options.text)
        leave_text();
    if (!options.range)
        profile_config.readable[0] = (struct tprof_range){
            (uintptr_t)__tprof_image_start, 64}; /* of the image, no more */
    profile_init();
    core_run_all(run_core);
    profile_fini();
    return 0;
}
