/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the agent's data lie in a guest's memory: offsets in bytes into the
 * structs of agent/src/directory.h and of what that points to, as they are
 * under DUMP_DIRECTORY_VERSION. tests/unit/test_dump.c holds them against the
 * agent's own headers. All integers are little-endian.
 */
#ifndef TPROF_DUMP_LAYOUT_H
#define TPROF_DUMP_LAYOUT_H

/* struct tprof_directory */
#define DUMP_DIRECTORY_MAGIC      0x79726f7463657269u /* "irectory" */
#define DUMP_DIRECTORY_VERSION    3u
#define DUMP_DIRECTORY_VERSION_AT 8u  /* u32 */
#define DUMP_DIRECTORY_CORES      12u /* u32 */
#define DUMP_DIRECTORY_RING_WORDS 16u /* u32 */
#define DUMP_DIRECTORY_CORE       24u /* the first of these: */
#define DUMP_CORE_COUNTS          0u  /* u64 virtual address */
#define DUMP_CORE_RING            8u  /* likewise */
#define DUMP_CORE_WORDS           16u /* likewise */
#define DUMP_CORE_PHYSICAL        32u /* u64 to add for a physical one */
#define DUMP_CORE_SIZE            40u
#define DUMP_CORES_MAX            256u
#define DUMP_RING_WORDS_MIN       512u
#define DUMP_RING_WORDS_MAX       (1u << 21)

/* struct tprof_ring */
#define DUMP_RING_WORDS 0u  /* u64 virtual address */
#define DUMP_RING_MASK  8u  /* u32 */
#define DUMP_RING_TAIL  64u /* u32 */
#define DUMP_RING_SIZE  192u
#define DUMP_WORD_COUNT 56u /* bit of a word, from which on is its count */

/* struct tprof_recorder: so far before its ring, and behind */
#define DUMP_RECORDER_RING   192u
#define DUMP_RECORDER_TIME   24u  /* u64 units */
#define DUMP_RECORDER_BOUNDS 64u  /* u64 address of tprof_agent.bounds */
#define DUMP_RECORDER_COUNTS 384u /* struct tprof_stats */
#define DUMP_RECORDER_LOST   488u /* {u64 ticks, missed} by reason */
#define DUMP_RECORDER_HEAD   520u /* bytes that are read */

/* struct tprof_stats, u64 each */
#define DUMP_STATS_TICKS     0u
#define DUMP_STATS_MISSED    2u
#define DUMP_STATS_RING_FULL 3u
#define DUMP_STATS_REENTERED 4u
#define DUMP_STATS_SIDE      10u /* that STATS has under tags from TICKS on */
#define DUMP_STATS_REPAIRED  10u /* and FAULTS behind it */
#define DUMP_STATS_COUNT     12u

/* struct tprof_cpu: so far before its recorder, in which it is */
#define DUMP_CPU_RECORDER    256u
#define DUMP_CPU_HARDWARE_ID 52u /* u32 */
#define DUMP_CPU_FACTS       56u /* u32 WIRE_STATS_* */

/* struct tprof_reader, whose first member is the ring's address. It lies in
 * struct tprof_cpu before the recorder. */
#define DUMP_READER_SHIFT  16u /* u32 */
#define DUMP_READER_PERIOD 20u /* u32 */
#define DUMP_READER_EPOCH  24u /* u32 */
#define DUMP_READER_FLAGS  28u /* u32 WIRE_SAMPLES_* */
#define DUMP_READER_SIZE   32u /* bytes that are read */

/* struct tprof_agent, from its member (bounds) on or before it */
#define DUMP_AGENT_BEFORE  32u  /* u64 addresses of the build-id's ends */
#define DUMP_AGENT_HELLO   192u /* u64 by tag of HELLO */
#define DUMP_AGENT_BOOT_ID 360u
#define DUMP_AGENT_CORE    424u  /* u64 address of core 0's struct tprof_cpu */
#define DUMP_AGENT_ORDERS  2472u /* u64: rate, depth, period, state, every */
#define DUMP_AGENT_SIZE    2512u

#endif
