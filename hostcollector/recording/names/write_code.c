/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs the code and the source lines of the busiest functions. */
#include <stdlib.h>
#include <string.h>

#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/displaced.h"
#include "image/names/image_map.h"
#include "image/names/source_file.h"
#include "profile/aggregate/aggregate.h"
#include "recording/names/packer.h"
#include "util/cpu/cpu.h"
#include "util/hash.h"
#include "util/vec.h"

#define LINE_BYTES   256u         /* of a source line that are kept */
#define SOURCE_BYTES (256u << 10) /* of a function's source */
#define SPANS_MAX    64u          /* pieces of source of a function */

/* Functions of one name and image, which a report joins. */
struct function {
    uint32_t image; /* in the image map */
    uint64_t samples;
};

/* A run of code that samples hit. */
struct code_run {
    uint32_t function;
    uint64_t start, size; /* link-time */
};

/* Lines of one function in one file. */
struct span {
    const char *function, *file;
    uint32_t first, last;
};

struct coder {
    struct packer *packer;
    struct displaced *displaced;
    struct function *functions;
    size_t function_count, function_room;
    struct code_run *runs;
    size_t run_count, run_room;
    struct pair_map by_name;  /* image and hash of name -> function */
    struct pair_map by_start; /* image and start -> run */
    struct span spans[SPANS_MAX];
    size_t span_count;
    uint64_t *pcs; /* of a function's instructions */
    size_t pc_count, pc_room;
    size_t packed; /* bytes that were passed on */
};

/* --- Choosing --------------------------------------------------------------
 */

static const struct symbol *outermost(const struct symbol *s)
{
    while (s->inlined_into != NULL)
        s = s->inlined_into;
    return s;
}

/* Find or add the function (s) of (image). NULL if there is no memory. */
static struct function *find_function(struct coder *c, uint32_t image,
                                      const struct symbol *s, uint32_t *number)
{
    uint32_t *at = map_put(&c->by_name, image, hash_text(s->function));

    if (at == NULL || vec_grow(&c->functions, &c->function_room,
                               c->function_count, sizeof *c->functions) != 0)
        return NULL;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)c->function_count;
        c->functions[c->function_count++] = (struct function){.image = image};
    }
    *number = *at;
    return &c->functions[*at];
}

/* Add (samples) to the function that contains (s). */
static int add_samples(struct coder *c, uint32_t image, const struct symbol *s,
                       uint64_t samples)
{
    uint32_t number, *at;
    struct function *f;

    s = outermost(s);
    if (s->kind == SYMBOL_ADDRESS)
        return 0;
    f = find_function(c, image, s, &number);
    at = map_put(&c->by_start, image, s->start);
    if (f == NULL || at == NULL ||
        vec_grow(&c->runs, &c->run_room, c->run_count, sizeof *c->runs) != 0)
        return -1;
    f->samples += samples;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)c->run_count;
        c->runs[c->run_count++] = (struct code_run){number, s->start, s->size};
    }
    return 0;
}

/* Add the samples of (entry) as a report counts them. Displaced samples count
 * at the call. Samples of a sleeping core do not count. */
static int add_entry(struct coder *c, const struct profile_entry *entry)
{
    const struct named_write *job = c->packer->job;
    struct image_address at = image_map_find(job->image_map, entry->leaf);
    struct stack stack = profile_stack(job->profile, entry->stack);

    if (at.image->symbolizer == NULL ||
        frame_place_idle(frame_place_at(at.image->frame_places, at.address)))
        return 0;
    if (stack.depth == 0 || !displaced_has(c->displaced, &at))
        return add_samples(c, at.number,
                           symbolize(at.image->symbolizer, at.address),
                           entry->tally.samples);
    at = image_map_find(job->image_map, stack.frames[0] - 1);
    if (at.image->symbolizer == NULL)
        return 0;
    return add_samples(c, at.number,
                       symbolize_call(at.image->symbolizer, at.address + 1),
                       entry->tally.samples);
}

static int add_entries(struct coder *c, const struct profile *p)
{
    for (size_t i = 0; i < p->core_count; i++)
        for (size_t j = 0; j < p->cores[i].entry_count; j++)
            if (add_entry(c, &p->cores[i].entries[j]) != 0)
                return -1;
    return 0;
}

/* Returns the busiest function that was not taken yet, and takes it; NULL if
 * there is none. */
static const struct function *take_busiest(struct coder *c)
{
    struct function *best = NULL;

    for (size_t i = 0; i < c->function_count; i++)
        if (c->functions[i].samples != 0 &&
            (best == NULL || c->functions[i].samples > best->samples))
            best = &c->functions[i];
    if (best != NULL)
        best->samples = 0;
    return best;
}

/* --- Packing ---------------------------------------------------------------
 */

/* Add the addresses of the instructions in the (size) bytes at (code). */
static int add_pcs(struct coder *c, const struct cpu *cpu, uint64_t address,
                   const uint8_t *code, size_t size)
{
    for (size_t at = 0; at < size;) {
        struct insn insn;
        size_t length = cpu->decode(code + at, size - at, &insn);

        if (vec_grow(&c->pcs, &c->pc_room, c->pc_count, sizeof *c->pcs) != 0)
            return -1;
        c->pcs[c->pc_count++] = address + at;
        at += length != 0 ? length : cpu->align;
    }
    return 0;
}

/* Pack the runs of (f). Returns the number of them; -1 if there is no
 * memory. */
static int pack_runs(struct coder *c, const struct function *f,
                     const struct image *file)
{
    size_t left = NAMED_CODE_MAX;
    int count = 0;

    c->pc_count = 0;
    for (size_t i = 0; i < c->run_count && count < (int)NAMED_RUNS_MAX; i++) {
        const struct code_run *run = &c->runs[i];
        size_t have = 0;

        /* 0 would end the list */
        if (&c->functions[run->function] != f || run->size == 0)
            continue;
        const uint8_t *code = image_code(file, run->start, &have);

        if (code == NULL || have < run->size || run->size > left)
            continue;
        packer_number(c->packer, run->size);
        packer_number(c->packer, run->start);
        packer_bytes(c->packer, code, (size_t)run->size);
        if (add_pcs(c, image_cpu(file), run->start, code, (size_t)run->size) !=
            0)
            return -1;
        left -= (size_t)run->size;
        count++;
    }
    packer_number(c->packer, 0);
    return count;
}

/* Add the line of (s) to the piece of source that holds this line. */
static void add_line(struct coder *c, const struct symbol *s)
{
    struct span *span = c->spans, *end = c->spans + c->span_count;

    if (s->file == NULL || s->line == 0)
        return;
    while (span != end &&
           (span->function != s->function || span->file != s->file))
        span++;
    if (span == &c->spans[SPANS_MAX])
        return;
    if (span == end) {
        *span = (struct span){s->function, s->file, s->line, s->line};
        c->span_count++;
    }
    span->first = s->line < span->first ? s->line : span->first;
    span->last = s->line > span->last ? s->line : span->last;
}

static void pack_symbols(struct coder *c, struct symbolizer *symbolizer)
{
    uint64_t previous = 0;

    symbolizer_prepare(symbolizer, c->pcs, c->pc_count);
    packer_number(c->packer, c->pc_count);
    c->span_count = 0;
    for (size_t i = 0; i < c->pc_count; i++) {
        const struct symbol *s = symbolize(symbolizer, c->pcs[i]);

        packer_number(c->packer, c->pcs[i] - previous);
        packer_byte(c->packer, packer_is_dwarf(s));
        previous = c->pcs[i];
        add_line(c, s);
        if (s->kind == SYMBOL_ADDRESS)
            packer_number(c->packer, 0);
        else
            packer_chain(c->packer, c->pcs[i], s);
    }
}

static void pack_line(struct packer *p, const char *text, size_t length)
{
    packer_bytes(p, text, length < LINE_BYTES ? length : LINE_BYTES);
    packer_byte(p, '\0');
}

/* Pack lines (first) to (last) of (text), as many as there are. */
static void pack_text_lines(struct packer *p, const char *text, uint32_t first,
                            uint32_t last)
{
    uint32_t count = 0, number = 1;

    for (const char *at = text; number <= last && *at != '\0'; number++) {
        count += number >= first;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    packer_number(p, count);
    for (number = 1; number < first + count; number++) {
        size_t length = strcspn(text, "\n");

        if (number >= first)
            pack_line(p, text, length);
        text += length + (text[length] == '\n');
    }
}

static void pack_span(struct coder *c, const struct span *span)
{
    struct packer *p = c->packer;
    char *text = source_file_read(p->job->folder, span->file);
    uint32_t last = span->last - span->first < NAMED_LINES_MAX
                        ? span->last
                        : span->first + NAMED_LINES_MAX - 1;

    if (text == NULL)
        return;
    packer_text(p, span->file);
    packer_number(p, span->first);
    pack_text_lines(p, text, span->first, last);
    free(text);
}

/* Pack the lines that a recording has of (file). */
static void pack_told_sources(struct coder *c, const struct image *file)
{
    const struct image_source *source;

    for (size_t i = 0; (source = image_source_at(file, i)) != NULL; i++) {
        bool used = false;

        for (size_t j = 0; j < c->span_count; j++)
            used |= strcmp(c->spans[j].file, source->path) == 0 &&
                    c->spans[j].first <= source->first &&
                    c->spans[j].last >= source->first;
        if (!used)
            continue;
        packer_text(c->packer, source->path);
        packer_number(c->packer, source->first);
        packer_number(c->packer, source->count);
        packer_bytes(c->packer, source->lines, source->size);
    }
}

/* Pack the source lines of the function's code. */
static void pack_sources(struct coder *c, const struct image *file)
{
    size_t before = c->packer->used;

    if (image_is_told(file))
        pack_told_sources(c, file);
    else if (c->packer->job->reads_sources)
        for (size_t i = 0; i < c->span_count; i++)
            if (c->packer->used - before < SOURCE_BYTES)
                pack_span(c, &c->spans[i]);
    packer_number(c->packer, 0);
}

/* The number of (image) among the images of the recording, from 1; 0: none. */
static size_t number_of(const struct coder *c, uint32_t image)
{
    const struct named_write *job = c->packer->job;

    for (size_t i = 0; i < job->source_count; i++)
        if (job->sources[i].number == image)
            return i + 1;
    return 0;
}

/* Pack (f) and pass its block on, if there is code, and room for the block. */
static int pack_function(struct coder *c, const struct function *f,
                         struct err *e)
{
    struct packer *p = c->packer;
    const struct mapped_image *image =
        image_map_image(p->job->image_map, f->image);
    size_t number = number_of(c, f->image);

    packer_begin(p, NAMED_FUNCTION);
    packer_number(p, number);
    int runs = number != 0 ? pack_runs(c, f, image->file) : 0;

    if (runs <= 0)
        return runs == 0 ? 0 : err_set(e, "names: out of memory");
    pack_symbols(c, image->symbolizer);
    pack_sources(c, image->file);
    size_t size = packer_squeeze(p, e);

    p->failed = false; /* a function that has no room is left out */
    if (size == 0 || size > NAMED_CODE_PACKED - c->packed)
        return 0;
    c->packed += size;
    return p->job->keep(p->job->context, p->packed, size, e);
}

static int pack_busiest(struct coder *c, struct err *e)
{
    const struct function *f;

    for (unsigned i = 0; i < NAMED_FUNCTIONS; i++)
        if ((f = take_busiest(c)) != NULL && pack_function(c, f, e) != 0)
            return -1;
    return 0;
}

/* Look up again all addresses that the symbolizers have forgotten. */
static void prepare(const struct named_write *job,
                    const struct frame_addresses *a)
{
    for (size_t i = 0; i < a->image_count; i++) {
        const struct mapped_image *image =
            image_map_image(job->image_map, (uint32_t)i);

        if (image->symbolizer != NULL)
            symbolizer_prepare(image->symbolizer, a->images[i].leaves.list,
                               a->images[i].leaves.count);
    }
}

int packer_add_code(struct packer *p, const struct frame_addresses *a,
                    struct err *e)
{
    struct coder *c = calloc(1, sizeof *c);
    int result;

    if (c == NULL)
        return err_set(e, "names: out of memory");
    c->packer = p;
    prepare(p->job, a);
    c->displaced = displaced_new(p->job->profile, p->job->image_map);
    result = add_entries(c, p->job->profile) == 0
                 ? pack_busiest(c, e)
                 : err_set(e, "names: out of memory");
    displaced_free(c->displaced);
    map_fini(&c->by_name);
    map_fini(&c->by_start);
    free(c->functions);
    free(c->runs);
    free(c->pcs);
    free(c);
    return result;
}
