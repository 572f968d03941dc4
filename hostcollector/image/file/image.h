/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's executable, ELF or PE (EFI): its build-id, code and functions.
 * All addresses in this header are link-time addresses; addresses in a PE image
 * include its ImageBase. Link-time address = run-time address - slide
 * (image_slide).
 *
 * The file is not trusted. Any content leads to an error or to less
 * information, never to a crash. Memory and time are in proportion to the
 * file's size on disk, without holes. The image is a copy, so the kernel may be
 * rebuilt while the collector runs.
 */
#ifndef TPROF_IMAGE_FILE_IMAGE_H
#define TPROF_IMAGE_FILE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct image;

/* Something that an image lacks. A report has one line for each flaw. */
enum image_flaw {
    IMAGE_NO_BUILD_ID = 1u << 0,   /* identify it by image_text_crc() */
    IMAGE_NO_SYMBOLS = 1u << 1,    /* stripped: addresses only */
    IMAGE_NO_DEBUG = 1u << 2,      /* no DWARF: no lines, no inline frames */
    IMAGE_NO_SYMBOLS_PE = 1u << 3, /* as IMAGE_NO_SYMBOLS, in a PE image: the
                                    * advice differs */
    IMAGE_NO_DEBUG_PE = 1u << 4,   /* as IMAGE_NO_DEBUG, in a PE image: the
                                    * advice differs */
    IMAGE_NO_CODE = 1u << 5,       /* debug information only */
    IMAGE_BAD_DEBUG = 1u << 6,     /* DWARF damaged: partly unused */
    IMAGE_PACKED_DEBUG = 1u << 7,  /* DWARF with unknown compression */
    IMAGE_SPLIT_DEBUG =
        1u << 8, /* DWARF in other files that tprof does not read */
    IMAGE_NO_DEBUG_FILE = 1u << 9, /* DWARF in a file that was not found */
};

/* The CRC in HELLO covers at most this many bytes of text. */
#define IMAGE_TEXT_CRC_BYTES 65536u

/*
 * Open the ELF executable or shared object, or PE32+ image, at (path). It is
 * for one of the CPUs of util/cpu/cpu.h.
 *
 * Returns 0 and the image in (*out), which the caller closes; -1 with (e)
 * filled if the file cannot be read, has another format, is truncated, is for
 * another machine or class, or is not linked.
 */
int image_open(struct image **out, const char *path, struct err *e);

/* The CPU that the code of (img) is for. */
const struct cpu *image_cpu(const struct image *img);

/*
 * Returns the path of the debug file from which the DWARF of (img) was read;
 * also the symbols, if (img) has none. NULL if (img) itself has the DWARF. The
 * debug file has the same build-id as (img), or the checksum in
 * .gnu_debuglink.
 */
const char *image_debug_path(const struct image *img);

/* Read the debug information of (img) from the file (path). Call this before
 * readers of (img) are made. Returns false if the file is of another build, or
 * if nothing is missing. */
bool image_take_debug(struct image *img, const char *path);

/*
 * Write into (folder) of (size) bytes the name of folder number (i) in which
 * image_open(path) may open a debug file, with a slash at the end. False after
 * the last.
 */
bool image_debug_folder(const char *path, unsigned i, char *folder,
                        size_t size);

/* Symbols that identify an image and show how far it was moved. */
#define IMAGE_SYMBOLS 5u
extern const char *const image_symbols[IMAGE_SYMBOLS];

/* A result of image_text_crc(). */
struct image_sum {
    uint64_t address, length;
    uint32_t crc;
};

/* An executable segment, or a part of it between two holes of the file. */
struct image_text {
    uint64_t address, size; /* as in memory */
    uint64_t file_offset;   /* offset of its first byte in the file */
    const uint8_t *bytes;   /* bytes that the file holds; may be NULL */
    size_t bytes_len;
};

/* A hash of the whole file, see file_hash.h. */
struct image_hash {
    uint8_t bytes[16];
};

struct cpu;

/* The facts about an image that a recording keeps: how to identify the image,
 * and the flaws that the image has. Unknown texts are NULL. */
struct image_facts {
    const char *path;
    const char *debug_path; /* as image_debug_path() */
    const char *split;      /* as image_flaw_file(), IMAGE_SPLIT_DEBUG */
    const char *link;       /* as image_flaw_file(), IMAGE_NO_DEBUG_FILE */
    const uint8_t *build_id;
    size_t build_id_len;
    bool has_hash;
    struct image_hash hash;
    unsigned flaws;
    bool is_pe;
    const struct cpu *cpu; /* NULL: the first of the table */
    unsigned has_symbols;  /* bit i: symbols[i] is present */
    uint64_t symbols[IMAGE_SYMBOLS];
    /* executable segments, without their bytes */
    const struct image_text *texts;
    size_t text_count;
    const struct image_sum *sums;
    size_t sum_count;
};

/* The facts of (img), without sums. They live as long as (img). */
struct image_facts image_get_facts(const struct image *img);

/*
 * Make an image from (facts), without its file. The image has no functions and
 * no sections, and its segments have no bytes. Copies (facts). Returns 0 and
 * the image in (*out), which the caller closes; -1 if there is no memory.
 */
int image_tell(struct image **out, const struct image_facts *facts);

/* Was (img) made by image_tell()? */
bool image_is_told(const struct image *img);

/* Lines of a source file, in a recording. */
struct image_source {
    const char *path; /* as in struct symbol */
    uint32_t first;   /* number of the first line */
    uint32_t count;
    const char *lines; /* (count) texts, each followed by a NUL */
    size_t size;       /* bytes of (lines) */
};

/*
 * Add code, or lines of a source file, to (img), which image_tell() made.
 * image_code() then finds the code. Both are copied. Of runs of code that
 * overlap, the first one counts. Returns 0; -1 if there is no memory.
 */
int image_learn_code(struct image *img, uint64_t address, const uint8_t *bytes,
                     size_t size);
int image_learn_source(struct image *img, const struct image_source *source);

/* Bytes of memory of the code and lines that were added. */
size_t image_learned_bytes(const struct image *img);

/* Lines number (i) that image_learn_source() added; NULL after the last. */
const struct image_source *image_source_at(const struct image *img, size_t i);

/* Release (img) and all pointers that it returned. NULL is allowed. */
void image_close(struct image *img);

/* The path given to image_open(). */
const char *image_path(const struct image *img);

/*
 * The set of enum image_flaw that is known so far. IMAGE_BAD_DEBUG may be added
 * while addresses are symbolized, so read the set after the report is complete.
 */
unsigned image_flaws(const struct image *img);

/* Returns a sentence about one flaw: its effect and its cure. */
const char *image_flaw_text(enum image_flaw flaw);

/* The GNU build-id, or the GUID in a PE image's CodeView record, with its
 * length in (*len). NULL and 0 if there is none. */
const uint8_t *image_build_id(const struct image *img, size_t *len);

/* Write the address at which the GNU build-id of the ELF file (img) is loaded
 * to (*address). False if the build-id is not loaded, or if there is none. */
bool image_build_id_address(const struct image *img, uint64_t *address);

/* Read the hash of the file of (img). False if the hash is unknown: a recording
 * did not keep it, or the collector was built without libmd. */
bool image_get_hash(const struct image *img, struct image_hash *hash);

/* Returns the whole file of (img) as it was read, with zeros for holes, and its
 * size in (*size). NULL if (img) was made from a recording. */
const uint8_t *image_whole(const struct image *img, uint64_t *size);

/*
 * CRC-32C of the image's bytes from link-time address (address), at most
 * IMAGE_TEXT_CRC_BYTES or (length).
 *
 * Returns 0 and the CRC in (*crc); -1 if the file does not hold these bytes,
 * which means that the guest runs another image.
 */
int image_text_crc(const struct image *img, uint64_t address, uint64_t length,
                   uint32_t *crc);

/*
 * Compute the difference between run-time and link-time addresses from
 * (anchor), the run-time address of the symbol `tprof_anchor` that HELLO
 * contains.
 *
 * Returns 0 and the slide in (*slide), to be subtracted modulo 2^64 from
 * run-time addresses; -1 with (e) filled and (*slide) = 0 if the image has no
 * such symbol (stripped, or built without tprof).
 */
int image_slide(const struct image *img, uint64_t anchor, uint64_t *slide,
                struct err *e);

/* Find the symbol (name) of any type. Stores its value in (*address). Returns
 * false if there is no such symbol. */
bool image_find_symbol(const struct image *img, const char *name,
                       uint64_t *address);

/* Like image_find_symbol(), for a global symbol without a size, such as a
 * linker script defines. */
bool image_find_mark(const struct image *img, const char *name,
                     uint64_t *address);

/*
 * Returns the code bytes from (address) on that the file or the recording has,
 * to the end of their segment or recorded run. Stores their number in (*len).
 * NULL and 0 if there is no code at (address).
 */
const uint8_t *image_code(const struct image *img, uint64_t address,
                          size_t *len);

/* Executable segment number (i), from 0; NULL after the last. */
const struct image_text *image_text_at(const struct image *img, size_t i);

/* Loaded segment number (i), executable or not. Executable segments come
 * first. */
const struct image_text *image_segment(const struct image *img, size_t i);

/* A function in the symbol table. Assembler labels count as functions. */
struct image_function {
    uint64_t start;
    uint64_t size; /* a label without size reaches to the next symbol */
    bool sized;    /* (size) comes from the symbol table */
    bool local;    /* in an ELF file: another symbol may have the same name */
    const char *name; /* raw: neither demangled nor escaped */
};

/* The function that holds (address), or NULL. A sized function is preferred to
 * a label. */
const struct image_function *image_find_function(const struct image *img,
                                                 uint64_t address);

/* The variable that holds (address), or NULL. The first call reads the symbols
 * of variables. */
const struct image_function *image_find_variable(struct image *img,
                                                 uint64_t address);

/* Function number (i) by rising address; NULL after the last. */
const struct image_function *image_function_at(const struct image *img,
                                               size_t i);

/*
 * The contents of section (name), uncompressed, up to the first hole of the
 * file, with their length in (*len). NULL and 0 if there is no such section.
 * The bytes live as long as (img).
 */
const uint8_t *image_section(const struct image *img, const char *name,
                             size_t *len);

/* A section, or a run of instructions. */
struct image_part {
    uint64_t address, size;
    const uint8_t *bytes; /* (size) bytes; NULL if the file has none */
};

/* Section (name) with its address, as image_section() finds it; all zero if
 * there is none. */
struct image_part image_section_part(const struct image *img, const char *name);

/* Returns run of instructions number (i), from 0; NULL after the last. A
 * segment may also hold data. A run of instructions holds no data, if the
 * file's sections distinguish code and data. */
const struct image_part *image_code_part(const struct image *img, size_t i);

/* As image_code(), but for any loaded segment. */
const uint8_t *image_loaded(const struct image *img, uint64_t address,
                            size_t *len);

/* A PE image's ImageBase; 0 in an ELF file. */
uint64_t image_base(const struct image *img);

/* The address at which the guest enters the image. */
uint64_t image_entry(const struct image *img);

/* Can the image be loaded at another address than it was linked for? */
bool image_moves(const struct image *img);

/* Is the image a PE image? */
bool image_is_pe(const struct image *img);

/* Add (flaw), which a reader of sections found. */
void image_add_flaw(struct image *img, enum image_flaw flaw);

/* Record that the functions of a unit are described in the file (name), .dwo,
 * which tprof does not read. (name) is NULL or lives as long as (img). Adds
 * IMAGE_SPLIT_DEBUG. */
void image_set_split(struct image *img, const char *name);

/* Returns the file that (flaw) concerns, for IMAGE_SPLIT_DEBUG the first such
 * file. NULL if the file is unknown, or if (flaw) concerns no file. */
const char *image_flaw_file(const struct image *img, enum image_flaw flaw);

#endif
