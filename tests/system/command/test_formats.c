/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files for other tools of several guests, and of more stacks than there is
 * memory for. tests/formats/totals.mjs compares the files.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"

#define FILES                                                                  \
    "-o x.json -o x.folded -o x.csv -o x.pb.gz -o x.firefox.json "             \
    "-o x.speedscope.json -o x.callgrind -o x.perf.txt -o x.perf.data "        \
    "-o x.pftrace"

/* Guests of one core; by 400 different stacks, if (many). */
static void play(int listener, uint64_t n, bool many)
{
    int fd = meet(listener);

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x400000,
                                                 .text_size = 0x100000});
    say(fd);
    CHECK(hear(fd));
    for (uint64_t i = 0; i < n; i++) {
        const struct wiregen_samples s = {
            .shift = 4, .period = 8000, .epoch = 1, .time = i * 8000};
        uint64_t frames[] = {0x200 + (many ? i % 400 * 8 : 0), 0x2000};

        wiregen_samples_begin(&wire, &s);
        wiregen_stack(&wire, &(struct wiregen_stack){
                                 .id = 1, .frames = frames, .count = 2});
        wiregen_short(&wire, 1, 8000, 0x100, 0);
        wiregen_samples_end(&wire, (uint64_t[4]){i + 1, 0, 0, 0});
        say(fd);
    }
    end_session(fd, n);
}

static void play_some(int listener)
{
    play(listener, 300, false);
}

static void play_many(int listener)
{
    play(listener, 700, true);
}

static void compare(const char *how)
{
    char line[400];

    (void)snprintf(line, sizeof line, "node %s x %s", TOTALS, how);
    CHECK_EQ(system(line), 0);
}

static void need_tools(void)
{
    if (system("command -v node go perf >/dev/null") != 0)
        SKIP("no node, go or perf, by which the files are read");
}

TEST(two_guests_are_told_apart_in_every_format)
/* catches: two documents in a file, numbers of one guest in the other's rows */
{
    need_tools();
    enter_dir();
    pid_t one = start_guest("one", play_some);
    pid_t two = start_guest("two", play_many);

    CHECK_EQ(collector("--serial one --serial two --name web -d 1 " FILES), 0);
    join_guest(one);
    join_guest(two);
    compare("several");
    CHECK_CONTAINS("x.json", "\"all\":{\"guests\":[");
    CHECK_CONTAINS("x.csv", "\"web\",0,");
    CHECK_CONTAINS("x.callgrind", "fn=one core 0");
}

static uint64_t random_number(void)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

/* The file "bomb": (n) samples, each with a stack of its own. */
static void write_bomb(uint64_t n)
{
    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x400000,
                                                 .text_size = 0x100000});
    for (uint64_t i = 0; i < n; i++) {
        const struct wiregen_samples s = {
            .shift = 4, .period = 8000, .epoch = 1, .time = i * 8000};
        uint64_t frames[100];

        for (size_t f = 0; f < 100; f++)
            frames[f] = random_number() % 512;
        wiregen_samples_begin(&wire, &s);
        wiregen_stack(&wire, &(struct wiregen_stack){
                                 .id = 1, .frames = frames, .count = 100});
        wiregen_short(&wire, 1, 8000, (uint32_t)(random_number() % 4096), 0);
        wiregen_samples_end(&wire, (uint64_t[4]){i + 1, 0, 0, 0});
    }
    write_file("bomb", wire.bytes, wire.size);
    wiregen_fini(&wire);
}

TEST(sums_stay_whole_where_memory_does_not_suffice)
/* catches: formats without what had no room, or without samples whose time was
 * not kept */
{
    need_tools();
    enter_dir();
    write_bomb(6000);
    CHECK_EQ(collector("report bomb --memory 16M " FILES), 0);
    compare("sums");
    CHECK_CONTAINS("x.folded", "[others]");
}
