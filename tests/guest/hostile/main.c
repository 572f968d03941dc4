/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame chains that would make a careless walk fault, hang, touch a device or
 * make something up. Each runs in a function of its own; the guest ends well
 * if none of them hurt it.
 *
 * Options: rounds=N of two instructions for each case; randoms=N values of
 * RBP for the last one, of random_rounds=N each; those of
 * ../accuracy/profile.h.
 */
#include "../accuracy/profile.h"
#include "guest.h"

#define DEEP_FRAMES 200 /* more than anybody may ask for */

/* spin.S */
typedef void spin_fn(uint64_t rbp, uint32_t rounds);
spin_fn spin_sound, spin_self, spin_cycle, spin_falling, spin_odd,
    spin_unmapped, spin_last_page, spin_device, spin_apic, spin_noncanonical,
    spin_wrapping, spin_edge, spin_data, spin_deep, spin_random;

/* ../accuracy/on_stack.S */
void call_on_stack(void (*function)(void), void *top);

struct frame {
    uint64_t next; /* what RBP was in the caller */
    uint64_t back; /* return address */
};

/* The cases' stack and their chains above it, as frames must be; and between
 * them a page that is not there. */
static struct {
    _Alignas(4096) char stack[16384];
    _Alignas(4096) char hole[4096];
    struct frame frames[DEEP_FRAMES];
    char odd[4 * sizeof(struct frame)];
} arena;

static struct {
    uint32_t rounds, random_rounds;
    uint64_t randoms;
} options;

/* Whose address stands as a return address in the chains below. */
__attribute__((noinline)) static void known_caller(void)
{
    __asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
}

#define KNOWN ((uint64_t)(uintptr_t)known_caller + 4)

static uint64_t address(const void *p)
{
    return (uintptr_t)p;
}

/* Frame (i) says that RBP was (next). */
static uint64_t link(unsigned i, uint64_t next)
{
    arena.frames[i] = (struct frame){next, KNOWN};
    return address(&arena.frames[i]);
}

/* A chain as it should be: three callers, then the end. */
static uint64_t chain_sound(void)
{
    return link(0, link(1, link(2, 0)));
}

static uint64_t chain_self(void)
{
    return link(0, address(&arena.frames[0]));
}

static uint64_t chain_cycle(void)
{
    return link(0, link(1, address(&arena.frames[0])));
}

static uint64_t chain_falling(void)
{
    return link(9, link(3, 0));
}

/* Sound, but at odd addresses, as Toro's are: to be walked, not refused. */
static uint64_t chain_odd(void)
{
    struct __attribute__((packed)) {
        struct frame frame[3];
    } *odd = (void *)(arena.odd + 1);

    odd->frame[0] = (struct frame){address(&odd->frame[1]), KNOWN};
    odd->frame[1] = (struct frame){address(&odd->frame[2]), KNOWN};
    odd->frame[2] = (struct frame){0, KNOWN};
    return address(odd);
}

/* A return address that is none. */
static uint64_t chain_data(void)
{
    link(0, link(1, 0));
    arena.frames[0].back = address(&arena);
    return address(&arena.frames[0]);
}

static uint64_t chain_deep(void)
{
    uint64_t next = 0;

    for (unsigned i = DEEP_FRAMES; i-- > 0;)
        next = link(i, next);
    return next;
}

__attribute__((noinline)) static void random_chains(void)
{
    uint64_t x = 88172645463325252u;

    for (uint64_t i = 0; i < options.randoms; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        /* all of 64 bits, of the mapped 4 GiB, of the arena in turn */
        spin_random(i % 3 == 0   ? x
                    : i % 3 == 1 ? x >> 32
                                 : address(&arena) + x % sizeof arena,
                    options.random_rounds);
    }
}

__attribute__((noinline)) static void all_cases(void)
{
    uint32_t rounds = options.rounds;
    uint64_t hole = address(arena.hole);

    spin_sound(chain_sound(), rounds);
    spin_self(chain_self(), rounds);
    spin_cycle(chain_cycle(), rounds);
    spin_falling(chain_falling(), rounds);
    spin_odd(chain_odd(), rounds);
    spin_unmapped(hole, rounds);
    spin_unmapped(link(0, hole + 8), rounds);
    spin_last_page(hole - 8, rounds); /* the second word is in the hole */
    spin_edge(hole - sizeof(struct frame) + 1, rounds);
    spin_device(0xfeb00e00, rounds); /* virtio-mmio, and on the way to it */
    spin_device(link(0, 0xfeb00e00), rounds);
    spin_apic(0xfee00000, rounds);
    spin_apic(link(0, 0xfee00300), rounds);
    spin_noncanonical(0x8000000000000000, rounds);
    spin_noncanonical(link(0, 0xdead000000000000), rounds);
    spin_wrapping(UINT64_MAX - 7, rounds);
    spin_wrapping(link(0, UINT64_MAX), rounds);
    spin_data(chain_data(), rounds);
    spin_deep(chain_deep(), rounds);
    random_chains();
}

/* The image is readable, but for the hole in it. */
static void limit_readable(void)
{
    uint64_t hole = address(arena.hole);
    uint64_t after = hole + sizeof arena.hole;

    profile_config.readable[0].start = address(__tprof_image_start);
    profile_config.readable[0].size = hole - address(__tprof_image_start);
    profile_config.readable[1].start = after;
    profile_config.readable[1].size = address(__tprof_image_end) - after;
    page_unmap(hole);
}

int guest_main(void)
{
    options.rounds = (uint32_t)opt_u64("rounds", 100000);
    options.random_rounds = (uint32_t)opt_u64("random_rounds", options.rounds);
    options.randoms = opt_u64("randoms", 100);

    limit_readable();
    profile_init();
    profile_begin();
    call_on_stack(all_cases, arena.stack + sizeof arena.stack);
    profile_end();
    profile_fini();
    con_printf("hostile: survived\n");
    return 0;
}
