/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests whose stacks are all different, so that each sample takes a branch of
 * its own. The collector keeps to --memory, and to all sums; and no other guest
 * pays for it. Address space is limited to what --memory allows and the program
 * itself takes; sanitizers take more, so with them there is no such limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "command.h"

#define FRAMES 100u
#define MIB    (1ull << 20)
/* Program, libraries and the reader of images: 12 MiB of memory, more of
 * address space. */
#define ITSELF (48 * MIB)

static uint64_t random_number(void)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

/* Fill a frame with stacks; returns how many samples were sent by its end. */
static uint64_t add_frame(struct wiregen *w, uint64_t samples,
                          uint64_t addresses)
{
    const struct wiregen_samples s = {
        .shift = 4, .period = 8000, .epoch = 1, .time = samples * 8000};

    wiregen_samples_begin(w, &s);
    for (size_t i = 0; i < 8; i++, samples++) {
        uint64_t frames[FRAMES] = {0}, id = random_number() % 4096;

        for (size_t f = 0; f < FRAMES; f++)
            frames[f] = random_number() % addresses;
        wiregen_stack(w, &(struct wiregen_stack){
                             .id = id, .frames = frames, .count = FRAMES});
        wiregen_short(w, (uint32_t)id, 8000, random_number() % 4096, 0);
    }
    wiregen_samples_end(w, (uint64_t[4]){samples, 0, 0, 0});
    return samples;
}

/* The file (name) has (size) bytes of a guest whose stacks are made of so many
 * (addresses). Returns its samples. */
static uint64_t write_bomb(const char *name, size_t size, uint64_t addresses)
{
    struct wiregen w = {0};
    uint64_t samples = 0;

    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1,
                                              .cores = 1,
                                              .tsc_hz = 1000000000,
                                              .text_start = 0x400000,
                                              .text_size = 1u << 30});
    while (w.size < size)
        samples = add_frame(&w, samples, addresses);
    write_file(name, w.bytes, w.size);
    wiregen_fini(&w);
    return samples;
}

/* 300 samples in a function, and 100 in one that this one calls. */
static void write_honest(const char *name)
{
    struct wiregen w = {0};
    uint64_t caller = 0x105;

    wiregen_hello(&w, &(struct wiregen_hello){.boot = 2,
                                              .cores = 1,
                                              .tsc_hz = 1000000000,
                                              .text_start = 0x500000,
                                              .text_size = 0x1000});
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_stack(&w, &(struct wiregen_stack){.id = 1});
    wiregen_stack(
        &w, &(struct wiregen_stack){.id = 2, .frames = &caller, .count = 1});
    for (int i = 0; i < 400; i++)
        wiregen_short(&w, i % 4 == 3 ? 2 : 1, 8000, i % 4 == 3 ? 0x200 : 0x104,
                      0);
    wiregen_samples_end(&w, (uint64_t[4]){400, 0, 0, 0});
    write_file(name, w.bytes, w.size);
    wiregen_fini(&w);
}

/* 3 samples of a guest that says it has 1,024 cores. */
static void write_many_cores(const char *name)
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){
                          .boot = 3, .cores = 1024, .tsc_hz = 1000000000});
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_stack(&w, &(struct wiregen_stack){.id = 1});
    for (int i = 0; i < 3; i++)
        wiregen_short(&w, 1, 8000, 0x104, 0);
    wiregen_samples_end(&w, (uint64_t[4]){3, 0, 0, 0});
    write_file(name, w.bytes, w.size);
    wiregen_fini(&w);
}

/* No program that is started from here on has more address space. */
static void limit_space(uint64_t bytes)
{
    struct rlimit limit = {bytes, bytes};

    if (!SANITIZED)
        CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

/* The most that a program has taken that was started here and has ended. */
static uint64_t peak_bytes(void)
{
    struct rusage usage;

    CHECK_EQ(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (uint64_t)usage.ru_maxrss * 1024;
}

/* The sum over all lines of folded stacks. */
static uint64_t sum_of(const char *name)
{
    char line[8192];
    uint64_t sum = 0;
    FILE *f = fopen(name, "r");

    CHECK(f != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        const char *number = strrchr(line, ' ');

        CHECK(number != NULL);
        sum += strtoull(number, NULL, 10);
    }
    fclose(f);
    return sum;
}

static void check_bomb(size_t size, uint64_t addresses)
{
    char text[64];

    enter_dir();
    CHECK_EQ(collector("--version"), 0);
    uint64_t itself = peak_bytes(); /* the program and its libraries */
    uint64_t samples = write_bomb("bomb", size, addresses);

    limit_space(16 * MIB + ITSELF);
    CHECK_EQ(collector("report bomb --memory 16M --width 100 -o a.txt -o "
                       "a.folded -o a.html"),
             0);
    /* buffers for reading and writing take the rest */
    CHECK(SANITIZED || peak_bytes() < 16 * MIB + itself + 3 * MIB);
    CHECK_EQ(sum_of("a.folded"), samples);
    (void)snprintf(text, sizeof text, "%llu,%03llu samples of 1 core",
                   (unsigned long long)samples / 1000,
                   (unsigned long long)samples % 1000);
    CHECK_CONTAINS("a.txt", text);
    CHECK_CONTAINS("a.txt", "were folded into [others]");
    CHECK_CONTAINS("a.txt", "was used up");
    CHECK_CONTAINS("a.folded", "[others]");
}

/* catches: a refusal after which the user has to guess */
TEST(memory_that_a_refusal_names_is_enough)
{
    char command[64];
    unsigned mib;

    enter_dir();
    write_many_cores("many");
    CHECK_EQ(collector("report many --memory 16M"), 1);
    const char *named = strstr(text_of("err"), "type --memory ");

    CHECK(named != NULL);
    CHECK_EQ(sscanf(named, "type --memory %uM,", &mib), 1);
    (void)snprintf(command, sizeof command, "report many --memory %uM", mib);
    CHECK_EQ(collector(command), 0);
    CHECK_CONTAINS("out", "3 samples of");
    /* and the number is not just any large one */
    (void)snprintf(command, sizeof command, "report many --memory %uM",
                   mib - 2);
    CHECK_EQ(collector(command), 1);
}

/* The --memory, in MiB, that the warning in (name) names. */
static unsigned named_mib(const char *name)
{
    const char *named = strstr(text_of(name), "For more give --memory ");
    unsigned mib = 0;

    CHECK(named != NULL);
    CHECK_EQ(sscanf(named, "For more give --memory %uM,", &mib), 1);
    return mib;
}

/* Report on the bomb in (mib). Returns whether something was folded. */
static bool folds(unsigned mib)
{
    char command[96];

    (void)snprintf(command, sizeof command,
                   "report bomb --memory %uM --width 400 -o a.txt", mib);
    CHECK_EQ(collector(command), 0);
    return contains("a.txt", "were folded into [others]");
}

/* Report on a bomb in (mib), and in the memory that the warning names; that is
 * less than (far) times too much. */
static void check_named(size_t size, uint64_t addresses, unsigned mib,
                        unsigned far)
{
    enter_dir();
    (void)write_bomb("bomb", size, addresses);
    CHECK(folds(mib));
    unsigned named = named_mib("a.txt");

    CHECK(!folds(named));
    CHECK(folds(named / far));
}

/* catches: a guess, after which the user has to guess again */
TEST(memory_that_a_warning_names_is_enough_for_the_view)
{
    check_named(2 * MIB, 512, 32, 2);
}

TEST(memory_that_a_warning_names_is_enough_for_the_profile)
{
    check_named(2 * MIB, 512, 16, 3);
}

TEST(memory_that_a_warning_names_is_enough_for_addresses)
{
    check_named(MIB / 2, 1 << 27, 16, 6);
}

TEST(bomb_of_stacks_is_reported_in_16_mib) /* catches: trees without bound */
{
    check_bomb(SANITIZED ? 1 * MIB : 8 * MIB, 512);
}

TEST(bomb_of_addresses_is_reported_in_16_mib) /* catches: names without bound */
{
    check_bomb(SANITIZED ? 1 * MIB : 8 * MIB, 1 << 27);
}

TEST(honest_guest_beside_a_bomb_has_its_whole_report)
{
    enter_dir();
    (void)write_bomb("bomb", 4 * MIB, 512);
    write_honest("honest");
    limit_space(32 * MIB + ITSELF);
    CHECK_EQ(collector("--serial bomb --serial honest --memory 32M -o a.txt "
                       "-o a.folded"),
             0);
    CHECK_EQ(occurrences("a.txt", "share of --memory 32M"), 1);
    CHECK_CONTAINS("a.folded", "honest;core0;0x500104 300\n"
                               "honest;core0;0x500104;0x500200 100\n");
}
