/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector report --spool: windows of a session say what its recording says,
 * and a window that cannot be used costs itself alone.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "decode/decode.h"
#include "spool/spool.h"
#include "spool/window.h"

#define CORES   2u
#define STACKS  30u
#define WALL_MS 1764000000000u /* 2025-11-24T16:00:00Z */
#define SECOND  1000000000u
#define BUILD                                                                  \
    "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa"                                 \
    "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa"

static struct wiregen stream;
static struct window_packer *packer;
static struct decode *decode;
static struct spool *spool;
static struct recording_writer *recording;
static size_t fed;
static uint32_t state;
static uint64_t nonce; /* of the guest's HELLOs */
static uint64_t clock_tsc, samples[CORES], missed[CORES], ring_full[CORES];
static uint64_t from_ns, now_ns; /* the host's clock, which began at 1 s */

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void put_hello(uint8_t boot, const char *build)
{
    wiregen_hello(&stream, &(struct wiregen_hello){.boot = boot,
                                                   .cores = CORES,
                                                   .tsc_hz = SECOND,
                                                   .text_start = 0x400000,
                                                   .text_size = 0x100000,
                                                   .build_id = build,
                                                   .nonce = nonce});
}

/* A session whose bytes are in run.tprof, and by windows in the folder spool.
 */
static void begin(uint8_t boot, const char *build)
{
    const struct recording_info info = {.source = "test",
                                        .wall_ns = WALL_MS * 1000000u,
                                        .monotonic_ns = SECOND};
    struct err e;

    enter_dir();
    CHECK_EQ(mkdir("spool", 0700), 0);
    spool = spool_open(open("spool", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                       &(struct spool_limits){0}, &e);
    CHECK(spool != NULL);
    recording = recording_create("run.tprof", &info, &e);
    packer = window_packer_new(64u << 20);
    decode = decode_new(&window_events, packer);
    CHECK(recording != NULL && packer != NULL && decode != NULL);
    now_ns = from_ns = SECOND;
    clock_tsc = 5 * (uint64_t)SECOND;
    put_hello(boot, build);
}

static void put_stacks(void)
{
    uint64_t frames[8];

    for (uint32_t i = 1; i <= STACKS; i++) {
        for (uint32_t k = 0; k < 1 + i % 8; k++)
            frames[k] = 0x1000 + (i >> k) * 64 + k;
        wiregen_stack(&stream, &(struct wiregen_stack){.id = i,
                                                       .frames = frames,
                                                       .count = 1 + i % 8});
    }
}

/* A second of each core: 50 ticks, of which some cover two deadlines, and two
 * find the ring full. */
static void put_second(bool first)
{
    for (uint16_t core = 0; core < CORES; core++) {
        const uint32_t period = 10000000u >> 11;
        uint64_t units = clock_tsc >> 11;

        wiregen_samples_begin(&stream,
                              &(struct wiregen_samples){.core = core,
                                                        .shift = 11,
                                                        .period = 4882,
                                                        .epoch = 1,
                                                        .time = units});
        if (first) {
            wiregen_begin(&stream, units << 11, 11, 4882, 1);
            put_stacks();
        }
        for (uint32_t i = 0; i < 50; i++) {
            struct wiregen_long l = {.dt = 2 * period,
                                     .id = 1 + draw(STACKS),
                                     .leaf = draw(40) * 64,
                                     .weight = 1 + i % 7 % 2};

            missed[core] += l.weight - 1;
            samples[core]++;
            if (i == 20) {
                ring_full[core] += 2;
                wiregen_lost(&stream, WIRE_COUNTER_RING_FULL, 2, 0);
            }
            wiregen_long_sample(&stream, &l);
        }
        wiregen_samples_end(&stream, (uint64_t[4]){samples[core], missed[core],
                                                   ring_full[core]});
    }
    clock_tsc += SECOND;
    now_ns += SECOND;
}

static void deliver(void)
{
    struct err e;

    CHECK_EQ(decode_feed(decode, stream.bytes + fed, stream.size - fed, &e), 0);
    CHECK_EQ(recording_append(recording, stream.bytes + fed, stream.size - fed,
                              now_ns, &e),
             0);
    fed = stream.size;
}

/* Put the window up to now into the spool, of (guest). */
static void cut(const char *guest)
{
    uint64_t start_ms = WALL_MS + from_ns / 1000000 - 1000;
    const struct recording_info info = {.source = "test",
                                        .wall_ns = start_ms * 1000000,
                                        .monotonic_ns = from_ns};
    struct window_bytes window;
    struct err e;

    CHECK_EQ(window_cut(packer, &info, from_ns, now_ns, false, &window, &e), 0);
    CHECK(window.bytes != NULL);
    CHECK_EQ(spool_put(spool, guest, start_ms, window.bytes, window.size, &e),
             0);
    free(window.bytes);
    from_ns = now_ns;
}

/* Seconds of sampling, and a window of each two. */
static void play(unsigned seconds)
{
    for (unsigned i = 0; i < seconds; i++) {
        put_second(i == 0);
        deliver();
        if (i % 2 == 1)
            cut("web");
    }
}

/* The guest boots into another image, by another name of its build. */
static void boot_anew(uint8_t boot, const char *build)
{
    decode_free(decode);
    window_packer_free(packer);
    packer = window_packer_new(64u << 20);
    decode = decode_new(&window_events, packer);
    CHECK(packer != NULL && decode != NULL);
    stream.seq = 0;
    put_hello(boot, build);
    memset(samples, 0, sizeof samples);
    memset(missed, 0, sizeof missed);
    memset(ring_full, 0, sizeof ring_full);
}

/* The guest's last words. */
static void end(void)
{
    static const uint64_t began[4];
    struct err e;

    for (uint16_t core = 0; core < CORES; core++)
        wiregen_stats(&stream, &(struct wiregen_stats){
                                   .core = core,
                                   .flags = WIRE_STATS_FINAL,
                                   .tsc = clock_tsc,
                                   .began = began,
                                   .counters = {samples[core], missed[core],
                                                ring_full[core]}});
    deliver();
    cut("web");
    CHECK_EQ(recording_close(recording, &e), 0);
    decode_free(decode);
    window_packer_free(packer);
    spool_close(spool);
    wiregen_fini(&stream);
}

/* The file of the window that begins (second) after the first one. */
static const char *window(unsigned second)
{
    static char name[64];

    (void)snprintf(name, sizeof name, "spool/web.%013" PRIu64 ".tprof",
                   (uint64_t)WALL_MS + second * 1000u);
    return name;
}

/* The accounts of all cores in the JSON report (name). */
static char *accounts_of(const char *name)
{
    const char *begin = strstr(text_of(name), "\"accounting\"");

    CHECK(begin != NULL);
    return strndup(begin, strcspn(begin, "]"));
}

TEST(windows_say_what_the_recording_says) /* catches: a sample twice or none */
{
    begin(1, BUILD);
    play(9);
    end();
    CHECK_EQ(collector("report run.tprof -o a.json -o a.folded"), 0);
    CHECK_EQ(collector("report --spool spool -o b.json -o b.folded"), 0);
    char *a = accounts_of("a.json"), *b = accounts_of("b.json");

    CHECK(strlen(a) > 100);
    CHECK_STR(a, b);
    free(a);
    free(b);
    CHECK_CONTAINS("b.json", "\"boots\":1,\"sessions\":1,");
    a = strdup(text_of("a.folded"));
    CHECK_STR(a, text_of("b.folded"));
    free(a);
    CHECK_EQ(collector("report --spool spool --guest web"), 0);
    CHECK_CONTAINS("out", "900 samples of 2 cores");
    CHECK(!contains("out", "missing"));
}

TEST(what_is_not_asked_for_is_not_lost) /* catches: counters from 0 on */
{
    begin(1, BUILD);
    play(12);
    end();
    CHECK_EQ(collector("report --spool spool --since 2025-11-24T16:00:04Z "
                       "--until 2025-11-24T16:00:08Z"),
             0);
    CHECK_CONTAINS("out", "400 samples of 2 cores");
    CHECK_CONTAINS("out",
                   "in 4.0 s, 16 lost"); /* the ring's, of four seconds */
    CHECK_EQ(unlink(window(6)), 0);
    CHECK_EQ(collector("report --spool spool -o a.json -o a.txt --since "
                       "@1764000004"),
             0);
    CHECK_CONTAINS("a.txt", "600 samples of 2 cores");
    CHECK_CONTAINS("a.txt", ", 24 lost");
    CHECK_CONTAINS("a.txt", "2 s are missing between windows, in 1 place:");
    CHECK_CONTAINS("a.json", "\"sessions\":2,");
    CHECK_CONTAINS("a.json", "\"begun\":1764000004");
}

static void write_damaged(const char *name, size_t size, size_t at)
{
    size_t had;
    uint8_t bytes[8192];
    const char *good = bytes_of(name, &had);

    CHECK(size <= had && size <= sizeof bytes);
    if (size == 0)
        size = had;
    memcpy(bytes, good, size);
    if (at != 0)
        bytes[at] ^= 0xff;
    CHECK_EQ(unlink(name), 0);
    write_file(name, bytes, size);
}

TEST(damaged_windows_cost_themselves) /* catches: one bad file ends it all */
{
    begin(1, BUILD);
    play(12);
    end();
    write_damaged(window(0), 0, 20);  /* its header */
    write_damaged(window(2), 300, 0); /* cut */
    write_damaged(window(4), 0, 200); /* a byte of what is packed */
    CHECK_EQ(unlink(window(6)), 0);
    CHECK_EQ(symlink("/dev/zero", window(6)), 0);
    write_text("spool/web.1764000000001.tprof", "");
    CHECK_EQ(mkfifo("spool/web.1764000000002.tprof", 0600), 0);
    CHECK_EQ(mkdir("spool/web.1764000000003.tprof", 0700), 0);
    CHECK_EQ(link("run.tprof", "spool/web.1764000000004.tprof"), 0);
    write_text("spool/web.tprof", "no window's name");
    write_text("spool/.fresh-1", "nor this one");
    CHECK_EQ(collector("report --spool spool -o a.txt"), 0);
    CHECK_CONTAINS("a.txt", "400 samples of 2 cores");
    CHECK_CONTAINS("a.txt", "8 windows cannot be used");
    CHECK_CONTAINS("a.txt", "the first is web.1764000000000.tprof: the header");
}

TEST(which_guest_is_clear_or_asked)
{
    begin(1, BUILD);
    play(2);
    put_second(false);
    deliver();
    cut("db");
    end();
    CHECK_EQ(collector("report --spool spool"), 1);
    CHECK_CONTAINS("err",
                   "spool: windows of which guest? --guest NAME tells: ");
    CHECK_CONTAINS("err", "web");
    CHECK_CONTAINS("err", "db");
    CHECK_EQ(collector("report --spool spool --guest db"), 0);
    CHECK_CONTAINS("out", "100 samples of 2 cores");
    CHECK_EQ(collector("report --spool spool --guest d"), 1);
    CHECK_CONTAINS("err", "spool: no window of d is there; there are ");
    CHECK_EQ(collector("report --spool spool --until 2025-11-24T16:00:01Z"), 0);
    CHECK_CONTAINS("out", "200 samples of 2 cores");
    CHECK_EQ(collector("report --spool spool --since -1h"), 1);
    CHECK_CONTAINS("err", "spool: no window begins then; the oldest begins at "
                          "2025-11-2");
    CHECK_EQ(mkdir("empty", 0700), 0);
    CHECK_EQ(collector("report --spool empty"), 1);
    CHECK_CONTAINS("err", "empty: no windows are there");
    CHECK_EQ(collector("report --spool nowhere"), 1);
    CHECK_CONTAINS("err", "nowhere: No such file");
}

/* The guest is built anew; all that is of another image is left out. */
TEST(build_chooses_the_image)
{
    begin(1, BUILD);
    play(2);
    boot_anew(2, "\xab\xcd\x33\x44\x55\x66\x77\x88\x99\xaa"
                 "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa");
    play(4);
    end();
    CHECK_EQ(collector("report --spool spool -o a.txt"), 0);
    CHECK_CONTAINS("a.txt", "200 samples of 2 cores");
    CHECK_CONTAINS("a.txt", "(abcd33445566778899aa11");
    CHECK_EQ(collector("report --spool spool --build ABCd"), 0);
    CHECK_CONTAINS("out", "400 samples of 2 cores");
    CHECK_EQ(collector("report --spool spool --build 1234"), 1);
    CHECK_CONTAINS("err",
                   "spool: no window is of build 1234; there is 1122334455");
}

/* Counters go on from one to the other, and have a gap within the first. */
TEST(nonces_tell_sessions)
{
    nonce = 7;
    begin(1, BUILD);
    play(6);
    CHECK_EQ(unlink(window(2)), 0);
    CHECK_EQ(collector("report --spool spool -o a.json"), 0);
    CHECK_CONTAINS("a.json", "\"boots\":1,\"sessions\":1,");
    nonce = 9;
    stream.seq = 0;
    put_hello(1, BUILD);
    play(2);
    end();
    CHECK_EQ(collector("report --spool spool -o a.json --force"), 0);
    CHECK_CONTAINS("a.json", "\"boots\":1,\"sessions\":2,");
}

TEST(windows_become_a_recording)
{
    begin(1, BUILD);
    play(6);
    end();
    CHECK_EQ(collector("report --spool spool -o all.tprof"), 0);
    CHECK_EQ(collector("report all.tprof -o a.folded"), 0);
    CHECK_EQ(collector("report run.tprof -o b.folded"), 0);
    char *a = strdup(text_of("a.folded"));

    CHECK_STR(a, text_of("b.folded"));
    free(a);
}

TEST(what_is_typed_makes_sense)
{
    enter_dir();
    CHECK_EQ(collector("report --since -1h"), 2);
    CHECK_CONTAINS("err", "go with --spool DIR");
    CHECK_EQ(collector("report run.tprof --spool spool"), 2);
    CHECK_CONTAINS("err", "one at a time: 'run.tprof' or --spool spool?");
    CHECK_EQ(collector("report --spool spool --since 1h"), 2);
    CHECK_CONTAINS("err", "--since: '1h' is no time; type it as -1h");
    CHECK_EQ(collector("report --spool spool --since -1h --until -2h"), 2);
    CHECK_CONTAINS("err", "--until -2h is not behind --since -1h");
    CHECK_EQ(collector("report --spool spool --build xyz"), 2);
    CHECK_CONTAINS("err", "--build: 'xyz' is not the beginning of a build-id");
}
