/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the guest's image: identity, symbols, lines, frame_places,
 * facts, an annotation and a sample profile of what samples hit in it. The file
 * is in memory
 * (--wrap, CMakeLists.txt), and is what is found under each other name, too: so
 * an image may be its own debug file.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "annotate/annotate_output.h"
#include "check/gather.h"
#include "check/report.h"
#include "guard/opener.h"
#include "image/code/frame_place.h"
#include "image/dwarf/dwarf.h"
#include "image/file/image.h"
#include "image/names/image_map.h"
#include "image/names/symbolize.h"
#include "pgo/bodies.h"
#include "pgo/hits.h"
#include "pgo/pgo.h"
#include "pgo/pgo_part.h"
#include "pgo/pgo_parts.h"
#include "profile/aggregate/aggregate.h"
#include "report/table.h"
#include "shown.h"
#include "util/err.h"
#include "view/view_build.h"

#define FD_IMAGE      100000 /* no file has this descriptor */
#define MAX_ADDRESSES 256u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- The file ------------------------------------------------------------- */

static const uint8_t *file;
static size_t file_size;
static unsigned opened;

static void fill(struct stat *s)
{
    *s = (struct stat){.st_mode = S_IFREG, .st_size = (off_t)file_size};
}

int __real_stat(const char *path, struct stat *s);
int __wrap_stat(const char *path, struct stat *s);
int __wrap_stat(const char *path, struct stat *s)
{
    if (file == NULL) /* what replays a corpus asks for its files */
        return __real_stat(path, s);
    fill(s);
    return 0;
}

int __wrap_fstat(int fd, struct stat *s);
int __wrap_fstat(int fd, struct stat *s)
{
    (void)fd;
    fill(s);
    return 0;
}

int __wrap_opener_open(enum opener_how how, const char *path);
int __wrap_opener_open(enum opener_how how, const char *path)
{
    (void)how;
    (void)path;
    opened++;
    return FD_IMAGE;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    if (fd != FD_IMAGE)
        return __real_close(fd);
    opened--;
    return 0;
}

off_t __wrap_lseek(int fd, off_t at, int whence);
off_t __wrap_lseek(int fd, off_t at, int whence)
{
    (void)fd;
    return whence == SEEK_DATA ? at : (off_t)file_size;
}

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at)
{
    (void)fd;
    if (size > file_size - (size_t)at)
        size = file_size - (size_t)at;
    memcpy(buf, file + at, size);
    return (ssize_t)size;
}

/* --- What is done with it ------------------------------------------------- */

/* Addresses at equal distances over all text. */
static size_t choose(const struct image *img, uint64_t *pcs)
{
    const struct image_text *t;
    size_t n = 0;

    for (size_t i = 0; (t = image_text_at(img, i)) != NULL; i++) {
        size_t step = t->bytes_len / 128 + 1;

        for (size_t at = 0; at < t->bytes_len && n < MAX_ADDRESSES; at += step)
            pcs[n++] = t->address + at;
    }
    return n;
}

static void look_over(struct image *img)
{
    struct check_facts facts;
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL || check_gather(&facts, img) != 0)
        abort();
    if (facts.line_bytes > facts.code_bytes ||
        facts.named_bytes > facts.code_bytes ||
        facts.agent.text_bytes > facts.code_bytes)
        abort();
    check_report(&(struct check_out){out, 80}, "image", &facts, true);
    if (fclose(out) != 0)
        abort();
    shown_is_harmless(text, len, NULL);
    free(text);
    check_facts_fini(&facts);
}

/* Samples at the (n) addresses (pcs), as often as their numbers say. */
static void sample(struct aggregate *a, const uint64_t *pcs, size_t n)
{
    static const struct guest guest = {.wire_version = TPROF_WIRE_VERSION,
                                       .arch = WIRE_ARCH_X86_64,
                                       .cores = 1,
                                       .tsc_hz = 1000000};
    const struct stack none = {.end = WIRE_END_ZERO};

    if (aggregate_hello(a, HELLO_FIRST, &guest) != 0)
        abort();
    for (size_t i = 0; i < n; i++) {
        struct sample s = {.tsc = 1000 * (i + 1),
                           .leaf = pcs[i],
                           .stack = aggregate_stack(a, 0, &none),
                           .late = (uint32_t)(i % 3) << 20,
                           .weight = 1 + (uint32_t)i % 7};
        const struct sample_batch batch = {
            .period = 1000, .samples = &s, .count = 1};

        aggregate_samples(a, &batch);
    }
}

/* The blocks of a run of code have at most what there is. */
static void check_sums(const struct annotation *a)
{
    for (size_t i = 0; i < a->code_count; i++) {
        uint64_t samples = 0, insns = 0;

        for (uint32_t j = 0; j < a->codes[i].block_count; j++) {
            samples += a->codes[i].blocks[j].sum.amount.samples;
            insns += a->codes[i].blocks[j].count;
        }
        if (samples > a->sum.amount.samples || insns != a->codes[i].insn_count)
            abort();
    }
}

static void write_annotation(const struct report *r)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL)
        abort();
    annotate_text(out, r);
    if (fclose(out) != 0)
        abort();
    shown_is_harmless(text, len, NULL);
    free(text);
}

static void annotate_function(const struct profile *p, const struct view *v,
                              const struct image_map *map, const char *function)
{
    static const struct remarks remarks;
    const struct annotate_job job = {.profile = p,
                                     .view = v,
                                     .image_map = map,
                                     .function = function,
                                     .folder = "source",
                                     .memory = 1 << 24};
    struct err e = {""};
    bool unfound;
    struct annotation *a = annotate(&job, &unfound, &e);
    const struct report r = {.profile = p,
                             .view = v,
                             .remarks = &remarks,
                             .function = function,
                             .all = true,
                             .annotation = a};

    if (a == NULL && e.text[0] == '\0')
        abort();
    if (a != NULL) {
        check_sums(a);
        write_annotation(&r);
    }
    annotation_free(a);
}

/* The bodies must have what their lines and inner bodies have together. */
static void check_totals(const struct sample_profile *s)
{
    uint64_t functions = 0, lines = 0;

    for (size_t i = 0; i < s->body_count; i++) {
        const struct sampled_body *b = &s->bodies[i];

        functions += b->depth == 0 ? b->total : 0;
        for (size_t j = 0; j < b->line_count; j++)
            lines += b->lines[j].count;
        if (b->depth > (i != 0 ? s->bodies[i - 1].depth + 1 : 0))
            abort();
    }
    if (functions != lines)
        abort();
}

/* What pgo would write if these were samples enough. */
static void write_profile(const struct render_ops *format,
                          struct sample_profile *s)
{
    struct render to = {0};
    char *text;
    size_t len;

    to.out = open_memstream(&text, &len);
    if (to.out == NULL)
        abort();
    format->write(&to, &(struct report){.sample_profile = s});
    if (fclose(to.out) != 0)
        abort();
    shown_is_harmless(text, len, NULL);
    free(text);
}

static void write_bodies(const struct hits *h, struct bodies *b)
{
    struct sample_profile s = {.samples = h->samples};
    struct arena arena = {0};

    if (bodies_finish(b, &arena, &s) != 0)
        abort();
    check_totals(&s);
    write_profile(&render_pgo, &s);
    arena_fini(&arena);
}

static void write_addresses(const struct hits *h, const struct image *img)
{
    struct sample_profile s = {.samples = h->samples};
    struct arena arena = {0};
    struct names names = {0};

    if (pgo_addresses_finish(&s, &arena, &names, h, img) != 0 ||
        s.placed > s.samples)
        abort();
    write_profile(&render_fdata, &s);
    names_fini(&names);
    arena_fini(&arena);
}

static void profile_image(const struct profile *p, const struct view *v,
                          struct image *img)
{
    struct err e = {""};
    struct sample_profile *s = pgo_profile(
        &(struct pgo_job){.profile = p, .view = v, .image = img}, &e);
    struct dwarf *d = dwarf_open(img);
    struct dwarf_target t[2 * MAX_ADDRESSES] = {0};
    struct bodies b = {0};
    struct hits h;

    if (s == NULL && e.text[0] == '\0')
        abort();
    sample_profile_free(s);
    if (hits_gather(&h, p, v, img) != 0 || h.count > 2 * MAX_ADDRESSES)
        abort();
    for (size_t i = 0; i < h.count; i++)
        t[i].address = h.list[i].address;
    if (d != NULL)
        dwarf_resolve(d, t, h.count);
    for (size_t i = 0; i < h.count; i++)
        if (bodies_add(&b, &t[i], 1 + i % 7) != 0)
            abort();
    for (size_t i = 0; i < h.count; i++)
        bodies_begin(&b, &t[i]);
    for (size_t i = 0; i < h.count; i++)
        if (bodies_call(&b, &t[i], &t[i * 7 % h.count], 0.5) != 0)
            abort();
    write_bodies(&h, &b);
    write_addresses(&h, img);
    bodies_fini(&b);
    hits_fini(&h);
    dwarf_close(d);
}

static void annotate_image(const struct mapped_image *image, struct image *img,
                           const uint64_t *pcs, size_t n)
{
    const struct aggregate_config config = {.memory_max = 1 << 24};
    struct aggregate *a = aggregate_new(&config);
    struct image_map *map = image_map_new(image, 0);

    if (a == NULL || map == NULL)
        abort();
    sample(a, pcs, n);
    const struct profile *p = aggregate_profile(a);
    struct view *v = p != NULL ? view_new(p, map, 1 << 24) : NULL;

    if (v == NULL)
        abort();
    annotate_function(p, v, map, NULL);
    annotate_function(p, v, map, "a");
    profile_image(p, v, img);
    view_free(v);
    image_map_free(map);
    aggregate_free(a);
}

static void use(struct image *img)
{
    struct symbolizer *s = symbolizer_new(img, 0);
    struct frame_places *o = frame_places_new(img, 0);
    uint64_t pcs[MAX_ADDRESSES], slide;
    size_t n = choose(img, pcs), len;
    uint32_t crc;

    (void)image_build_id(img, &len);
    (void)image_slide(img, 0, &slide, NULL);
    if (s == NULL || o == NULL)
        abort();
    symbolizer_prepare(s, pcs, n);
    for (size_t i = 0; i < n; i++) {
        const struct symbol *f = symbolize(s, pcs[i]);

        for (; f != NULL; f = f->inlined_into) {
            if (f->function == NULL || strpbrk(f->function, "\033\n") != NULL)
                abort();
        }
        (void)frame_place_at(o, pcs[i]);
        (void)frame_place_exit(o, pcs[i]);
        (void)frame_place_only_call(o, pcs[i]);
        (void)image_text_crc(img, pcs[i], 4096, &crc);
    }
    annotate_image(
        &(struct mapped_image){.file = img, .symbolizer = s, .frame_places = o},
        img, pcs, n);
    frame_places_free(o);
    symbolizer_free(s);
    look_over(img);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image *img;
    struct err e = {""};

    file = data;
    file_size = size;
    if (image_open(&img, "image", &e) == 0)
        use(img);
    else if (e.text[0] == '\0')
        abort(); /* a failure without a reason */
    image_close(img);
    if (opened != 0)
        abort();
    file = NULL;
    return 0;
}
