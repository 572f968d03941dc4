/* SPDX-License-Identifier: BSD-2-Clause */
/* Every mapping that tprof_map() must refuse, and as many as it must take: no
 * more than that at a time, but one after another without end, in the same
 * place or elsewhere. */
#include <tprof/tprof.h>

#include "guest.h"

#define CODE 0x1000000u /* RAM that nobody uses */

static const uint8_t id[64];

static const struct tprof_mapping good = {
    .name = "app",
    .build_id = id,
    .build_id_size = 64,
    .start = CODE,
    .size = 1,
};

static void expect(const char *what, const struct tprof_mapping *m, int error)
{
    int got = tprof_map(m);

    if (got != error) {
        con_printf("misuse: %s: %s, not: %s\n", what, tprof_strerror(got),
                   tprof_strerror(error));
        guest_exit(1);
    }
}

/* As (good), but at (start), (size). */
static void expect_at(const char *what, uint64_t start, uint64_t size,
                      int error)
{
    struct tprof_mapping m = good;

    m.start = start;
    m.size = size;
    expect(what, &m, error);
}

static void try_fields(void)
{
    uint64_t text = (uintptr_t)__tprof_text_start;
    uint64_t end = (uintptr_t)__tprof_text_end;
    struct tprof_mapping m = good;

    expect_at("nothing", CODE, 0, TPROF_ERR_CONFIG);
    expect_at("at address 0", 0, 1, TPROF_ERR_CONFIG);
    expect_at("to the very end", UINT64_MAX, 1, TPROF_ERR_CONFIG);
    expect_at("wrapping", CODE, 0ull - CODE + 1, TPROF_ERR_CONFIG);
    expect_at("text's first byte", text - 1, 2, TPROF_ERR_CONFIG);
    expect_at("text's last byte", end - 1, 1, TPROF_ERR_CONFIG);
    expect_at("around text", text - 1, end - text + 2, TPROF_ERR_CONFIG);
    m.build_id_size = 65;
    expect("a long build-id", &m, TPROF_ERR_CONFIG);
    m.build_id_size = 0;
    expect("an empty build-id", &m, TPROF_ERR_CONFIG);
    m.build_id = NULL;
    m.build_id_size = 20;
    expect("no build-id of 20 bytes", &m, TPROF_ERR_CONFIG);
}

/* tprof_unmap() at (start) must return (error). */
static void expect_unmap(const char *what, uint64_t start, int error)
{
    int got = tprof_unmap(start);

    if (got != error)
        guest_fail(what);
}

/* A kernel that loads wherever there is room, for as long as it runs. */
static void come_and_go(void)
{
    for (unsigned i = 0; i < 10 * TPROF_MAPPINGS; i++) {
        uint64_t at = CODE + 0x1000ull * i;

        expect_at("where nothing was", at, 0x1000, TPROF_OK);
        expect_unmap("unmap: its second byte", at + 1, TPROF_ERR_CONFIG);
        expect_unmap("unmap: it", at, TPROF_OK);
        expect_unmap("unmap: it again", at, TPROF_ERR_CONFIG);
    }
}

static int nobody_comes(void *context)
{
    (void)context;
    return 0;
}

static const struct tprof_channel channel = {.open = nobody_comes};

int guest_main(void)
{
    struct tprof_config config = {.version = TPROF_CONFIG_VERSION,
                                  .channel = &channel};
    struct tprof_mapping plain = {.start = CODE + 0x10000, .size = 70000};

    expect("before tprof_init()", &good, TPROF_ERR_NOT_INIT);
    expect_unmap("unmap: before tprof_init()", CODE, TPROF_ERR_NOT_INIT);
    int error = tprof_init(&config);

    if (error != TPROF_OK)
        guest_fail(tprof_strerror(error));
    try_fields();
    come_and_go();
    expect("a good one", &good, TPROF_OK);
    expect("it again", &good, TPROF_OK);
    expect_at("around it", CODE - 5, 10, TPROF_OK);
    for (unsigned i = 0; i < 3 * TPROF_MAPPINGS; i++)
        expect_at("instead of the one before", CODE + i, 2, TPROF_OK);
    expect("one with neither name nor build-id", &plain, TPROF_OK);
    for (unsigned i = 2; i < TPROF_MAPPINGS; i++)
        expect_at("one more", CODE + 0x100000 * i, 0x100000, TPROF_OK);
    expect_at("one too many", CODE - 5, 1, TPROF_ERR_MEMORY_SMALL);
    expect_at("too many, but for one", CODE + 0x200000, 1, TPROF_OK);
    expect_at("one too many, again", CODE - 5, 1, TPROF_ERR_MEMORY_SMALL);
    expect_at("instead of the others", CODE, 0x2000000, TPROF_OK);
    expect_at("room again", CODE - 5, 1, TPROF_OK);
    expect_unmap("unmap: to make room", CODE, TPROF_OK);
    expect_at("there again", CODE, 0x2000000, TPROF_OK);
    con_printf("misuse: all refused\n");
    return 0;
}
