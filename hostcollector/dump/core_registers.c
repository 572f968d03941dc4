/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers of a dead guest's cores. */
#include "dump/dump_memory.h"

#include <string.h>

#include "util/bytes.h"

#define NOTES_MAX 4096u /* limit of notes that are read */

/* A note: size of its name, size of its contents, type, name, contents. Name
 * and contents are padded to multiples of 4 bytes. */
#define NOTE_NAME_SIZE 0u
#define NOTE_SIZE      4u
#define NOTE_TYPE      8u
#define NOTE_HEADER    12u
#define NAME_MAX_SIZE  8u
#define NOTE_PRSTATUS  1u /* with the name "CORE" */
#define NOTE_QEMU      0u /* with the name "QEMU" */

/* struct elf_prstatus of Linux on x86-64 */
#define PRSTATUS_REGISTERS 112u /* u64 each, in the order of (places) */
#define PRSTATUS_PC        16u  /* index of the program counter */
#define PRSTATUS_CS        17u
#define PRSTATUS_FLAGS     18u
#define PRSTATUS_SIZE      336u

/* QEMUCPUState of QEMU's target/i386/arch_dump.c */
#define QEMU_VERSION  0u /* u32 1 */
#define QEMU_CS_FLAGS 160u
#define QEMU_CS_LONG  (1u << 21) /* flag of the segment's descriptor */
#define QEMU_CR0      392u       /* u64 each */
#define QEMU_CR3      416u
#define QEMU_CR4      424u
#define QEMU_SIZE     432u /* bytes of it that are read */

/* Index into PRSTATUS for each DWARF register number. */
static const uint8_t places[16] = {10, 12, 11, 5, 13, 14, 4, 19,
                                   9,  8,  7,  6, 3,  2,  1, 0};

struct core_note {
    uint32_t type;
    char name[NAME_MAX_SIZE];
    uint8_t bytes[QEMU_SIZE];
    size_t size; /* of (bytes) */
};

static uint64_t filled_up(uint32_t size)
{
    return ((uint64_t)size + 3) & ~UINT64_C(3);
}

/* Read the note at (*offset), and move (*offset) past it. Returns false if
 * there is none. */
static bool next_note(struct dump_memory *m, uint64_t *offset,
                      struct core_note *n)
{
    uint8_t header[NOTE_HEADER];

    if (dump_memory_notes(m, *offset, header, sizeof header) != sizeof header)
        return false;

    uint32_t name_size = load_u32(header + NOTE_NAME_SIZE);
    uint32_t size = load_u32(header + NOTE_SIZE);
    uint64_t name_at = *offset + sizeof header;

    *offset = name_at + filled_up(name_size) + filled_up(size);
    n->type = load_u32(header + NOTE_TYPE);
    memset(n->name, 0, sizeof n->name);
    n->size = size < sizeof n->bytes ? size : sizeof n->bytes;
    if (name_size < sizeof n->name)
        (void)dump_memory_notes(m, name_at, n->name, name_size);
    n->size =
        dump_memory_notes(m, name_at + filled_up(name_size), n->bytes, n->size);
    return true;
}

static bool is_note(const struct core_note *n, const char *name, uint32_t type,
                    size_t size)
{
    return strcmp(n->name, name) == 0 && n->type == type && n->size >= size;
}

static uint64_t status_word(const struct core_note *n, unsigned i)
{
    return load_u64(n->bytes + PRSTATUS_REGISTERS + 8 * (size_t)i);
}

static void take_status(struct dump_registers *r, const struct core_note *n)
{
    *r = (struct dump_registers){.pc = status_word(n, PRSTATUS_PC),
                                 .flags = status_word(n, PRSTATUS_FLAGS),
                                 .cs = (uint16_t)status_word(n, PRSTATUS_CS),
                                 .is_wide = true};
    for (size_t i = 0; i < sizeof places; i++)
        r->general[i] = status_word(n, places[i]);
}

static void take_control(struct dump_registers *r, const struct core_note *n)
{
    if (load_u32(n->bytes + QEMU_VERSION) != 1)
        return;
    r->has_control = true;
    r->is_wide = (load_u32(n->bytes + QEMU_CS_FLAGS) & QEMU_CS_LONG) != 0;
    r->cr0 = load_u64(n->bytes + QEMU_CR0);
    r->cr3 = load_u64(n->bytes + QEMU_CR3);
    r->cr4 = load_u64(n->bytes + QEMU_CR4);
}

uint32_t dump_registers_read(struct dump_memory *m, struct dump_registers *list,
                             uint32_t max)
{
    uint32_t count = 0, controls = 0;
    uint64_t offset = 0;
    struct core_note n;

    for (unsigned i = 0; i < NOTES_MAX && next_note(m, &offset, &n); i++) {
        if (is_note(&n, "CORE", NOTE_PRSTATUS, PRSTATUS_SIZE)) {
            if (count < max)
                take_status(&list[count++], &n);
        } else if (is_note(&n, "QEMU", NOTE_QEMU, QEMU_SIZE)) {
            if (controls < count)
                take_control(&list[controls++], &n);
        }
    }
    return count;
}
