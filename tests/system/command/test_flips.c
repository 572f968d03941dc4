/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each bit of a recording is changed once. Reading it then says that something
 * is wrong, or tells the same as before. Catches: a part of the file that no
 * checksum covers.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "profile/decode/decode.h"
#include "recording/names/named.h"
#include "recording/recording.h"
#include "spooled.h"

/* What reading a recording gave: all that it tells, as a sum, and whether
 * anything was wrong. */
struct told {
    uint64_t sum;
    uint64_t warnings;
    struct err error;
    enum recording_end end;
    struct stream_health health;
};

static void add(struct told *t, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;

    for (size_t i = 0; i < size; i++)
        t->sum = (t->sum ^ p[i]) * 0x100000001b3u;
}

static void add_number(struct told *t, uint64_t number)
{
    add(t, &number, sizeof number);
}

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    (void)e;
    add_number(context, kind);
    add(context, g, sizeof *g);
    return 0;
}

static uint32_t on_stack(void *context, uint32_t core, const struct stack *s)
{
    struct told *t = context;

    add_number(t, core);
    add(t, s->frames, s->depth * sizeof *s->frames);
    add(t, s->words, sizeof s->words);
    add_number(t, s->depth | (uint64_t)s->end << 32);
    add_number(t, s->slot_mask | (uint64_t)s->generation << 32);
    return (uint32_t)(t->sum >> 40);
}

static void on_samples(void *context, const struct sample_batch *b)
{
    add_number(context, b->core | (uint64_t)b->shift << 32);
    add_number(context, b->period);
    for (size_t i = 0; i < b->count; i++) {
        const struct sample *s = &b->samples[i];

        add_number(context, s->tsc);
        add_number(context, s->leaf);
        add_number(context, s->stack | (uint64_t)s->late << 32);
        add_number(context, s->weight | (uint64_t)s->flags << 32);
    }
}

static void on_loss(void *context, const struct loss *loss)
{
    add_number(context, loss->ticks);
    add_number(context, loss->missed | (uint64_t)loss->reason << 60);
    ((struct told *)context)->warnings += loss->reason == LOSS_TRANSPORT;
}

static void on_account(void *context, uint32_t core, const struct account *a)
{
    struct told *t = context;

    (void)core;
    t->warnings += a->violations + a->cut + a->begin_unknown + a->restored +
                   a->lost + a->unknown_stack;
}

static void on_stats(void *context, const struct core_stats *s)
{
    add(context, s, sizeof *s);
}

static void on_status(void *context, const struct guest_status *s)
{
    add(context, s, sizeof *s);
}

static void on_pong(void *context, const struct guest_pong *p)
{
    add(context, p, sizeof *p);
}

static void on_gap(void *context, uint32_t frames)
{
    ((struct told *)context)->warnings += frames;
}

static const struct events events = {
    .hello = on_hello,
    .stack = on_stack,
    .samples = on_samples,
    .loss = on_loss,
    .account = on_account,
    .stats = on_stats,
    .status = on_status,
    .pong = on_pong,
    .gap = on_gap,
};

static void add_info(struct told *t, const struct recording_info *info)
{
    add(t, info->source, strlen(info->source));
    add(t, info->elf, strlen(info->elf));
    add(t, info->version, strlen(info->version));
    add(t, info->build_id, info->build_id_len);
    add_number(t, info->wall_ns);
    add_number(t, info->monotonic_ns);
    for (size_t i = 0; i < info->label_count; i++)
        add(t, info->labels[i], strlen(info->labels[i]));
    for (size_t i = 0; i < info->more_elf_count; i++)
        add(t, info->more_elfs[i], strlen(info->more_elfs[i]));
}

/* Names are told as they are, in blocks that a checksum covers. */
static void add_names(struct told *t, const struct recording_reader *r)
{
    static uint8_t block[RECORDING_CHUNK_MAX];
    struct named named = {.bytes_max = 1u << 26};
    struct recording_names n;
    ssize_t size;

    if (!recording_find_names(r, &n))
        return;
    while ((size = recording_next_names(&n, block, &t->error)) > 0 &&
           named_take(&named, block, (size_t)size, &t->error) == 0)
        add_number(t, named.bytes);
    t->warnings += size != 0;
    add_number(t, named.count);
    named_fini(&named);
}

/* Reads the recording at (fd) to its end, or to what is wrong. */
static void read_all(int fd, struct told *t)
{
    static uint8_t bytes[65536];
    struct decode *d = decode_new(&events, t);
    ssize_t n = 0;
    uint64_t at_ns;

    memset(t, 0, sizeof *t);
    CHECK(d != NULL && lseek(fd, 0, SEEK_SET) == 0);
    struct recording_reader *r = recording_open(fd, &t->error);

    if (r != NULL) {
        add_info(t, recording_get_info(r));
        add_names(t, r);
        while ((n = recording_read(r, bytes, sizeof bytes, &at_ns, &t->error)) >
                   0 &&
               (n = decode_feed(d, bytes, (size_t)n, &t->error)) == 0)
            add_number(t, at_ns);
        t->end = recording_end(r);
    }
    t->warnings += r == NULL || n < 0 || decode_end(d, &t->error) != 0;
    t->health = *decode_health(d);
    recording_reader_free(r);
    decode_free(d);
}

/* Does (t) say that something is wrong, of which (before) says nothing? */
static bool is_told(const struct told *t, const struct told *before)
{
    const struct stream_health *h = &t->health, *was = &before->health;

    return t->warnings != before->warnings || t->end != before->end ||
           h->before_hello != was->before_hello || h->skipped != was->skipped ||
           h->damaged != was->damaged || h->lost_frames != was->lost_frames ||
           h->left_out != was->left_out || h->malformed != was->malformed;
}

static void flip_each_bit(const char *name)
{
    struct told before, after;
    size_t size, told = 0, silent = 0;
    const char *found = bytes_of(name, &size);
    int fd = memfd_create("flips", MFD_CLOEXEC);

    CHECK(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
    char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    CHECK(bytes != MAP_FAILED);
    memcpy(bytes, found, size);
    read_all(fd, &before);
    CHECK(before.end == RECORDING_WHOLE && before.health.frames > 0);
    for (size_t i = 0; i < 8 * size; i++) {
        bytes[i / 8] ^= (char)(1u << i % 8);
        read_all(fd, &after);
        bytes[i / 8] ^= (char)(1u << i % 8);
        if (is_told(&after, &before)) {
            told++;
        } else if (after.sum != before.sum) {
            printf("%s: byte %zu of %zu, bit %zu: silent\n", name, i / 8, size,
                   i % 8);
            silent++;
        }
    }
    printf("%s: %zu flips: %zu told, %zu without effect, %zu silent\n", name,
           8 * size, told, 8 * size - told - silent, silent);
    munmap(bytes, size);
    close(fd);
    CHECK_EQ(silent, 0);
}

TEST(flip_in_a_plain_recording_is_told_or_without_effect)
{
    spooled_begin(1, BUILD);
    spooled_play(2);
    spooled_end();
    flip_each_bit("run.tprof");
}

TEST(flip_in_a_packed_recording_is_told_or_without_effect)
{
    spooled_begin(1, BUILD);
    spooled_play(2);
    spooled_end();
    flip_each_bit(spooled_window(0));
}

TEST(flip_in_a_merged_recording_is_told_or_without_effect)
{
    spooled_begin(1, BUILD);
    spooled_play(8);
    spooled_end();
    CHECK_EQ(collector("compact spool"), 0);
    DIR *d = opendir("spool");
    const struct dirent *entry;

    CHECK(d != NULL && chdir("spool") == 0);
    while ((entry = readdir(d)) != NULL) {
        if (strstr(entry->d_name, ".tprof") != NULL)
            flip_each_bit(entry->d_name);
    }
    closedir(d);
}

/* The build-id of KERNEL, from its note. */
static const char *kernel_build_id(void)
{
    static const char note[] = "\4\0\0\0\x14\0\0\0\3\0\0\0GNU";
    static char id[20];
    size_t size;
    const char *bytes = bytes_of(KERNEL, &size);
    const char *at = memmem(bytes, size, note, sizeof note);

    CHECK(at != NULL);
    memcpy(id, at + sizeof note, sizeof id);
    return id;
}

TEST(flip_in_a_recording_with_names_is_told_or_without_effect)
{
    spooled_begin(1, kernel_build_id());
    spooled_play(2);
    spooled_end();
    CHECK_EQ(collector("report run.tprof --elf " KERNEL " -o named.tprof"), 0);
    flip_each_bit("named.tprof");
}
