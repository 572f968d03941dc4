/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes of a kernel that has loaded an application, app.elf. */
#include <stddef.h>

#include "scenes.h"

/* Where app.elf was moved to, and where its text begins and ends in the file,
 * from `readelf -S` and `objdump -d app.elf`. */
#define APP    0x4000000000u
#define LINKED 0x1f1u
#define SIZE   0x76u
#define TEXT   (APP + LINKED)
#define ID                                                                     \
    "\xaa\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb" \
    "\xcc\xdd"
/* Less the start of its text. */
#define IN_WALK_2   0x020u /* app.elf's walk keeps no frame */
#define IN_HANDLE   0x046u
#define IN_MAIN     0x05bu
/* Less the start of the kernel's, as return addresses are counted. */
#define AT(address) (APP + (address)-TEXT_START)
#define HANDLED     AT(0x230u) /* handle called walk */
#define MAIN_CALLED AT(0x25cu) /* app_main called handle */
#define APP_ENDS    AT(0x267u) /* app_exit called handle: its last code */
#define LIB         0x5000000000u

#define MANY(i) (LIB + 0x100000 + (i)*0x1000)

/* The image came in (generation). */
static void map_since(uint32_t generation, uint64_t start, uint64_t size,
                      uint64_t link_start, const char *name,
                      const char *build_id)
{
    struct wiregen_map m = {.start = start,
                            .size = size,
                            .link_start = link_start,
                            .name = name,
                            .build_id = build_id,
                            .text_crc = 0x12345678,
                            .since = generation};

    wiregen_map(&wire, &m);
}

static void map(uint64_t start, uint64_t size, uint64_t link_start,
                const char *name, const char *build_id)
{
    map_since(0, start, size, link_start, name, build_id);
}

/* A chain of an address in the image at (base), as STACK tells those of the
 * kernel. */
static void stack_at(uint64_t base, uint64_t id, const uint64_t *frames)
{
    struct wiregen_stack s = {.id = id,
                              .end = WIRE_END_ZERO,
                              .frames = frames,
                              .base = (int64_t)(base - TEXT_START)};

    while (frames[s.count] != 0)
        s.count++;
    wiregen_stack(&wire, &s);
}

#define STACK_AT(base, id, ...)                                                \
    stack_at(base, id, (const uint64_t[]){__VA_ARGS__, 0})

/* The kernel calls the application, which calls the kernel, and what is at
 * (lib). */
static void busy(uint64_t lib)
{
    begin_core(0);
    STACK(1, WIRE_END_ZERO, AFTER_PUSH, AFTER_RECV, AFTER_THREAD);
    STACK_AT(TEXT, 2, MAIN_CALLED, AFTER_RECV, AFTER_THREAD);
    STACK_AT(TEXT, 3, AFTER_RECV, AFTER_THREAD);
    STACK_AT(TEXT, 4, APP_ENDS, AFTER_RECV, AFTER_THREAD);
    STACK(5, WIRE_END_ZERO, HANDLED, MAIN_CALLED, AFTER_RECV, AFTER_THREAD);
    STACK_AT(lib, 6, HANDLED, MAIN_CALLED, AFTER_RECV, AFTER_THREAD);
    samples(0, 40, 1, IN_PUSH, 0);
    samples(0, 30, 1, IN_WALK, 0);
    samples(0, 50, 2, IN_WALK_2, 0);
    samples(0, 60, 2, IN_HANDLE, 0);
    samples(0, 10, 3, IN_MAIN, 0);
    samples(0, 5, 4, IN_HANDLE, 0);
    samples(0, 25, 5, IN_COPY, 0);
    samples(0, 15, 6, 0x100, 0);
    samples(0, 5, 6, 0x108, 0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}

void two_images(void)
{
    hello(&(struct hello){.cores = 1});
    map(TEXT, SIZE, LINKED, "/bin/app", ID);
    status(0, 0);
    map(LIB, 0x1000, 0x3000, "libz.so", NULL);
    busy(LIB);
}

void app_of_another_build(void)
{
    static const char other[] = ID;
    char id[20];

    for (size_t i = 0; i < sizeof id; i++)
        id[i] = other[sizeof id - 1 - i];
    hello(&(struct hello){.cores = 1});
    map(TEXT, SIZE, LINKED, "app", id);
    status(0, 0);
    busy(LIB);
}

void three_apps_of_one_name(void)
{
    hello(&(struct hello){.cores = 1});
    map(TEXT, SIZE, LINKED, "app", ID);
    map(LIB + LINKED, SIZE, LINKED, "app", ID);
    map(LIB + 0x1000, 0x1000, 0, "app", NULL);
    status(0, 0);
    busy(LIB + 0x1000);
}

void kernel_at_two_addresses(void)
{
    static const char kernel[] = "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23"
                                 "\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67";

    hello(&(struct hello){.cores = 1, .slide = LIB});
    map(TEXT_START, TEXT_SIZE, TEXT_START, "early", kernel);
    status(0, 0);
    begin_core(0);
    STACK(1, WIRE_END_ZERO, AFTER_RECV, AFTER_THREAD);
    samples(0, 60, 1, IN_PUSH, 0);
    stack_at(TEXT_START - LIB, 2,
             (const uint64_t[]){AFTER_RECV - LIB, AFTER_THREAD - LIB, 0});
    samples(0, 40, 2, IN_PUSH, 0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}

void hostile_images(void)
{
    hello(&(struct hello){.cores = 1});
    map(TEXT, SIZE, LINKED, "\033[2J;a]\n\xff\"", ID);
    map(APP, 0x1000, 0, "over it", NULL);
    map(TEXT_START, 1, 0, "kernel.elf", NULL);
    map(0xfffffffffffff000u, 0x2000, 0, "wraps", NULL);
    map(LIB, 0, 0, "empty", NULL);
    map(LIB, 1, 0, "", NULL);
    map(LIB, 0x1000, 0, "", NULL);
    for (uint64_t i = 0; i < 1000; i++)
        map(MANY(i), 0x1000, i, "many", NULL);
    status(0, 0);
    begin_core(0);
    for (uint64_t i = 0; i < 12; i++) {
        STACK_AT(MANY(i), i, AFTER_THREAD);
        samples(0, 5, (uint32_t)i, 0x10, 0);
    }
    end_frame(0);
    busy(LIB);
}

void apps_in_turn(void)
{
    hello(&(struct hello){.cores = 1});
    map(TEXT, SIZE, LINKED, "app", ID);
    status(0, 0);
    begin_core(0);
    STACK_AT(TEXT, 1, MAIN_CALLED, AFTER_RECV, AFTER_THREAD);
    STACK(2, WIRE_END_ZERO, HANDLED, MAIN_CALLED, AFTER_RECV, AFTER_THREAD);
    samples(0, 50, 1, IN_HANDLE, 0);
    samples(0, 20, 2, IN_COPY, 0);
    end_frame(0);
    /* its samples come before its MAP */
    begin_again(0, 1);
    STACK_AT(TEXT, 1, MAIN_CALLED, AFTER_RECV, AFTER_THREAD);
    STACK(2, WIRE_END_ZERO, HANDLED, MAIN_CALLED, AFTER_RECV, AFTER_THREAD);
    samples(0, 60, 1, IN_HANDLE, 0);
    samples(0, 30, 2, IN_COPY, 0);
    end_frame(0);
    map_since(1, TEXT, SIZE, 0x3000, "libz.so", NULL);
    map_since(2, TEXT, SIZE, LINKED, "app", ID);
    begin_again(0, 2);
    STACK_AT(TEXT, 1, MAIN_CALLED, AFTER_RECV, AFTER_THREAD);
    samples(0, 40, 1, IN_HANDLE, 0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}
