/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes and numbers of RECORDING.md. Leaf. */
#ifndef TPROF_SOURCE_RECORDING_FORMAT_H
#define TPROF_SOURCE_RECORDING_FORMAT_H

#define VERSION_MAJOR 1u
#define VERSION_MINOR 2u
#define HEADER_FIXED  16u
#define FIELDS_MAX    16384u
#define FIELD_HEADER  3u
#define CHUNK_HEADER  20u

enum field_tag {
    FIELD_SOURCE = 1,
    FIELD_ELF = 2,
    FIELD_BUILD_ID = 3,
    FIELD_WALL = 4,
    FIELD_MONOTONIC = 5,
    FIELD_VERSION = 6,
    FIELD_MORE_ELF = 7,
};

enum chunk_kind { CHUNK_WIRE = 1, CHUNK_END = 2, CHUNK_NAMES = 3 };

/* Data of CHUNK_END, if there are names: where they are. */
#define END_NAMES 8u

#endif
