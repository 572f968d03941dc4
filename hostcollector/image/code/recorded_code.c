/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/code/recorded_code.h"

#include <stdlib.h>

#include "util/pair_map.h"
#include "util/vec.h"

struct recorded_code {
    bool known;
    struct pair_map by_pc; /* (pc, 0) -> index in facts */
    struct code_facts *facts;
    size_t count, room;
};

struct recorded_code *recorded_code_new(void)
{
    return calloc(1, sizeof(struct recorded_code));
}

void recorded_code_set_known(struct recorded_code *t, bool known)
{
    t->known = known;
}

bool recorded_code_known(const struct recorded_code *t)
{
    return t->known;
}

void recorded_code_free(struct recorded_code *t)
{
    if (t == NULL)
        return;
    map_fini(&t->by_pc);
    free(t->facts);
    free(t);
}

int recorded_code_learn(struct recorded_code *t, uint64_t pc,
                        const struct code_facts *facts)
{
    uint32_t *index;

    if (vec_grow(&t->facts, &t->room, t->count, sizeof *t->facts) != 0)
        return -1;
    index = map_put(&t->by_pc, pc, 0);
    if (index == NULL)
        return -1;
    if (*index == MAP_NOTHING)
        *index = (uint32_t)t->count++;
    t->facts[*index] = *facts;
    return 0;
}

struct code_facts recorded_code_facts(const struct recorded_code *t,
                                      uint64_t pc)
{
    static const struct code_facts nothing = {.place = CODE_UNKNOWN,
                                              .call_place = CODE_UNKNOWN,
                                              .exit = {.words = CODE_FAR}};
    uint32_t index = map_get(&t->by_pc, pc, 0);

    return index != MAP_NOTHING ? t->facts[index] : nothing;
}

size_t recorded_code_bytes(const struct recorded_code *t)
{
    return map_bytes(&t->by_pc) + t->room * sizeof *t->facts;
}
