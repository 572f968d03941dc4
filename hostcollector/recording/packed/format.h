/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a packed chunk: RECORDING.md, "Packed wire". Leaf. */
#ifndef TPROF_RECORDING_PACKED_FORMAT_H
#define TPROF_RECORDING_PACKED_FORMAT_H

#define PACKED_BLOCK_MAX  (1u << 20) /* bytes of a block, unpacked */
#define PACKED_STACKS_MAX 8191u      /* of a block; number 0: no stack */

enum packed_item {
    PACKED_FRAME = 1,
    PACKED_GAP = 2,
    PACKED_LATER = 3,
    PACKED_STACKS = 4,
    PACKED_SAMPLES = 5,
    /* in a block of several windows: */
    PACKED_SHARED = 6,
    PACKED_WINDOW = 7,
    PACKED_RUN = 8,
};

/* Values in a column that refer to the extras, which have the real value. */
#define PACKED_EXTRA      255u
#define PACKED_LATE_EXTRA 15u

/* Bits of a stack: bits 0 to 3 say which words the stack has. */
#define PACKED_LOADED 0x80u

#endif
