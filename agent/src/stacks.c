/* SPDX-License-Identifier: BSD-2-Clause */
/* Filling the table of stacks, and forgetting it. */
#include "stacks.h"

void tprof_stacks_init(struct tprof_stacks *s, uint64_t *slots, uint32_t count)
{
    s->slots = slots;
    s->mask = count - 1;
    s->epochs = 0;
    tprof_stacks_forget(s);
}

void tprof_stacks_forget(struct tprof_stacks *s)
{
    if ((uint16_t)++s->epochs == 0) /* an unused slot has epoch 0 */
        s->epochs++;
    s->epoch = (uint16_t)s->epochs;
    /* a name of 65,535 epochs ago cannot pass for one of today */
    s->seed = (s->epochs + 1) * 0xd1342543de82ef95u;
}

uint32_t tprof_stacks_define(struct tprof_stacks *s, uint64_t name)
{
    uint32_t home = tprof_stacks_home(s, name);
    uint32_t id = home;
    uint32_t i = 0;

    while (i < TPROF_STACKS_WINDOW && (uint16_t)s->slots[id] == s->epoch) {
        id = (id + 1) & s->mask;
        i++;
    }
    if (i == TPROF_STACKS_WINDOW) /* all taken: one of them has to go */
        id = (home + (uint32_t)(name >> 60) % TPROF_STACKS_WINDOW) & s->mask;
    s->slots[id] = tprof_stacks_key(s, name);
    return id;
}
