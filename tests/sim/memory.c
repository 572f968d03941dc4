/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's address space, at the same addresses in each run. What the agent
 * may touch is its memory, the code that it sums up, and what tprof_map() was
 * told; stacks only through tprof_arch_load().
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

#define PAGE       0x1000u
#define CONTIGUOUS 24576u /* bytes that a device may reach: tprof.h */
#define CANARY     0xa5u
#define GIVEN_BACK 0x77u

/* The program itself: the agent's globals and constants. */
extern const char __executable_start[], _end[];

static uint8_t *memory;
static size_t memory_size;
static bool given_back;
static bool loaded[APPS];

static void map_pages(uintptr_t at, size_t size, int protection)
{
    if (mmap((void *)at, size, protection,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != (void *)at)
        abort();
}

void memory_init(size_t agent_size)
{
    size_t pages = (agent_size + PAGE - 1) & ~(size_t)(PAGE - 1);

    map_pages(GUEST_BASE, GUEST_END - GUEST_BASE, PROT_NONE);
    map_pages(TEXT_START, TEXT_MAPPED, PROT_READ | PROT_WRITE);
    for (uint32_t i = 0; i < TEXT_MAPPED; i += 8)
        *(uint64_t *)(TEXT_START + i) = i * 0x9e3779b97f4a7c15u;
    map_pages(STACKS_START, STACKS_SIZE, PROT_READ | PROT_WRITE);
    /* its end is a page's: nothing behind it can be touched */
    map_pages(MEMORY_END - pages, pages, PROT_READ | PROT_WRITE);
    memory = (uint8_t *)(MEMORY_END - agent_size);
    memory_size = agent_size;
    memset((uint8_t *)(MEMORY_END - pages), CANARY, pages);
}

void *agent_memory(void)
{
    return memory;
}

void memory_protect(void)
{
    if (mprotect((void *)TEXT_START, TEXT_MAPPED, PROT_READ) < 0 ||
        mprotect((void *)STACKS_START, STACKS_SIZE, PROT_READ) < 0)
        abort();
}

/* --- Applications --------------------------------------------------------- */

void app_load(uint32_t app)
{
    uintptr_t at = APPS_START + (uintptr_t)app * APP_SPACING;

    map_pages(at, APP_SIZE, PROT_READ | PROT_WRITE);
    memset((void *)at, 0x90 + (int)app, 0x1000);
    (void)strcpy((char *)at, "app");
    loaded[app] = true;
}

void app_unload(uint32_t app)
{
    map_pages(APPS_START + (uintptr_t)app * APP_SPACING, APP_SIZE, PROT_NONE);
    loaded[app] = false;
}

bool is_app_loaded(uint32_t app)
{
    return loaded[app];
}

/* --- Who may touch what --------------------------------------------------- */

static bool lies_in(uintptr_t start, size_t size, uintptr_t from, size_t bytes)
{
    return start - from <= bytes - size && size <= bytes;
}

static bool is_app(uintptr_t start, size_t size)
{
    uint32_t app = (uint32_t)((start - APPS_START) / APP_SPACING);

    return start >= APPS_START && app < APPS && loaded[app] &&
           lies_in(start, size, APPS_START + (uintptr_t)app * APP_SPACING,
                   APP_SIZE);
}

void check_access(uintptr_t start, size_t size, bool write)
{
    if (lies_in(start, size, (uintptr_t)memory, memory_size) ||
        is_on_fiber(start, size) ||
        lies_in(start, size, (uintptr_t)__executable_start,
                (uintptr_t)_end - (uintptr_t)__executable_start) ||
        !is_on_core())
        return;
    if (!write &&
        (lies_in(start, size, TEXT_START, TEXT_MAPPED) || is_app(start, size)))
        return;
    fail("core %u: the agent %s %zu bytes at %#zx, which nobody allowed",
         tprof_machine.core, write ? "writes" : "reads", size, start);
}

void *device_memory(uint64_t physical, size_t size)
{
    uintptr_t at = physical - GUEST_PHYSICAL + GUEST_BASE;
    uintptr_t first = ((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

    if (given_back)
        fail("a device uses %zu bytes at %#zx, which the kernel has taken back",
             size, at);
    if (!lies_in(at, size, first, CONTIGUOUS))
        fail("a device is told of %zu bytes at physical %#zx, not the first 24 "
             "KiB of the agent's memory",
             size, (size_t)physical);
    return (void *)at;
}

/* --- At the end ----------------------------------------------------------- */

static bool is_all(const uint8_t *at, size_t size, uint8_t byte)
{
    while (size > 0 && *at == byte)
        at++, size--;
    return size == 0;
}

void memory_check(void)
{
    uintptr_t first = (uintptr_t)memory & ~(uintptr_t)(PAGE - 1);

    if (!is_all((void *)first, (uintptr_t)memory - first, CANARY))
        fail("bytes in front of the agent's memory were written");
    for (uint32_t i = 0; i < TEXT_MAPPED; i += 8) {
        if (*(uint64_t *)(TEXT_START + i) != i * 0x9e3779b97f4a7c15u)
            fail("code was written at %#x", i);
    }
    if (given_back && !is_all(memory, memory_size, GIVEN_BACK))
        fail("memory that the kernel has taken back was written");
}

void memory_give_back(void)
{
    given_back = true;
    memset(memory, GIVEN_BACK, memory_size);
}

bool is_given_back(void)
{
    return given_back;
}

void memory_lend_again(void)
{
    memory_check();
    given_back = false;
}
