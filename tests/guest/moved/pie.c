/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel moves itself, as one does that draws its address: slide=N, of
 * which the bits from 39 up choose a virtual address, the lower ones where in
 * memory.
 */
#include "guest.h"
#include "mem.h"
#include "moved.h"

#define START_INFO_CMDLINE 24
#define RELOC_RELATIVE     8
#define SLOT_SHIFT         39 /* what an entry of the PML4 maps */
#define OFFSET_MASK        ((1ull << SLOT_SHIFT) - 1)
#define BREAKPOINT         0xcc

struct reloc {
    uint64_t offset, info, addend;
};

/* pie.ld, and the fragments; hidden, so that no table has their addresses,
 * which would not be relocated yet */
#pragma GCC visibility push(hidden)
extern char __pie_start[], __tprof_text_start[], __tprof_text_end[];
extern char _end[];
extern const struct reloc __pie_rela_start[], __pie_rela_end[];
#pragma GCC visibility pop

static uint64_t slide;

uint64_t pie_move(uint64_t start_info, uint64_t *pml4);
void pie_forget(void);

/* The number behind "slide=0x" in (line), and nothing of the kit's: that may
 * not run before it has its relocations. */
static uint64_t parse_slide(const char *line)
{
    uint64_t value = 0;

    for (; *line; line++) {
        if (line[0] != 's' || line[1] != 'l' || line[5] != '=')
            continue;
        for (line += 8; *line > ' '; line++)
            value = value * 16 +
                    (uint64_t)(*line <= '9' ? *line - '0' : *line - 'a' + 10);
        break;
    }
    return value;
}

/* Copies the image to where it shall run, and relocates the copy. Returns how
 * far that is. */
uint64_t pie_move(uint64_t start_info, uint64_t *pml4)
{
    const char *line =
        *(const char *const *)(uintptr_t)(start_info + START_INFO_CMDLINE);
    uint64_t by = parse_slide(line);
    char *to = __pie_start + (by & OFFSET_MASK);

    /* all of memory once more, at that virtual address */
    pml4[by >> SLOT_SHIFT] = pml4[0];
    memcpy(to, __pie_start, (size_t)(_end - __pie_start));
    for (const struct reloc *r = __pie_rela_start; r < __pie_rela_end; r++) {
        if ((uint32_t)r->info != RELOC_RELATIVE)
            __asm__ volatile("ud2");
        *(uint64_t *)(uintptr_t)(r->offset + (by & OFFSET_MASK)) =
            r->addend + by;
    }
    *(uint64_t *)(void *)((char *)&slide + (by & OFFSET_MASK)) = by;
    return by;
}

/* No code is left at its old place. */
void pie_forget(void)
{
    memset(__tprof_text_start - slide, BREAKPOINT,
           (size_t)(__tprof_text_end - __tprof_text_start));
}

uint64_t moved_physical(void *context, const void *address)
{
    (void)context;
    return (uintptr_t)address & OFFSET_MASK;
}

void *(*moved_map(void))(void *, uint64_t, size_t)
{
    return NULL;
}
