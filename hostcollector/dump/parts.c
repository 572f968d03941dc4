/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of guest memory that a dump file contains. */
#include "dump/parts.h"

#include <stdlib.h>

#include "util/bytes.h"
#include "util/cpu/cpu.h"

/* ELF64, little-endian; offsets into the header and a program header */
#define ELF_CLASS      4u /* u8  2: 64 bits */
#define ELF_DATA       5u /* u8  1: little-endian */
#define ELF_TYPE       16u
#define ELF_MACHINE    18u
#define ELF_PHOFF      32u
#define ELF_PHENTSIZE  54u
#define ELF_PHNUM      56u
#define ELF_HEADER     64u
#define ELF_CORE       4u
#define PROGRAM_TYPE   0u /* u32 1: to be loaded */
#define PROGRAM_OFFSET 8u
#define PROGRAM_VADDR  16u
#define PROGRAM_PADDR  24u
#define PROGRAM_FILESZ 32u
#define PROGRAM_MEMSZ  40u
#define PROGRAM_HEADER 56u
#define PROGRAM_LOAD   1u
#define PROGRAM_NOTE   4u
/* limit for one part */
#define CUT_MAX        (UINT64_MAX / 2 / DUMP_PARTS_MAX)

int dump_parts_raw(struct dump_parts *p, uint64_t size, struct err *e)
{
    p->list = calloc(1, sizeof *p->list);
    if (p->list == NULL)
        return err_memory(e);
    p->list[0] = (struct dump_part){.size = size};
    p->count = 1;
    return 0;
}

/* Is the file a core that can be read? Then it has (*count) program headers
 * from (*at) on. */
static int read_core_header(const uint8_t header[ELF_HEADER], uint64_t size,
                            uint64_t *at, uint32_t *count, struct err *e)
{
    if (header[ELF_CLASS] != 2 || header[ELF_DATA] != 1 ||
        cpu_of_elf(load_u16(header + ELF_MACHINE)) == NULL)
        return err_set(e, "is ELF, but not of " CPU_NAMES);
    *at = load_u64(header + ELF_PHOFF);
    *count = load_u16(header + ELF_PHNUM);
    if (*count > DUMP_PARTS_MAX)
        return err_set(e,
                       "has more than %u parts: dump it without paging, or by "
                       "pmemsave",
                       DUMP_PARTS_MAX);
    if (load_u16(header + ELF_PHENTSIZE) != PROGRAM_HEADER || *at > size ||
        *count * (uint64_t)PROGRAM_HEADER > size - *at)
        return err_set(
            e, "is cut, or no ELF core: its program headers are missing");
    return 0;
}

/* Add the part or the notes that program header (h) describes, up to the end of
 * the file. */
static void add_part(struct dump_parts *p, const uint8_t *h, uint64_t size)
{
    struct dump_part part = {.at = load_u64(h + PROGRAM_OFFSET),
                             .size = load_u64(h + PROGRAM_MEMSZ),
                             .physical = load_u64(h + PROGRAM_PADDR),
                             .virtual = load_u64(h + PROGRAM_VADDR)};

    uint64_t in_file = load_u64(h + PROGRAM_FILESZ);
    uint64_t there = part.at < size ? size - part.at : 0;

    if (load_u32(h + PROGRAM_TYPE) == PROGRAM_NOTE) {
        p->notes_at = part.at;
        p->notes_size = in_file < there ? in_file : there;
        return;
    }
    if (load_u32(h + PROGRAM_TYPE) != PROGRAM_LOAD)
        return;
    if (in_file > there)
        p->cut += in_file - there < CUT_MAX ? in_file - there : CUT_MAX;
    if (part.size > there)
        part.size = there;
    if (part.size > 0)
        p->list[p->count++] = part;
}

static int by_place(const void *a, const void *b)
{
    const struct dump_part *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

/* Let each part end where the next one begins. QEMU 7.2, with paging, merges
 * parts and leaves too small a size in the file in their header. */
static void end_parts(struct dump_parts *p)
{
    qsort(p->list, p->count, sizeof *p->list, by_place);
    for (size_t i = 0; i + 1 < p->count; i++) {
        uint64_t room = p->list[i + 1].at - p->list[i].at;

        if (room > 0 && p->list[i].size > room)
            p->list[i].size = room;
    }
}

/* Choose the kind of address for the parts. QEMU writes 0 for addresses that it
 * does not know, and in the core of a process all physical addresses are 0. */
static void judge_addresses(struct dump_parts *p)
{
    bool any_physical = false, any_virtual = false;

    for (size_t i = 0; i < p->count; i++) {
        any_physical |= p->list[i].physical != 0;
        any_virtual |= p->list[i].virtual != 0;
    }
    for (size_t i = 0; i < p->count; i++) {
        struct dump_part *part = &p->list[i];

        part->has_virtual = any_virtual;
        if (!any_physical && p->count > 1)
            part->physical = part->virtual;
    }
}

int dump_parts_elf(struct dump_parts *p, struct dump_file *f, struct err *e)
{
    const uint64_t size = f->size;
    uint8_t header[ELF_HEADER], program[PROGRAM_HEADER];
    uint64_t at = 0;
    uint32_t count = 0;

    if (!dump_file_read(f, 0, header, sizeof header))
        return err_set(e, "its start cannot be read");
    if (load_u16(header + ELF_TYPE) != ELF_CORE)
        /* memory, with an image at address 0 */
        return dump_parts_raw(p, size, e);
    if (read_core_header(header, size, &at, &count, e) != 0)
        return -1;
    p->list = calloc(count + 1, sizeof *p->list);
    if (p->list == NULL)
        return err_memory(e);
    for (uint32_t i = 0; i < count; i++, at += PROGRAM_HEADER) {
        if (!dump_file_read(f, at, program, sizeof program))
            return err_set(e, "its program headers cannot be read");
        add_part(p, program, size);
    }
    if (p->count == 0)
        return err_set(e, p->cut != 0
                              ? "is cut: it contains no memory"
                              : "is an ELF core that contains no memory");
    end_parts(p);
    judge_addresses(p);
    return 0;
}
