/* SPDX-License-Identifier: BSD-2-Clause */
#include "requests/request_times.h"

#define TRIES 8u

uint64_t tprof_request_times_read(struct tprof_thread_record *t, uint64_t now,
                                  uint64_t *ticks)
{
    uint64_t word = 0, then, state;
    bool is_whole = false;

    /* again while a call adds a time to the sums; after (TRIES) a request may
     * have the time of a wait that was over before the request */
    for (uint32_t tries = 0; tries < TRIES && !is_whole; tries++) {
        /* acquire: pairs with the releases in tprof_thread_table_change(). With
         * no user the sums are those of (word) or of a later word. */
        word = atomic_load(&t->word);
        is_whole = atomic_load(&t->users) == 0;
        ticks[WIRE_IS_READY] = atomic_load_explicit(&t->ticks[WIRE_IS_READY],
                                                    memory_order_relaxed);
        ticks[WIRE_IS_BLOCKED] = atomic_load_explicit(
            &t->ticks[WIRE_IS_BLOCKED], memory_order_relaxed);
        /* acquire: with the sums of a later word, the word is later, too */
        atomic_thread_fence(memory_order_acquire);
        is_whole = is_whole && atomic_load(&t->word) == word;
    }
    then = word >> TPROF_THREAD_STATE_BITS;
    state = word % (1u << TPROF_THREAD_STATE_BITS);
    if (then < tprof_thread_table.since)
        then = tprof_thread_table.since;
    if (state == TPROF_THREAD_ENDED)
        return then < now ? then : now;
    if ((state == TPROF_THREAD_READY || state == TPROF_THREAD_BLOCKED) &&
        now > then)
        ticks[state - TPROF_THREAD_RUNNING] += now - then;
    return now;
}
