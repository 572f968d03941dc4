/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers of a dead guest's cores. */
#include "dump/dump_memory.h"

#include <string.h>

#include "util/bytes.h"
#include "util/cpu/cpu.h"

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

#define CONTENTS_MAX 480u /* bytes of a note that are read */

struct core_note {
    uint32_t type;
    char name[NAME_MAX_SIZE];
    uint8_t bytes[CONTENTS_MAX];
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

static bool is_note(const struct core_note *n, const char *name, uint32_t type)
{
    return strcmp(n->name, name) == 0 && n->type == type;
}

/* Read the registers of the CPU whose note has this size. */
static bool take_status(struct cpu_registers *r, const struct core_note *n)
{
    for (size_t i = 0; cpu_at(i) != NULL; i++)
        if (cpu_at(i)->from_status(n->bytes, n->size, r))
            return true;
    return false;
}

uint32_t dump_registers_read(struct dump_memory *m, struct cpu_registers *list,
                             uint32_t max)
{
    uint32_t count = 0, controls = 0;
    uint64_t offset = 0;
    struct core_note n;

    for (unsigned i = 0; i < NOTES_MAX && next_note(m, &offset, &n); i++) {
        if (is_note(&n, "CORE", NOTE_PRSTATUS)) {
            count += count < max && take_status(&list[count], &n);
        } else if (is_note(&n, "QEMU", NOTE_QEMU) && controls < count) {
            struct cpu_registers *r = &list[controls++];

            if (r->cpu->from_qemu_note != NULL)
                r->cpu->from_qemu_note(n.bytes, n.size, r);
        }
    }
    return count;
}

const struct cpu *dump_cpu(struct dump_memory *m)
{
    struct cpu_registers r;

    return dump_registers_read(m, &r, 1) != 0 ? r.cpu : cpu_at(0);
}
