/* SPDX-License-Identifier: BSD-2-Clause */
/* A loader of static-pie ELF files. ELF-64 Object File Format, version 1.5. */
#include "loader.h"

#include "guest.h"
#include "mem.h"

#define ELF_MAGIC         0x464c457fu
#define TYPE_DYN          3
#define SEGMENT_LOAD      1
#define SEGMENT_DYNAMIC   2
#define SEGMENT_NOTE      4
#define FLAG_EXECUTE      1u
#define DYN_RELA          7
#define DYN_RELA_SIZE     8
#define RELOC_RELATIVE    8 /* R_X86_64_RELATIVE */
#define NOTE_GNU_BUILD_ID 3

#define LARGE_PAGE  0x200000u
#define PAGE_FLAGS  0x3u /* present, writable */
#define PAGE_LARGE  0x80u
#define FIRST_4_GIB (1ull << 32)
#define TABLES      8

struct elf_header {
    uint32_t magic;
    uint8_t ident[12];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, segments, sections;
    uint32_t flags;
    uint16_t size, segment_size, segment_count;
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, start, physical, file_size, size, align;
};
_Static_assert(sizeof(struct elf_segment) == 56, "as the format has it");

struct elf_dynamic {
    int64_t tag;
    uint64_t value;
};

struct elf_reloc {
    uint64_t offset, info;
    int64_t addend;
};

struct elf_note {
    uint32_t name_size, size, type;
    char name[4]; /* "GNU" */
    uint8_t value[];
};

/* --- an address above 4 GiB --- */

static _Alignas(4096) uint64_t tables[TABLES][512];
static unsigned tables_used;

static uint64_t *table_of(uint64_t *entry)
{
    if (*entry == 0) {
        if (tables_used == TABLES)
            guest_fail("loader: too many page tables");
        *entry = (uintptr_t)tables[tables_used++] | PAGE_FLAGS;
    }
    return (uint64_t *)(uintptr_t)(*entry & ~0xfffull);
}

static void map_large(uint64_t at, uint64_t physical)
{
    uint64_t cr3;

    __asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
    uint64_t *pml4 = table_of(&cr3);
    uint64_t *pdpt = table_of(&pml4[at >> 39 & 511]);
    uint64_t *pd = table_of(&pdpt[at >> 30 & 511]);

    pd[at >> 21 & 511] = physical | PAGE_FLAGS | PAGE_LARGE;
}

/* --- the file --- */

static void relocate(uint64_t base, const struct elf_dynamic *dynamic)
{
    const struct elf_reloc *reloc = NULL;
    uint64_t size = 0;

    for (; dynamic->tag != 0; dynamic++) {
        if (dynamic->tag == DYN_RELA)
            reloc = (const void *)(uintptr_t)(base + dynamic->value);
        if (dynamic->tag == DYN_RELA_SIZE)
            size = dynamic->value;
    }
    for (uint64_t i = 0; reloc && i < size / sizeof *reloc; i++) {
        if ((uint32_t)reloc[i].info != RELOC_RELATIVE)
            guest_fail("loader: a relocation that is not RELATIVE");
        *(uint64_t *)(uintptr_t)(base + reloc[i].offset) =
            base + (uint64_t)reloc[i].addend;
    }
}

static void find_build_id(struct loaded *l, uint64_t at, uint64_t size)
{
    uint64_t end = at + size;

    while (at + sizeof(struct elf_note) <= end) {
        const struct elf_note *note = (const void *)(uintptr_t)at;

        if (note->type == NOTE_GNU_BUILD_ID &&
            memcmp(note->name, "GNU", 4) == 0) {
            l->build_id = note->value;
            l->build_id_size = note->size;
        }
        at += 12 + ((note->name_size + 3) & ~3u) + ((note->size + 3) & ~3u);
    }
}

static void load_segment(const char *file, uint64_t base,
                         const struct elf_segment *s, struct loaded *l)
{
    char *to = (char *)(uintptr_t)(base + s->start);

    if (s->start + s->size > LARGE_PAGE)
        guest_fail("loader: the image is larger than 2 MiB");
    memcpy(to, file + s->offset, s->file_size);
    memset(to + s->file_size, 0, s->size - s->file_size);
    if (s->flags & FLAG_EXECUTE) {
        l->text_start = base + s->start;
        l->text_size = s->size;
        l->link_start = s->start;
    }
}

void loader_load(const void *file, uint64_t at, uint64_t physical,
                 struct loaded *l)
{
    const struct elf_header *h = file;
    const struct elf_segment *s =
        (const void *)((const char *)file + h->segments);

    if (h->magic != ELF_MAGIC || h->type != TYPE_DYN)
        guest_fail("loader: there is no position-independent ELF file");
    if (at >= FIRST_4_GIB)
        map_large(at, physical);
    *l = (struct loaded){.entry = (app_entry *)(uintptr_t)(at + h->entry)};
    for (unsigned i = 0; i < h->segment_count; i++)
        if (s[i].type == SEGMENT_LOAD)
            load_segment(file, at, &s[i], l);
    for (unsigned i = 0; i < h->segment_count; i++) {
        if (s[i].type == SEGMENT_DYNAMIC)
            relocate(at, (const void *)(uintptr_t)(at + s[i].start));
        if (s[i].type == SEGMENT_NOTE)
            find_build_id(l, at + s[i].start, s[i].size);
    }
}
