/* SPDX-License-Identifier: BSD-2-Clause */
/* Each core is a fiber of its own; an interrupt is a call on that fiber. */
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "sim.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define begin_switch __sanitizer_start_switch_fiber
#define end_switch   __sanitizer_finish_switch_fiber
#else
/* What AddressSanitizer wants to know of stacks, if it is there. */
static void begin_switch(void **keep, const void *bottom, size_t size)
{
    (void)keep;
    (void)bottom;
    (void)size;
}

static void end_switch(void *kept, const void **bottom, size_t *size)
{
    (void)kept;
    (void)bottom;
    (void)size;
}
#endif

/* At the same addresses in each run: nothing may depend on them. */
#define STACKS_AT     0x210000000000u
#define STACK_SIZE    0x80000u
#define STACK_SPACING 0x100000u

struct core cores[SIM_CORES];

static ucontext_t world, fibers[SIM_CORES];
static bool on_core;
static void *world_fake, *fiber_fake[SIM_CORES];
static const void *world_bottom; /* the scheduler's own stack */
static size_t world_size;
static void (*core_body)(void);

static uint8_t *stack_of(uint32_t core)
{
    return (uint8_t *)(STACKS_AT + (uintptr_t)core * STACK_SPACING);
}

static void begin(void)
{
    end_switch(NULL, &world_bottom, &world_size);
    core_body();
    fail(DEFECT_NONE, "a core's kernel has ended");
}

void fibers_init(uint32_t count, void (*body)(void))
{
    core_body = body;
    for (uint32_t i = 0; i < count; i++) {
        if (mmap(stack_of(i), STACK_SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                 0) != stack_of(i))
            abort();
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = stack_of(i);
        fibers[i].uc_stack.ss_size = STACK_SIZE;
        makecontext(&fibers[i], begin, 0);
    }
}

void fiber_resume(uint32_t core)
{
    tprof_machine.core = core;
    on_core = true;
    begin_switch(&world_fake, stack_of(core), STACK_SIZE);
    swapcontext(&world, &fibers[core]);
    end_switch(world_fake, NULL, NULL);
    on_core = false;
}

void fiber_yield(void)
{
    uint32_t core = tprof_machine.core;

    begin_switch(&fiber_fake[core], world_bottom, world_size);
    swapcontext(&fibers[core], &world);
    end_switch(fiber_fake[core], &world_bottom, &world_size);
}

bool is_on_core(void)
{
    return on_core;
}

bool is_on_fiber(uintptr_t start, size_t size)
{
    return on_core &&
           start - (uintptr_t)stack_of(tprof_machine.core) <= STACK_SIZE - size;
}
