/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and identifies the guest's executable, whatever its format. */
#include "image/file/image.h"

#include <stdlib.h>
#include <string.h>

#include "image/file/object.h"
#include "util/crc.h"

struct image {
    char *path;
    struct object object;
    struct debug_file *debug;    /* NULL: none */
    const struct symtab *symtab; /* the table of one of the two objects */
    struct symtab variables;     /* filled when the first one is looked up */
    bool has_variables;
    const uint8_t *build_id;
    size_t build_id_len;
    unsigned flaws;
    const char *split; /* NULL: none, or a file without a name */
};

static bool is_packed(const struct object *o)
{
    return o->ops->packed != NULL && o->ops->packed(o);
}

static bool has_packed(const struct image *img)
{
    return is_packed(&img->object) ||
           (img->debug != NULL && is_packed(&img->debug->object));
}

static void find_flaws(struct image *img)
{
    bool pe = image_is_pe(img);
    size_t len;

    if (img->build_id == NULL)
        img->flaws |= IMAGE_NO_BUILD_ID;
    if (img->object.text_count == 0)
        img->flaws |= IMAGE_NO_CODE;
    if (img->symtab->count == 0)
        img->flaws |= pe ? IMAGE_NO_SYMBOLS_PE : IMAGE_NO_SYMBOLS;
    if (image_section(img, ".debug_info", &len) != NULL)
        return;
    if (debug_file_link(&img->object) != NULL)
        img->flaws |= IMAGE_NO_DEBUG_FILE;
    else
        img->flaws |= pe ? IMAGE_NO_DEBUG_PE : IMAGE_NO_DEBUG;
}

/* Take the symbols of the image or of its debug file, of the object that has
 * more symbols. Prefer a symbol table to a list. */
static void choose_symbols(struct image *img)
{
    const struct object *debug =
        img->debug != NULL ? &img->debug->object : NULL;

    img->symtab = &img->object.symtab;
    if (debug != NULL && (debug->symtab.count > img->symtab->count ||
                          (img->object.is_listed && debug->symtab.count != 0)))
        img->symtab = &debug->symtab;
    find_flaws(img);
}

bool image_take_debug(struct image *img, const char *path)
{
    const unsigned missing = IMAGE_NO_DEBUG | IMAGE_NO_DEBUG_FILE;

    if (img->debug != NULL || (img->flaws & missing) == 0)
        return false;
    img->debug =
        debug_file_take(&img->object, path, img->build_id, img->build_id_len);
    if (img->debug == NULL)
        return false;
    img->flaws = 0;
    choose_symbols(img);
    return true;
}

static int read_file(struct image *img, struct err *e)
{
    struct object *o = &img->object;
    size_t len;

    if (object_open(o, img->path, e) != 0)
        return -1;
    img->build_id = o->ops->build_id(o, &img->build_id_len);
    if (image_section(img, ".debug_info", &len) == NULL && !has_packed(img))
        img->debug = debug_file_find(o, img->build_id, img->build_id_len);
    choose_symbols(img);
    return 0;
}

int image_open(struct image **out, const char *path, struct err *e)
{
    struct image *img = calloc(1, sizeof *img);

    *out = NULL;
    if (img == NULL)
        return err_sys(e, path);
    img->path = strdup(path);
    if (img->path == NULL) {
        err_sys(e, path);
        goto fail_image;
    }
    if (read_file(img, e) != 0)
        goto fail_image;
    *out = img;
    return 0;

fail_image:
    image_close(img);
    return -1;
}

int image_tell(struct image **out, const struct image_facts *facts)
{
    struct image *img = calloc(1, sizeof *img);

    *out = NULL;
    if (img == NULL)
        return -1;
    img->path = strdup(facts->path);
    if (img->path == NULL || object_tell(&img->object, facts) != 0) {
        image_close(img);
        return -1;
    }
    img->build_id = img->object.ops->build_id(&img->object, &img->build_id_len);
    img->symtab = &img->object.symtab;
    img->flaws = facts->flaws;
    *out = img;
    return 0;
}

bool image_get_hash(const struct image *img, struct image_hash *hash)
{
    const struct image_facts *told = object_facts(&img->object);

    if (told == NULL)
        return file_hash(&img->object.file, hash);
    *hash = told->hash;
    return told->has_hash;
}

const uint8_t *image_whole(const struct image *img, uint64_t *size)
{
    const struct object *o = &img->object;

    *size = o->file.size;
    return object_facts(o) == NULL ? o->file.bytes : NULL;
}

struct image_facts image_get_facts(const struct image *img)
{
    struct image_facts f = {
        .path = img->path,
        .debug_path = image_debug_path(img),
        .split = image_flaw_file(img, IMAGE_SPLIT_DEBUG),
        .link = image_flaw_file(img, IMAGE_NO_DEBUG_FILE),
        .build_id = img->build_id,
        .build_id_len = img->build_id_len,
        .flaws = image_flaws(img),
        .is_pe = image_is_pe(img),
        .cpu = image_cpu(img),
        .texts = img->object.segments,
        .text_count = img->object.text_count,
    };

    f.has_hash = image_get_hash(img, &f.hash);
    for (unsigned i = 0; i < IMAGE_SYMBOLS; i++)
        if (image_find_symbol(img, image_symbols[i], &f.symbols[i]))
            f.has_symbols |= 1u << i;
    return f;
}

void image_close(struct image *img)
{
    if (img == NULL)
        return;
    debug_file_close(img->debug);
    symtab_fini(&img->variables);
    object_close(&img->object);
    free(img->path);
    free(img);
}

const char *image_path(const struct image *img)
{
    return img->path;
}

unsigned image_flaws(const struct image *img)
{
    const unsigned absent = IMAGE_NO_DEBUG | IMAGE_NO_DEBUG_PE;

    return has_packed(img) ? (img->flaws & ~absent) | IMAGE_PACKED_DEBUG
                           : img->flaws;
}

void image_add_flaw(struct image *img, enum image_flaw flaw)
{
    img->flaws |= flaw;
}

void image_set_split(struct image *img, const char *name)
{
    img->flaws |= IMAGE_SPLIT_DEBUG;
    if (img->split == NULL)
        img->split = name;
}

const char *image_flaw_file(const struct image *img, enum image_flaw flaw)
{
    const struct image_facts *told = object_facts(&img->object);

    switch (flaw) {
    case IMAGE_SPLIT_DEBUG:
        return told != NULL ? told->split : img->split;
    case IMAGE_NO_DEBUG_FILE:
        return told != NULL ? told->link : debug_file_link(&img->object);
    default:
        return NULL;
    }
}

const char *image_debug_path(const struct image *img)
{
    const struct image_facts *told = object_facts(&img->object);

    if (told != NULL)
        return told->debug_path;
    return img->debug != NULL ? img->debug->path : NULL;
}

const char *image_flaw_text(enum image_flaw flaw)
{
    switch (flaw) {
    case IMAGE_NO_BUILD_ID:
        return "the ELF has no build-id, so its text is compared instead "
               "(link with --build-id)";
    case IMAGE_NO_SYMBOLS:
        return "the ELF has no symbols, so functions are addresses "
               "(give the kernel as it was before strip)";
    case IMAGE_NO_DEBUG:
        return "the ELF has no DWARF, so there are neither lines nor inlined "
               "functions (compile with -g)";
    case IMAGE_NO_SYMBOLS_PE:
        return "the PE image has no symbols, so functions are addresses (link "
               "with /debug:dwarf, or give the ELF that objcopy made it from)";
    case IMAGE_NO_DEBUG_PE:
        return "the PE image has no DWARF, so there are neither lines nor "
               "inlined functions (compile with -gdwarf and link with "
               "/debug:dwarf, or give the ELF that objcopy made it from)";
    case IMAGE_NO_CODE:
        return "the image holds no code, as after objcopy --only-keep-debug, "
               "so idle time is unknown and no caller is certain (give the "
               "kernel as it was before strip)";
    case IMAGE_PACKED_DEBUG:
        return "the image's DWARF is damaged, or compressed by an unknown "
               "method, so lines and inlined functions are missing (uncompress "
               "it with objcopy --decompress-debug-sections)";
    case IMAGE_SPLIT_DEBUG:
        return "the DWARF of functions is in separate files, .dwo or .dwp, "
               "which are not read, so inlined functions are missing (compile "
               "with -gno-split-dwarf)";
    case IMAGE_NO_DEBUG_FILE:
        return "the DWARF was stripped into a separate file, and no such file "
               "of this build is beside the image, in .debug there, or below "
               "/usr/lib/debug, so there are neither lines nor inlined "
               "functions (put the file there, or give the kernel as it was "
               "before strip)";
    case IMAGE_BAD_DEBUG:
        return "the image's DWARF is damaged, so some lines and inlined "
               "functions are missing (rebuild the kernel)";
    }
    return "";
}

const uint8_t *image_build_id(const struct image *img, size_t *len)
{
    *len = img->build_id_len;
    return img->build_id;
}

bool image_build_id_address(const struct image *img, uint64_t *address)
{
    const struct object *o = &img->object;
    uint64_t offset = (uintptr_t)img->build_id - (uintptr_t)o->file.bytes;

    if (img->build_id == NULL || image_is_pe(img))
        return false;
    for (size_t i = 0; i < o->segment_count; i++) {
        const struct image_text *t = &o->segments[i];

        if (offset - t->file_offset < t->bytes_len) {
            *address = t->address + (offset - t->file_offset);
            return true;
        }
    }
    return false;
}

/* The bytes from (address) on in the first (count) segments. */
static const uint8_t *bytes_at(const struct image *img, size_t count,
                               uint64_t address, size_t *len)
{
    for (size_t i = 0; i < count; i++) {
        const struct image_text *t = &img->object.segments[i];

        if (address - t->address < t->bytes_len) {
            *len = t->bytes_len - (size_t)(address - t->address);
            return t->bytes + (address - t->address);
        }
    }
    *len = 0;
    return NULL;
}

const uint8_t *image_code(const struct image *img, uint64_t address,
                          size_t *len)
{
    if (object_facts(&img->object) != NULL)
        return object_told_code(&img->object, address, len);
    return bytes_at(img, img->object.text_count, address, len);
}

const uint8_t *image_loaded(const struct image *img, uint64_t address,
                            size_t *len)
{
    return bytes_at(img, img->object.segment_count, address, len);
}

/* Returns the checksum of (length) bytes at (address) that the recording
 * has. */
static int told_crc(const struct image_facts *told, uint64_t address,
                    uint64_t length, uint32_t *crc)
{
    for (size_t i = 0; i < told->sum_count; i++) {
        const struct image_sum *sum = &told->sums[i];

        if (sum->address == address && sum->length == length) {
            *crc = sum->crc;
            return 0;
        }
    }
    return -1;
}

int image_text_crc(const struct image *img, uint64_t address, uint64_t length,
                   uint32_t *crc)
{
    if (object_facts(&img->object) != NULL)
        return told_crc(object_facts(&img->object), address, length, crc);
    size_t have;
    const uint8_t *code = image_code(img, address, &have);
    uint64_t want =
        length < IMAGE_TEXT_CRC_BYTES ? length : IMAGE_TEXT_CRC_BYTES;

    if (code == NULL || have < want)
        return -1;
    *crc = crc32c(code, (size_t)want);
    return 0;
}

const struct image_text *image_text_at(const struct image *img, size_t i)
{
    return i < img->object.text_count ? &img->object.segments[i] : NULL;
}

const struct image_text *image_segment(const struct image *img, size_t i)
{
    return i < img->object.segment_count ? &img->object.segments[i] : NULL;
}

const struct image_part *image_code_part(const struct image *img, size_t i)
{
    return i < img->object.code_count ? &img->object.code[i] : NULL;
}

uint64_t image_base(const struct image *img)
{
    return img->object.base;
}

uint64_t image_entry(const struct image *img)
{
    return img->object.entry;
}

bool image_moves(const struct image *img)
{
    return img->object.moves;
}

bool image_is_pe(const struct image *img)
{
    const struct image_facts *told = object_facts(&img->object);

    return told != NULL ? told->is_pe : img->object.ops == &object_pe;
}

const struct object *object_of(const struct image *img)
{
    return &img->object;
}

const struct object *object_of_debug(const struct image *img)
{
    return img->debug != NULL ? &img->debug->object : NULL;
}

static bool find_symbol(const struct image *img, const char *name, bool mark,
                        uint64_t *address)
{
    const struct object *d = object_of_debug(img);

    return img->object.ops->find_symbol(&img->object, name, mark, address) ||
           (d != NULL && d->ops->find_symbol(d, name, mark, address));
}

bool image_find_symbol(const struct image *img, const char *name,
                       uint64_t *address)
{
    return find_symbol(img, name, false, address);
}

bool image_find_mark(const struct image *img, const char *name,
                     uint64_t *address)
{
    return find_symbol(img, name, true, address);
}

int image_slide(const struct image *img, uint64_t anchor, uint64_t *slide,
                struct err *e)
{
    bool bare = (img->flaws & IMAGE_NO_SYMBOLS_PE) != 0;
    uint64_t linked;

    *slide = 0;
    if (!image_find_symbol(img, "tprof_anchor", &linked))
        return object_refuse(
            &img->object, e,
            bare ? "is a PE image without symbols: link with /debug:dwarf, or "
                   "give the ELF that objcopy made it from"
                 : "has no symbol tprof_anchor: stripped, or "
                   "linked without libtprof.a");
    *slide = anchor - linked;
    return 0;
}

const struct image_function *image_find_function(const struct image *img,
                                                 uint64_t address)
{
    return symtab_function(img->symtab, address);
}

const struct image_function *image_find_variable(struct image *img,
                                                 uint64_t address)
{
    const struct object *o = &img->object;

    if (img->debug != NULL && img->symtab == &img->debug->object.symtab)
        o = &img->debug->object;
    if (!img->has_variables && o->ops->variables != NULL)
        (void)o->ops->variables(o, &img->variables);
    img->has_variables = true;
    return symtab_function(&img->variables, address);
}

const struct image_function *image_function_at(const struct image *img,
                                               size_t i)
{
    return i < img->symtab->count ? &img->symtab->functions[i] : NULL;
}

struct image_part image_section_part(const struct image *img, const char *name)
{
    struct image_part part = img->object.ops->section(&img->object, name);

    if (part.bytes != NULL || img->debug == NULL ||
        strncmp(name, ".debug_", 7) != 0)
        return part;
    return img->debug->object.ops->section(&img->debug->object, name);
}

const uint8_t *image_section(const struct image *img, const char *name,
                             size_t *len)
{
    struct image_part part = image_section_part(img, name);

    *len = (size_t)part.size;
    return part.bytes;
}
