/* SPDX-License-Identifier: BSD-2-Clause */
/* How busy a guest is, against the code of tests/golden/kernel.elf as objdump
 * shows it. */
#include "fleet/windows/busy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/match/images.h"
#include "model/guest.h"
#include "model/stack.h"

#define TEXT    0x200000u
#define SIZE    0x127u
#define RECEIVE (TEXT + 0xd9) /* a place in a function */
#define IDLE    (TEXT + 0xe7) /* behind hlt */
#define ANCHOR  (TEXT + 0x127)

static const uint8_t kernel_id[20] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
                                      0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
                                      0xcd, 0xef, 0x01, 0x23, 0x45, 0x67};

static struct images set;
static struct shared_image *files[2];
static struct guest guest;
static struct busy busy;

static struct shared_image *open_image(const char *path)
{
    struct err e = {""};
    struct shared_image *file = images_open(&set, path, &e);

    CHECK(file != NULL);
    return file;
}

/* A guest that runs kernel.elf, moved by (slide), with both files at hand. */
static void begin(uint64_t slide)
{
    files[0] = open_image(APP);
    files[1] = open_image(KERNEL);
    busy = (struct busy){.files = files, .file_count = 2};
    guest = (struct guest){.text_start = TEXT + slide,
                           .text_size = SIZE,
                           .anchor = ANCHOR + slide,
                           .build_id_len = 20};
    memcpy(guest.build_id, kernel_id, 20);
    CHECK_EQ(busy_hello(&busy, HELLO_FIRST, &guest), 0);
    CHECK(busy.unmatched);
    busy_match(&busy);
    CHECK(!busy.unmatched);
}

static void end(void)
{
    busy_fini(&busy);
    images_fini(&set);
}

static void put(unsigned n, struct sample s)
{
    const struct sample_batch batch = {
        .shift = 4, .period = 1000, .samples = &s, .count = 1};

    for (unsigned i = 0; i < n; i++)
        busy_samples(&busy, &batch);
}

static void check_share(double want)
{
    double share;

    CHECK(busy_share(&busy, &share));
    CHECK(fabs(share - want) < 1e-9);
}

TEST(idle_is_what_lies_behind_hlt)
{
    double share;

    begin(0);
    CHECK(!busy_share(&busy, &share));
    put(30, (struct sample){.leaf = RECEIVE, .weight = 1, .stack = 1});
    check_share(1);
    put(10, (struct sample){.leaf = IDLE, .weight = 1, .stack = 1});
    check_share(.75);
    put(10, (struct sample){.leaf = IDLE, .weight = 2, .stack = STACK_OTHERS});
    check_share(.5);
    put(60, (struct sample){.leaf = LEAF_UNKNOWN, .weight = 1});
    check_share(.75);
    CHECK(busy_file(&busy, 0) == files[1]);
    end();
}

/* Catches: a link-time address taken for one of a kernel that was moved */
TEST(a_kernel_that_was_moved_sleeps_elsewhere)
{
    begin(0x7e000000);
    put(10, (struct sample){.leaf = IDLE, .weight = 1, .stack = 1});
    check_share(1);
    put(10,
        (struct sample){.leaf = IDLE + 0x7e000000, .weight = 1, .stack = 1});
    check_share(.5);
    end();
}

TEST(a_jump_weighs_one_and_what_nobody_saw_is_busy)
{
    begin(0);
    put(10, (struct sample){.leaf = RECEIVE, .weight = 1, .stack = 1});
    put(1, (struct sample){.leaf = IDLE,
                           .weight = 1000,
                           .stack = 1,
                           .flags = WIRE_SAMPLE_JUMP});
    check_share(10. / 11);
    put(9,
        (struct sample){.leaf = IDLE, .weight = 1, .stack = BUSY_UNSEEN | 1});
    check_share(19. / 20);
    end();
}

TEST(the_share_is_of_the_last_seconds)
{
    double share;

    begin(0);
    put(10, (struct sample){.leaf = IDLE, .weight = 1, .stack = 1});
    for (unsigned i = 1; i < BUSY_SECONDS; i++)
        busy_second(&busy);
    put(10, (struct sample){.leaf = RECEIVE, .weight = 1, .stack = 1});
    check_share(.5);
    busy_second(&busy);
    check_share(1);
    for (unsigned i = 0; i < BUSY_SECONDS; i++)
        busy_second(&busy);
    CHECK(!busy_share(&busy, &share));
    end();
}

/* Catches: a share by the code of a file that may be another one's */
TEST(a_guest_of_no_file_has_no_share)
{
    double share;

    begin(0);
    guest.build_id[19] ^= 1;
    CHECK_EQ(busy_hello(&busy, HELLO_REBOOT, &guest), 0);
    put(10, (struct sample){.leaf = IDLE, .weight = 1, .stack = 1});
    busy_match(&busy);
    put(10, (struct sample){.leaf = IDLE, .weight = 1, .stack = 1});
    CHECK(!busy_share(&busy, &share));
    CHECK(busy_file(&busy, 0) == NULL);

    guest.build_id_len = 0; /* and neither checksum nor agent's addresses */
    CHECK_EQ(busy_hello(&busy, HELLO_SESSION, &guest), 0);
    busy_match(&busy);
    put(10, (struct sample){.leaf = IDLE, .weight = 1, .stack = 1});
    CHECK(!busy_share(&busy, &share));

    guest.build_id_len = 20;
    guest.build_id[19] ^= 1;
    CHECK_EQ(busy_hello(&busy, HELLO_REPEAT, &guest), 0); /* tells no news */
    CHECK(!busy.unmatched);
    busy_end(&busy);
    CHECK_EQ(busy_hello(&busy, HELLO_FIRST, &guest), 0);
    busy_match(&busy);
    put(10, (struct sample){.leaf = IDLE, .weight = 1, .stack = 1});
    check_share(0);
    end();
}

/* What a kernel has loaded is judged by its own file, where there is one. */
TEST(a_loaded_image_may_sleep_too)
{
    struct guest_map map = {.start = 0x40000000,
                            .size = SIZE,
                            .link_start = TEXT,
                            .build_id_len = 20};

    begin(0);
    memcpy(map.build_id, kernel_id, 20); /* it has loaded itself */
    put(10, (struct sample){.leaf = 0x400000e7, .weight = 1, .stack = 1});
    check_share(1);
    busy_map(&busy, &map);
    CHECK(busy.unmatched);
    busy_match(&busy);
    put(10, (struct sample){.leaf = 0x400000e7, .weight = 1, .stack = 1});
    check_share(.5);
    CHECK_EQ(busy_images(&busy), 2);
    CHECK(busy_file(&busy, 1) == files[1]);
    map.until = 7; /* it goes */
    busy_map(&busy, &map);
    CHECK_EQ(busy_images(&busy), 1);
    put(20, (struct sample){.leaf = 0x400000e7, .weight = 1, .stack = 1});
    check_share(.75);
    end();
}

TEST(a_guest_tells_of_no_more_maps_than_there_may_be)
{
    begin(0);
    for (uint64_t i = 0; i < 2 * GUEST_MAPS_MAX; i++)
        busy_map(&busy, &(struct guest_map){.start = i << 12, .size = 1});
    CHECK_EQ(busy_images(&busy), 1 + GUEST_MAPS_MAX);
    busy_match(&busy);
    CHECK(busy_file(&busy, 1) == NULL);
    end();
}
