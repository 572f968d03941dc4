/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GiB of stacks that all differ is reported on in the GiB that --memory is by
 * default, and in less than a minute of CPU time: 6.3 million samples of 100
 * frames. Measured: 627 MB and 18 s.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

#define GIB    (1ull << 30)
#define FRAMES 100u
#define STACKS 20u /* a frame of the stream */
/* The agent has counted so many before: numbers of them have 5 bytes. */
#define BEFORE (1ull << 28)
#define CPU_S  60

/* A frame of the stream, to be sent again with other numbers in it. */
static struct wiregen frame;
static size_t outermost[STACKS]; /* where a number of 4 bytes ends each stack */

static void make_frame(void)
{
    wiregen_samples_begin(&frame, &(struct wiregen_samples){
                                      .shift = 4, .period = 8000, .epoch = 1});
    for (uint32_t i = 0; i < STACKS; i++) {
        uint64_t frames[FRAMES] = {0};

        for (size_t f = 1; f < FRAMES; f++)
            frames[f] = frames[f - 1] + 1 + (i * 37 + f * 11) % 60;
        frames[FRAMES - 1] = frames[FRAMES - 2] + (1u << 26);
        wiregen_stack(&frame, &(struct wiregen_stack){
                                  .id = i, .frames = frames, .count = FRAMES});
        outermost[i] = frame.size;
        while (frame.bytes[outermost[i] - 1] == 0) /* what fills a cell up */
            outermost[i]--;
        outermost[i] -= 4;
        wiregen_short(&frame, i, 8000, i * 16, 0);
    }
    wiregen_samples_end(&frame, (uint64_t[4]){BEFORE, 0, 0, 0});
}

/* Put (value) in the (size) bytes at (at), 7 bits in each: WIRE.md 1. */
static void put_varint(size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        frame.bytes[at + i] =
            (uint8_t)((value >> (7 * i) & 127) | (i + 1 < size ? 128u : 0u));
}

static void put_number(size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        frame.bytes[at + i] = (uint8_t)(value >> (8 * i));
}

/* Make it the (n)th frame: its callers are like those of no other. */
static void change_frame(uint64_t n)
{
    size_t end = frame.size - 4; /* of what the CRC covers */

    put_number(4, n, 2);                  /* the sequence number, and */
    put_number(16, n * STACKS * 8000, 8); /* the time: WIRE.md 2 and 4 */
    for (uint64_t i = 0; i < STACKS; i++)
        put_varint(outermost[i], (1u << 26) + n * STACKS + i, 4);
    put_varint(end - 8, BEFORE + n * STACKS, 5);
    put_number(end, wiregen_crc(frame.bytes, end), 4);
}

/* Returns the samples in it. */
static uint64_t write_stream(const char *name)
{
    struct wiregen hello = {0};
    FILE *f = fopen(name, "w");
    uint64_t n = 0;

    CHECK(f != NULL);
    wiregen_hello(&hello, &(struct wiregen_hello){.boot = 1,
                                                  .cores = 1,
                                                  .tsc_hz = 1000000000,
                                                  .text_start = 0x400000,
                                                  .text_size = 1u << 30});
    CHECK_EQ(fwrite(hello.bytes, 1, hello.size, f), hello.size);
    make_frame();
    while (hello.size + n * frame.size < GIB) {
        change_frame(++n);
        CHECK_EQ(fwrite(frame.bytes, 1, frame.size, f), frame.size);
    }
    CHECK_EQ(fclose(f), 0);
    wiregen_fini(&hello);
    wiregen_fini(&frame);
    return n * STACKS;
}

/* As collector(), which would not wait for so long. */
static int report(void)
{
    int status;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        execl(COLLECTOR, "collector", "report", "gib", "-o", "a.txt", "--width",
              "100", NULL);
        _exit(99);
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_gib_is_reported_on_in_a_gib) /* catches: memory or time without bound */
{
    struct rusage usage;
    char text[64];

    enter_dir();
    uint64_t samples = write_stream("gib");
    int result = report();

    CHECK_EQ(unlink("gib"), 0); /* also if the case fails */
    CHECK_EQ(result, 0);
    CHECK_EQ(getrusage(RUSAGE_CHILDREN, &usage), 0);
    printf("peak %ld MiB, CPU %ld s\n", usage.ru_maxrss >> 10,
           (long)usage.ru_utime.tv_sec + (long)usage.ru_stime.tv_sec);
    CHECK(usage.ru_maxrss < 1 << 20);
    CHECK(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec < CPU_S);
    (void)snprintf(text, sizeof text, "%u,%03u,%03u samples of 1 core",
                   (unsigned)(samples / 1000000),
                   (unsigned)(samples / 1000 % 1000),
                   (unsigned)(samples % 1000));
    CHECK_CONTAINS("a.txt", text);
    CHECK_CONTAINS("a.txt", "were folded into [others]");
    CHECK(!contains("a.txt", "contradict"));
}
