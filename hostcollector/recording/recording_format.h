/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes and numbers of RECORDING.md. Leaf. */
#ifndef TPROF_RECORDING_RECORDING_FORMAT_H
#define TPROF_RECORDING_RECORDING_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_MAGIC "tprofrec"
#define VERSION_MAJOR   1u
#define VERSION_MINOR   6u
#define HEADER_FIXED    16u
#define FIELDS_MAX      16384u
#define FIELD_HEADER    3u
#define CHUNK_HEADER    20u

enum field_tag {
    FIELD_SOURCE = 1,
    FIELD_ELF = 2,
    FIELD_BUILD_ID = 3,
    FIELD_WALL = 4,
    FIELD_MONOTONIC = 5,
    FIELD_VERSION = 6,
    FIELD_MORE_ELF = 7,
    FIELD_LABEL = 8,
};

enum chunk_kind {
    CHUNK_WIRE = 1,
    CHUNK_END = 2,
    CHUNK_NAMES = 3,
    CHUNK_PACKED = 4,
};

/* Size of CHUNK_END's data if the recording has names: a u64 position. */
#define END_NAMES 8u

/* Maximum size of a header. */
#define RECORDING_HEADER_MAX (HEADER_FIXED + FIELDS_MAX + 4)

struct recording_info;
struct err;

/* Storage for the texts of a header's lists. */
#define RECORDING_ELFS   64u /* further ELF files */
#define RECORDING_LABELS 16u
struct recording_texts {
    const char *elfs[RECORDING_ELFS];
    const char *labels[RECORDING_LABELS];
    /* large enough, because no field is longer than in the header */
    char bytes[FIELDS_MAX];
    size_t used;
};

/* Write a header with (info) into the RECORDING_HEADER_MAX bytes at (buf).
 * Paths and labels that do not fit are left out. Returns its size. */
size_t recording_header(uint8_t *buf, const struct recording_info *info);

/* Read (size) bytes of fields at (p) into (info), whose lists use the zeroed
 * (t). The CRC of the bytes was right, but they may still be hostile. Returns
 * 0; -1 with (e) filled if a field is cut. */
int recording_fields(struct recording_info *info, struct recording_texts *t,
                     const uint8_t *p, size_t size, struct err *e);

/* Write a chunk's header into the CHUNK_HEADER bytes at (to). */
void recording_chunk_header(uint8_t *to, uint8_t kind, uint32_t size,
                            uint64_t arrival_ns);

/* Find the first names of the recording (fd), at its end, and set (*at) to
 * their position. False if the recording has no end chunk, or no names. */
bool recording_names_at(int fd, uint64_t *at);

#endif
