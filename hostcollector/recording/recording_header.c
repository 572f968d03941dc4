/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of a recording and of its chunks, as bytes. */
#include <string.h>

#include "recording/recording.h"
#include "recording/recording_format.h"
#include "util/bytes.h"
#include "util/crc.h"

static uint8_t *put_field(uint8_t *p, uint8_t tag, const void *value,
                          size_t length)
{
    p[0] = tag;
    store_u16(p + 1, (uint16_t)length);
    memcpy(p + FIELD_HEADER, value, length);
    return p + FIELD_HEADER + length;
}

static uint8_t *put_text(uint8_t *p, uint8_t tag, const char *text)
{
    return put_field(p, tag, text, strlen(text));
}

/* Write the texts of the list that fit before (end). */
static uint8_t *put_list(uint8_t *p, const uint8_t *end, uint8_t tag,
                         const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) + FIELD_HEADER <= (size_t)(end - p))
            p = put_text(p, tag, list[i]);
    return p;
}

static uint8_t *put_time(uint8_t *p, uint8_t tag, uint64_t ns)
{
    uint8_t value[8];

    store_u64(value, ns);
    return put_field(p, tag, value, sizeof value);
}

size_t recording_header(uint8_t *buf, const struct recording_info *info)
{
    const uint8_t *end = buf + HEADER_FIXED + FIELDS_MAX;
    uint8_t *p = buf + HEADER_FIXED;

    p = put_text(p, FIELD_SOURCE, info->source);
    p = put_text(p, FIELD_ELF, info->elf);
    p = put_text(p, FIELD_VERSION, info->version);
    p = put_field(p, FIELD_BUILD_ID, info->build_id, info->build_id_len);
    p = put_time(p, FIELD_WALL, info->wall_ns);
    p = put_time(p, FIELD_MONOTONIC, info->monotonic_ns);
    p = put_list(p, end, FIELD_LABEL, info->labels, info->label_count);
    p = put_list(p, end, FIELD_MORE_ELF, info->more_elfs, info->more_elf_count);
    memcpy(buf, RECORDING_MAGIC, sizeof RECORDING_MAGIC - 1);
    store_u16(buf + 8, VERSION_MAJOR);
    store_u16(buf + 10, VERSION_MINOR);
    store_u32(buf + 12, (uint32_t)(p - buf - HEADER_FIXED));
    store_u32(p, crc32c(buf, (size_t)(p - buf)));
    return (size_t)(p - buf) + 4;
}

static void get_text(char *text, size_t size, const uint8_t *value,
                     size_t length)
{
    if (length > size - 1)
        length = size - 1;
    memcpy(text, value, length);
    text[length] = '\0';
}

/* Add a text to (list), which has room for (most). There is room for the NUL
 * in (t), since a field's header takes more. */
static void get_listed(struct recording_texts *t, const char **list,
                       size_t *count, size_t most, const uint8_t *value,
                       size_t length)
{
    char *text = t->bytes + t->used;

    if (*count == most)
        return;
    get_text(text, length + 1, value, length);
    t->used += length + 1;
    list[(*count)++] = text;
}

static void get_field(struct recording_info *info, struct recording_texts *t,
                      uint8_t tag, const uint8_t *value, size_t length)
{
    switch (tag) {
    case FIELD_MORE_ELF:
        get_listed(t, t->elfs, &info->more_elf_count, RECORDING_ELFS, value,
                   length);
        break;
    case FIELD_LABEL:
        get_listed(t, t->labels, &info->label_count, RECORDING_LABELS, value,
                   length);
        break;
    case FIELD_SOURCE:
        get_text(info->source, sizeof info->source, value, length);
        break;
    case FIELD_ELF:
        get_text(info->elf, sizeof info->elf, value, length);
        break;
    case FIELD_VERSION:
        get_text(info->version, sizeof info->version, value, length);
        break;
    case FIELD_BUILD_ID:
        if (length <= sizeof info->build_id) {
            memcpy(info->build_id, value, length);
            info->build_id_len = length;
        }
        break;
    case FIELD_WALL:
        info->wall_ns = length == 8 ? load_u64(value) : 0;
        break;
    case FIELD_MONOTONIC:
        info->monotonic_ns = length == 8 ? load_u64(value) : 0;
        break;
    default: /* of a later minor version */
        break;
    }
}

int recording_fields(struct recording_info *info, struct recording_texts *t,
                     const uint8_t *p, size_t size, struct err *e)
{
    info->more_elfs = t->elfs;
    info->labels = t->labels;
    while (size >= FIELD_HEADER) {
        size_t length = load_u16(p + 1);

        if (length > size - FIELD_HEADER)
            break;
        get_field(info, t, p[0], p + FIELD_HEADER, length);
        p += FIELD_HEADER + length;
        size -= FIELD_HEADER + length;
    }
    return size == 0 ? 0 : err_set(e, "the header is damaged: a field is cut");
}

void recording_chunk_header(uint8_t *to, uint8_t kind, uint32_t size,
                            uint64_t arrival_ns)
{
    memset(to, 0, CHUNK_HEADER);
    store_u32(to, size);
    to[4] = kind;
    store_u64(to + 8, arrival_ns);
    store_u32(to + 16, crc32c(to, 16));
}

void recording_info_copy(struct recording_info *to,
                         const struct recording_info *from,
                         const struct recording_info *images)
{
    *to = *from;
    if (images->elf[0] == '\0')
        return;
    memcpy(to->elf, images->elf, sizeof to->elf);
    memcpy(to->build_id, images->build_id, sizeof to->build_id);
    to->build_id_len = images->build_id_len;
    to->more_elfs = images->more_elfs;
    to->more_elf_count = images->more_elf_count;
}
