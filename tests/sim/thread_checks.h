/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must hold of the sums of threads that hosts are told. A life is that of
 * one thread, from its name to its end. threads.c tells of each change of a
 * life before the call of the agent and after it: the agent's clock lies in
 * between.
 */
#ifndef SIM_THREAD_CHECKS_H
#define SIM_THREAD_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/threads.h"

enum life_state { LIFE_RUNNING, LIFE_READY, LIFE_BLOCKED, LIFE_ENDED };

/* (orderly): no two changes of one life overlap. */
void thread_checks_init(bool orderly);

/* Life (number), which is 1 more than the number of the last one, begins: a
 * call will name "thread (number)"; and has done so. Returns (number). */
uint32_t life_begins(uint32_t number, bool is_idle);
void life_is_named(uint32_t life);
/* A call will change the state of (life). Returns the event, for when the call
 * has done so. (life) 0 is nobody's. */
uint32_t life_changes(uint32_t life, enum life_state state);
void life_has_changed(uint32_t event);
/* Any core may be reset now: when it has joined again, it reads frames in the
 * range that it has left behind. */
void thread_check_ranges(void);
/* A core was stopped inside a call: sums may be wrong from now on. */
void life_is_lost(void);
/* Clocks went back: bounds mean nothing any more. */
void life_has_no_clock(void);

/* What a host was told. */
void thread_check_session(void);
void thread_check_thread(void *context, const struct guest_thread *t);
void thread_check_wait(void *context, const struct guest_wait *w);
void thread_check_sched(void *context, const struct guest_sched *s);
/* At the end; (complete): the last host was served to the end. */
void thread_check_end(bool complete);

#endif
