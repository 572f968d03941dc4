/* SPDX-License-Identifier: BSD-2-Clause */
/* Each core is a fiber of its own; an interrupt is a call on that fiber. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define begin_switch  __sanitizer_start_switch_fiber
#define end_switch    __sanitizer_finish_switch_fiber
#define forget_frames __asan_unpoison_memory_region
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

static void forget_frames(const volatile void *stack, size_t size)
{
    (void)stack;
    (void)size;
}
#endif

/* At the same addresses in each run: nothing may depend on them. */
#define STACKS_AT     0x210000000000u
#define STACK_SIZE    0x80000u
#define STACK_SPACING 0x100000u

struct core cores[SIM_CORES];

static void *world, *fibers[SIM_CORES]; /* stack pointers of who waits */
static bool on_core;
static void *world_fake, *fiber_fake[SIM_CORES];
static const void *world_bottom; /* the scheduler's own stack */
static size_t world_size;
static void (*core_body)(void);

/*
 * Goes on where (to) has stopped, and keeps in (*from) where this one stops.
 * swapcontext() does the same with two system calls, and under
 * AddressSanitizer, four more.
 */
void switch_stack(void **from, void *to);
__asm__(".pushsection .text\n"
        ".globl switch_stack\n"
        ".type switch_stack, @function\n"
        "switch_stack:\n"
        "pushq %rbp\n"
        "pushq %rbx\n"
        "pushq %r12\n"
        "pushq %r13\n"
        "pushq %r14\n"
        "pushq %r15\n"
        "movq %rsp, (%rdi)\n"
        "movq %rsi, %rsp\n"
        "popq %r15\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbx\n"
        "popq %rbp\n"
        "ret\n"
        ".popsection");
#define KEPT_WORDS 6u /* that it pops, and then the address to go to */

static uint8_t *stack_of(uint32_t core)
{
    return (uint8_t *)(STACKS_AT + (uintptr_t)core * STACK_SPACING);
}

static void begin(void)
{
    end_switch(NULL, &world_bottom, &world_size);
    core_body();
    fail("a core's kernel has ended");
}

static void prepare(uint32_t core)
{
    void (*function)(void) = begin;
    /* as a call leaves it: the return address, and a word less than 16 */
    uint8_t *top = stack_of(core) + STACK_SIZE - 16;

    memcpy(top, &function, sizeof function);
    fibers[core] = top - KEPT_WORDS * sizeof(uint64_t);
}

void fibers_init(uint32_t count, void (*body)(void))
{
    core_body = body;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *stack = stack_of(i);

        if (mmap(stack, STACK_SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                 0) != stack)
            abort();
        prepare(i);
    }
}

void fiber_begin_anew(uint32_t core)
{
    forget_frames(stack_of(core), STACK_SIZE);
    fiber_fake[core] = NULL;
    prepare(core);
}

void fiber_resume(uint32_t core)
{
    tprof_machine.core = core;
    on_core = true;
    begin_switch(&world_fake, stack_of(core), STACK_SIZE);
    switch_stack(&world, fibers[core]);
    end_switch(world_fake, NULL, NULL);
    on_core = false;
}

void fiber_yield(void)
{
    uint32_t core = tprof_machine.core;

    begin_switch(&fiber_fake[core], world_bottom, world_size);
    switch_stack(&fibers[core], world);
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
