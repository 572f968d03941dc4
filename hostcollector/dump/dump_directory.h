/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's data in a guest's memory: its layout, its directory, and its
 * rings. The directory points to the recorder of each core and to the facts
 * that HELLO sends. Values are checked against each other, but the guest may
 * have written anything there.
 */
#ifndef TPROF_DUMP_DUMP_DIRECTORY_H
#define TPROF_DUMP_DUMP_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "dump/dump_memory.h"
#include "tprof_wire.h"
#include "util/err.h"

/*
 * Layout of the agent's data in a guest's memory: byte offsets into the structs
 * of agent/src/state/directory.h, and into the structs to which these point, as
 * of DUMP_DIRECTORY_VERSION. tests/unit/test_dump.c compares the offsets with
 * the agent's own headers. All integers are little-endian.
 */

/* struct tprof_directory */
#define DUMP_DIRECTORY_MAGIC      0x79726f7463657269u /* "irectory" */
#define DUMP_DIRECTORY_VERSION    5u
#define DUMP_DIRECTORY_VERSION_AT 8u  /* u32 */
#define DUMP_DIRECTORY_CORES      12u /* u32 */
#define DUMP_DIRECTORY_RING_WORDS 16u /* u32 */
#define DUMP_DIRECTORY_CORE       24u /* offset of the first core: */
#define DUMP_CORE_COUNTS          0u  /* u64 virtual address */
#define DUMP_CORE_RING            8u  /* u64 virtual address */
#define DUMP_CORE_WORDS           16u /* u64 virtual address */
#define DUMP_CORE_PHYSICAL        32u /* u64 to add to get a physical address */
#define DUMP_CORE_SIZE            40u
#define DUMP_CORES_MAX            256u
#define DUMP_RING_WORDS_MIN       512u
#define DUMP_RING_WORDS_MAX       (1u << 21)

/* struct tprof_ring */
#define DUMP_RING_WORDS 0u  /* u64 virtual address */
#define DUMP_RING_MASK  8u  /* u32 */
#define DUMP_RING_TAIL  64u /* u32 */
#define DUMP_RING_SIZE  192u
#define DUMP_WORD_COUNT 56u /* shift of the number of words */

/* struct tprof_recorder: offsets from its start; its ring is inside */
#define DUMP_RECORDER_RING   192u
#define DUMP_RECORDER_TIME   24u  /* u64 units */
#define DUMP_RECORDER_BOUNDS 72u  /* u64 address of tprof_agent.bounds */
#define DUMP_RECORDER_COUNTS 384u /* struct tprof_stats */
#define DUMP_RECORDER_LOST   488u /* {u64 ticks, missed} by reason */
#define DUMP_RECORDER_HEAD   520u /* bytes of the recorder that are read */

/* struct tprof_stats, u64 each */
#define DUMP_STATS_TICKS     0u
#define DUMP_STATS_MISSED    2u
#define DUMP_STATS_RING_FULL 3u
#define DUMP_STATS_REENTERED 4u
/* counters that STATS sends, from tag TICKS on */
#define DUMP_STATS_SIDE      10u
#define DUMP_STATS_REPAIRED  10u /* followed by FAULTS */
#define DUMP_STATS_COUNT     12u

/* struct tprof_cpu: its recorder is inside */
#define DUMP_CPU_RECORDER    256u
#define DUMP_CPU_HARDWARE_ID 52u /* u32 */
#define DUMP_CPU_FACTS       56u /* u32 WIRE_STATS_* */

/* struct tprof_reader, whose first member is the ring's address. It lies in
 * struct tprof_cpu, before the recorder. */
#define DUMP_READER_SHIFT  16u /* u32 */
#define DUMP_READER_PERIOD 20u /* u32 */
#define DUMP_READER_EPOCH  24u /* u32 */
#define DUMP_READER_FLAGS  28u /* u32 WIRE_SAMPLES_* */
#define DUMP_READER_SIZE   32u /* bytes of the reader that are read */

/* struct tprof_agent: offsets from its member (bounds), or bytes before it */
#define DUMP_AGENT_BEFORE  32u  /* u64 addresses of the build-id's ends */
#define DUMP_AGENT_HELLO   192u /* u64 each, indexed by tag of HELLO */
#define DUMP_AGENT_BOOT_ID 360u
#define DUMP_AGENT_CORE    448u  /* u64 address of core 0's struct tprof_cpu */
#define DUMP_AGENT_ORDERS  2496u /* u64: rate, depth, period, state, every */
#define DUMP_AGENT_SIZE    2536u

struct dump_directory {
    struct dump_memory *memory;
    uint32_t cores, ring_words;
    uint64_t
        /* offset to add to an address: the result of config.physical() */
        physical;
    /* for the rings, counters and readers of all cores */
    struct dump_view view;
    struct {
        uint64_t ring, words; /* virtual addresses; 0: the core has no ring */
    } core[DUMP_CORES_MAX];

    /* The agent's state, which is read through (agent_view). */
    struct dump_view agent_view;
    uint64_t hello[WIRE_HELLO_CODE + 1]; /* indexed by tag */
    uint8_t boot_id[WIRE_BOOT_ID_SIZE];
    uint64_t build_id, build_id_end; /* virtual addresses of the ELF note */
    uint64_t orders[5]; /* rate in Hz, depth, period, state, every */
};

/* Find the directory in (m), which must outlive (d). Returns 0; -1 with (e)
 * filled. */
int dump_directory_find(struct dump_directory *d, struct dump_memory *m,
                        struct err *e);

/* dump_ring.c: the ring of one core in a guest's memory. Reads its records from
 * the oldest whole one to the newest, whether a host has read them or not
 * (agent/src/sample/ring.h). */

#define DUMP_RING_BLOCK 512u /* words that are read at a time */

struct dump_ring {
    struct dump_memory *memory;
    struct dump_view view;
    uint64_t words; /* virtual address */
    uint32_t mask;
    uint32_t start; /* position of the oldest whole record */
    uint32_t tail;
    uint64_t block[DUMP_RING_BLOCK]; /* copy of the words from (block_at) on */
    uint32_t block_at;               /* UINT32_MAX: none */
    bool unread;                     /* a word could not be read */
};

/* Begin with the ring of (core), whose tail is (tail). */
void dump_ring_init(struct dump_ring *r, const struct dump_directory *d,
                    uint32_t core, uint32_t tail);

/* Returns the word at position (at), which counts on like the tail; 0 if the
 * dump does not have the word. */
uint64_t dump_ring_word(struct dump_ring *r, uint32_t at);

/*
 * Returns the number of words of the record at (at), which must not be the
 * tail. If the file is the memory of a running guest, the ring may change
 * between two reads. If there is no whole record between (at) and the tail any
 * more, sets the tail to (at), so that loops up to the tail end, and returns
 * 0.
 */
uint32_t dump_ring_count(struct dump_ring *r, uint32_t at);

#endif
