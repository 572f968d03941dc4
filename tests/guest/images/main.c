/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that loads two applications, tells the profiler of them, and runs
 * them; they call it, and it calls them. QEMU has put their files into memory
 * (-device loader,file=...,addr=...,force-raw=on).
 *
 * Options: file1= file2= where; at1= at2= where they shall run; rounds=N how
 * much work; late=N each core does so much of the kernel's own before they are
 * loaded; again=1 the second one is loaded when the first one is done, at1=
 * being at2=: 1 core; unmap=1 with tprof_unmap() in between; those of
 * profile.h.
 */
#include <stdatomic.h>

#include "calls.h"
#include "cpu.h"
#include "guest.h"
#include "loader.h"
#include "must.h"
#include "profile.h"

#define APPS     2u
#define PHYSICAL 0x2800000u /* of an application that runs high; 2 MiB each */

static struct {
    const char *name, *file, *at;
} const options[APPS] = {{"alpha.elf", "file1", "at1"},
                         {"beta.elf", "file2", "at2"}};

static struct loaded apps[APPS];
static uint64_t rounds, late;
static bool again;
static atomic_bool loaded;

__attribute__((noinline)) static void kernel_leaf(void)
{
    SPIN(900);
}

__attribute__((noinline)) static void kernel_visit(void)
{
    SPIN(500);
}

/* Called by the applications; calls itself and them from one place, so that
 * functions of two images have the same callers. */
__attribute__((noinline)) static void kernel_serve(void (*visit)(void))
{
    void (*const volatile visits[])(void) = {kernel_visit, visit};

    SPIN(600);
    kernel_leaf();
#pragma GCC unroll 1
    for (unsigned i = 0; i < 2; i++)
        visits[i]();
}

__attribute__((noinline)) static void kernel_own(void)
{
    SPIN(1200);
    kernel_leaf();
    NO_TAIL_CALL();
}

static const struct calls calls = {kernel_serve};

__attribute__((noinline)) static void run_app(unsigned i, uint64_t times)
{
    apps[i].entry(&calls, times);
    NO_TAIL_CALL();
}

static void load_app(unsigned i)
{
    struct loaded *l = &apps[i];
    uint64_t file = opt_u64(options[i].file, 0);

    loader_load((const void *)(uintptr_t)file, opt_u64(options[i].at, 0),
                PHYSICAL + i * 0x200000ull, l);
    const struct tprof_mapping mapping = {
        .name = options[i].name,
        .build_id = l->build_id,
        .build_id_size = l->build_id_size,
        .start = l->text_start,
        .size = l->text_size,
        .link_start = l->link_start,
    };

    if (opt_u64("agent", 1))
        must(tprof_map(&mapping));
}

static void load_apps(void)
{
    for (unsigned i = 0; i < (again ? 1 : APPS); i++)
        load_app(i);
    /* release: pairs with the acquire in work(); the other cores may run them
     */
    atomic_store_explicit(&loaded, true, memory_order_release);
}

/* Another core's turn, under icount: see tests/accuracy/test_cores.c. No
 * function, or it would be one in reports. */
#define PAUSE() __builtin_ia32_pause()

/* Each core has a mix of its own. */
__attribute__((noinline)) static void work(unsigned core)
{
    for (uint64_t i = 0; i < late; i++) {
        kernel_own();
        PAUSE();
    }
    if (late && core == 0)
        load_apps();
    while (!atomic_load_explicit(&loaded, memory_order_acquire))
        PAUSE();
    for (uint64_t i = 0; i < rounds; i++) {
        kernel_own();
        run_app(0, 1 + core);
        PAUSE();
        if (again)
            continue;
        run_app(1, 2);
        PAUSE();
    }
    if (!again)
        return;
    if (opt_u64("unmap", 0))
        must(tprof_unmap(apps[0].text_start));
    load_app(1);
    /* for longer, so that the last half of a capture knows only this one */
    for (uint64_t i = 0; i < rounds; i++)
        run_app(1, 8);
}

__attribute__((noinline)) static void run_core(void)
{
    profile_begin();
    work(core_index());
    profile_end();
}

int guest_main(void)
{
    rounds = opt_u64("rounds", 1000);
    late = opt_u64("late", 0);
    again = opt_u64("again", 0) != 0;
    profile_init();
    if (!late)
        load_apps();
    core_run_all(run_core);
    profile_fini();
    return 0;
}
