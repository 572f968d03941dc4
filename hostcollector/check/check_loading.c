/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "check/gather.h"
#include "image/file/image.h"
#include "image/file/loading.h"
#include "util/cpu/cpu.h"
#include "util/cursor.h"

#define MULTIBOOT_MAGIC     0x1badb002u
#define MULTIBOOT_WITHIN    8192u
#define MULTIBOOT_ADDRESSES 0x10000u /* flag: the address fields are valid */
#define MULTIBOOT_QEMU      (MULTIBOOT_WITHIN - 48) /* QEMU's limit */

#define MULTIBOOT2_MAGIC  0xe85250d6u
#define MULTIBOOT2_WITHIN 32768u

#define XEN_PHYS32_ENTRY 18u

/* Limits: no kernel has more sections, and no good kernel has many sections
 * that are not loaded. */
#define MAX_SECTIONS 1024u
#define MAX_GAPS     16u

/* Sources: Multiboot Specification 0.6.96, 3.1; Multiboot2 Specification 2.0,
 * 3.1; Xen's x86/HVM direct boot ABI (PVH). */
/* Parts of a file that a multiboot header asks a loader to load. */
struct load_plan {
    bool is_there;        /* the header is in the file */
    bool ends;            /* it has addresses, which replace the segments */
    bool bad;             /* these addresses make no sense */
    uint64_t at;          /* offset of the header in the file */
    uint64_t first, last; /* offsets in the file: what is loaded */
    uint64_t load_end, bss_end;
};

static bool is_multiboot(const uint8_t *head, size_t len, size_t at)
{
    struct cursor c = cursor_at(head, len, at);
    uint32_t magic = cursor_u32(&c), flags = cursor_u32(&c);

    return magic == MULTIBOOT_MAGIC && magic + flags + cursor_u32(&c) == 0 &&
           !c.bad;
}

static void read_addresses(struct load_plan *p, const uint8_t *head, size_t len)
{
    struct cursor c = cursor_at(head, len, p->at + 12);
    uint32_t header = cursor_u32(&c), load = cursor_u32(&c);

    p->load_end = cursor_u32(&c);
    p->bss_end = cursor_u32(&c);
    p->bad = c.bad || header < load || p->at < header - load ||
             (p->load_end != 0 && p->load_end < load);
    p->first = p->at - (header - load);
    p->last = p->load_end != 0 ? p->first + (p->load_end - load) : UINT64_MAX;
}

static void find_multiboot(struct load_plan *p, const uint8_t *head, size_t len)
{
    if (len > MULTIBOOT_WITHIN)
        len = MULTIBOOT_WITHIN;
    while (p->at < len && !is_multiboot(head, len, p->at))
        p->at += 4;
    p->is_there = p->at < len;
    if (!p->is_there)
        return;
    struct cursor c = cursor_at(head, len, p->at + 4);
    p->ends = (cursor_u32(&c) & MULTIBOOT_ADDRESSES) != 0;
    if (p->ends)
        read_addresses(p, head, len);
}

static bool has_multiboot2(const uint8_t *head, size_t len)
{
    for (size_t at = 0; at < len; at += 8) {
        struct cursor c = cursor_at(head, len, at);
        uint32_t magic = cursor_u32(&c), cpu = cursor_u32(&c);
        uint32_t size = cursor_u32(&c);

        if (magic == MULTIBOOT2_MAGIC && cpu == 0 &&
            magic + size + cursor_u32(&c) == 0 && !c.bad)
            return true;
    }
    return false;
}

/* Find the header that QEMU uses. QEMU searches for multiboot first. All our
 * files are 64-bit files. If QEMU finds a header without addresses in such a
 * file, QEMU gives up. */
static uint32_t loaders_of(const struct image *img, const struct load_plan *p,
                           bool multiboot2)
{
    uint32_t set = multiboot2 ? CHECK_GRUB_MULTIBOOT2 : 0;
    size_t len;

    if (image_cpu(img)->boots_elf)
        return CHECK_QEMU_ELF;

    if (p->is_there && !p->bad)
        set |= CHECK_GRUB_MULTIBOOT;
    if (p->is_there && p->at < MULTIBOOT_QEMU)
        return p->bad    ? set
               : p->ends ? set | CHECK_QEMU_MULTIBOOT
                         : set | CHECK_QEMU_ELF32;
    if (image_note(img, "Xen", XEN_PHYS32_ENTRY, &len) != NULL)
        set |= CHECK_QEMU_PVH;
    return set;
}

/* Returns how many of the (size) bytes from (first) on are beyond (last). */
static uint64_t behind(uint64_t first, uint64_t size, uint64_t last)
{
    if (first > last)
        return size;
    return size > last - first ? size - (last - first) : 0;
}

/* Returns the number of bytes at the end of (s) that no loader loads or zeroes.
 */
static uint64_t unloaded(const struct load_plan *p,
                         const struct loading_section *s,
                         enum check_gap_why *why)
{
    *why = CHECK_GAP_SEGMENT;
    if (!p->ends || p->bad || (s->zeroed && s->loaded == 0))
        return s->size - s->loaded;
    *why = s->zeroed ? CHECK_GAP_BSS_END : CHECK_GAP_LOAD_END;
    if (!s->zeroed)
        return s->file_offset < p->first
                   ? s->size
                   : behind(s->file_offset, s->size, p->last);
    return p->bss_end != 0 ? behind(s->physical, s->size, p->bss_end) : 0;
}

/* Does a part of tprof lie in [low, high)? */
static bool holds_agent(const struct image *img, uint64_t low, uint64_t high)
{
    uint64_t at, end;

    return image_find_named(img, "tprof_", low, high, &at) ||
           image_find_named(img, "__tprof_", low, high, &at) ||
           (image_find_symbol(img, "__tprof_build_id", &at) &&
            image_find_symbol(img, "__tprof_build_id_end", &end) && at < high &&
            end > low);
}

/* Is the gap worth a remark? A kernel may zero its .bss itself, and may not
 * need notes. Gaps in the agent's sections always count. */
static bool is_worth(const struct check_gap *g, const struct loading_section *s)
{
    return g->agent || (!s->note && g->why != CHECK_GAP_BSS_END);
}

/* Keep (gap). Gaps of the agent come first. */
static void keep(struct check_loading_facts *out, struct check_gap gap)
{
    for (size_t i = 0; i < CHECK_GAPS; i++) {
        struct check_gap *g = &out->gaps[i];

        if (g->section == NULL || (gap.agent && !g->agent)) {
            struct check_gap moved = *g;

            *g = gap;
            gap = moved;
        }
        if (gap.section == NULL)
            return;
    }
}

static void find_gaps(struct check_loading_facts *out, const struct image *img,
                      const struct load_plan *p)
{
    struct loading_section s;
    size_t found = 0;

    for (size_t i = 0;
         i < MAX_SECTIONS && found < MAX_GAPS && image_section_at(img, i, &s);
         i++) {
        struct check_gap g = {.section = s.name};
        uint64_t end = s.address + s.size;

        g.bytes = unloaded(p, &s, &g.why);
        if (g.bytes == 0)
            continue;
        found++;
        g.agent = holds_agent(img, end - g.bytes, end);
        if (is_worth(&g, &s))
            keep(out, g);
    }
}

void check_loading(struct check_loading_facts *out, const struct image *img)
{
    struct load_plan plan = {0};
    size_t len;
    const uint8_t *head = image_head(img, MULTIBOOT2_WITHIN, &len);

    *out = (struct check_loading_facts){0};
    if (image_is_pe(img))
        out->loaders = CHECK_UEFI;
    if (image_text_at(img, 0) == NULL || head == NULL)
        return;
    find_multiboot(&plan, head, len);
    out->loaders = loaders_of(img, &plan, has_multiboot2(head, len));
    out->load_end = plan.load_end;
    out->bss_end = plan.bss_end;
    find_gaps(out, img, &plan);
}
