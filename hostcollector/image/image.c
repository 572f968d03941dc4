/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and identifies the guest's executable, whatever its format. */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/object.h"
#include "util/crc32c.h"

/* Copies of the same bytes at so many places may serve some kernel. */
#define OVERLAP_MAX 4u

struct image {
    char *path;
    struct stat opened; /* as the file was when it was mapped */
    struct object object;
    uint8_t *build_id; /* a copy: the file may change before it is asked for */
    size_t build_id_len;
    unsigned flaws;
};

static void find_flaws(struct image *img)
{
    bool pe = image_is_pe(img);
    size_t len;

    if (img->build_id == NULL)
        img->flaws |= IMAGE_NO_BUILD_ID;
    if (img->object.text_count == 0)
        img->flaws |= IMAGE_NO_CODE;
    if (img->object.symtab.count == 0)
        img->flaws |= pe ? IMAGE_NO_SYMBOLS_PE : IMAGE_NO_SYMBOLS;
    if (image_section(img, ".debug_info", &len) == NULL)
        img->flaws |= pe ? IMAGE_NO_DEBUG_PE : IMAGE_NO_DEBUG;
}

/* Segments may repeat the file's bytes so often that reading them takes for
 * ever. */
static int check_overlap(const struct object *o, struct err *e)
{
    uint64_t loaded = 0;

    for (size_t i = 0; i < o->segment_count; i++)
        loaded += o->segments[i].bytes_len;
    if (loaded / OVERLAP_MAX > o->size)
        return object_refuse(o, e, "has the same bytes in many segments");
    return 0;
}

static int copy_build_id(struct image *img, struct err *e)
{
    const struct object *o = &img->object;
    const uint8_t *id = o->ops->build_id(o, &img->build_id_len);

    if (id == NULL)
        return 0;
    img->build_id = malloc(img->build_id_len);
    if (img->build_id == NULL)
        return err_sys(e, img->path);
    memcpy(img->build_id, id, img->build_id_len);
    return 0;
}

static int read_file(struct image *img, struct err *e)
{
    struct object *o = &img->object;
    char magic[2] = "";

    o->fd = open(img->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (o->fd < 0)
        return err_sys(e, img->path);
    if (fstat(o->fd, &img->opened) != 0)
        return err_sys(e, img->path);
    if (!S_ISREG(img->opened.st_mode))
        return object_refuse(o, e, "not a file");
    o->size = (uint64_t)img->opened.st_size;
    if (pread(o->fd, magic, sizeof magic, 0) < 0)
        return err_sys(e, img->path);
    o->ops = memcmp(magic, "MZ", 2) == 0 ? &object_pe : &object_elf;
    if (o->ops->open(o, e) != 0 || check_overlap(o, e) != 0 ||
        copy_build_id(img, e) != 0)
        return -1;
    find_flaws(img);
    return 0;
}

int image_open(struct image **out, const char *path, struct err *e)
{
    struct image *img = calloc(1, sizeof *img);

    *out = NULL;
    if (img == NULL)
        return err_sys(e, path);
    img->object.fd = -1;
    img->path = strdup(path);
    if (img->path == NULL) {
        err_sys(e, path);
        goto fail_image;
    }
    img->object.path = img->path;
    if (read_file(img, e) != 0)
        goto fail_image;
    *out = img;
    return 0;

fail_image:
    image_close(img);
    return -1;
}

void image_close(struct image *img)
{
    struct object *o;

    if (img == NULL)
        return;
    o = &img->object;
    symtab_fini(&o->symtab);
    free(o->segments);
    free(o->code);
    free(img->build_id);
    if (o->ops != NULL)
        o->ops->close(o);
    if (o->fd >= 0)
        close(o->fd);
    free(img->path);
    free(img);
}

const char *image_path(const struct image *img)
{
    return img->path;
}

unsigned image_flaws(const struct image *img)
{
    return img->flaws;
}

void image_add_flaw(struct image *img, enum image_flaw flaw)
{
    img->flaws |= flaw;
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
               "so idle time counts as busy and no caller is certain (give "
               "the kernel as it was before strip)";
    case IMAGE_BAD_DEBUG:
        return "the image's DWARF is damaged, so some lines and inlined "
               "functions are missing (build the kernel anew)";
    case IMAGE_CHANGED:
        return "the image was overwritten while it was in use, so later "
               "addresses have no names (run the report again)";
    }
    return "";
}

/*
 * The file is mapped, and a page behind the end of a file that was cut short
 * in place kills the process. Linkers write a new file; cp and objcopy do not.
 */
static bool is_intact(const struct image *img)
{
    struct stat now;

    return fstat(img->object.fd, &now) == 0 &&
           now.st_size == img->opened.st_size &&
           now.st_mtim.tv_sec == img->opened.st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == img->opened.st_mtim.tv_nsec;
}

bool image_intact(struct image *img)
{
    bool intact = is_intact(img);

    if (!intact)
        img->flaws |= IMAGE_CHANGED;
    return intact;
}

const uint8_t *image_build_id(const struct image *img, size_t *len)
{
    *len = img->build_id_len;
    return img->build_id;
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
    return bytes_at(img, img->object.text_count, address, len);
}

const uint8_t *image_loaded(const struct image *img, uint64_t address,
                            size_t *len)
{
    return bytes_at(img, img->object.segment_count, address, len);
}

int image_text_crc(const struct image *img, uint64_t address, uint64_t length,
                   uint32_t *crc)
{
    size_t have;
    const uint8_t *code = image_code(img, address, &have);
    uint64_t want =
        length < IMAGE_TEXT_CRC_BYTES ? length : IMAGE_TEXT_CRC_BYTES;

    if (code == NULL || have < want || !is_intact(img))
        return -1;
    *crc = crc32c(code, (size_t)want);
    return 0;
}

const struct image_text *image_text(const struct image *img, size_t i)
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
    return img->object.ops == &object_pe;
}

bool image_find_symbol(const struct image *img, const char *name,
                       uint64_t *address)
{
    return is_intact(img) &&
           img->object.ops->find_symbol(&img->object, name, false, address);
}

bool image_find_mark(const struct image *img, const char *name,
                     uint64_t *address)
{
    return is_intact(img) &&
           img->object.ops->find_symbol(&img->object, name, true, address);
}

int image_slide(const struct image *img, uint64_t anchor, uint64_t *slide,
                struct err *e)
{
    bool bare = image_is_pe(img) && img->object.symtab.count == 0;
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

const struct image_function *image_function(const struct image *img,
                                            uint64_t address)
{
    return symtab_function(&img->object.symtab, address);
}

const struct image_function *image_function_at(const struct image *img,
                                               size_t i)
{
    return i < img->object.symtab.count ? &img->object.symtab.functions[i]
                                        : NULL;
}

struct image_part image_part(const struct image *img, const char *name)
{
    return img->object.ops->section(&img->object, name);
}

const uint8_t *image_section(const struct image *img, const char *name,
                             size_t *len)
{
    struct image_part part = image_part(img, name);

    *len = (size_t)part.size;
    return part.bytes;
}
