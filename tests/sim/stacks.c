/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What interrupts interrupt: a pc that says which interrupt it was, and one of
 * some stacks of every shape. What a walk must find there is worked out here
 * by the words of WIRE.md 5.4, not by the agent's code.
 */
#include <string.h>

#include "sim.h"

#define SHAPES 16u
#define FRAMES 140u
#define HOLE   0x18000u /* the upper range begins here */
#define LOWER  0x10000u /* the lower one is so long */

/* One interrupt in the bits of its pc. */
#define SERIALS (1u << 16)
#define PC_STEP 0x10u           /* code bytes between two serial numbers */
#define JIT_PC  0x700000000000u /* code that is in no image */

static struct tprof_range readable[TPROF_RANGES];
static struct {
    uint64_t sp, fp;
} shapes[SHAPES];
static struct {
    uint64_t sp, fp;
    bool in_app;
} interrupted[SERIALS];
static uint64_t serials;

/* --- Shapes --------------------------------------------------------------- */

static uint64_t in_text(void)
{
    return TEXT_START + below(TEXT_SIZE);
}

static void put(uint64_t at, uint64_t value)
{
    memcpy((void *)at, &value, sizeof value);
}

/* A chain in the (size) bytes at (start): from (*sp) upwards. */
static void build(uint64_t start, uint64_t size, uint64_t *sp, uint64_t *fp)
{
    uint32_t count = below(5) ? below(12) : below(FRAMES);
    uint64_t at = start + below(64);
    uint64_t end = start + size;

    *sp = at;
    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++)
        put(at + 8 * i, chance(300) ? in_text() : draw());
    at += 32 + below(40); /* odd, too: alignment is not asked for */
    *fp = at;
    for (uint32_t i = 0; i < count && at + 200 < end; i++) {
        uint64_t next = at + 16 + below(60);

        if (i + 1 == count) {
            uint64_t ends[] = {0,
                               draw(),
                               at,
                               start,
                               end - 8,
                               end - 16,
                               STACKS_START + HOLE + below(2000)};

            next = ends[below(sizeof ends / sizeof *ends)];
        }
        put(at, next);
        put(at + 8, chance(985) ? in_text() : draw());
        at = next;
    }
    if (count == 0)
        *fp = chance(500) ? 0 : draw();
}

void stacks_init(struct tprof_config *config)
{
    uint64_t room = LOWER / SHAPES;

    readable[0] = (struct tprof_range){STACKS_START, LOWER};
    readable[1] = (struct tprof_range){STACKS_START + HOLE, STACKS_SIZE - HOLE};
    memcpy(config->readable, readable, sizeof readable);
    for (uint64_t at = STACKS_START; at < STACKS_START + STACKS_SIZE; at += 8)
        put(at, draw());
    for (uint32_t i = 0; i < SHAPES; i++) {
        bool upper = i % 4 == 3;

        build(upper ? STACKS_START + HOLE + i * room : STACKS_START + i * room,
              room, &shapes[i].sp, &shapes[i].fp);
    }
    config->text = (struct tprof_range){TEXT_START, TEXT_SIZE};
}

/* --- Injected ------------------------------------------------------------- */

uint64_t serial_of(uint64_t pc)
{
    uint64_t from_text = (pc - TEXT_START) / PC_STEP;
    uint64_t from_jit = (pc - JIT_PC) / PC_STEP;

    if (pc % PC_STEP != 1)
        return 0;
    if (pc - TEXT_START < TEXT_SIZE)
        return from_text;
    if (pc - APPS_START < APPS * APP_SPACING)
        return (pc - APPS_START) % APP_SPACING / PC_STEP;
    return from_jit < SERIALS ? from_jit : 0;
}

uint64_t injected(void)
{
    return serials;
}

struct tprof_registers inject(uint32_t core, uint64_t *serial)
{
    uint32_t shape = chance(700) ? core % SHAPES : below(SHAPES);
    struct tprof_registers r = {.sp = shapes[shape].sp, .fp = shapes[shape].fp};

    *serial = ++serials;
    if (serials + 1 >= SERIALS)
        end_early(); /* a host asked for more than a run has room for */
    uint32_t app = below(APPS);
    uint64_t base = chance(950) ? TEXT_START : JIT_PC;

    if (is_app_loaded(app) && chance(400)) {
        base = APPS_START + (uint64_t)app * APP_SPACING;
        interrupted[serials].in_app = true;
    }
    r.pc = base + serials * PC_STEP + 1;
    if (chance(20))
        r.sp = draw();
    if (chance(20))
        r.fp = draw();
    interrupted[serials].sp = r.sp;
    interrupted[serials].fp = r.fp;
    return r;
}

uint64_t a_frame_pointer(void)
{
    return chance(20) ? draw() : shapes[below(SHAPES)].fp;
}

bool is_in_app(uint64_t serial)
{
    return interrupted[serial].in_app;
}

/* --- What is there -------------------------------------------------------- */

static const struct tprof_range *range_of(uint64_t at, uint64_t size)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct tprof_range *r = &readable[i];

        if (at >= r->start && at < r->start + r->size &&
            r->start + r->size - at >= size)
            return r;
    }
    return NULL;
}

bool is_readable(uint64_t at, uint64_t size)
{
    return range_of(at, size) != NULL;
}

static uint64_t get(uint64_t at)
{
    uint64_t value;

    memcpy(&value, (const void *)at, sizeof value);
    return value;
}

static bool is_code(uint64_t address)
{
    return address - TEXT_START < TEXT_SIZE;
}

uint64_t stack_word(uint64_t at)
{
    if (!range_of(at, 8))
        fail("core %u: the walk reads at %#lx, which is not "
             "readable",
             tprof_machine.core, at);
    return get(at);
}

uint64_t hash_chain(uint64_t hash, const uint64_t *words, uint32_t mask,
                    uint32_t end, const uint64_t *frames, uint32_t count)
{
    hash = (hash ^ mask ^ end << 8 ^ count << 16) * 0x100000001b3u;
    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
        if (mask & 1u << i)
            hash = (hash ^ words[i]) * 0x100000001b3u;
    }
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ frames[i]) * 0x100000001b3u;
    return hash;
}

uint64_t expected_chain(uint64_t serial, uint32_t depth)
{
    uint64_t sp = interrupted[serial].sp, fp = interrupted[serial].fp;
    uint64_t words[WIRE_STACK_SLOTS] = {0}, frames[WIRE_STACK_FRAMES_MAX];
    uint64_t above = sp;
    uint32_t mask = 0, end = WIRE_END_MEMORY, count = 0;

    for (uint32_t i = 0; range_of(sp, 32) && i < WIRE_STACK_SLOTS; i++) {
        words[i] = get(sp + 8 * i);
        mask |= (uint32_t)is_code(words[i]) << i;
    }
    while (range_of(sp, 1)) {
        if (count == depth)
            end = WIRE_END_DEPTH;
        else if (fp == 0)
            end = WIRE_END_ZERO;
        else if (!range_of(fp, 16))
            end = WIRE_END_MEMORY;
        else if (fp < above)
            end = WIRE_END_NOT_RISING;
        else if (!is_code(get(fp + 8)))
            end = WIRE_END_TEXT;
        else {
            frames[count++] = get(fp + 8);
            above = fp + 1;
            fp = get(fp);
            continue;
        }
        break;
    }
    return hash_chain(1, words, mask, end, frames, count);
}
