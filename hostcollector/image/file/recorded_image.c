/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes an image from facts in a recording, without the image's file. */
#include <stdlib.h>
#include <string.h>

#include "image/file/object.h"
#include "util/arena.h"
#include "util/cpu/cpu.h"
#include "util/vec.h"

const char *const image_symbols[IMAGE_SYMBOLS] = {
    "tprof_anchor", "tprof_directory", "tprof_init_image", "__tprof_text_start",
    "__tprof_text_end"};

struct told {
    /* first: object_facts() returns a pointer to it */
    struct image_facts facts;
    struct arena arena;
    struct image_part *codes;
    struct image_source *sources;
    size_t code_count, code_room, source_count, source_room;
};

/* Copy (text). NULL if (text) is NULL, or with (*failed) set if there is no
 * memory. */
static const char *keep_text(struct told *t, const char *text, bool *failed)
{
    const char *copy =
        text != NULL ? arena_strndup(&t->arena, text, strlen(text)) : NULL;

    *failed |= text != NULL && copy == NULL;
    return copy;
}

static const void *keep_bytes(struct told *t, const void *bytes, size_t size,
                              bool *failed)
{
    void *copy = size != 0 ? arena_alloc(&t->arena, size) : NULL;

    *failed |= size != 0 && copy == NULL;
    if (copy != NULL)
        memcpy(copy, bytes, size);
    return copy;
}

static bool keep_facts(struct told *t, const struct image_facts *f)
{
    bool failed = false;

    t->facts = *f;
    t->facts.path = keep_text(t, f->path, &failed);
    t->facts.debug_path = keep_text(t, f->debug_path, &failed);
    t->facts.split = keep_text(t, f->split, &failed);
    t->facts.link = keep_text(t, f->link, &failed);
    t->facts.build_id = keep_bytes(t, f->build_id, f->build_id_len, &failed);
    t->facts.sums =
        keep_bytes(t, f->sums, f->sum_count * sizeof *f->sums, &failed);
    return !failed;
}

int object_tell(struct object *o, const struct image_facts *facts)
{
    struct told *t = calloc(1, sizeof *t);

    if (t == NULL)
        return -1;
    o->ops = &object_told;
    o->reader = t;
    if (!keep_facts(t, facts))
        return -1;
    o->path = t->facts.path;
    o->cpu = facts->cpu != NULL ? facts->cpu : cpu_at(0);
    t->facts.texts = NULL; /* the object owns the segments */
    for (size_t i = 0; i < facts->text_count; i++) {
        struct image_text text = facts->texts[i];
        struct err ignored;

        text.bytes = NULL;
        text.bytes_len = 0;
        if (object_add_segment(o, &text, true, &ignored) != 0)
            return -1;
    }
    return 0;
}

static void close_told(struct object *o)
{
    struct told *t = o->reader;

    if (t == NULL)
        return;
    arena_fini(&t->arena);
    free(t->codes);
    free(t->sources);
    free(t);
}

static const uint8_t *build_id(const struct object *o, size_t *len)
{
    const struct image_facts *f = o->reader;

    *len = f->build_id_len;
    return f->build_id;
}

static struct image_part section(const struct object *o, const char *name)
{
    (void)o;
    (void)name;
    return (struct image_part){0};
}

static bool find_symbol(const struct object *o, const char *name, bool mark,
                        uint64_t *address)
{
    const struct image_facts *f = o->reader;

    (void)mark;
    for (unsigned i = 0; i < IMAGE_SYMBOLS; i++) {
        if ((f->has_symbols >> i & 1) != 0 &&
            strcmp(name, image_symbols[i]) == 0) {
            *address = f->symbols[i];
            return true;
        }
    }
    return false;
}

const struct object_ops object_told = {
    .open = NULL,
    .close = close_told,
    .build_id = build_id,
    .section = section,
    .find_symbol = find_symbol,
};

static struct told *told_of(const struct image *img)
{
    return object_of(img)->reader;
}

bool image_is_told(const struct image *img)
{
    return object_facts(object_of(img)) != NULL;
}

int image_learn_code(struct image *img, uint64_t address, const uint8_t *bytes,
                     size_t size)
{
    struct told *t = told_of(img);
    bool failed = false;

    if (vec_grow(&t->codes, &t->code_room, t->code_count, sizeof *t->codes) !=
        0)
        return -1;
    t->codes[t->code_count] =
        (struct image_part){address, size, keep_bytes(t, bytes, size, &failed)};
    t->code_count += !failed;
    return failed ? -1 : 0;
}

int image_learn_source(struct image *img, const struct image_source *source)
{
    struct told *t = told_of(img);
    struct image_source copy = *source;
    bool failed = false;

    if (vec_grow(&t->sources, &t->source_room, t->source_count,
                 sizeof *t->sources) != 0)
        return -1;
    copy.path = keep_text(t, source->path, &failed);
    copy.lines = keep_bytes(t, source->lines, source->size, &failed);
    t->sources[t->source_count] = copy;
    t->source_count += !failed;
    return failed ? -1 : 0;
}

size_t image_learned_bytes(const struct image *img)
{
    const struct told *t = told_of(img);

    return arena_bytes(&t->arena) + t->code_room * sizeof *t->codes +
           t->source_room * sizeof *t->sources;
}

const struct image_source *image_source_at(const struct image *img, size_t i)
{
    if (!image_is_told(img) || i >= told_of(img)->source_count)
        return NULL;
    return &told_of(img)->sources[i];
}

const uint8_t *object_told_code(const struct object *o, uint64_t address,
                                size_t *len)
{
    const struct told *t = o->reader;

    for (size_t i = 0; i < t->code_count; i++) {
        const struct image_part *code = &t->codes[i];

        if (address - code->address < code->size) {
            *len = (size_t)(code->size - (address - code->address));
            return code->bytes + (address - code->address);
        }
    }
    *len = 0;
    return NULL;
}
