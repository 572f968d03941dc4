/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private types of the DWARF reader, and the readers of units,
 * abbreviations and the attributes of debugging information entries (DIEs).
 * Section numbers in comments are those of DWARF 5.
 */
#ifndef TPROF_IMAGE_DWARF_UNIT_H
#define TPROF_IMAGE_DWARF_UNIT_H

#include "image/dwarf/dwarf.h"
#include "util/arena.h"
#include "util/cursor.h"

struct dwarf_section {
    const uint8_t *at; /* NULL if the image has none */
    size_t size;
};

/* Attributes that are read. All others are skipped. */
enum slot {
    SLOT_NAME,
    SLOT_LINKAGE_NAME,
    SLOT_ORIGIN, /* abstract_origin or specification */
    SLOT_LOW_PC,
    SLOT_HIGH_PC,
    SLOT_RANGES,
    SLOT_CALL_FILE,
    SLOT_CALL_LINE,
    SLOT_SIBLING,
    SLOT_STMT_LIST,
    SLOT_COMP_DIR,
    SLOT_STR_OFFSETS_BASE,
    SLOT_ADDR_BASE,
    SLOT_RNGLISTS_BASE,
    SLOT_PRODUCER,
    SLOT_LANGUAGE,
    SLOT_DECL_FILE,
    SLOT_DECL_LINE,
    SLOT_DISCRIMINATOR, /* of a call, written by LLVM */
    SLOT_DWO_NAME,
    SLOT_COUNT,
    SLOT_NONE = SLOT_COUNT
};

/* Encoding of an attribute. Part of an abbreviation (7.5.3). */
struct spec {
    int64_t implicit; /* value of DW_FORM_implicit_const */
    uint16_t form;
    uint16_t slot;
};

struct abbrev {
    uint64_t code;
    uint32_t first, count; /* of its specs */
    int32_t fixed_size;    /* length of a DIE's attributes; -1 if it varies */
    uint16_t tag;
    bool children;
};

/* The abbreviations of units whose forms have the same lengths. */
struct abbrevs {
    bool filled;
    uint64_t offset;
    uint8_t address_size, offset_size, version;
    struct abbrev *list; /* rising by code */
    size_t count, room;
    struct spec *specs;
    size_t spec_count, spec_room;
};

struct dwarf_unit {
    uint64_t offset, dies,
        end; /* offsets in .debug_info: header, first DIE, end */
    uint64_t abbrev_offset;
    uint8_t version, address_size, offset_size;
    bool has_lines, bad;
    bool discriminated; /* its lines have discriminators, as far as they were
                           read */
    bool placed;        /* its root DIE has the addresses of its code */
    uint64_t low_pc;    /* base of its range lists */
    uint64_t lines;     /* offset in .debug_line */
    uint64_t str_offsets_base, addr_base, rnglists_base;
    const char *name, *comp_dir, *producer;
    uint64_t language; /* DW_LANG_* */
};

/* [low, high) is code of units[unit]. */
struct unit_range {
    uint64_t low, high;
    size_t unit;
};

#define ABBREV_TABLES 64u

struct dwarf {
    struct image *img;
    struct dwarf_section info, abbrev, line, str, line_str;
    struct dwarf_section ranges, rnglists, aranges, addr, str_offsets;
    uint64_t
        line_str_address;     /* its address in memory for a PE image, else 0 */
    struct dwarf_unit *units; /* rising by offset */
    size_t unit_count, unit_room;
    struct unit_range *map; /* rising by low */
    size_t map_count, map_room;
    /* by offset: the most recently used tables */
    struct abbrevs abbrevs[ABBREV_TABLES];
    struct arena arena; /* memory of the last batch's results */
    uint64_t budget;    /* bytes that may still be read in this batch */
};

/* One DIE with the attributes that have a slot. */
struct die {
    uint64_t offset;
    uint16_t tag;
    bool children;
    uint32_t have; /* bit (1 << slot) for each attribute present */
    uint16_t form[SLOT_COUNT];
    uint64_t value[SLOT_COUNT];
};

static inline bool die_has(const struct die *die, enum slot slot)
{
    return (die->have & (1u << slot)) != 0;
}

/*
 * Subtract (bytes) from the budget. Returns false if the budget is used up, and
 * from then on until the next batch: a file can be made so that it is read
 * again and again.
 */
bool dwarf_charge(struct dwarf *d, uint64_t bytes);

/* Read the headers and root DIEs of all units. Returns -1 if there is no
 * unit. */
int dwarf_units_read(struct dwarf *d);

/* Add units whose root DIE has no addresses to the map, from .debug_aranges.
 * Called by dwarf_units_read(). Returns -1 if there is no memory. */
int dwarf_aranges_read(struct dwarf *d);

/* Add [low, high), code of units[unit], to the map. Returns -1 if there is no
 * memory. */
int dwarf_map_add(struct dwarf *d, uint64_t low, uint64_t high, size_t unit);

/* The unit that holds (offset) of .debug_info, or NULL. */
struct dwarf_unit *dwarf_unit_at(struct dwarf *d, uint64_t offset);

/*
 * The abbreviations of (u); NULL if they are damaged. Valid until the next
 * call, which may be for another unit.
 */
const struct abbrevs *dwarf_abbrevs(struct dwarf *d,
                                    const struct dwarf_unit *u);

/* The abbreviation (code), or NULL. */
const struct abbrev *abbrevs_find(const struct abbrevs *a, uint64_t code);

/* Read or skip the attributes of a DIE. (c) is after the DIE's code. */
void die_read(const struct dwarf *d, struct cursor *c,
              const struct dwarf_unit *u, const struct abbrevs *a,
              const struct abbrev *ab, struct die *die);
void die_skip(struct cursor *c, const struct dwarf_unit *u,
              const struct abbrevs *a, const struct abbrev *ab);

/* Read the DIE at (offset) of .debug_info and its unit. False if damaged. */
bool die_at(struct dwarf *d, uint64_t offset, struct die *die,
            struct dwarf_unit **u);

/* The value of attribute (slot) of (die); NULL or 0 if it is damaged. */
const char *die_string(const struct dwarf *d, const struct dwarf_unit *u,
                       const struct die *die, enum slot slot);
uint64_t die_address(const struct dwarf *d, const struct dwarf_unit *u,
                     const struct die *die, enum slot slot);
uint64_t die_reference(const struct dwarf_unit *u, const struct die *die,
                       enum slot slot);

/* The address number (index) of the unit's part of .debug_addr. */
uint64_t unit_address(const struct dwarf *d, const struct dwarf_unit *u,
                      uint64_t index);

/* Read a value of (form), and move (c) behind it. Offsets are not followed. */
uint64_t form_read(struct cursor *c, const struct dwarf_unit *u, uint64_t form);

/* The string that (form) with (value) names; its offset for DW_FORM_string. */
const char *form_string(const struct dwarf *d, const struct dwarf_unit *u,
                        const struct dwarf_section *inside, uint64_t form,
                        uint64_t value);

/* Iterates over the ranges of a DIE's code. */
struct ranges {
    const struct dwarf *d;
    const struct dwarf_unit *u;
    struct cursor c;
    uint64_t base;
    uint64_t low, high; /* the range of a DIE that has a single range */
    enum { RANGES_ONE, RANGES_V4, RANGES_V5, RANGES_END } kind;
};

/* Begin with the code of (die). False if (die) has no code. */
bool ranges_open(struct ranges *r, const struct dwarf *d,
                 const struct dwarf_unit *u, const struct die *die);

/* The next range that is not empty. False after the last. */
bool ranges_next(struct ranges *r, uint64_t *low, uint64_t *high);

/* Targets in one unit, whose scopes and lines are looked up. */
struct targets {
    struct dwarf_target *list; /* rising by address */
    size_t count;
};

/* The index of the first target at or above (address); count if there is
 * none. */
size_t targets_from(const struct targets *t, uint64_t address);

/* Fill the frames of (t), without names and files. False if damaged. */
bool scopes_resolve(struct dwarf *d, struct dwarf_unit *u,
                    const struct targets *t);

/* Fill file and line of (t), and the files of their frames. False if damaged.
 */
bool lines_resolve(struct dwarf *d, struct dwarf_unit *u,
                   const struct targets *t);

/* Add the code for which (u) has lines to (out). False if damaged. */
bool lines_cover(struct dwarf *d, struct dwarf_unit *u, struct spans *out);

#endif
