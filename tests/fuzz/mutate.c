/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes inputs of played.h so that frames stay frames: no fuzzer guesses a
 * CRC, or a length that fits. */
#include <stdbool.h>
#include <string.h>

#include "played.h"
#include "tprof_wire.h"
#include "util/bytes.h"
#include "util/crc.h"

#define HEAD     2u  /* bytes before the first act */
#define ACT_HEAD 3u  /* bytes before what an act carries */
#define ACTS_MAX 64u /* that are told apart */
#define ROOM     (1u << 16)

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static uint64_t state;

static uint32_t random_below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

/* Numbers that are near some limit. */
static uint64_t odd_number(void)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       7,
                                       63,
                                       64,
                                       65,
                                       127,
                                       128,
                                       255,
                                       1000,
                                       1023,
                                       1024,
                                       8191,
                                       8192,
                                       65535,
                                       65536,
                                       1000000,
                                       1u << 31,
                                       UINT32_MAX,
                                       1ull << 32,
                                       1ull << 40,
                                       1ull << 52,
                                       1ull << 62,
                                       1ull << 63,
                                       UINT64_MAX,
                                       UINT64_MAX - 1,
                                       1000000000,
                                       1000000000000};

    return numbers[random_below(sizeof numbers / sizeof numbers[0])];
}

/* --- What is where -------------------------------------------------------- */

struct part {
    size_t at, size; /* of an act with its head, or of a frame with its CRC */
};

static size_t find_acts(const uint8_t *data, size_t size, struct part *acts)
{
    size_t n = 0;

    for (size_t at = HEAD; at + ACT_HEAD <= size && n < ACTS_MAX; n++) {
        size_t length = ACT_HEAD + load_u16(data + at + 1);

        acts[n] = (struct part){at, length < size - at ? length : size - at};
        at += acts[n].size;
    }
    return n;
}

static size_t find_frames(const uint8_t *data, const struct part *act,
                          struct part *frames)
{
    const size_t extra = WIRE_FRAME_HEADER + WIRE_FRAME_TRAILER;
    size_t n = 0, end = act->at + act->size;

    for (size_t at = act->at + ACT_HEAD; at + extra <= end && n < ACTS_MAX;
         n++) {
        size_t length = extra + load_u16(data + at + WIRE_FRAME_LENGTH);

        if (length > end - at)
            length = end - at;
        if (length > WIRE_FRAME_MAX)
            length = WIRE_FRAME_MAX;
        frames[n] = (struct part){at, length};
        at += length;
    }
    return n;
}

static bool is_bytes(uint8_t what)
{
    return (what >> 2 & 7u) < PLAYED_END;
}

/* --- Mending -------------------------------------------------------------- */

/* Of a guest with a thousand cores all are looked at and written, though no
 * input has room for what they send: few inputs are worth that time. */
#define CORES_USUAL 4u

/* The (size) bytes of a HELLO's body tell of few cores. */
static void tell_few_cores(uint8_t *body, size_t size)
{
    for (size_t at = 0; at + 2 <= size; at += 2u + body[at + 1]) {
        if (body[at] != WIRE_HELLO_CORES || body[at + 1] != 2 || at + 4 > size)
            continue;
        uint16_t cores = load_u16(body + at + 2);

        if (cores > CORES_USUAL)
            store_u16(body + at + 2, (uint16_t)(1 + cores % CORES_USUAL));
    }
}

static void mend_frames(uint8_t *data, const struct part *act, uint16_t *seq)
{
    struct part frames[ACTS_MAX];
    size_t n = find_frames(data, act, frames);

    for (size_t i = 0; i < n; i++) {
        uint8_t *frame = data + frames[i].at;
        size_t body = frames[i].size - WIRE_FRAME_HEADER - WIRE_FRAME_TRAILER;

        store_u16(frame, WIRE_MAGIC);
        store_u16(frame + WIRE_FRAME_LENGTH, (uint16_t)body);
        if (frame[WIRE_FRAME_TYPE] == WIRE_HELLO && random_below(8) != 0)
            *seq = 0;
        if (frame[WIRE_FRAME_TYPE] == WIRE_HELLO && random_below(1024) != 0)
            tell_few_cores(frame + WIRE_FRAME_HEADER, body);
        if (random_below(16) != 0) /* else frames are lost */
            store_u16(frame + WIRE_FRAME_SEQ, *seq);
        *seq = (uint16_t)(load_u16(frame + WIRE_FRAME_SEQ) + 1);
        store_u32(frame + WIRE_FRAME_HEADER + body,
                  crc32c(frame, WIRE_FRAME_HEADER + body));
    }
}

static void mend(uint8_t *data, size_t size)
{
    struct part acts[ACTS_MAX];
    size_t n = find_acts(data, size, acts);
    uint16_t seq[PLAYED_GUESTS] = {0};

    for (size_t i = 0; i < n; i++) {
        uint8_t what = data[acts[i].at];

        store_u16(data + acts[i].at + 1, (uint16_t)(acts[i].size - ACT_HEAD));
        if (is_bytes(what))
            mend_frames(data, &acts[i], &seq[what & 3u]);
    }
}

/* --- Mutations ------------------------------------------------------------ */

/* Put (size) bytes in the place of (part); returns the size of all. (outer), if
 * not NULL, is the act that (part) lies in. */
static size_t replace(uint8_t *data, size_t total, size_t max,
                      const struct part *part, const uint8_t *bytes,
                      size_t size, const struct part *outer)
{
    size_t rest = total - part->at - part->size;

    if (part->at + size + rest > max)
        return total;
    memmove(data + part->at + size, data + part->at + part->size, rest);
    memcpy(data + part->at, bytes, size);
    if (outer != NULL)
        store_u16(data + outer->at + 1,
                  (uint16_t)(outer->size - ACT_HEAD - part->size + size));
    return part->at + size + rest;
}

/* One of the fields in the (size) bytes of a body gets an odd value. */
static void change_field(uint8_t *body, size_t size)
{
    size_t at = 0, fields = 0, chosen;

    while (at + 2 <= size) {
        fields++;
        at += 2u + body[at + 1];
    }
    if (fields == 0)
        return;
    chosen = random_below((uint32_t)fields);
    for (at = 0; chosen-- > 0;)
        at += 2u + body[at + 1];
    uint64_t number = odd_number();
    size_t length = body[at + 1] < 8 ? body[at + 1] : 8;

    if (length <= size - at - 2)
        memcpy(body + at + 2, &number, length);
}

static void change_samples(uint8_t *body, size_t size)
{
    static const uint8_t places[][2] = {
        {WIRE_SAMPLES_CORE, 2},  {WIRE_SAMPLES_FLAGS, 1},
        {WIRE_SAMPLES_SHIFT, 1}, {WIRE_SAMPLES_PERIOD, 2},
        {WIRE_SAMPLES_EPOCH, 2}, {WIRE_SAMPLES_TIME, 8},
        {WIRE_SAMPLES_CELLS, 2},
    };
    uint32_t i = random_below(sizeof places / sizeof places[0]);
    uint64_t number = odd_number();

    if (size >= WIRE_SAMPLES_HEADER)
        memcpy(body + places[i][0], &number, places[i][1]);
}

/* A frame's body is changed, or the frame is. */
static size_t change_frame(uint8_t *data, size_t size, size_t max,
                           const struct part *act)
{
    static uint8_t bytes[ROOM];
    struct part frames[ACTS_MAX];
    size_t n = find_frames(data, act, frames);

    if (n == 0)
        return size;
    struct part frame = frames[random_below((uint32_t)n)];
    size_t body = frame.size - WIRE_FRAME_HEADER - WIRE_FRAME_TRAILER;

    memcpy(bytes, data + frame.at, frame.size);
    switch (random_below(6)) {
    case 0: /* once more */
        memcpy(bytes + frame.size, data + frame.at, frame.size);
        return replace(data, size, max, &frame, bytes, 2 * frame.size, act);
    case 1: /* away */
        return replace(data, size, max, &frame, bytes, 0, act);
    case 2:
    case 3:
        if (bytes[WIRE_FRAME_TYPE] == WIRE_SAMPLES)
            change_samples(bytes + WIRE_FRAME_HEADER, body);
        else
            change_field(bytes + WIRE_FRAME_HEADER, body);
        return replace(data, size, max, &frame, bytes, frame.size, act);
    default:
        body = LLVMFuzzerMutate(bytes + WIRE_FRAME_HEADER, body, WIRE_BODY_MAX);
        store_u16(bytes + WIRE_FRAME_LENGTH, (uint16_t)body);
        return replace(data, size, max, &frame, bytes,
                       WIRE_FRAME_HEADER + body + WIRE_FRAME_TRAILER, act);
    }
}

static size_t change_acts(uint8_t *data, size_t size, size_t max,
                          const struct part *acts, size_t n)
{
    static uint8_t bytes[ROOM];
    struct part act = acts[random_below((uint32_t)n)];
    struct part to = {acts[random_below((uint32_t)n)].at, 0};

    memcpy(bytes, data + act.at, act.size);
    switch (random_below(4)) {
    case 0:
        return replace(data, size, max, &act, bytes, 0, NULL);
    case 1:
        return replace(data, size, max, &to, bytes, act.size, NULL);
    case 2: /* another act, or another guest's */
        data[act.at] = (uint8_t)random_below(32);
        return size;
    default: { /* a short act of another kind */
        const uint8_t short_act[] = {
            (uint8_t)(random_below(4) << 2 | 16u | random_below(4)), 1, 0,
            (uint8_t)random_below(21)};

        return replace(data, size, max, &to, short_act, sizeof short_act, NULL);
    }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed)
{
    struct part acts[ACTS_MAX];

    state = seed;
    if (max > ROOM)
        max = ROOM;
    size_t n = size <= max ? find_acts(data, size, acts) : 0;
    uint32_t what = random_below(16);

    if (n == 0 || what == 0)
        size = LLVMFuzzerMutate(data, size, max);
    else if (what == 1)
        data[random_below(HEAD)] = (uint8_t)random_below(256);
    else if (what < 5)
        size = change_acts(data, size, max, acts, n);
    else
        size = change_frame(data, size, max, &acts[random_below((uint32_t)n)]);
    if (random_below(64) != 0) /* else it is damaged */
        mend(data, size);
    return size;
}
