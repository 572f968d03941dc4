/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of a recording -> images that give the same names as their files. */
#include "recording/names/named.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/symbolize.h"
#include "recording/names/block.h"
#include "recording/names/unpacker.h"
#include "util/cpu/cpu.h"
#include "util/text.h"
#include "util/vec.h"

#define BUILD_ID_MAX 64u
#define PATH_SIZE    4096u

static enum code_place take_place(struct unpacker *u, unsigned bits)
{
    if (bits > CODE_IDLE_BARE)
        cursor_fail(&u->in);
    return (enum code_place)bits;
}

static enum code_holdup take_holdup(struct unpacker *u)
{
    unsigned number = cursor_u8(&u->in);

    if (number >= HOLDUPS) {
        cursor_fail(&u->in);
        return HOLDUP_NONE;
    }
    return (enum code_holdup)number;
}

/* Read the facts about an address, which follow its number. */
static struct code_facts take_facts(struct unpacker *u, bool *dwarf)
{
    unsigned first = cursor_u8(&u->in), second = cursor_u8(&u->in);
    struct code_facts f = {
        .place = take_place(u, first & NAMED_PLACE),
        .call_place = take_place(u, second & NAMED_CALL_PLACE),
        .exit = {.words = (first & NAMED_WORDS) >> NAMED_WORDS_SHIFT,
                 .fp_kept = (first & NAMED_FP_KEPT) != 0,
                 .called = (first & NAMED_CALLED) != 0},
        .is_called = (second & NAMED_IS_CALLED) != 0,
    };

    if ((second & NAMED_ONLY_CALL) != 0)
        f.only_call = cursor_uleb(&u->in);
    if ((second & NAMED_HOLDUP) != 0)
        f.holdup = take_holdup(u);
    *dwarf = (second & NAMED_DWARF) != 0;
    return f;
}

/* Create the readers of the next image, unless it has them. */
static bool has_readers(struct named_image *next)
{
    if (next->symbolizer == NULL)
        next->symbolizer = symbolizer_new(NULL, 0);
    if (next->frame_places == NULL)
        next->frame_places = frame_places_told();
    return next->symbolizer != NULL && next->frame_places != NULL;
}

size_t named_image_bytes(const struct named_image *image)
{
    return symbolizer_bytes(image->symbolizer) +
           frame_places_bytes(image->frame_places) +
           (image->image != NULL ? image_learned_bytes(image->image) : 0);
}

/* Read an address; (*at) is the previous one. Returns -1 if there is no
 * memory. */
static int take_address(struct named *n, struct unpacker *u, unsigned back,
                        uint64_t *at)
{
    struct symbol chain[NAMED_CHAIN_MAX];
    uint64_t address = *at + cursor_uleb(&u->in);
    bool dwarf;
    struct code_facts facts = take_facts(u, &dwarf);
    bool named = unpacker_chain(u, address, dwarf, chain);

    *at = address;
    if (u->in.bad)
        return 0;
    if (frame_places_learn(n->next.frame_places, address, &facts) != 0 ||
        (named &&
         symbolizer_learn(n->next.symbolizer, address - back, chain) != 0))
        return -1;
    return 0;
}

static void take_addresses(struct named *n, struct unpacker *u, unsigned back)
{
    uint64_t at = 0;

    u->no_memory = !has_readers(&n->next);
    while (!u->no_memory && !u->in.bad && cursor_left(&u->in) != 0) {
        if (n->bytes + named_image_bytes(&n->next) >= n->bytes_max) {
            n->partial = true;
            return;
        }
        u->no_memory = take_address(n, u, back, &at) != 0;
    }
}

/* Read executable segments, which the caller frees. NULL if there are none. */
static struct image_text *take_texts(struct unpacker *u, struct image_facts *f)
{
    uint64_t count = cursor_uleb(&u->in);
    struct image_text *texts;

    if (count > NAMED_TEXTS_MAX)
        cursor_fail(&u->in);
    if (u->in.bad || count == 0)
        return NULL;
    texts = calloc((size_t)count, sizeof *texts);
    u->no_memory = texts == NULL;
    for (size_t i = 0; texts != NULL && i < count; i++) {
        texts[i].address = cursor_uleb(&u->in);
        texts[i].size = cursor_uleb(&u->in);
        texts[i].file_offset = cursor_uleb(&u->in);
    }
    f->texts = texts;
    f->text_count = texts != NULL ? (size_t)count : 0;
    return texts;
}

static void take_sums(struct unpacker *u, struct image_facts *f,
                      struct image_sum sums[NAMED_SUMS_MAX])
{
    uint64_t count = cursor_uleb(&u->in);

    if (count > NAMED_SUMS_MAX) {
        cursor_fail(&u->in);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        sums[i].address = cursor_uleb(&u->in);
        sums[i].length = cursor_uleb(&u->in);
        sums[i].crc = unpacker_u32(u);
    }
    f->sums = sums;
    f->sum_count = (size_t)count;
}

/* Paths with escaped control characters, cut to PATH_SIZE. */
struct paths {
    char image[PATH_SIZE], debug[PATH_SIZE];
};

static const char *take_path(struct unpacker *u, char room[PATH_SIZE])
{
    const char *path = unpacker_text(u);

    return path != NULL ? text_escape(room, PATH_SIZE, path) : NULL;
}

static struct image_facts take_image_facts(struct unpacker *u, bool is_pe,
                                           struct paths *paths)
{
    struct image_facts f = {.is_pe = is_pe};

    f.path = take_path(u, paths->image);
    f.debug_path = take_path(u, paths->debug);
    f.split = unpacker_text(u);
    f.link = unpacker_text(u);
    f.build_id_len = (size_t)cursor_uleb(&u->in);
    if (f.path == NULL || f.build_id_len > BUILD_ID_MAX)
        cursor_fail(&u->in);
    if (f.build_id_len != 0)
        f.build_id = cursor_bytes(&u->in, f.build_id_len);
    f.flaws = unpacker_u32(u);
    f.has_symbols = unpacker_u32(u);
    for (unsigned i = 0; i < IMAGE_SYMBOLS; i++)
        if ((f.has_symbols >> i & 1) != 0)
            f.symbols[i] = cursor_uleb(&u->in);
    return f;
}

/* Append (n->next), which is complete. */
static bool keep_image(struct named *n, const struct image_facts *facts)
{
    if (n->next.red_zone_names == NULL ||
        vec_grow(&n->images, &n->room, n->count, sizeof *n->images) != 0 ||
        image_tell(&n->next.image, facts) != 0)
        return false;
    n->bytes += named_image_bytes(&n->next);
    n->images[n->count++] = n->next;
    n->next = (struct named_image){0};
    return true;
}

/* Complete the next image by (facts), (flags) and (red_zone_names). */
static void complete_image(struct named *n, struct unpacker *u, unsigned flags,
                           const struct image_facts *facts,
                           const char *red_zone_names)
{
    if (n->count == NAMED_IMAGES_MAX || red_zone_names == NULL)
        cursor_fail(&u->in);
    if (u->in.bad || u->no_memory)
        return;
    u->no_memory = !has_readers(&n->next);
    if (u->no_memory)
        return;
    n->next.is_kernel = (flags & NAMED_KERNEL) != 0;
    frame_places_set_known(n->next.frame_places, (flags & NAMED_CODE) != 0);
    free(n->next.red_zone_names);
    n->next.red_zone_names = strdup(red_zone_names);
    u->no_memory = !keep_image(n, facts);
}

static void take_hash(struct unpacker *u, struct image_facts *f)
{
    const uint8_t *bytes = cursor_bytes(&u->in, sizeof f->hash.bytes);

    f->has_hash = bytes != NULL;
    if (bytes != NULL)
        memcpy(f->hash.bytes, bytes, sizeof f->hash.bytes);
}

static void take_image(struct named *n, struct unpacker *u)
{
    struct image_sum sums[NAMED_SUMS_MAX];
    struct paths paths;
    unsigned flags = cursor_u8(&u->in);
    struct image_facts facts =
        take_image_facts(u, (flags & NAMED_PE) != 0, &paths);
    struct image_text *texts = take_texts(u, &facts);

    take_sums(u, &facts, sums);
    n->next.red_zones = (size_t)cursor_uleb(&u->in);
    const char *red_zone_names = unpacker_text(u);

    if ((flags & NAMED_HASH) != 0)
        take_hash(u, &facts);
    if ((flags & NAMED_CPU) != 0) {
        facts.cpu = cpu_of_wire(cursor_u8(&u->in));
        if (facts.cpu == NULL) /* of a later version */
            cursor_fail(&u->in);
    }
    complete_image(n, u, flags, &facts, red_zone_names);
    free(texts);
}

static int take_block(struct named *n, const uint8_t *block, size_t size,
                      struct err *e)
{
    struct unpacker u = {.in = cursor_init(block, size)};

    switch (cursor_u8(&u.in)) {
    case NAMED_LEAVES:
        take_addresses(n, &u, 0);
        break;
    case NAMED_CALLS:
        take_addresses(n, &u, 1);
        break;
    case NAMED_IMAGE:
        take_image(n, &u);
        break;
    case NAMED_PARTIAL:
        n->partial = true;
        break;
    case NAMED_FUNCTION:
        unpacker_function(n, &u);
        break;
    default: /* of a later minor version */
        break;
    }
    free(u.texts);
    if (u.no_memory)
        return err_memory(e);
    return u.in.bad ? err_set(e, "they contradict themselves") : 0;
}

int named_take(struct named *n, const void *bytes, size_t size, struct err *e)
{
    unsigned long long whole = ZSTD_getFrameContentSize(bytes, size);
    uint8_t *block;
    int result;

    if (whole == ZSTD_CONTENTSIZE_ERROR || whole == ZSTD_CONTENTSIZE_UNKNOWN ||
        whole == 0)
        return err_set(e, "they are not compressed as they should be");
    if (whole > NAMED_BLOCK_MAX)
        return err_set(e, "a block of %llu bytes exceeds %u", whole,
                       NAMED_BLOCK_MAX);
    block = malloc((size_t)whole);
    if (block == NULL)
        return err_memory(e);
    if (ZSTD_decompress(block, (size_t)whole, bytes, size) != whole)
        result = err_set(e, "their compressed bytes are damaged");
    else
        result = take_block(n, block, (size_t)whole, e);
    free(block);
    return result;
}

static void release(struct named_image *image)
{
    image_close(image->image);
    symbolizer_free(image->symbolizer);
    frame_places_free(image->frame_places);
    free(image->red_zone_names);
}

void named_fini(struct named *n)
{
    for (size_t i = 0; i < n->count; i++)
        release(&n->images[i]);
    release(&n->next);
    free(n->images);
    *n = (struct named){0};
}
