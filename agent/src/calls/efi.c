/* SPDX-License-Identifier: BSD-2-Clause */
/* tprof_init_efi(): reads the headers of a PE image. */
#include "tprof/efi.h"

#include "arch/arch.h"
#include "base/mem.h"
#include "calls/pe_format.h"

#define VECTOR_DEFAULT 239u /* far from those of devices */

/* An ELF note: name size, description size, type, name */
#define NOTE_BYTES    16u
#define NOTE_BUILD_ID 3u
#define NOTE_NAME     0x00554e47u /* "GNU" */
#define BUILD_ID_MAX  64u

/* A build-id note made of a GUID. tprof_init_efi() writes it, and HELLO
 * contains it. */
static uint8_t guid_note[NOTE_BYTES + PE_GUID_SIZE];

static void note_head(uint8_t *note, uint32_t size)
{
    tprof_store32(note, sizeof(uint32_t));
    tprof_store32(note + 4, size);
    tprof_store32(note + 8, NOTE_BUILD_ID);
    tprof_store32(note + 12, NOTE_NAME);
}

static bool is_equal(const uint8_t *a, const uint8_t *b, uint32_t size)
{
    /* the analyzer does not see that tprof_store32() stores it.
     * NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    while (size > 0 && a[size - 1] == b[size - 1])
        size--;
    return size == 0;
}

/* Uses the build-id note at the beginning of (section), of (size) bytes, if
 * there is one. */
static void look_for_note(struct tprof_image *image, const uint8_t *section,
                          uint32_t size)
{
    uint8_t head[NOTE_BYTES];

    if (size <= NOTE_BYTES)
        return;
    uint32_t length = tprof_load32(section + 4);

    note_head(head, length);
    if (length > BUILD_ID_MAX || length > size - NOTE_BYTES ||
        !is_equal(section, head, NOTE_BYTES))
        return;
    image->build_id = section;
    image->build_id_end = section + NOTE_BYTES + length;
}

static void look_at_sections(struct tprof_image *image, const uint8_t *base,
                             const uint8_t *pe)
{
    uint32_t entry = tprof_load32(pe + PE_ENTRY);
    const uint8_t *s = pe + PE_OPTIONAL + tprof_load16(pe + PE_OPTIONAL_SIZE);

    for (uint32_t n = tprof_load16(pe + PE_SECTIONS); n > 0;
         n--, s += PE_SECTION_BYTES) {
        uint32_t at = tprof_load32(s + PE_SECTION_ADDRESS);
        uint32_t size = tprof_load32(s + PE_SECTION_SIZE);

        if (entry - at < size) {
            image->text_start = base + at;
            image->text_end = base + at + size;
        }
        if (!image->build_id) /* the first note, as in the collector */
            look_for_note(image, base + at, size);
    }
}

/* Makes an ELF note of the GUID that the linker has put into the image. */
static void look_for_guid(struct tprof_image *image, const uint8_t *base,
                          const uint8_t *pe)
{
    if (tprof_load32(pe + PE_DIRECTORIES) <= PE_DIRECTORY_DEBUG)
        return;
    const uint8_t *entry = base + tprof_load32(pe + PE_DEBUG);
    uint32_t count = tprof_load32(pe + PE_DEBUG_SIZE) / PE_DEBUG_BYTES;

    for (; count > 0; count--, entry += PE_DEBUG_BYTES) {
        const uint8_t *record = base + tprof_load32(entry + PE_DEBUG_ADDRESS);

        if (tprof_load32(entry + PE_DEBUG_TYPE) != PE_DEBUG_CODEVIEW ||
            tprof_load32(entry + PE_DEBUG_RECORD_SIZE) <
                PE_RSDS_GUID + PE_GUID_SIZE ||
            tprof_load32(record) != PE_RSDS)
            continue;
        note_head(guid_note, PE_GUID_SIZE);
        tprof_arch_copy(guid_note + NOTE_BYTES, record + PE_RSDS_GUID,
                        PE_GUID_SIZE);
        image->build_id = guid_note;
        image->build_id_end = guid_note + sizeof guid_note;
        return;
    }
}

static int read_headers(struct tprof_image *image, const uint8_t *base)
{
    const uint8_t *pe = base + tprof_load32(base + DOS_PE);

    if (tprof_load16(base) != DOS_MAGIC || tprof_load32(pe) != PE_MAGIC ||
        tprof_load16(pe + PE_OPTIONAL) != PE_OPTIONAL_64)
        return TPROF_ERR_TEXT;
    image->image_start = base;
    image->image_end = base + tprof_load32(pe + PE_IMAGE_SIZE);
    look_at_sections(image, base, pe);
    if (!image->build_id)
        look_for_guid(image, base, pe);
    return TPROF_OK;
}

static int take_gate(void *context, uint32_t vector, void (*entry)(void))
{
    (void)context;
    return tprof_arch_take_vector(vector, entry);
}

int tprof_init_efi(const struct tprof_config *config, const void *base)
{
    struct tprof_config c = *config;
    struct tprof_image image = {0};
    int error = read_headers(&image, base);

    if (error != TPROF_OK)
        return error;
    if (c.vector == 0)
        c.vector = VECTOR_DEFAULT;
    if (!c.install_vector)
        c.install_vector = take_gate;
    return tprof_init_image(&c, &image);
}
