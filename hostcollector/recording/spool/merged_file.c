/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of single windows -> the bytes of one merged file. */
#include "recording/spool/compact_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/packed/pack_bytes.h"
#include "recording/packed/packed_merge.h"
#include "recording/recording.h"
#include "recording/recording_format.h"
#include "util/bytes.h"
#include "util/crc.h"
#include "util/io.h"

#define WINDOW_MAX (64u << 20) /* largest file of a window */

struct merged_file {
    struct packed_merge *merge;
    struct pack_bytes out; /* finished chunks; (header) comes before them */
    struct recording_reader
        *first;  /* the window with the header; NULL: nothing was added */
    bool broken; /* a window was added only in part, for lack of memory */
};

struct merged_file *merged_file_new(void)
{
    struct merged_file *f = calloc(1, sizeof *f);

    if (f != NULL)
        f->merge = packed_merge_new();
    if (f != NULL && f->merge != NULL)
        return f;
    free(f);
    return NULL;
}

void merged_file_free(struct merged_file *f)
{
    if (f == NULL)
        return;
    packed_merge_free(f->merge);
    recording_reader_free(f->first);
    free(f->out.bytes);
    free(f);
}

/* Read the whole file. NULL if it is too large, or not a file. */
static uint8_t *read_whole(int fd, size_t *size)
{
    struct stat st;
    uint8_t *bytes = NULL;
    ssize_t n;

    *size = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        st.st_size <= WINDOW_MAX)
        bytes = malloc((size_t)st.st_size);
    if (bytes == NULL)
        return NULL;
    n = io_read_at(fd, bytes, (size_t)st.st_size, 0);
    *size = n < 0 ? 0 : (size_t)n;
    return bytes;
}

static bool same_texts(const char *const *a, size_t a_count,
                       const char *const *b, size_t b_count)
{
    bool same = a_count == b_count;

    for (size_t i = 0; same && i < a_count; i++)
        same = strcmp(a[i], b[i]) == 0;
    return same;
}

/* Are the headers equal except for the time? */
static bool same_header(const struct recording_info *a,
                        const struct recording_info *b)
{
    return strcmp(a->source, b->source) == 0 && strcmp(a->elf, b->elf) == 0 &&
           strcmp(a->version, b->version) == 0 &&
           a->build_id_len == b->build_id_len &&
           memcmp(a->build_id, b->build_id, a->build_id_len) == 0 &&
           same_texts(a->more_elfs, a->more_elf_count, b->more_elfs,
                      b->more_elf_count) &&
           same_texts(a->labels, a->label_count, b->labels, b->label_count);
}

/* Append the merger's chunk to the finished ones. */
static bool end_chunk(struct merged_file *f)
{
    uint8_t header[CHUNK_HEADER];
    struct packed_merge_chunk chunk;
    struct err ignored;

    if (packed_merge_end(f->merge, &chunk, &ignored) != 0)
        return false;
    if (chunk.bytes == NULL)
        return true;
    recording_chunk_header(header, CHUNK_PACKED, (uint32_t)chunk.size,
                           chunk.arrival_ns);
    pack_copy(&f->out, header, sizeof header);
    pack_copy(&f->out, chunk.bytes, chunk.size);
    free(chunk.bytes);
    return !f->out.failed;
}

static bool add_chunk(struct merged_file *f, uint64_t start_ms,
                      uint64_t arrival_ns, const uint8_t *data, size_t size)
{
    struct err ignored;
    enum packed_merge_took took =
        packed_merge_add(f->merge, start_ms, arrival_ns, data, size, &ignored);

    if (took == PACKED_MERGE_FULL)
        took = end_chunk(f) ? packed_merge_add(f->merge, start_ms, arrival_ns,
                                               data, size, &ignored)
                            : PACKED_MERGE_FAILED;
    return took == PACKED_MERGE_TOOK;
}

/* Read the header of the chunk at (*at). False if the chunk is damaged, or of
 * a kind that no window has. */
static bool open_chunk(const uint8_t *bytes, size_t size, size_t *at,
                       unsigned *kind, size_t *length, uint64_t *arrival_ns)
{
    const uint8_t *header = bytes + *at;

    if (*at > size || size - *at < CHUNK_HEADER ||
        load_u32(header + 16) != crc32c(header, 16))
        return false;
    *length = load_u32(header);
    *kind = header[4];
    *arrival_ns = load_u64(header + 8);
    *at += CHUNK_HEADER;
    return *length <= size - *at &&
           (*kind == CHUNK_PACKED || *kind == CHUNK_END);
}

/*
 * Add all chunks of the window file (bytes). (offset_ns) is added to arrival
 * times, to convert them to our clock. With (only_look), add nothing: check
 * that the file has chunks and ends with an end chunk.
 */
static bool add_chunks(struct merged_file *f, uint64_t start_ms,
                       const uint8_t *bytes, size_t size, uint64_t offset_ns,
                       bool only_look)
{
    size_t at = HEADER_FIXED + load_u32(bytes + 12) + 4, length, count = 0;
    unsigned kind = CHUNK_PACKED;
    uint64_t arrival_ns;

    while (kind != CHUNK_END) {
        if (!open_chunk(bytes, size, &at, &kind, &length, &arrival_ns) ||
            (kind == CHUNK_PACKED && !only_look &&
             !add_chunk(f, start_ms, arrival_ns + offset_ns, bytes + at,
                        length)))
            return false;
        count += kind == CHUNK_PACKED;
        at += length;
    }
    return count != 0 && at == size;
}

/* Can every chunk be merged? Checked with a merger of its own, so that no
 * window is added in part. */
static bool is_usable(const uint8_t *bytes, size_t size)
{
    struct merged_file try = {.merge = packed_merge_new()};
    bool good = try.merge != NULL &&
                add_chunks(&try, 1, bytes, size, 0, true) &&
                add_chunks(&try, 1, bytes, size, 0, false);

    packed_merge_free(try.merge);
    free(try.out.bytes);
    return good;
}

static enum merged_took add_file(struct merged_file *f,
                                 struct recording_reader *r, uint64_t start_ms,
                                 const uint8_t *bytes, size_t size)
{
    const struct recording_info *info = recording_get_info(r);
    const struct recording_info *first =
        recording_get_info(f->first != NULL ? f->first : r);

    if (info->wall_ns == 0 || !is_usable(bytes, size))
        return MERGED_UNUSABLE;
    if (!same_header(first, info) || info->wall_ns < first->wall_ns)
        return MERGED_OTHER;
    if (f->first == NULL)
        f->first = r;
    f->broken |= !add_chunks(f, start_ms, bytes, size,
                             info->wall_ns - info->monotonic_ns -
                                 first->wall_ns + first->monotonic_ns,
                             false);
    return MERGED_TOOK;
}

enum merged_took merged_file_add(struct merged_file *f, int fd,
                                 uint64_t start_ms)
{
    size_t size;
    uint8_t *bytes = read_whole(fd, &size);
    struct err ignored;
    struct recording_reader *r = bytes != NULL && size > HEADER_FIXED
                                     ? recording_open(fd, &ignored)
                                     : NULL;
    enum merged_took took =
        r != NULL ? add_file(f, r, start_ms, bytes, size) : MERGED_UNUSABLE;

    if (r != f->first)
        recording_reader_free(r);
    free(bytes);
    return took;
}

uint8_t *merged_file_end(struct merged_file *f, size_t *size, struct err *e)
{
    uint8_t *bytes = NULL;

    if (f->first == NULL)
        (void)err_set(e, "nothing to merge");
    else if (end_chunk(f) && !f->broken)
        bytes = malloc(RECORDING_HEADER_MAX + f->out.size + CHUNK_HEADER);
    if (bytes != NULL) {
        size_t used = recording_header(bytes, recording_get_info(f->first));

        memcpy(bytes + used, f->out.bytes, f->out.size);
        used += f->out.size;
        recording_chunk_header(bytes + used, CHUNK_END, 0, 0);
        *size = used + CHUNK_HEADER;
    } else if (f->first != NULL) {
        (void)err_memory(e);
    }
    recording_reader_free(f->first);
    f->first = NULL;
    f->broken = false;
    f->out.size = 0;
    return bytes;
}
