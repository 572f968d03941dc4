/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of pairs: any pairs, and pairs that were chosen to collide. */
#include "util/pair_map.h"

#include <unistd.h>

#include "check.h"

#define MANY 200000u

/* hash_mix() (util/hash.h) multiplies by this odd number. */
#define FACTOR 0x9e3779b97f4a7c15u

/* A number that the factor multiplies to 1, by Newton's method. */
static uint64_t inverse(void)
{
    uint64_t x = FACTOR;

    for (int i = 0; i < 6; i++)
        x *= 2 - FACTOR * x;
    return x;
}

/* Catches: a guest that stops the collector by the addresses that it sends */
TEST(pairs_chosen_to_collide_take_no_longer)
{
    struct pair_map map = {0};
    uint64_t by = inverse();

    CHECK_EQ(FACTOR * by, 1);
    (void)alarm(10); /* without a seed: minutes */
    for (uint64_t i = 0; i < MANY; i++) {
        /* Without a seed, hash_mix() multiplies this to a product whose halves
         * are equal, and the low bits of all hashes are 0. */
        uint64_t b = (i << 32 | i) * by;
        uint32_t *at = map_put(&map, 0, b);

        CHECK(at != NULL && *at == MAP_NOTHING);
        *at = (uint32_t)i;
    }
    for (uint64_t i = 0; i < MANY; i++)
        CHECK_EQ(map_get(&map, 0, (i << 32 | i) * by), i);
    (void)alarm(0);
    CHECK_EQ(map.count, MANY);
    map_fini(&map);
}

TEST(both_numbers_of_a_pair_count) /* catches: a key that is cut */
{
    struct pair_map map = {0};

    CHECK_EQ(map_get(&map, 1, 2), MAP_NOTHING);
    *map_put(&map, 1, 2) = 12;
    *map_put(&map, 2, 1) = 21;
    *map_put(&map, 1ull << 63, 2) = 63;
    CHECK_EQ(map_get(&map, 1, 2), 12);
    CHECK_EQ(map_get(&map, 2, 1), 21);
    CHECK_EQ(map_get(&map, 1ull << 63, 2), 63);
    CHECK_EQ(map_get(&map, 0, 2), MAP_NOTHING);
    CHECK_EQ(*map_put(&map, 1, 2), 12);
    map_fini(&map);
    CHECK_EQ(map_get(&map, 1, 2), MAP_NOTHING);
}

/* catches: pairs of the window before, and a count that never falls */
TEST(cleared_map_has_no_pairs)
{
    struct pair_map m = {0};

    map_clear(&m);
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 1000; i++) {
            CHECK_EQ(map_get(&m, round, i), MAP_NOTHING);
            *map_put(&m, round, i) = (uint32_t)i;
        }
        CHECK_EQ(m.count, 1000);
        CHECK_EQ(map_get(&m, round, 999), 999);
        map_clear(&m);
        CHECK_EQ(m.count, 0);
        CHECK_EQ(map_get(&m, round, 999), MAP_NOTHING);
    }
    map_fini(&m);
}
