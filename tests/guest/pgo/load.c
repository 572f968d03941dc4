/* SPDX-License-Identifier: BSD-2-Clause */
#include "load.h"

#include "guest.h"

enum kind {
    GET,
    GETS,
    SET,
    ADD,
    REPLACE,
    APPEND,
    CAS,
    DELETE,
    INCR,
    DECR,
    TOUCH,
    STATS,
    WRONG,
    KINDS
};

static const struct {
    struct text word;
    bool data;
    unsigned numbers; /* behind the key, before the size */
    unsigned of_1000[2];
} kinds[KINDS] = {
    [GET] = {{"get", 3}, false, 0, {720, 430}},
    [GETS] = {{"gets", 4}, false, 0, {20, 40}},
    [SET] = {{"set", 3}, true, 2, {140, 230}},
    [ADD] = {{"add", 3}, true, 2, {20, 40}},
    [REPLACE] = {{"replace", 7}, true, 2, {10, 30}},
    [APPEND] = {{"append", 6}, true, 2, {5, 40}},
    [CAS] = {{"cas", 3}, true, 2, {5, 40}},
    [DELETE] = {{"delete", 6}, false, 0, {20, 40}},
    [INCR] = {{"incr", 4}, false, 1, {35, 60}},
    [DECR] = {{"decr", 4}, false, 1, {5, 20}},
    [TOUCH] = {{"touch", 5}, false, 1, {15, 24}},
    [STATS] = {{"stats", 5}, false, 0, {1, 2}},
    [WRONG] = {{"git", 3}, false, 0, {4, 4}},
};

static char bytes[LOAD_REQUESTS * 320];
static size_t begins[LOAD_REQUESTS + 1];
static uint32_t random = 2463534242u;

static uint32_t below(uint32_t limit)
{
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random % limit;
}

static enum kind draw(unsigned mix)
{
    uint32_t at = below(1000);
    unsigned kind = 0;

    while (at >= kinds[kind].of_1000[mix - 1])
        at -= kinds[kind++].of_1000[mix - 1];
    return (enum kind)kind;
}

/* A few keys are used much. Those that count have names of their own. */
static void add_key(struct answer *to, unsigned mix, bool counts)
{
    uint32_t number = below(4) != 0 ? below(200) : below(4000);

    if (counts)
        answer_add(to, TEXT("hits:"));
    else if (mix == 1)
        answer_add(to, TEXT("session:eu-west:"));
    else
        answer_add(to, TEXT("user:"));
    answer_number(to, (mix == 1 ? 100000 : 0) + number);
    if (mix == 2 && !counts)
        answer_add(to, TEXT(":name"));
}

static void add_data(struct answer *to, unsigned mix, bool counts)
{
    uint32_t size = counts ? 3 : 8 + below(mix == 1 ? 56 : 32);

    answer_add(to, TEXT(" "));
    answer_number(to, size);
    answer_add(to, TEXT("\r\n"));
    for (uint32_t i = 0; i < size; i++) {
        char c = (char)((counts ? '1' : 'a') + below(counts ? 9 : 26));

        answer_add(to, (struct text){&c, 1});
    }
}

static void add_request(struct answer *to, unsigned mix)
{
    enum kind kind = draw(mix);
    bool counts =
        kind == INCR || kind == DECR || (kind == SET && below(8) == 0);

    answer_add(to, kinds[kind].word);
    if (kind != STATS) {
        answer_add(to, TEXT(" "));
        add_key(to, mix, counts);
    }
    for (unsigned i = 0; i < kinds[kind].numbers; i++) {
        answer_add(to, TEXT(" "));
        answer_number(to, below(4) == 0 ? below(5000) : 0);
    }
    if (kinds[kind].data)
        add_data(to, mix, counts);
    answer_add(to, TEXT("\r\n"));
}

void load_make(unsigned mix)
{
    struct answer to = {.bytes = bytes, .room = sizeof bytes};

    for (size_t i = 0; i < LOAD_REQUESTS; i++) {
        add_request(&to, mix);
        begins[i + 1] = to.length;
    }
    if (to.full)
        guest_fail("too many bytes");
}

struct text load_request(size_t number)
{
    size_t i = number % LOAD_REQUESTS;

    return (struct text){bytes + begins[i], begins[i + 1] - begins[i]};
}
