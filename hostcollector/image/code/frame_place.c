/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/code/frame_place.h"

#include <stdlib.h>

#include "image/code/frame_flow.h"
#include "image/code/function_flow.h"
#include "image/code/only_call.h"
#include "image/code/recorded_code.h"
#include "image/code/uncalled.h"
#include "image/file/image.h"
#include "model/stack.h"
#include "util/cpu/cpu.h"
#include "util/hash.h"
#include "util/pair_map.h"
#include "util/vec.h"

/* Limit for all kept answers. A hostile symbol table could otherwise fill the
 * memory. */
#define MAX_KEPT_BYTES (256u << 20)

/* The last answers of frame_place_of_call(), by address. Stacks share most of
 * their frames, so a profile needs the same return addresses again and again. A
 * search among all symbols for each of them took half of a report's time. */
#define CALLS_KEPT 65536u
struct kept_call {
    uint64_t pc;
    bool known;
    enum code_place place;
};

/* The last answers of frame_place_holdup(), by address, for the same reason. */
#define HOLDUPS_KEPT 4096u
struct kept_holdup {
    uint64_t pc;
    bool known;
    enum code_holdup holdup;
};

struct frame_places {
    struct recorded_code *told; /* NULL: answers are read from (img) */
    struct image *img;
    uint64_t slide;
    struct pair_map known; /* start of a function -> index of its answers */
    uint8_t **places;      /* by offset, packed; NULL: not understood */
    size_t count, room;
    size_t bytes;
    struct kept_call *calls;       /* CALLS_KEPT; NULL: none yet */
    struct kept_holdup *holdups;   /* HOLDUPS_KEPT; NULL: none yet */
    struct only_calls *only_calls; /* NULL: not read yet, or no memory */
    bool only_calls_read;
};

struct frame_places *frame_places_new(struct image *img, uint64_t slide)
{
    struct frame_places *o = calloc(1, sizeof *o);

    if (o != NULL) {
        o->img = img;
        o->slide = slide;
    }
    return o;
}

struct frame_places *frame_places_told(void)
{
    struct frame_places *o = calloc(1, sizeof *o);

    if (o == NULL)
        return NULL;
    o->told = recorded_code_new();
    if (o->told == NULL) {
        free(o);
        return NULL;
    }
    return o;
}

void frame_places_set_known(struct frame_places *o, bool known)
{
    recorded_code_set_known(o->told, known);
}

int frame_places_learn(struct frame_places *o, uint64_t pc,
                       const struct code_facts *facts)
{
    return recorded_code_learn(o->told, pc, facts);
}

size_t frame_places_bytes(const struct frame_places *o)
{
    return o->told != NULL ? recorded_code_bytes(o->told) : 0;
}

void frame_places_free(struct frame_places *o)
{
    if (o == NULL)
        return;
    recorded_code_free(o->told);
    for (size_t i = 0; i < o->count; i++)
        free(o->places[i]);
    free(o->places);
    map_fini(&o->known);
    only_calls_free(o->only_calls);
    free(o->calls);
    free(o->holdups);
    free(o);
}

bool frame_places_known(const struct frame_places *o)
{
    if (o == NULL)
        return false;
    return o->told != NULL ? recorded_code_known(o->told)
                           : image_text_at(o->img, 0) != NULL;
}

/* An enum code_place and a struct code_exit, in 8 bits. */
enum {
    PLACE = 0x07,
    WORDS_SHIFT = 3,
    WORDS = 0x38,
    FP_KEPT = 0x40,
    CALLED = 0x80
};

static uint8_t pack_place(const struct frame_flow *flow, size_t at,
                          bool depth_known)
{
    struct code_exit out = frame_flow_exit(flow, at);
    unsigned bits = (unsigned)frame_flow_place(flow, at);

    bits |= (depth_known ? out.words : CODE_FAR) << WORDS_SHIFT;
    bits |= out.fp_kept ? FP_KEPT : 0;
    bits |= out.called ? CALLED : 0;
    return (uint8_t)bits;
}

/* Interpret function (f). Returns its places by offset; NULL if the code is not
 * understood. */
static uint8_t *interpret(struct frame_places *o,
                          const struct image_function *f)
{
    struct function_flow of;
    uint8_t *places = NULL;

    if (f->size > MAX_KEPT_BYTES - o->bytes)
        return NULL;
    if (function_flow_init(&of, o->img, f) == 0)
        places = malloc((size_t)f->size);
    for (size_t at = 0; places != NULL && at < f->size; at++)
        places[at] = pack_place(&of.flow, at, of.depth_known);
    function_flow_fini(&of);
    if (places != NULL)
        o->bytes += (size_t)f->size;
    return places;
}

/* Interpret (f) and keep the result. Returns the index of the result, or
 * MAP_NOTHING. */
static uint32_t learn_function(struct frame_places *o,
                               const struct image_function *f)
{
    uint32_t *index;

    if (vec_grow(&o->places, &o->room, o->count, sizeof *o->places) != 0)
        return MAP_NOTHING;
    index = map_put(&o->known, f->start, 0);
    if (index == NULL)
        return MAP_NOTHING;
    *index = (uint32_t)o->count;
    o->places[o->count++] = interpret(o, f);
    return *index;
}

/* The CPU_SLEEP_SPAN bytes of code before link-time (address); NULL if some of
 * them are missing. */
static const uint8_t *code_before(const struct frame_places *o,
                                  uint64_t address)
{
    size_t have;
    const uint8_t *code = image_code(o->img, address - CPU_SLEEP_SPAN, &have);

    return code != NULL && have >= CPU_SLEEP_SPAN ? code : NULL;
}

/* Classify an address outside of all functions. The boundaries of instructions
 * may be unknown there. */
static enum code_place place_by_bytes(const struct frame_places *o,
                                      uint64_t address)
{
    const uint8_t *code = code_before(o, address);

    return code != NULL && image_cpu(o->img)->sleeps(code + CPU_SLEEP_SPAN)
               ? CODE_IDLE
               : CODE_UNKNOWN;
}

/* The packed answer for link-time address (address). Returns NULL if nothing is
 * known. */
static const uint8_t *find_packed(struct frame_places *o, uint64_t address)
{
    const struct image_function *f = image_find_function(o->img, address);
    uint32_t index;

    if (f == NULL)
        return NULL;
    index = map_get(&o->known, f->start, 0);
    if (index == MAP_NOTHING)
        index = learn_function(o, f);
    if (index == MAP_NOTHING || o->places[index] == NULL)
        return NULL;
    return &o->places[index][address - f->start];
}

enum code_place frame_place_at(struct frame_places *o, uint64_t pc)
{
    if (o->told != NULL)
        return recorded_code_facts(o->told, pc).place;

    const uint8_t *packed = find_packed(o, pc - o->slide);

    return packed != NULL ? (enum code_place)(*packed & PLACE)
                          : place_by_bytes(o, pc - o->slide);
}

struct code_exit frame_place_exit(struct frame_places *o, uint64_t pc)
{
    if (o->told != NULL)
        return recorded_code_facts(o->told, pc).exit;

    const uint8_t *packed = find_packed(o, pc - o->slide);
    unsigned bits = packed != NULL ? *packed : CODE_FAR << WORDS_SHIFT;

    return (struct code_exit){(bits & WORDS) >> WORDS_SHIFT,
                              (bits & FP_KEPT) != 0, (bits & CALLED) != 0};
}

static enum code_framing frame_of(const struct frame_flow *flow)
{
    if (flow->has_frame || flow->outermost)
        return CODE_FRAMED;
    if (flow->lost)
        return CODE_UNREAD;
    if (flow->other_fp)
        return CODE_CUTTING;
    return flow->has_call ? CODE_BARE : CODE_LEAF;
}

/* Count the bytes of instructions whose return address is among the stack words
 * in samples. */
static uint64_t told_by_words(const struct frame_flow *flow)
{
    uint64_t bytes = 0;
    bool told = false;

    for (size_t at = 0; at < flow->own.size; at++) {
        if ((flow->own.flags[at] & FRAME_REACHED) != 0)
            told = frame_flow_exit(flow, at).words < WIRE_STACK_SLOTS;
        bytes += told;
    }
    return bytes;
}

enum code_framing frame_place_framing(struct frame_places *o,
                                      const struct image_function *f,
                                      uint64_t *told)
{
    struct function_flow of;
    enum code_framing frame = CODE_UNREAD;

    *told = 0;
    if (function_flow_is_part(f))
        return CODE_PART;
    if (function_flow_init(&of, o->img, f) == 0) {
        frame = frame_of(&of.flow);
        if (frame == CODE_FRAMED)
            *told = 0;
        else if (frame_place_only_call(o, o->slide + f->start) != 0)
            *told = f->size;
        else if (of.depth_known)
            *told = told_by_words(&of.flow);
    }
    function_flow_fini(&of);
    return frame;
}

bool frame_place_behind_halt(const struct frame_places *o, uint64_t pc)
{
    const uint8_t *code =
        o->told == NULL ? code_before(o, pc - o->slide) : NULL;

    return code != NULL && image_cpu(o->img)->is_halt(code + CPU_SLEEP_SPAN);
}

/* Answer frame_place_of_call() from the image. */
static enum code_place read_place_of_call(struct frame_places *o, uint64_t pc)
{
    const struct image_function *f =
        image_find_function(o->img, pc - 1 - o->slide);

    if (f == NULL)
        return uncalled_function(o->img, pc - o->slide) != NULL
                   ? frame_place_at(o, pc)
                   : CODE_UNKNOWN;
    if (f != image_find_function(o->img, pc - o->slide))
        return CODE_UNKNOWN;
    return frame_place_at(o, pc);
}

enum code_place frame_place_of_call(struct frame_places *o, uint64_t pc)
{
    struct kept_call *kept;

    if (o->told != NULL)
        return recorded_code_facts(o->told, pc).call_place;
    if (o->calls == NULL)
        o->calls = calloc(CALLS_KEPT, sizeof *o->calls);
    if (o->calls == NULL)
        return read_place_of_call(o, pc);
    kept = &o->calls[(hash_mix(0, pc) >> 32) % CALLS_KEPT];
    if (!kept->known || kept->pc != pc)
        *kept = (struct kept_call){pc, true, read_place_of_call(o, pc)};
    return kept->place;
}

/* The calls of the whole image; NULL if there is no memory. */
static const struct only_calls *read_calls(struct frame_places *o)
{
    if (!o->only_calls_read)
        o->only_calls = only_calls_new(o->img);
    o->only_calls_read = true;
    return o->only_calls;
}

bool frame_place_is_called(struct frame_places *o, uint64_t pc)
{
    if (o->told != NULL)
        return recorded_code_facts(o->told, pc + 1).is_called;

    const struct only_calls *calls = read_calls(o);

    return calls != NULL && only_call_any(calls, pc - o->slide);
}

uint64_t frame_place_only_call(struct frame_places *o, uint64_t pc)
{
    if (o->told != NULL)
        return recorded_code_facts(o->told, pc).only_call;

    const struct only_calls *calls = read_calls(o);
    uint64_t back = calls != NULL ? only_call_return(calls, pc - o->slide) : 0;

    return back != 0 ? back + o->slide : 0;
}

enum code_holdup frame_place_holdup(struct frame_places *o, uint64_t pc)
{
    if (o->told != NULL)
        return recorded_code_facts(o->told, pc).holdup;
    if (o->holdups == NULL)
        o->holdups = calloc(HOLDUPS_KEPT, sizeof *o->holdups);
    if (o->holdups == NULL)
        return holdup_before(o->img, pc - o->slide);
    struct kept_holdup *kept =
        &o->holdups[(hash_mix(0, pc) >> 32) % HOLDUPS_KEPT];

    if (!kept->known || kept->pc != pc)
        *kept = (struct kept_holdup){pc, true,
                                     holdup_before(o->img, pc - o->slide)};
    return kept->holdup;
}

bool frame_place_loops(struct frame_places *o, uint64_t pc)
{
    if (o->told != NULL)
        return recorded_code_facts(o->told, pc).holdup == HOLDUP_JUMP;

    const struct image_function *f = image_find_function(o->img, pc - o->slide);

    if (f == NULL || f->start != pc - o->slide)
        return false;
    return f->sized ? holdup_loops_to(o->img, f->start)
                    : !frame_place_is_called(o, pc);
}

struct code_facts frame_place_facts(struct frame_places *o, uint64_t pc)
{
    struct code_facts facts = {.place = frame_place_at(o, pc),
                               .call_place = frame_place_of_call(o, pc),
                               .exit = frame_place_exit(o, pc),
                               .holdup = frame_place_holdup(o, pc)};

    if (frame_place_loops(o, pc))
        facts.holdup = HOLDUP_JUMP;

    if (facts.call_place == CODE_NO_FRAME)
        facts.is_called = frame_place_is_called(o, pc - 1);
    if (facts.place != CODE_BODY)
        facts.only_call = frame_place_only_call(o, pc);
    return facts;
}
