/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the agent's directory in a guest's memory. */
#include "dump/dump_directory.h"

#include <inttypes.h>
#include <string.h>

#include "util/bytes.h"

#define TRIES          16u /* directories that are tried */
#define DIRECTORY_SIZE (DUMP_DIRECTORY_CORE + DUMP_CORES_MAX * DUMP_CORE_SIZE)

static bool is_power_of_two_in(uint32_t value, uint32_t low, uint32_t high)
{
    return value >= low && value <= high && (value & (value - 1)) == 0;
}

/* The start of a ring's struct: the address and the mask of its words. */
#define PATTERN 12u
static void ring_pattern(const struct dump_directory *d, uint32_t core,
                         uint8_t pattern[PATTERN])
{
    store_u64(pattern + DUMP_RING_WORDS, d->core[core].words);
    store_u32(pattern + DUMP_RING_MASK, d->ring_words - 1);
}

/* Does the ring of (core) look right when it is read through (v)? */
static bool sees_ring(const struct dump_directory *d, const struct dump_view *v,
                      uint32_t core)
{
    uint8_t there[PATTERN], wanted[PATTERN];

    ring_pattern(d, core, wanted);
    return dump_memory_read(d->memory, v, d->core[core].ring, there,
                            sizeof there) &&
           memcmp(there, wanted, sizeof there) == 0;
}

/* Find the right way to turn the addresses in (d) into places: by the offset
 * that config.physical() gave, by the addresses in the dump, or by searching
 * for the ring of the first core. A way is right if the ring's struct, read in
 * this way, points to the same words as the directory does. */
static bool find_view(struct dump_directory *d)
{
    uint8_t pattern[PATTERN];
    uint64_t place = 0, at;

    d->view = (struct dump_view){DUMP_BY_OFFSET, d->physical};
    if (sees_ring(d, &d->view, 0))
        return true;
    d->view = (struct dump_view){DUMP_BY_PARTS, 0};
    if (sees_ring(d, &d->view, 0))
        return true;
    ring_pattern(d, 0, pattern);
    if (!dump_memory_find(d->memory, pattern, sizeof pattern, &place, &at))
        return false;
    d->view = (struct dump_view){DUMP_BY_OFFSET, at - d->core[0].ring};
    return true;
}

/* Is there a directory at physical address (at)? If so, fill (d) except for the
 * agent's state. If the directory has another version, (*version) is set to
 * that version. */
static bool read_directory(struct dump_directory *d, uint64_t at,
                           uint32_t *version)
{
    static const struct dump_view physical = {DUMP_BY_OFFSET, 0};
    uint8_t bytes[DIRECTORY_SIZE];

    if (!dump_memory_read(d->memory, &physical, at, bytes, sizeof bytes))
        return false;
    d->cores = load_u32(bytes + DUMP_DIRECTORY_CORES);
    d->ring_words = load_u32(bytes + DUMP_DIRECTORY_RING_WORDS);
    if (d->cores == 0 || d->cores > DUMP_CORES_MAX ||
        !is_power_of_two_in(d->ring_words, DUMP_RING_WORDS_MIN,
                            DUMP_RING_WORDS_MAX))
        return false;
    if (load_u32(bytes + DUMP_DIRECTORY_VERSION_AT) != DUMP_DIRECTORY_VERSION) {
        *version = load_u32(bytes + DUMP_DIRECTORY_VERSION_AT);
        return false;
    }
    /* rings that overlap could take endless time */
    if ((uint64_t)d->cores * d->ring_words * 8 > dump_memory_size(d->memory))
        return false;
    for (uint32_t i = 0; i < d->cores; i++) {
        const uint8_t *c =
            bytes + DUMP_DIRECTORY_CORE + (size_t)i * DUMP_CORE_SIZE;

        d->core[i].ring = load_u64(c + DUMP_CORE_RING);
        d->core[i].words = load_u64(c + DUMP_CORE_WORDS);
    }
    d->physical = load_u64(bytes + DUMP_DIRECTORY_CORE + DUMP_CORE_PHYSICAL);
    return true;
}

/* Read the agent's state at (bounds) through (v). (v) is right if the address
 * of the directory in HELLO leads to the directory, through (v). */
static bool read_agent(struct dump_directory *d, const struct dump_view *v,
                       uint64_t bounds)
{
    uint8_t bytes[DUMP_AGENT_BEFORE + DUMP_AGENT_SIZE], magic[8];
    const uint8_t *agent = bytes + DUMP_AGENT_BEFORE;

    if (!dump_memory_read(d->memory, v, bounds - DUMP_AGENT_BEFORE, bytes,
                          sizeof bytes))
        return false;
    for (uint32_t i = 0; i <= WIRE_HELLO_CODE; i++)
        d->hello[i] = load_u64(agent + DUMP_AGENT_HELLO + (size_t)8 * i);
    memcpy(d->boot_id, agent + DUMP_AGENT_BOOT_ID, sizeof d->boot_id);
    d->build_id = load_u64(bytes);
    d->build_id_end = load_u64(bytes + 8);
    for (uint32_t i = 0; i < 5; i++)
        d->orders[i] = load_u64(agent + DUMP_AGENT_ORDERS + (size_t)8 * i);
    d->agent_view = *v;
    return dump_memory_read(d->memory, v, d->hello[WIRE_HELLO_DIRECTORY], magic,
                            sizeof magic) &&
           load_u64(magic) == DUMP_DIRECTORY_MAGIC;
}

/* Find the agent's state by the address of the first core's state in it. The
 * image lies in one piece, so the address of the directory in this state must
 * lead to the directory; otherwise the state is another agent's. */
static bool seek_agent(struct dump_directory *d, uint64_t bounds)
{
    uint64_t place = 0, at;
    uint8_t core[8];

    store_u64(core, d->core[0].ring - DUMP_RECORDER_RING - DUMP_CPU_RECORDER);
    for (unsigned i = 0;
         i < TRIES &&
         dump_memory_find(d->memory, core, sizeof core, &place, &at);
         i++) {
        const struct dump_view v = {DUMP_BY_OFFSET,
                                    at - DUMP_AGENT_CORE - bounds};

        if (read_agent(d, &v, bounds))
            return true;
    }
    return false;
}

/* The agent's state is part of the image. The rings may be elsewhere, in memory
 * that the kernel has allocated. */
static bool find_agent(struct dump_directory *d)
{
    const struct dump_view views[] = {
        d->view, {DUMP_BY_PARTS, 0}, {DUMP_BY_OFFSET, 0}};
    uint64_t at = d->core[0].ring - DUMP_RECORDER_RING + DUMP_RECORDER_BOUNDS;
    uint8_t bounds[8];

    if (!dump_memory_read(d->memory, &d->view, at, bounds, sizeof bounds))
        return false;
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        if (read_agent(d, &views[i], load_u64(bounds)))
            return true;
    return seek_agent(d, load_u64(bounds));
}

int dump_directory_find(struct dump_directory *d, struct dump_memory *m,
                        struct err *e)
{
    uint64_t place = 0, at;
    uint32_t version = DUMP_DIRECTORY_VERSION;
    uint8_t magic[8];
    bool found = false;
    unsigned tries = 0;

    *d = (struct dump_directory){.memory = m};
    store_u64(magic, DUMP_DIRECTORY_MAGIC);
    while (!found && tries < TRIES &&
           dump_memory_find(m, magic, sizeof magic, &place, &at)) {
        if (!read_directory(d, at, &version))
            continue;
        tries++;
        found = find_view(d) && find_agent(d);
    }
    if (tries == 0 && version != DUMP_DIRECTORY_VERSION)
        return err_set(e,
                       "its agent's directory has version %" PRIu32
                       ", and this collector reads %u: use a collector of the "
                       "guest's version",
                       version, DUMP_DIRECTORY_VERSION);
    if (!found && dump_memory_trouble(m) != NULL)
        return err_set(e, "is damaged: %s", dump_memory_trouble(m));
    if (!found && dump_memory_cut(m) != NULL)
        return err_set(e, "%s, and the agent is not", dump_memory_cut(m));
    if (tries == 0)
        return err_set(e, "has no agent in it (no tprof_directory): the guest "
                          "had not called tprof_init() yet, or this is not "
                          "its memory, or not all of it");
    if (!found)
        return err_set(e, "has an agent in it, but not the agent's state: dump "
                          "all of the guest's memory, or with paging");
    for (uint32_t i = 0; i < d->cores; i++)
        if (!sees_ring(d, &d->view, i))
            d->core[i].ring = 0;
    return 0;
}
