/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings: written and read back, cut at every byte, and damaged. */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "recording/recording.h"
#include "util/bytes.h"
#include "wiregen.h"

static struct err error;
static uint8_t file[8192]; /* what a recording looks like on disk */
static size_t file_size;

static const char *const more[] = {"/k/lib.so", "/k/app.debug"};

static const char *const labels[] = {"service=web", "zone=a"};

static const struct recording_info info = {.source = "serial:/tmp/x",
                                           .elf = "/k/app.elf",
                                           .more_elfs = more,
                                           .more_elf_count = 2,
                                           .labels = labels,
                                           .label_count = 2,
                                           .version = "0.1.0",
                                           .build_id = {1, 2, 3},
                                           .build_id_len = 3,
                                           .wall_ns = 1700000000000000000,
                                           .monotonic_ns = 12345};

/* Write header, chunks "hello" and "wire!!" and the end, into (file). */
static void record(bool close_it)
{
    char path[] = "/tmp/test_recording.XXXXXX";
    int fd = mkstemp(path);
    struct recording_writer *w = recording_create(path, &info, &error);

    CHECK(w != NULL);
    CHECK_EQ(recording_append(w, "hello", 5, 1000, &error), 0);
    CHECK_EQ(recording_append(w, "wire!!", 6, 2000, &error), 0);
    if (close_it)
        CHECK_EQ(recording_close(w, &error), 0);
    file_size = (size_t)pread(fd, file, sizeof file, 0);
    if (!close_it)
        CHECK_EQ(recording_close(w, NULL), 0);
    close(fd);
    unlink(path);
}

static int memory_file(const void *bytes, size_t size)
{
    int fd = memfd_create("recording", MFD_CLOEXEC);

    CHECK_EQ(write(fd, bytes, size), (ssize_t)size);
    CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* Read (size) bytes of a file in pieces of (piece); (*out) gets the wire. */
static long read_all(const void *bytes, size_t size, size_t piece, char *out,
                     enum recording_end *end)
{
    int fd = memory_file(bytes, size);
    struct recording_reader *r = recording_open(fd, &error);
    uint64_t arrival;
    long n, total = 0;

    if (!r) {
        close(fd);
        return -1;
    }
    while ((n = recording_read(r, out + total, piece, &arrival, &error)) > 0)
        total += n;
    CHECK_EQ(n, 0);
    *end = recording_end(r);
    recording_reader_free(r);
    close(fd);
    return total;
}

TEST(recording_gives_back_what_was_put_in) /* catches: any field mixed up */
{
    struct recording_reader *r;
    uint64_t arrival = 0;
    char buf[64];

    record(true);
    int fd = memory_file(file, file_size);

    CHECK(recording_is(file, file_size));
    r = recording_open(fd, &error);
    CHECK(r != NULL);
    const struct recording_info *i = recording_get_info(r);

    CHECK_STR(i->source, info.source);
    CHECK_STR(i->elf, info.elf);
    CHECK_EQ(i->more_elf_count, 2);
    CHECK_STR(i->more_elfs[0], more[0]);
    CHECK_STR(i->more_elfs[1], more[1]);
    CHECK_EQ(i->label_count, 2);
    CHECK_STR(i->labels[0], labels[0]);
    CHECK_STR(i->labels[1], labels[1]);
    CHECK_STR(i->version, info.version);
    CHECK_EQ(i->build_id_len, 3);
    CHECK_MEM(i->build_id, info.build_id, 3);
    CHECK_EQ(i->wall_ns, info.wall_ns);
    CHECK_EQ(i->monotonic_ns, info.monotonic_ns);
    CHECK_EQ(recording_read(r, buf, 3, &arrival, &error), 3);
    CHECK_EQ(arrival, 1000);
    CHECK_EQ(recording_read(r, buf + 3, 60, &arrival, &error), 2);
    CHECK_EQ(recording_read(r, buf + 5, 59, &arrival, &error), 6);
    CHECK_EQ(arrival, 2000);
    CHECK_MEM(buf, "hellowire!!", 11);
    CHECK_EQ(recording_end(r), RECORDING_READING);
    CHECK_EQ(recording_read(r, buf, 64, &arrival, &error), 0);
    CHECK_EQ(recording_end(r), RECORDING_WHOLE);
    recording_reader_free(r);
    close(fd);
}

/* Catches: writer and reader agreeing on something else */
TEST(layout_is_that_of_the_specification)
{
    record(true);
    CHECK_MEM(file, "tprofrec\x01\x00\x06\x00", 12);
    size_t fields = load_u32(file + 12);

    CHECK_EQ(load_u32(file + 16 + fields), wiregen_crc(file, 16 + fields));
    CHECK_MEM(file + 16 + fields - 27,
              "\x07\x09\x00/k/lib.so\x07\x0c\x00/k/app.debug", 27);
    CHECK_MEM(file + 16 + fields - 27 - 23,
              "\x08\x0b\x00service=web\x08\x06\x00zone=a", 23);
    const uint8_t *chunk = file + 20 + fields;

    CHECK_MEM(chunk, "\x05\x00\x00\x00\x01\x00\x00\x00\xe8\x03\0\0\0\0\0\0",
              16);
    CHECK_EQ(load_u32(chunk + 16), wiregen_crc(chunk, 16));
    CHECK_MEM(chunk + 20, "hello", 5);
    CHECK_EQ(file_size, 20 + fields + 25 + 26 + 20);
    CHECK_EQ(chunk[25 + 26 + 4], 2); /* the end chunk */
}

TEST(killed_writer_loses_nothing) /* catches: bytes that only close() writes */
{
    enum recording_end end = RECORDING_READING;
    char buf[64];

    record(false);
    CHECK_EQ(read_all(file, file_size, 64, buf, &end), 11);
    CHECK_EQ(end, RECORDING_CUT);
}

TEST(cut_file_reads_up_to_the_cut) /* catches: a reader that trusts lengths */
{
    enum recording_end end = RECORDING_READING;
    char buf[64];

    record(true);
    size_t header = 20 + load_u32(file + 12);

    for (size_t size = 0; size < file_size; size++) {
        long n = read_all(file, size, 64, buf, &end);

        if (size < header) {
            CHECK_EQ(n, -1);
            continue;
        }
        CHECK(n <= 11);
        CHECK(n >= (size >= header + 51 ? 11 : size >= header + 25 ? 5 : 0));
        CHECK_MEM(buf, "hellowire!!", (size_t)n);
        CHECK_EQ(end, RECORDING_CUT);
    }
}

TEST(every_flip_of_a_length_is_noticed) /* catches: unchecked headers */
{
    enum recording_end end = RECORDING_READING;
    char buf[64];

    record(true);
    size_t header = 20 + load_u32(file + 12);

    for (size_t at = 0; at < header + 20; at++) {
        file[at] ^= 0x40;
        long n = read_all(file, file_size, 64, buf, &end);

        if (at < header) {
            CHECK_EQ(n, -1);
        } else {
            CHECK_EQ(n, 0);
            CHECK_EQ(end, RECORDING_DAMAGED);
        }
        file[at] ^= 0x40;
    }
}

/* (file) with a header of its own fields and what follows. */
static struct wiregen by_hand(uint16_t major, const void *fields, size_t size,
                              uint32_t says)
{
    struct wiregen w = {0};

    wiregen_bytes(&w, "tprofrec", 8);
    wiregen_uint(&w, major, 2);
    wiregen_uint(&w, 7, 2);
    wiregen_uint(&w, says, 4);
    wiregen_bytes(&w, fields, size);
    wiregen_uint(&w, wiregen_crc(w.bytes, w.size), 4);
    return w;
}

static void chunk(struct wiregen *w, uint8_t kind, uint32_t size,
                  const char *data)
{
    size_t at = w->size;

    wiregen_uint(w, size, 4);
    wiregen_uint(w, kind, 4);
    wiregen_uint(w, 5, 8);
    wiregen_uint(w, wiregen_crc(w->bytes + at, 16), 4);
    wiregen_bytes(w, data, strlen(data));
}

TEST(later_minor_versions_are_read) /* catches: refusing what may be skipped */
{
    struct wiregen w = by_hand(1, "\xc8\x02\x00xy", 5, 5);
    enum recording_end end = RECORDING_READING;
    char buf[64];

    chunk(&w, 77, 3, "abc");
    chunk(&w, 1, 4, "wire");
    chunk(&w, 2, 0, "");
    CHECK_EQ(read_all(w.bytes, w.size, 64, buf, &end), 4);
    CHECK_MEM(buf, "wire", 4);
    CHECK_EQ(end, RECORDING_WHOLE);
    CHECK_EQ(read_all(w.bytes, w.size - 60, 64, buf, &end), 0); /* in "abc" */
    CHECK_EQ(end, RECORDING_CUT);
    wiregen_fini(&w);
}

TEST(a_header_without_further_images_is_read) /* those of version 1.0 */
{
    struct wiregen w = by_hand(1, "\x02\x01\x00k", 4, 4);
    struct recording_reader *r =
        recording_open(memory_file(w.bytes, w.size), &error);

    CHECK(r != NULL);
    CHECK_STR(recording_get_info(r)->elf, "k");
    CHECK_EQ(recording_get_info(r)->more_elf_count, 0);
    recording_reader_free(r);
    wiregen_fini(&w);
}

TEST(as_many_images_as_fit_are_kept) /* catches: a header that overflows */
{
    static char path[1024];
    static const char *paths[64];
    struct recording_info many = info;
    char name[] = "/tmp/test_recording.XXXXXX";
    int fd = mkstemp(name);

    memset(path, 'p', sizeof path - 1);
    for (size_t i = 0; i < 64; i++)
        paths[i] = i == 63 ? "short" : path;
    many.more_elfs = paths;
    many.more_elf_count = 64;
    CHECK_EQ(recording_close(recording_create(name, &many, &error), &error), 0);
    struct recording_reader *r = recording_open(fd, &error);

    CHECK(r != NULL);
    const struct recording_info *i = recording_get_info(r);

    /* 16384 less the 100 or so of the others, by 1026 */
    CHECK_EQ(i->more_elf_count, 16);
    CHECK_STR(i->more_elfs[14], path);
    CHECK_STR(i->more_elfs[15], "short");
    recording_reader_free(r);
    close(fd);
    unlink(name);
}

/* Catches: less room than a field's head, taken for a lot */
TEST(a_header_may_be_full_to_the_last_byte)
{
    static char path[1024];
    const char *paths[20];
    struct recording_info many = info;
    char name[] = "/tmp/test_recording.XXXXXX";

    close(mkstemp(name));
    memset(path, 'p', sizeof path - 1);
    for (size_t i = 0; i < 20; i++)
        paths[i] = i < 15 ? path : "short";
    many.more_elfs = paths;
    many.more_elf_count = 20;
    for (size_t tail = 0; tail < sizeof path; tail++) {
        paths[15] = path + tail;
        CHECK_EQ(recording_close(recording_create(name, &many, &error), &error),
                 0);
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        struct recording_reader *r = recording_open(fd, &error);
        CHECK(r != NULL);
        CHECK(recording_get_info(r)->more_elf_count >= 15);
        recording_reader_free(r);
        close(fd);
    }
    unlink(name);
}

/* By hand: 5,461 empty ones, which take a byte each when read */
TEST(any_number_of_images_may_be_claimed)
{
    static uint8_t fields[16383];

    for (size_t i = 0; i < sizeof fields; i += 3)
        fields[i] = 7;
    struct wiregen w = by_hand(1, fields, sizeof fields, sizeof fields);
    struct recording_reader *r =
        recording_open(memory_file(w.bytes, w.size), &error);

    CHECK(r != NULL);
    CHECK_EQ(recording_get_info(r)->more_elf_count, 64);
    CHECK_STR(recording_get_info(r)->more_elfs[63], "");
    recording_reader_free(r);
    wiregen_fini(&w);
}

static void expect_refused(struct wiregen w, const char *why)
{
    enum recording_end end = RECORDING_READING;
    char buf[64];

    CHECK_EQ(read_all(w.bytes, w.size, 64, buf, &end), -1);
    if (!strstr(error.text, why))
        CHECK_STR(error.text, why);
    wiregen_fini(&w);
}

TEST(bad_headers_are_refused) /* catches: lengths that are believed */
{
    struct wiregen w = {0};

    wiregen_bytes(&w,
                  "\x7f"
                  "ELF....",
                  8);
    expect_refused(w, "not a recording");
    expect_refused(by_hand(2, "", 0, 0), "version 2.7");
    expect_refused(by_hand(1, "", 0, 16385), "exceeds");
    expect_refused(by_hand(1, "", 0, 100), "is cut in its header");
    expect_refused(by_hand(1,
                           "\x01\x05\x00"
                           "abc",
                           6, 6),
                   "field is cut");
    expect_refused(by_hand(1, "\x01\x05", 2, 2), "field is cut");
}

TEST(long_texts_are_cut_to_fit) /* catches: an overflow by a long path */
{
    static char fields[3 + 2000];

    memset(fields, 'p', sizeof fields);
    fields[0] = 2;
    store_u16((uint8_t *)fields + 1, 2000);
    struct wiregen w = by_hand(1, fields, sizeof fields, sizeof fields);
    int fd = memory_file(w.bytes, w.size);
    struct recording_reader *r = recording_open(fd, &error);

    CHECK(r != NULL);
    CHECK_EQ(strlen(recording_get_info(r)->elf), RECORDING_TEXT_MAX - 1);
    recording_reader_free(r);
    close(fd);
    wiregen_fini(&w);
}

TEST(chunk_beyond_the_limit_is_damage) /* catches: a length that is believed */
{
    struct wiregen w = by_hand(1, "", 0, 0);
    enum recording_end end = RECORDING_READING;
    char buf[64];

    chunk(&w, 1, (1u << 20) + 1, "");
    CHECK_EQ(read_all(w.bytes, w.size, 64, buf, &end), 0);
    CHECK_EQ(end, RECORDING_DAMAGED);
    wiregen_fini(&w);
}

/* Catches: half a chunk at the end; a report that takes for whole what is not
 */
TEST(full_disk_leaves_whole_chunks_and_no_end)
{
    enum recording_end end = RECORDING_WHOLE;
    char read[8192];
    char path[] = "/tmp/test_recording.XXXXXX";
    char big[4096] = {0};
    int fd = mkstemp(path);
    struct recording_writer *w = recording_create(path, &info, &error);
    struct rlimit limit = {6000, 6000};

    CHECK(w != NULL);
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQ(recording_append(w, big, sizeof big, 1, &error), 0);
    off_t before = lseek(fd, 0, SEEK_END);

    CHECK_EQ(recording_append(w, big, sizeof big, 1, &error), -1);
    CHECK(strstr(error.text, "has reached the size limit") != NULL);
    CHECK_EQ(lseek(fd, 0, SEEK_END), before);
    CHECK_EQ(recording_close(w, &error), 0);
    file_size = (size_t)pread(fd, file, sizeof file, 0);
    CHECK_EQ(read_all(file, file_size, 64, read, &end), sizeof big);
    CHECK_EQ(end, RECORDING_CUT); /* though an end would still have fitted */
    unlink(path);
    close(fd);
}

TEST(recording_that_cannot_be_created_says_why) /* catches: a silent failure */
{
    CHECK(recording_create("/nonexistent/x", &info, &error) == NULL);
    CHECK(strstr(error.text, "/nonexistent/x: No such file") != NULL);
    CHECK_EQ(recording_close(NULL, &error), 0);
}

/* Write "hello", names and the end into (file); the offset of the names. */
static size_t record_names(void)
{
    char path[] = "/tmp/test_recording.XXXXXX";
    int fd = mkstemp(path);
    struct recording_writer *w = recording_create(path, &info, &error);

    CHECK_EQ(recording_append(w, "hello", 5, 1000, &error), 0);
    CHECK(recording_takes_names(w));
    CHECK_EQ(recording_append_names(w, "names", 5, &error), 0);
    CHECK_EQ(recording_append_names(w, "more", 4, &error), 0);
    CHECK_EQ(recording_close(w, &error), 0);
    file_size = (size_t)pread(fd, file, sizeof file, 0);
    close(fd);
    unlink(path);
    return 20 + load_u32(file + 12) + 25;
}

/* The recording's last word says where its names begin. */
static void tell_names(uint64_t at)
{
    uint8_t *word = file + file_size - 8;

    for (unsigned i = 0; i < 8; i++, at /= 256)
        word[i] = (uint8_t)(at % 256);
}

/* The names of the recording (bytes) as one text; -1: damaged, -2: none. */
static long read_names(const void *bytes, size_t size, char *text)
{
    static uint8_t chunk[RECORDING_CHUNK_MAX];
    int fd = memory_file(bytes, size);
    struct recording_reader *r = recording_open(fd, &error);
    struct recording_names names;
    long total = 0, n = -2;

    CHECK(r != NULL);
    if (recording_find_names(r, &names)) {
        while ((n = recording_next_names(&names, chunk, &error)) > 0) {
            memcpy(text + total, chunk, (size_t)n);
            total += n;
        }
    }
    recording_reader_free(r);
    close(fd);
    return n < 0 ? n : total;
}

TEST(names_are_found_before_the_rest_is_read)
{
    enum recording_end end = RECORDING_READING;
    size_t names = record_names();
    char text[64];

    CHECK_EQ(read_names(file, file_size, text), 9);
    CHECK_MEM(text, "namesmore", 9);
    CHECK_EQ(read_all(file, file_size, 64, text, &end), 5);
    CHECK_EQ(end, RECORDING_WHOLE);
    /* as the specification has it */
    CHECK_EQ(file[names + 4], 3);
    CHECK_EQ(file_size, names + 25 + 24 + 28);
    CHECK_EQ(load_u64(file + file_size - 8), names);
    record(true);
    CHECK_EQ(read_names(file, file_size, text), -2);
}

TEST(cut_recording_has_no_names) /* catches: names of what is not there */
{
    size_t names = record_names();
    char text[64];

    for (size_t size = names; size < file_size; size++)
        CHECK_EQ(read_names(file, size, text), -2);
}

TEST(damaged_names_are_told) /* catches: an offset that is believed */
{
    size_t names = record_names();
    char text[64];

    for (uint64_t at = 0; at < file_size; at++) {
        tell_names(at);
        long n = read_names(file, file_size, text);

        CHECK(n == (at == names || at == names - 25 ? 9
                    : at == names + 25              ? 4
                    : at >= file_size - 28          ? -2
                                                    : -1));
    }
    tell_names(UINT64_MAX);
    CHECK_EQ(read_names(file, file_size, text), -2);
    tell_names(names);
    file[names + 25]++; /* a length */
    CHECK_EQ(read_names(file, file_size, text), -1);
    CHECK_STR(error.text, "their chunk is damaged");
}

TEST(recording_that_is_cut_takes_no_names) /* catches: names of lost bytes */
{
    static char big[3000];
    char path[] = "/tmp/test_recording.XXXXXX";
    struct rlimit limit = {.rlim_cur = 2048, .rlim_max = RLIM_INFINITY};
    int fd = mkstemp(path);
    struct recording_writer *w = recording_create(path, &info, &error);

    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQ(recording_append(w, big, sizeof big, 1, &error), -1);
    CHECK(!recording_takes_names(w));
    CHECK_EQ(recording_close(w, &error), 0);
    close(fd);
    unlink(path);
}

/* catches: bytes before a guest's first words that are kept without bound, and
 * a first word that is cut */
TEST(held_bytes_come_before_the_next_or_never)
{
    static uint8_t bytes[100000], out[200000];
    char path[] = "/tmp/test_recording.XXXXXX";
    int fd = mkstemp(path);
    struct recording_writer *w = recording_create(path, &info, &error);

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251);
    CHECK(w != NULL);
    for (size_t i = 0; i < sizeof bytes; i += 1000)
        recording_hold(w, bytes + i, 1000);
    recording_hold(w, bytes, 0);
    CHECK_EQ(recording_taken(w), 0);
    CHECK_EQ(recording_append(w, "first words", 11, 2000, &error), 0);
    CHECK_EQ(recording_taken(w), RECORDING_HELD + 11);
    CHECK_EQ(recording_append(w, "more", 4, 2000, &error), 0);
    recording_hold(w, bytes, 50000); /* and nobody says a word */
    CHECK_EQ(recording_close(w, &error), 0);
    struct recording_reader *r = recording_open(fd, &error);
    size_t size = 0;
    uint64_t arrival;
    ssize_t n;

    CHECK(r != NULL);
    while ((n = recording_read(r, out + size, sizeof out - size, &arrival,
                               &error)) > 0)
        size += (size_t)n;
    CHECK_EQ(size, RECORDING_HELD + 15);
    CHECK_MEM(out, bytes + sizeof bytes - RECORDING_HELD, RECORDING_HELD);
    CHECK_MEM(out + RECORDING_HELD, "first wordsmore", 15);
    recording_reader_free(r);
    close(fd);
    unlink(path);
}
