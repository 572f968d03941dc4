/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's executable, ELF or PE (EFI): its build-id, code and functions.
 * All addresses in this header are link-time addresses; those of a PE image
 * include its ImageBase. Run-time address minus slide (image_slide) is
 * link-time address.
 *
 * The file is not trusted. Whatever it holds, opening and reading it ends in an
 * error or gives less information, but never crashes; memory and time are in
 * proportion to the file's size on disk: holes do not count. The kernel may be
 * rebuilt while the collector runs: the image is a copy, and stays as the file
 * was when it was opened.
 */
#ifndef TPROF_IMAGE_FILE_IMAGE_H
#define TPROF_IMAGE_FILE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct image;

/* What an image lacks. A report has one line for each flaw. */
enum image_flaw {
    IMAGE_NO_BUILD_ID = 1u << 0,   /* identify it by image_text_crc() */
    IMAGE_NO_SYMBOLS = 1u << 1,    /* stripped: addresses only */
    IMAGE_NO_DEBUG = 1u << 2,      /* no DWARF: no lines, no inline frames */
    IMAGE_NO_SYMBOLS_PE = 1u << 3, /* the same in a PE image, for which */
    IMAGE_NO_DEBUG_PE = 1u << 4,   /* the advice is different */
    IMAGE_NO_CODE = 1u << 5,       /* debug information alone */
    IMAGE_BAD_DEBUG = 1u << 6,     /* DWARF damaged: in part not used */
    IMAGE_PACKED_DEBUG = 1u << 7,  /* DWARF compressed as is not known */
    IMAGE_SPLIT_DEBUG = 1u << 8, /* DWARF in other files, which are not read */
    IMAGE_NO_DEBUG_FILE = 1u << 9, /* DWARF in a file that is not found */
};

/* How many bytes of text the CRC of HELLO covers at most. */
#define IMAGE_TEXT_CRC_BYTES 65536u

/*
 * Open the x86-64 ELF executable or shared object, or PE32+ image, at (path).
 *
 * Returns 0 and the image in (*out), which the caller closes; -1 with (e)
 * filled if the file cannot be read, has another format, is truncated, is for
 * another machine or class, or is not linked.
 */
int image_open(struct image **out, const char *path, struct err *e);

/*
 * The path of the file from which the DWARF of (img) is, and what symbols (img)
 * itself lacks, since they were stripped from it; NULL: from (img). It has the
 * same build-id, or the checksum that .gnu_debuglink tells.
 */
const char *image_debug_path(const struct image *img);

/* Take from the file (path) what was stripped from (img), which has no readers
 * yet. False: the file is of another build, or nothing is missing. */
bool image_take_debug(struct image *img, const char *path);

/*
 * Folder (i), from 0 on, below which image_open(path) may open that file, in
 * (folder) of (size) bytes; it ends in a slash. False behind the last.
 */
bool image_debug_folder(const char *path, unsigned i, char *folder,
                        size_t size);

/* The symbols by which images are told apart, and how far they were moved. */
#define IMAGE_SYMBOLS 5u
extern const char *const image_symbols[IMAGE_SYMBOLS];

/* The answer that image_text_crc() gives. */
struct image_sum {
    uint64_t address, length;
    uint32_t crc;
};

/* One executable segment, or the part of it between two holes of the file. */
struct image_text {
    uint64_t address, size; /* as in memory */
    uint64_t file_offset;   /* of its first byte */
    const uint8_t *bytes;   /* the part that the file holds; may be NULL */
    size_t bytes_len;
};

/* A hash of the whole file, see file_hash.h. */
struct image_hash {
    uint8_t bytes[16];
};

/* What tells an image from others, and what it lacks: what a recording keeps of
 * it. Texts are NULL where there is nothing to tell. */
struct image_facts {
    const char *path;
    const char *debug_path; /* as image_debug_path() */
    const char *split;      /* as image_flaw_file(), IMAGE_SPLIT_DEBUG */
    const char *link;       /* likewise, IMAGE_NO_DEBUG_FILE */
    const uint8_t *build_id;
    size_t build_id_len;
    bool has_hash;
    struct image_hash hash;
    unsigned flaws;
    bool is_pe;
    unsigned has_symbols; /* bit i: symbols[i] is there */
    uint64_t symbols[IMAGE_SYMBOLS];
    const struct image_text
        *texts; /* executable segments; bytes do not count */
    size_t text_count;
    const struct image_sum *sums;
    size_t sum_count;
};

/* The facts of (img) but for sums; they live as long as (img). */
struct image_facts image_get_facts(const struct image *img);

/*
 * The image of which (facts) tells, without its file: it has no functions and
 * no sections, and its segments have no bytes. Copies (facts). Returns 0 and
 * the image in (*out), which the caller closes; -1 if there is no memory.
 */
int image_tell(struct image **out, const struct image_facts *facts);

/* Release (img) and all pointers that it handed out. NULL is allowed. */
void image_close(struct image *img);

/* The path given to image_open(). */
const char *image_path(const struct image *img);

/*
 * The set of enum image_flaw that is known by now. IMAGE_BAD_DEBUG may appear
 * while addresses are symbolized, so ask when the report is complete.
 */
unsigned image_flaws(const struct image *img);

/* One sentence for one flaw: what it means and what to do about it. */
const char *image_flaw_text(enum image_flaw flaw);

/* The GNU build-id, else the GUID in a PE image's CodeView record, and its
 * length in (*len); NULL and 0 if there is none. */
const uint8_t *image_build_id(const struct image *img, size_t *len);

/* Where the GNU build-id of (img), an ELF file, is loaded to: the address of
 * its first byte. False: it is not loaded, or there is none. */
bool image_build_id_address(const struct image *img, uint64_t *address);

/* The hash of the file of (img). False where it is not known: it was not told,
 * or the collector was built without libmd. */
bool image_get_hash(const struct image *img, struct image_hash *hash);

/*
 * CRC-32C of the first IMAGE_TEXT_CRC_BYTES (or (length), if that is less) of
 * the image's bytes from link-time address (address) on.
 *
 * Returns 0 and the CRC in (*crc); -1 if the file does not hold these bytes.
 * Then the guest runs another image.
 */
int image_text_crc(const struct image *img, uint64_t address, uint64_t length,
                   uint32_t *crc);

/*
 * The difference between run-time and link-time addresses, given the run-time
 * address of the symbol `tprof_anchor` as HELLO states it.
 *
 * Returns 0 and the slide in (*slide), to be subtracted modulo 2^64 from
 * run-time addresses; -1 with (e) filled if the image has no such symbol
 * (stripped, or built without tprof), with (*slide) = 0.
 */
int image_slide(const struct image *img, uint64_t anchor, uint64_t *slide,
                struct err *e);

/* Find the symbol (name) of any type; its value in (*address). */
bool image_find_symbol(const struct image *img, const char *name,
                       uint64_t *address);

/* The same for a symbol that is global and has no size, as those that a linker
 * script defines. */
bool image_find_mark(const struct image *img, const char *name,
                     uint64_t *address);

/*
 * The bytes from (address) to the end of its executable segment, at most
 * (*len) of which the file holds. NULL and 0 if (address) is not code.
 */
const uint8_t *image_code(const struct image *img, uint64_t address,
                          size_t *len);

/* The executable segment number (i), from 0 on; NULL behind the last. */
const struct image_text *image_text_at(const struct image *img, size_t i);

/* Loaded segment number (i), executable or not; the executable ones are first.
 */
const struct image_text *image_segment(const struct image *img, size_t i);

/* A function as the symbol table knows it; assembler labels included. */
struct image_function {
    uint64_t start;
    uint64_t size;    /* a label without size reaches to the next symbol */
    bool sized;       /* (size) is from the symbol table */
    bool local;       /* in an ELF file: others may have its name */
    const char *name; /* raw: neither demangled nor escaped */
};

/* The function that holds (address), or NULL. A sized function is preferred to
 * a label. */
const struct image_function *image_find_function(const struct image *img,
                                                 uint64_t address);

/* The function number (i) by rising address; NULL behind the last. */
const struct image_function *image_function_at(const struct image *img,
                                               size_t i);

/*
 * The contents of section (name), uncompressed, up to the first hole of the
 * file, and their length in (*len); NULL and 0 if there is none. Lives as long
 * as (img).
 */
const uint8_t *image_section(const struct image *img, const char *name,
                             size_t *len);

/* A section, or a run of code. */
struct image_part {
    uint64_t address, size;
    const uint8_t *bytes; /* (size) of them; NULL: the file holds none */
};

/* Section (name) as image_section() finds it, with its address; all zero if
 * there is none. */
struct image_part image_section_part(const struct image *img, const char *name);

/* Run (i) of instructions, from 0 on; NULL behind the last. A segment may also
 * hold data. A run does not, if the file's sections tell code from data. */
const struct image_part *image_code_part(const struct image *img, size_t i);

/* As image_code(), but for any loaded segment. */
const uint8_t *image_loaded(const struct image *img, uint64_t address,
                            size_t *len);

/* A PE image's ImageBase; 0 in an ELF file. */
uint64_t image_base(const struct image *img);

/* Where the guest enters the image. */
uint64_t image_entry(const struct image *img);

/* May the image be loaded elsewhere than it was linked for? */
bool image_moves(const struct image *img);

/* Is it a PE image, and no ELF file? */
bool image_is_pe(const struct image *img);

/* Add (flaw), which a reader of sections has found. */
void image_add_flaw(struct image *img, enum image_flaw flaw);

/* A unit's functions are described in the file (name), .dwo, which is not read;
 * (name) lives as long as (img), or is NULL. Adds IMAGE_SPLIT_DEBUG. */
void image_set_split(struct image *img, const char *name);

/* The file that (flaw) is about, of IMAGE_SPLIT_DEBUG the first one; NULL: that
 * is not known, or it is about none. */
const char *image_flaw_file(const struct image *img, enum image_flaw flaw);

#endif
