/* SPDX-License-Identifier: BSD-2-Clause */
/* Images + profile -> names for a recording. */
#include "recording/names/named.h"

#include <stdbool.h>
#include <stdlib.h>

#include "image/code/frame_place.h"
#include "image/names/image_map.h"
#include "recording/names/packer.h"
#include "util/cpu/cpu.h"

/* A block is passed on when it has this many bytes. One more address then fits
 * surely: it has at most NAMED_CHAIN_MAX functions of three texts each. */
#define BLOCK_FULL  (256u << 10)
#define SYMBOL_SIZE 1280 /* usual maximum of an answer's bytes */
#define BATCH_MIN   64u

/* Write (address) with its symbol (s) and the (facts) of its code. */
static void put_address(struct packer *p, uint64_t address,
                        const struct symbol *s, const struct code_facts *f)
{
    packer_number(p, address - p->previous);
    p->previous = address;
    packer_byte(p, (unsigned)f->place | f->exit.words << NAMED_WORDS_SHIFT |
                       (f->exit.fp_kept ? NAMED_FP_KEPT : 0) |
                       (f->exit.called ? NAMED_CALLED : 0));
    packer_byte(p, (unsigned)f->call_place |
                       (f->is_called ? NAMED_IS_CALLED : 0) |
                       (f->only_call != 0 ? NAMED_ONLY_CALL : 0) |
                       (f->holdup != HOLDUP_NONE ? NAMED_HOLDUP : 0) |
                       (packer_is_dwarf(s) ? NAMED_DWARF : 0));
    if (f->only_call != 0)
        packer_number(p, f->only_call);
    if (f->holdup != HOLDUP_NONE)
        packer_byte(p, f->holdup);
    if (s->kind == SYMBOL_ADDRESS) {
        packer_number(p, 0);
        return;
    }
    packer_chain(p, address, s);
}

/* A list of addresses that is being packed. */
struct listing {
    struct packer *packer;
    struct symbolizer *symbolizer;
    struct frame_places *frame_places;
    enum named_block kind;
    bool calls;     /* the addresses are return addresses */
    uint64_t *room; /* room for (batch) addresses */
    size_t batch;
};

/* Pass the block on, and begin the next one. */
static int next_block(struct listing *l, struct err *e)
{
    int result = l->packer->used > 1 ? packer_end(l->packer, e) : 0;

    packer_begin(l->packer, l->kind);
    return result;
}

/* Look up as many of the (left) addresses at (list) as fit one batch,
 * together. */
static int prepare(struct listing *l, const uint64_t *list, size_t left,
                   struct err *e)
{
    size_t n = left < l->batch ? left : l->batch;

    if (symbolizer_bytes(l->symbolizer) > l->packer->job->memory / 4) {
        if (next_block(l, e) != 0)
            return -1;
        symbolizer_forget(l->symbolizer);
    }
    for (size_t i = 0; i < n; i++)
        l->room[i] = list[i] - l->calls;
    symbolizer_prepare(l->symbolizer, l->room, n);
    return 0;
}

static int pack_addresses(struct listing *l, const struct address_list *of,
                          struct err *e)
{
    packer_begin(l->packer, l->kind);
    for (size_t i = 0; i < of->count; i++) {
        uint64_t address = of->list[i];

        if (i % l->batch == 0 &&
            prepare(l, of->list + i, of->count - i, e) != 0)
            return -1;
        struct code_facts facts = frame_place_facts(l->frame_places, address);

        put_address(l->packer, address,
                    l->calls ? symbolize_call(l->symbolizer, address)
                             : symbolize(l->symbolizer, address),
                    &facts);
        if (l->packer->used > BLOCK_FULL && next_block(l, e) != 0)
            return -1;
    }
    return next_block(l, e);
}

/* Pack the addresses of an image. Each batch is small enough for its
 * answers. */
static int pack_list(struct packer *p, const struct mapped_image *image,
                     const struct address_list *of, enum named_block kind,
                     struct err *e)
{
    size_t batch = p->job->memory / 4 / SYMBOL_SIZE;
    struct listing l = {.packer = p,
                        .symbolizer = image->symbolizer,
                        .frame_places = image->frame_places,
                        .kind = kind,
                        .calls = kind == NAMED_CALLS,
                        .batch = batch > BATCH_MIN ? batch : BATCH_MIN};

    if (l.batch > of->count)
        l.batch = of->count + 1;
    l.room = calloc(l.batch, sizeof *l.room);
    int result = l.room != NULL ? pack_addresses(&l, of, e)
                                : err_set(e, "names: out of memory");

    free(l.room);
    return result;
}

static void put_facts(struct packer *p, const struct named_source *s,
                      const struct image_facts *f)
{
    packer_text(p, s->path);
    packer_text(p, s->debug_path);
    packer_text(p, f->split);
    packer_text(p, f->link);
    packer_number(p, f->build_id_len);
    packer_bytes(p, f->build_id, f->build_id_len);
    packer_number(p, f->flaws);
    packer_number(p, f->has_symbols);
    for (unsigned i = 0; i < IMAGE_SYMBOLS; i++)
        if ((f->has_symbols >> i & 1) != 0)
            packer_number(p, f->symbols[i]);
    packer_number(p, f->text_count);
    for (size_t i = 0; i < f->text_count; i++) {
        packer_number(p, f->texts[i].address);
        packer_number(p, f->texts[i].size);
        packer_number(p, f->texts[i].file_offset);
    }
    packer_number(p, s->sum_count);
    for (size_t i = 0; i < s->sum_count; i++) {
        packer_number(p, s->sums[i].address);
        packer_number(p, s->sums[i].length);
        packer_number(p, s->sums[i].crc);
    }
    packer_number(p, s->red_zones);
    packer_text(p, s->red_zone_names);
    if (f->has_hash)
        packer_bytes(p, f->hash.bytes, sizeof f->hash.bytes);
}

/* Pack the facts about the image. They follow its addresses, since looking up
 * addresses may show flaws of the image. */
static int pack_image(struct packer *p, const struct named_source *s,
                      bool has_code, struct err *e)
{
    struct image_facts facts = image_get_facts(s->image);

    bool usual = facts.cpu == cpu_at(0);

    packer_begin(p, NAMED_IMAGE);
    packer_byte(p, (facts.is_pe ? NAMED_PE : 0) | (has_code ? NAMED_CODE : 0) |
                       (s->is_kernel ? NAMED_KERNEL : 0) |
                       (facts.has_hash ? NAMED_HASH : 0) |
                       (usual ? 0 : NAMED_CPU));
    put_facts(p, s, &facts);
    if (!usual)
        packer_byte(p, facts.cpu->wire);
    return packer_end(p, e);
}

static int pack_source(struct packer *p, const struct named_source *s,
                       const struct frame_addresses *a, struct err *e)
{
    if (s->number == UINT32_MAX)
        return pack_image(p, s, false, e);
    const struct mapped_image *image =
        image_map_image(p->job->image_map, s->number);
    const struct image_addresses *of = &a->images[s->number];

    symbolizer_limit(image->symbolizer, p->job->memory / 2);
    if (pack_list(p, image, &of->leaves, NAMED_LEAVES, e) != 0 ||
        pack_list(p, image, &of->calls, NAMED_CALLS, e) != 0)
        return -1;
    return pack_image(p, s, frame_places_known(image->frame_places), e);
}

static int pack_all(struct packer *p, const struct frame_addresses *a,
                    struct err *e)
{
    for (size_t i = 0; i < p->job->source_count; i++)
        if (pack_source(p, &p->job->sources[i], a, e) != 0)
            return -1;
    if (p->job->code && packer_add_code(p, a, e) != 0)
        return -1;
    if (!p->job->partial && !a->partial)
        return 0;
    packer_begin(p, NAMED_PARTIAL);
    return packer_end(p, e);
}

int named_write_all(const struct named_write *w, struct err *e)
{
    struct packer p = {.job = w};
    struct frame_addresses a = {.bytes_max = w->memory / 2};
    int result;

    if (!packer_init(&p) ||
        frame_addresses_gather(&a, w->profile, w->image_map) != 0)
        result = err_set(e, "names: out of memory");
    else
        result = pack_all(&p, &a, e);
    frame_addresses_fini(&a);
    packer_fini(&p);
    return result;
}
