/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame bodies that consist of fields: WIRE.md 2.1, 3, 6 to 12. Each function
 * fills its struct. A member stays 0 if the guest did not send its field.
 * Returns NULL, or a text about the first error in the body.
 */
#ifndef TPROF_PROFILE_DECODE_FIELDS_H
#define TPROF_PROFILE_DECODE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "model/guest.h"
#include "model/locks.h"
#include "model/threads.h"

/* The wire version at the beginning of HELLO; 0 if there is none. */
uint16_t fields_hello_version(const uint8_t *body, size_t length);

const char *fields_hello(const uint8_t *body, size_t length, struct guest *g);
const char *fields_stats(const uint8_t *body, size_t length,
                         struct core_stats *s);
const char *fields_status(const uint8_t *body, size_t length,
                          struct guest_status *s);
const char *fields_pong(const uint8_t *body, size_t length,
                        struct guest_pong *p);
const char *fields_map(const uint8_t *body, size_t length, struct guest_map *m);
const char *fields_progress(const uint8_t *body, size_t length,
                            struct guest_progress *p);
const char *fields_thread(const uint8_t *body, size_t length,
                          struct guest_thread *t);
/* Addresses of (w) are counted from (text_start). */
const char *fields_wait(const uint8_t *body, size_t length, uint64_t text_start,
                        struct guest_wait *w);
const char *fields_sched(const uint8_t *body, size_t length,
                         struct guest_sched *s);
const char *fields_lock(const uint8_t *body, size_t length,
                        struct guest_lock *l);
/* Addresses of (w) are counted from (text_start). */
const char *fields_lock_wait(const uint8_t *body, size_t length,
                             uint64_t text_start, struct guest_lock_wait *w);

#endif
