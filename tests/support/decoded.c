/* SPDX-License-Identifier: BSD-2-Clause */
/* Feeds the decoder of the tests. */
#include "decoded.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

struct seen seen;
struct stream_health health;
struct err error;

int decode_pieces(const uint8_t *bytes, size_t size, size_t piece)
{
    bool refuse = seen.refuse_hello;
    struct decode *d = decode_new(&seen_events, &seen);
    int result = 0;

    memset(&seen, 0, sizeof seen);
    seen.refuse_hello = refuse;
    for (size_t at = 0; result == 0 && at < size; at += piece) {
        size_t some = size - at < piece ? size - at : piece;
        /* in memory of just that size: the sanitizer sees reads beyond */
        uint8_t *copy = malloc(some);

        memcpy(copy, bytes + at, some);
        result = decode_feed(d, copy, some, &error);
        free(copy);
    }
    if (result == 0)
        result = decode_end(d, &error);
    health = *decode_health(d);
    decode_free(d);
    return result;
}

int decode_all(const struct wiregen *w)
{
    static struct seen first;
    struct stream_health first_health;
    int result = decode_pieces(w->bytes, w->size, w->size);

    first = seen;
    first_health = health;
    static const size_t pieces[] = {1, 7, 4095, 5000};

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        CHECK_EQ(decode_pieces(w->bytes, w->size, pieces[i]), result);
        CHECK_EQ(seen.samples_n, first.samples_n);
        CHECK_EQ(seen.losses_n, first.losses_n);
        CHECK_MEM(seen.account, first.account, sizeof first.account);
        if (result == 0)
            CHECK_MEM(&health, &first_health, sizeof health);
    }
    return result;
}

struct wiregen hello_stream(void)
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1,
                                              .cores = 4,
                                              .tsc_hz = 1000000000,
                                              .text_start = TEXT,
                                              .text_size = 0x10000});
    return w;
}

void good_frame(struct wiregen *w, uint64_t n, uint64_t before)
{
    static const uint64_t frames[] = {0x10, 0x20, 0x30};

    wiregen_samples_begin(
        w, &(struct wiregen_samples){
               .shift = 4, .period = 8000, .epoch = 1, .time = 1000});
    if (before == 0)
        wiregen_begin(w, 16000, 4, 8000, 1);
    wiregen_stack(
        w, &(struct wiregen_stack){.id = 1, .frames = frames, .count = 3});
    for (uint64_t i = 0; i < n; i++)
        wiregen_short(w, 1, 8000, 0x100, 0);
    wiregen_samples_end(w, (uint64_t[4]){before + n, 0, 0, 0});
}
