/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a guest of profile.h with memory=1 leaves the agent's bytes for its
 * host: how many they are, 8 bytes, and then they. It is the second half of
 * what tests/guest/boot gives a guest, and no guest uses it. */
#ifndef PROFILE_MEMORY_H
#define PROFILE_MEMORY_H

#define PROFILE_MEMORY       0x2000000ul
#define PROFILE_MEMORY_BYTES (PROFILE_MEMORY + 8)

#endif
