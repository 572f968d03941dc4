/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of names in a recording, as RECORDING.md has them but uncompressed:
 * each is its length (2 bytes) and its bytes. The images that come of them are
 * asked about addresses. A length of 65535 stands for the rest, as it is: no
 * zstd frame.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/symbolize.h"
#include "recording/names/block.h"
#include "recording/names/named.h"
#include "shown.h"
#include "util/bytes.h"

#define ROOM      (1u << 20)
#define AS_IT_IS  65535u
#define ADDRESSES 64u /* are asked about, of each kind */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool promise)
{
    if (!promise)
        abort();
}

/* (data) as a frame of zstd that packs nothing: packing would take most of the
 * time. RFC 8878: magic, size of all (bit 5: one segment, bit 7: 4 bytes), one
 * block. */
static size_t wrap_in_frame(uint8_t *frame, const uint8_t *data, size_t size)
{
    store_u32(frame, 0xfd2fb528);
    frame[4] = 0xa0;
    store_u32(frame + 5, (uint32_t)size);
    store_u32(frame + 9, (uint32_t)size << 3 | 1); /* 3 bytes: the last, raw */
    memcpy(frame + 12, data, size);
    return 12 + size;
}

static void take(struct named *n, const uint8_t *data, size_t size)
{
    static uint8_t frame[AS_IT_IS + 16];
    size_t count = n->count;
    struct err e = {""};
    size_t length = wrap_in_frame(frame, data, size);

    if (named_take(n, frame, length, &e) != 0)
        must(e.text[0] != '\0' && n->count == count);
    must(n->count <= count + 1);
}

static void take_all(struct named *n, const uint8_t *data, size_t size)
{
    struct err e;

    while (size >= 2) {
        size_t length = load_u16(data);

        data += 2;
        size -= 2;
        if (length == AS_IT_IS) {
            (void)named_take(n, data, size, &e);
            return;
        }
        length = length < size ? length : size;
        take(n, data, length);
        data += length;
        size -= length;
    }
}

static void check_text(const char *text)
{
    if (text != NULL)
        shown_is_harmless(text, strlen(text), NULL);
}

static void check_address(struct named_image *image, uint64_t address)
{
    const struct symbol *s = symbolize(image->symbolizer, address);
    struct code_facts facts = frame_place_facts(image->frame_places, address);
    unsigned depth = 0;

    must(facts.place <= CODE_IDLE_BARE && facts.call_place <= CODE_IDLE_BARE &&
         facts.exit.words <= CODE_FAR);
    must(s == symbolize(image->symbolizer, address));
    for (; s != NULL; s = s->inlined_into) {
        must(s->function != NULL && ++depth <= NAMED_CHAIN_MAX);
        must((s->kind == SYMBOL_INLINED) == (s->inlined_into != NULL));
        check_text(s->function);
        check_text(s->file);
        check_text(s->home);
    }
}

static void check_code(const struct image *img, uint64_t address)
{
    size_t len;
    const uint8_t *code = image_code(img, address, &len);

    must((code == NULL) == (len == 0) && len <= NAMED_CODE_MAX);
    for (size_t i = 0; i < len; i++)
        (void)*(const volatile uint8_t *)&code[i]; /* readable */
}

static void check_sources(const struct image *img)
{
    const struct image_source *source;

    for (size_t i = 0; (source = image_source_at(img, i)) != NULL; i++) {
        size_t at = 0;

        must(source->path != NULL && source->count <= NAMED_LINES_MAX);
        for (uint32_t line = 0; line < source->count; line++)
            at += strlen(source->lines + at) + 1;
        must(at == source->size);
    }
}

static void check_image(struct named_image *image)
{
    const struct image *img = image->image;
    struct image_facts facts = image_get_facts(img);
    uint64_t slide;
    uint32_t crc;
    size_t len;
    struct err e;

    must(facts.path != NULL && facts.build_id_len <= 64);
    (void)image_slide(img, 4096, &slide, &e);
    for (size_t i = 0; i < facts.sum_count; i++)
        must(image_text_crc(img, facts.sums[i].address, facts.sums[i].length,
                            &crc) == 0);
    for (uint64_t a = 0; a < ADDRESSES; a++) {
        check_code(img, a);
        check_code(img, 0x200000 + a);
    }
    check_sources(img);
    must(image_section(img, ".debug_info", &len) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct named n = {.bytes_max = ROOM};

    if (size >= AS_IT_IS)
        return 0;
    take_all(&n, data, size);
    must(n.bytes <= 4u * ROOM);
    for (size_t i = 0; i < n.count; i++) {
        check_image(&n.images[i]);
        for (uint64_t a = 0; a < ADDRESSES; a++) {
            check_address(&n.images[i], a);
            check_address(&n.images[i], 0x200000 + a);
        }
    }
    named_fini(&n);
    return 0;
}
