/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/gather.h"

#include <stdlib.h>
#include <string.h>

#include "check/facts.h"
#include "image/code/frame_place.h"
#include "image/dwarf/dwarf.h"
#include "image/dwarf/frame_entry.h"
#include "image/file/image.h"
#include "util/cpu/cpu.h"
#include "util/cursor.h"
#include "util/spans.h"

/* Gathers the facts of an image. Of the tables .debug_frame (DWARF 5, 6.4.1),
 * .eh_frame (LSB) and .pdata (PE Format), only the ranges are read, not the
 * rules for registers. */
#define PDATA_ENTRY 12u /* begin, end, unwind information: u32 RVA each */

static void cover_frames(const struct image_part *part, bool eh,
                         struct spans *out)
{
    const struct frame_section section = {.part = *part, .eh = eh};
    struct frame_common common = {.offset = UINT64_MAX};
    struct frame_entry entry;
    enum frame_found found;
    uint64_t at = 0;

    while ((found = frame_entry_next(&section, &at, &common, &entry)) !=
           FRAME_END) {
        if (found == FRAME_ENTRY)
            (void)spans_add(out, entry.low, entry.high);
    }
}

static void cover_pdata(const struct image *img, const struct image_part *part,
                        struct spans *out)
{
    struct cursor c = cursor_at(part->bytes, (size_t)part->size, 0);

    while (cursor_left(&c) >= PDATA_ENTRY) {
        uint64_t base = image_base(img);
        uint64_t low = cursor_u32(&c), high = cursor_u32(&c);

        cursor_skip(&c, 4);
        (void)spans_add(out, base + low, base + high);
    }
}

/*
 * Add the code that (table) of (img) describes to (out). Skips damaged entries.
 * Returns false if the image has no such table.
 */
static bool check_unwind_table(const struct image *img, enum check_table table,
                               struct spans *out)
{
    static const char *const names[CHECK_TABLES] = {".eh_frame", ".debug_frame",
                                                    ".pdata"};
    struct image_part part = image_section_part(img, names[table]);

    if (part.bytes == NULL)
        return false;
    if (table == CHECK_PDATA)
        cover_pdata(img, &part, out);
    else
        cover_frames(&part, table == CHECK_EH_FRAME, out);
    return true;
}

/* Limit of runs of instructions, more than any kernel has; further runs are
 * ignored. */
#define MAX_CODE_PARTS 1024u
/* Longer names are not examined. */
#define MAX_NAME       4096u
#define PAGE           4096u

struct gathering {
    struct check_facts *s;
    struct image *img;
    struct dwarf *dwarf; /* NULL: none */
    struct frame_places *codes;
    struct spans code; /* all instructions, settled */
    struct spans named, lines, described;
    struct spans agent; /* code of the agent, by its symbols; settled */
    bool go;            /* has its tables */
    uint64_t budget;    /* bytes of functions that may still be read, because
                           functions may overlap */
    size_t unit_count;  /* of (dwarf); after them, units without debug
                           information, one for each language */
};

/* Is the page at (p) a page table, or does it look like one? No word of a page
 * table has a bit from 48 to 62 set, while pages of code always have such a
 * word. */
static bool is_table(const uint8_t *p)
{
    for (size_t at = 0; at < PAGE; at += 8)
        if (p[at + 6] != 0 || (p[at + 7] & 0x7f) != 0)
            return false;
    return true;
}

/* Add (s) to the code, without pages of page tables. */
static int add_code(struct gathering *l, const struct span *s)
{
    uint64_t low = s->low, page = (low + PAGE - 1) / PAGE * PAGE;
    size_t len;

    for (; page >= low && page < s->high && s->high - page >= PAGE;
         page += PAGE) {
        const uint8_t *bytes = image_loaded(l->img, page, &len);

        if (bytes == NULL) /* the file has no bytes: debug information alone */
            break;
        if (len < PAGE || !is_table(bytes))
            continue;
        if (spans_add(&l->code, low, page) != 0)
            return -1;
        low = page + PAGE;
    }
    return spans_add(&l->code, low, s->high);
}

/* Add the bytes of (part) that the file holds to (out). Holes are no code. */
static int add_held(const struct gathering *l, const struct image_part *part,
                    struct spans *out)
{
    uint64_t end = part->address + part->size;
    const struct image_text *s = image_segment(l->img, 0);

    if (s == NULL) /* debug information alone: another file has the code */
        return spans_add(out, part->address, end);
    for (size_t i = 0; (s = image_segment(l->img, i)) != NULL; i++) {
        uint64_t high = s->address + s->bytes_len;

        if (spans_add(out,
                      s->address > part->address ? s->address : part->address,
                      high < end ? high : end) != 0)
            return -1;
    }
    return 0;
}

static int find_code(struct gathering *l)
{
    const struct image_part *part;
    const struct image_text *text;
    struct spans held = {0};
    int status = 0;

    for (size_t i = 0; status == 0 && i < MAX_CODE_PARTS &&
                       (part = image_code_part(l->img, i)) != NULL;
         i++)
        status = add_held(l, part, &held);
    spans_settle(&held);
    for (size_t i = 0; status == 0 && i < held.count; i++)
        status = add_code(l, &held.list[i]);
    spans_fini(&held);
    spans_settle(&l->code);
    l->s->code_bytes = spans_size(&l->code);
    for (size_t i = 0; (text = image_text_at(l->img, i)) != NULL; i++)
        l->budget += 4 * (uint64_t)text->bytes_len;
    l->go = image_section_part(l->img, ".gopclntab").size != 0;
    return status;
}

/* Returns (text); NULL if (text) is too long, because a million symbols or
 * units may share a text as long as the file. */
static const char *fair(const char *text)
{
    return text != NULL && strnlen(text, MAX_NAME) < MAX_NAME ? text : NULL;
}

/* Make a unit for each compile unit, and one for each language without debug
 * information. */
static int make_units(struct gathering *l)
{
    struct check_facts *s = l->s;

    l->unit_count = l->dwarf != NULL ? dwarf_unit_count(l->dwarf) : 0;
    s->unit_count = l->unit_count + CHECK_LANGUAGES;
    s->units = calloc(s->unit_count, sizeof *s->units);
    if (s->units == NULL)
        return -1;
    for (size_t i = 0; i < l->unit_count; i++) {
        struct dwarf_about about = dwarf_unit_about(l->dwarf, i);

        about.name = fair(about.name);
        about.producer = fair(about.producer);
        s->units[i] = (struct check_unit){
            .name = about.name != NULL ? about.name : "(nameless)",
            .producer = about.producer,
            .language = check_unit_language(&about)};
    }
    for (size_t i = 0; i < CHECK_LANGUAGES; i++)
        s->units[l->unit_count + i].language = (enum check_language)i;
    return 0;
}

/* Add the lines of unit (i) to the unit and to the sum. */
static int look_at_lines(struct gathering *l, size_t i)
{
    struct spans lines = {0};
    int status = 0;

    dwarf_unit_lines(l->dwarf, i, &lines);
    spans_settle(&lines);
    l->s->units[i].line_bytes = spans_common(&lines, &l->code);
    for (size_t n = 0; n < lines.count && status == 0; n++)
        status = spans_add(&l->lines, lines.list[n].low, lines.list[n].high);
    spans_fini(&lines);
    return status;
}

static int look_at_dwarf(struct gathering *l)
{
    struct span range;
    size_t unit;

    for (size_t i = 0;
         l->dwarf != NULL && dwarf_range(l->dwarf, i, &range, &unit); i++) {
        l->s->units[unit].code_bytes +=
            spans_within(&l->code, range.low, range.high);
        if (spans_add(&l->described, range.low, range.high) != 0 ||
            spans_add(&l->named, range.low, range.high) != 0)
            return -1;
    }
    for (size_t i = 0; i < l->unit_count; i++) {
        if (look_at_lines(l, i) != 0)
            return -1;
    }
    return 0;
}

static struct check_unit *unit_of(const struct gathering *l,
                                  const struct image_function *f)
{
    size_t unit =
        l->dwarf != NULL ? dwarf_unit_of(l->dwarf, f->start) : l->unit_count;

    if (unit == l->unit_count)
        unit += spans_within(&l->agent, f->start, f->start + 1) != 0
                    ? CHECK_AGENT
                : fair(f->name) != NULL
                    ? check_symbol_language(f, image_is_pe(l->img), l->go)
                    : CHECK_OTHER;
    else if (strncmp(f->name, "tprof_", 6) == 0)
        l->s->units[unit].language = CHECK_AGENT;
    return &l->s->units[unit];
}

static void count(struct check_frames *f, enum check_frame frame,
                  uint64_t bytes)
{
    f->functions[frame]++;
    f->bytes[frame] += bytes;
}

static enum code_framing
frame_of(struct gathering *l, const struct image_function *f, uint64_t *told)
{
    *told = 0;
    if (f->size > l->budget || fair(f->name) == NULL)
        return CODE_UNREAD;
    l->budget -= f->size;
    return frame_place_framing(l->codes, f, told);
}

/* Keep (f), of (unit), if it is one of the largest functions of its
 * language. */
static void name_bare(struct gathering *l, const struct image_function *f,
                      const struct check_unit *unit, uint64_t bytes)
{
    struct check_named *list = l->s->bare[unit->language];
    struct check_named next = {f->name, bytes, (size_t)(unit - l->s->units)};

    if (check_keeps_frames(unit) || fair(f->name) == NULL)
        return;
    if (unit->language == CHECK_PASCAL && check_symbol_of_runtime(f->name))
        l->s->runtime_bytes += bytes;
    for (size_t i = 0; i < CHECK_NAMED; i++) {
        if (list[i].name == NULL || list[i].bytes < next.bytes) {
            struct check_named moved = list[i];

            list[i] = next;
            next = moved;
        }
    }
}

static int look_at_function(struct gathering *l, const struct image_function *f)
{
    static const enum check_frame frames[] = {
        [CODE_FRAMED] = CHECK_FRAMED, [CODE_LEAF] = CHECK_LEAF,
        [CODE_BARE] = CHECK_BARE,     [CODE_CUTTING] = CHECK_CUTTING,
        [CODE_UNREAD] = CHECK_UNREAD,
    };
    uint64_t bytes = spans_within(&l->code, f->start, f->start + f->size);
    uint64_t told;
    enum code_framing frame = frame_of(l, f, &told);
    struct check_unit *unit = unit_of(l, f);

    if (bytes == 0) /* a table */
        return 0;
    if (frame == CODE_BARE || frame == CODE_CUTTING)
        name_bare(l, f, unit, bytes);
    if (unit->name == NULL)
        unit->code_bytes += bytes;
    if (frame != CODE_PART) { /* a cold part counts with its function */
        count(&unit->frames, frames[frame], bytes);
        told = told < bytes ? told : bytes;
        unit->frames.told += told;
        unit->frames.told_leaf += frame == CODE_LEAF ? told : 0;
        l->s->functions++;
    }
    if (!f->sized) {
        l->s->labels++;
        l->s->label_bytes += bytes;
    }
    return spans_add(&l->named, f->start, f->start + f->size);
}

static int look_at_functions(struct gathering *l)
{
    const struct image_function *f;

    if (check_agent_code(l->img, &l->agent) != 0)
        return -1;
    spans_settle(&l->agent);
    for (size_t i = 0; (f = image_function_at(l->img, i)) != NULL; i++) {
        if (look_at_function(l, f) != 0)
            return -1;
    }
    l->s->has_symbols = image_function_at(l->img, 0) != NULL;
    return 0;
}

/* Returns the length of the path of (u) up to the agent's source folder; 0 if
 * the unit is not in such a folder. */
static size_t agent_folder(const struct check_unit *u)
{
    static const char folder[] = "agent/src/";
    const char *at = u->name != NULL ? strstr(u->name, folder) : NULL;

    return at != NULL ? (size_t)(at - u->name) + sizeof folder - 1 : 0;
}

/* Find the agent's units. A unit without a public function is recognized by the
 * units beside it. */
static void find_agent(struct check_facts *s)
{
    const char *folder = NULL;
    size_t len = 0;

    for (size_t i = 0; i < s->unit_count && len == 0; i++) {
        if (s->units[i].language == CHECK_AGENT) {
            folder = s->units[i].name;
            len = agent_folder(&s->units[i]);
        }
    }
    for (size_t i = 0; i < s->unit_count && len != 0; i++) {
        if (agent_folder(&s->units[i]) == len &&
            strncmp(s->units[i].name, folder, len) == 0)
            s->units[i].language = CHECK_AGENT;
    }
}

static void sum_own(struct check_facts *s)
{
    for (size_t i = 0; i < s->unit_count; i++) {
        const struct check_unit *u = &s->units[i];

        s->own_bytes += u->code_bytes;
        for (int f = 0; f < CHECK_FRAMES; f++) {
            s->frames.functions[f] += u->frames.functions[f];
            s->frames.bytes[f] += u->frames.bytes[f];
        }
        s->frames.told += u->frames.told;
        s->frames.told_leaf += u->frames.told_leaf;
    }
}

static uint64_t code_in(const struct gathering *l, struct spans *spans)
{
    spans_settle(spans);
    return spans_common(spans, &l->code);
}

static void look_at_tables(struct gathering *l)
{
    for (int i = 0; i < CHECK_TABLES; i++) {
        struct spans spans = {0};

        l->s->table[i] =
            check_unwind_table(l->img, (enum check_table)i, &spans);
        l->s->table_bytes[i] = code_in(l, &spans);
        spans_fini(&spans);
    }
}

static int by_size(const void *x, const void *y)
{
    const struct check_unit *a = x, *b = y;

    return a->code_bytes < b->code_bytes ? 1 : -(a->code_bytes > b->code_bytes);
}

/* Remove functions of the agent from the named functions. */
static void forget_agent(struct check_facts *s)
{
    for (size_t l = 0; l < CHECK_LANGUAGES; l++) {
        size_t kept = 0;

        for (size_t i = 0; i < CHECK_NAMED; i++) {
            struct check_named *at = &s->bare[l][i];

            if (at->name != NULL && s->units[at->unit].language != CHECK_AGENT)
                s->bare[l][kept++] = *at;
        }
        for (; kept < CHECK_NAMED; kept++)
            s->bare[l][kept].name = NULL;
    }
}

/* Keep only the kernel's units that have code, and sort them by size. */
static void sort_units(struct check_facts *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->unit_count; i++) {
        if (s->units[i].language == CHECK_AGENT)
            s->agent.code_bytes += s->units[i].code_bytes;
        else if (s->units[i].code_bytes != 0)
            s->units[kept++] = s->units[i];
    }
    s->unit_count = kept;
    qsort(s->units, kept, sizeof *s->units, by_size);
}

static int look_at_image(struct gathering *l)
{
    struct check_facts *s = l->s;

    if (l->codes == NULL || find_code(l) != 0 || make_units(l) != 0 ||
        look_at_dwarf(l) != 0 || look_at_functions(l) != 0)
        return -1;
    look_at_tables(l);
    s->named_bytes = code_in(l, &l->named);
    s->line_bytes = code_in(l, &l->lines);
    s->described = code_in(l, &l->described);
    check_agent(&s->agent, l->img, &l->code);
    check_loading(&s->loading, l->img);
    find_agent(s);
    forget_agent(s);
    sort_units(s);
    sum_own(s);
    s->pe = image_is_pe(l->img);
    s->cpu = image_cpu(l->img);
    s->moves = image_moves(l->img);
    s->entry = image_entry(l->img);
    s->build_id = image_build_id(l->img, &s->build_id_len);
    s->has_code = image_text_at(l->img, 0) != NULL;
    s->has_dwarf = l->dwarf != NULL;
    s->bad_dwarf = (image_flaws(l->img) & IMAGE_BAD_DEBUG) != 0;
    s->split_dwarf = (image_flaws(l->img) & IMAGE_SPLIT_DEBUG) != 0;
    s->split_file = image_flaw_file(l->img, IMAGE_SPLIT_DEBUG);
    s->stripped_file = image_flaw_file(l->img, IMAGE_NO_DEBUG_FILE);
    s->debug_path = image_debug_path(l->img);
    s->packed_dwarf = (image_flaws(l->img) & IMAGE_PACKED_DEBUG) != 0;
    return 0;
}

int check_gather(struct check_facts *out, struct image *img)
{
    struct gathering l = {.s = out,
                          .img = img,
                          .dwarf = dwarf_open(img),
                          .codes = frame_places_new(img, 0)};
    int status;

    *out = (struct check_facts){0};
    status = look_at_image(&l);
    spans_fini(&l.code);
    spans_fini(&l.named);
    spans_fini(&l.lines);
    spans_fini(&l.described);
    spans_fini(&l.agent);
    frame_places_free(l.codes);
    dwarf_close(l.dwarf);
    if (status != 0)
        check_facts_fini(out);
    return status;
}

void check_facts_fini(struct check_facts *s)
{
    free(s->units);
    *s = (struct check_facts){0};
}
