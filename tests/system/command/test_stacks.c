/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector stacks. Catches: a core that is silent and looks busy, or is
 * waited for where it said that it does not sample; a stack of an earlier look
 * for a new one; a guest that does not answer and ends nothing.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

#define TSC_HZ 1000000000u

static void say_two_cores(int fd)
{
    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 2,
                                                 .tsc_hz = TSC_HZ,
                                                 .text_start = 0x400000});
    say(fd);
    CHECK(hear(fd));
}

/* A sample of (core) at text + (leaf), at (tsc), with two callers; (n) came
 * before. */
static void say_one(int fd, uint16_t core, uint64_t tsc, uint32_t leaf,
                    uint64_t n)
{
    struct wiregen_samples s = {
        .core = core, .shift = 4, .period = 8000, .epoch = 1, .time = tsc >> 4};
    const uint64_t frames[] = {0x2000, 0x3000};

    wiregen_samples_begin(&wire, &s);
    wiregen_stack(&wire, &(struct wiregen_stack){.id = 1,
                                                 .end = WIRE_END_TEXT,
                                                 .frames = frames,
                                                 .count = 2});
    wiregen_short(&wire, 1, 0, leaf, 0);
    wiregen_samples_end(&wire, (uint64_t[4]){n + 1, 0, 0, 0});
    say(fd);
}

/* Core 1 has joined, and says nothing. */
static void play_silent_core(int listener)
{
    int fd = meet(listener);

    say_two_cores(fd);
    wiregen_stats(
        &wire, &(struct wiregen_stats){.core = 1, .flags = WIRE_STATS_STARTED});
    say_one(fd, 0, TSC_HZ, 0x100, 0);
    end_session(fd, 1);
}

/* Core 1 says that it does not sample. */
static void play_core_that_is_off(int listener)
{
    int fd = meet(listener);

    say_two_cores(fd);
    wiregen_stats(&wire, &(struct wiregen_stats){.core = 1});
    say_one(fd, 0, TSC_HZ, 0x100, 0);
    end_session(fd, 1);
}

static void play_both(int listener)
{
    int fd = meet(listener);

    say_two_cores(fd);
    say_one(fd, 0, TSC_HZ, 0x100, 0);
    say_one(fd, 1, TSC_HZ + TSC_HZ / 4, 0x200, 0);
    end_session(fd, 1);
}

static void play_dumb(int listener)
{
    int fd = meet(listener);

    while (hear(fd))
        continue;
}

/* Runs on until the collector leaves, with another leaf each time. */
static void play_on(int listener)
{
    int fd = meet(listener);

    signal(SIGPIPE, SIG_IGN);
    begin_session(fd, 1, NULL, 1);
    end_session(fd, 1);
}

/* The first order that comes is in the file "asked". */
static void play_asked(int listener)
{
    uint8_t bytes[64];
    int fd = meet(listener);

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = TSC_HZ,
                                                 .text_start = 0x400000});
    say(fd);
    ssize_t n = read(fd, bytes, sizeof bytes);

    CHECK(n > 0);
    write_file("asked", bytes, (size_t)n);
    say_one(fd, 0, TSC_HZ, 0x100, 0);
    end_session(fd, 1);
}

/* Was a guest asked for 50 samples a second by this (line)? */
static bool asks_for_50(const char *line)
{
    static const uint8_t field[] = {WIRE_CONTROL_RATE_HZ, 4, 50, 0, 0, 0};
    pid_t guest = start_guest("port", play_asked);
    size_t size;

    CHECK_EQ(collector(line), 0);
    join_guest(guest);
    CHECK_EQ(unlink("port"), 0);
    const void *bytes = bytes_of("asked", &size);

    return memmem(bytes, size, field, sizeof field) != NULL;
}

/* Catches: few samples of an agent, which costs no stops: that is for guests
 * that are looked at from outside */
TEST(agents_sample_at_their_own_rate)
{
    enter_dir();
    CHECK(!asks_for_50("stacks --serial port -d 1000"));
    CHECK(asks_for_50("stacks --serial port -d 1000 --rate 50"));
}

TEST(silent_core_is_told_and_not_taken_for_a_busy_one)
{
    enter_dir();
    pid_t guest = start_guest("port", play_silent_core);

    CHECK_EQ(collector("stacks --serial port -d 0.3"), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "core 0: busy, ");
    CHECK_CONTAINS("out", "  #0  0x400100\n  #1  0x401fff\n  #2  0x402fff\n"
                          "      (the next return address is not in code)\n");
    CHECK_CONTAINS("out",
                   "core 1: no sample within 300 ms: interrupts are off");
    CHECK_CONTAINS("err", "name the guest's image with --elf");
}

/* Catches: a core that the guest does not have, told as one that it may have */
TEST(core_that_never_joined_is_neither_waited_for_nor_told)
{
    enter_dir();
    pid_t guest = start_guest("port", play_core_that_is_off);

    /* else it is killed */
    CHECK_EQ(collector("stacks --serial port -d 1000"), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "core 0: busy, ");
    CHECK(!contains("out", "core 1"));
}

TEST(look_ends_when_every_core_has_told)
{
    enter_dir();
    pid_t guest = start_guest("port", play_both);

    CHECK_EQ(collector("stacks --serial port -d 1000 -o x.json -o -"), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "core 0: busy, ");
    CHECK_CONTAINS("out", "core 1: busy, ");
    CHECK_CONTAINS("out", "  #0  0x400200\n");
    CHECK(!contains("out", "Look"));
    CHECK_CONTAINS("x.json", "{\"function\":\"0x401fff\",\"image\":null,"
                             "\"address\":\"0x402000\"");
    CHECK_EQ(occurrences("x.json", "\"state\":\"busy\""), 2);
}

TEST(only_the_asked_cores_are_shown_and_waited_for)
{
    enter_dir();
    pid_t guest = start_guest("port", play_silent_core);

    CHECK_EQ(collector("stacks --serial port -d 1000 --core 0"), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "core 0: busy, ");
    CHECK(!contains("out", "core 1"));
}

/* Nothing comes after the first look: the second waits, and says how old it
 * is. */
TEST(later_look_does_not_pass_off_an_old_stack_as_new)
{
    enter_dir();
    pid_t guest = start_guest("port", play_on);

    CHECK_EQ(collector("stacks --serial port -d 0.2 -n 2 -i 0.1"), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "Look 1 of 2");
    CHECK_CONTAINS("out", "Look 2 of 2");
    CHECK_EQ(occurrences("out", "core 0: busy, "), 2);
    CHECK_EQ(occurrences("out", "; nothing since: interrupts are off"), 1);
}

TEST(several_guests_have_headings_and_one_that_is_dumb_stops_no_other)
{
    enter_dir();
    pid_t one = start_guest("one", play_both);
    pid_t two = start_guest("two", play_dumb);

    CHECK_EQ(collector("stacks --serial one --name web1 --serial two --name "
                       "web2 --wait 0.1"),
             1);
    join_guest(one);
    join_guest(two);
    CHECK_CONTAINS("out", "web1\n\ncore 0: busy, ");
    CHECK(!contains("out", "web2"));
    CHECK_CONTAINS("err", "web2: no guest connected within 2 s");
}

TEST(guest_that_is_not_there_ends_it)
{
    enter_dir();
    CHECK_EQ(collector("stacks --serial port --wait 0.1"), 1);
    CHECK_CONTAINS("err", "no guest connected within 2 s");
    CHECK_CONTAINS("err", "use --gdb or --qmp");
    CHECK_EQ(collector("stacks --gdb gdb --wait 0.1 --elf " KERNEL), 1);
    CHECK_CONTAINS("err", "no guest connected within 2 s");
    CHECK(!contains("err", "nevertheless"));
    CHECK_STR(text_of("out"), "");
}

TEST(words_that_make_no_sense_are_refused)
{
    enter_dir();
    CHECK_EQ(collector("stacks"), 2);
    CHECK_CONTAINS("err", "of which guest?");
    CHECK_EQ(collector("stacks --serial port --time 1..2"), 2);
    CHECK_CONTAINS("err", "--time is for recordings");
    CHECK_EQ(collector("stacks x.tprof -n 2"), 2);
    CHECK_CONTAINS("err", "-n and -i are for guests");
    CHECK_EQ(collector("stacks x.tprof --serial port"), 2);
    CHECK_EQ(collector("stacks --serial port -o x.html"), 2);
    CHECK_CONTAINS("err", "stacks writes .txt and .json");
}
