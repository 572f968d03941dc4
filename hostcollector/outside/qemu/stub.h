/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GDB's remote protocol, as a client of a debugger's stub. Packets are
 * "$body#checksum", acknowledged by a "+". The stub's report that the guest has
 * stopped may come before any answer.
 */
#ifndef TPROF_OUTSIDE_QEMU_STUB_H
#define TPROF_OUTSIDE_QEMU_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/outside_guest.h"
#include "util/err.h"

#define STUB_PACKET   4096u /* limit of a body that a stub accepts and sends */
#define STUB_QUESTION 64u   /* limit of a body that this process sends */
#define STUB_CORE     24u   /* limit of a core's name, with NUL: "p01.02" */

struct stub {
    int fd;
    uint32_t core_count;
    char cores[OUTSIDE_CORES_MAX][STUB_CORE];
    size_t read_max;            /* bytes of memory in one answer */
    size_t body_size;           /* size of (body), the last packet's */
    char body[STUB_PACKET + 1]; /* NUL-terminated */

    /* for stub.c only */
    /* core that answers are about; OUTSIDE_CORES_MAX: not known */
    uint32_t core;
    uint64_t answer_by, look_by; /* by clock_ns(): time limits of this answer,
                                  * and of all answers since stub_look() */
    size_t late;                 /* bytes that came too late */
    size_t in_size;
    uint8_t in[2 * STUB_PACKET]; /* bytes received after (body) */
};

/* Greet the stub behind (fd), a connected socket, and read the list of its
 * cores. All functions return 0, or -1 with (e) filled, unless they say
 * otherwise. */
int stub_begin(struct stub *s, int fd, struct err *e);

/* Begin to read the guest. Until the next call, all answers together have a
 * time limit. */
void stub_look(struct stub *s);

/* stub_ask() sends (question) as a packet and reads the answer; stub_order()
 * sends (order), which has no answer. */
int stub_ask(struct stub *s, const char *question, struct err *e);
int stub_say(struct stub *s, const char *order, struct err *e);

/* Stop the guest: send an interrupt, and read packets until one reports the
 * stop. An interrupt without an answer is sent again. */
int stub_stop(struct stub *s, struct err *e);

/*
 * Questions that are sent together, because round trips take most of the time.
 * Call stub_begin_batch(), stub_add() for each question, stub_send_batch(), and
 * stub_answer() for each question in the same order.
 */
struct stub_batch {
    char text[STUB_PACKET];
    size_t size;
    uint32_t core; /* core that the next questions are about */
};
struct stub_batch stub_begin_batch(const struct stub *s);
int stub_add(struct stub *s, struct stub_batch *b, uint32_t core,
             const char *question, struct err *e);
int stub_send_batch(struct stub *s, struct stub_batch *b, struct err *e);
int stub_answer(struct stub *s, uint32_t core, struct err *e);

/* Ask one question about core (core). */
int stub_ask_core(struct stub *s, uint32_t core, const char *question,
                  struct err *e);

/* Decode the hex digits of the last answer into at most (size) bytes at (out).
 * Bytes that the stub reports as unavailable ("xx") become 0. Returns the
 * number of bytes; -1 if the answer is not hexadecimal. */
long stub_bytes(const struct stub *s, uint8_t *out, size_t size);

#endif
