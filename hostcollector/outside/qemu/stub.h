/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions to a debugger's stub, and its answers: GDB's remote protocol.
 * Packets are "$body#checksum", acknowledged by a "+". What the stub says on
 * its own, that the guest has stopped, may come before any answer.
 */
#ifndef TPROF_OUTSIDE_QEMU_STUB_H
#define TPROF_OUTSIDE_QEMU_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/guest.h"
#include "util/err.h"

#define STUB_PACKET   4096u /* bytes of a body that a stub takes and sends */
#define STUB_QUESTION 64u   /* bytes of a body that we send, at most */
#define STUB_CORE     24u   /* bytes of a core's name, NUL included: "p01.02" */

struct stub {
    int fd;
    uint32_t core_count;
    char cores[OUTSIDE_CORES_MAX][STUB_CORE];
    size_t read_max;            /* bytes of memory in one answer */
    size_t body_size;           /* of (body), the last packet's */
    char body[STUB_PACKET + 1]; /* NUL-terminated */

    /* for stub.c alone */
    uint32_t core; /* that answers are about; OUTSIDE_CORES_MAX: not known */
    uint64_t answer_by, look_by; /* as clock_ns() */
    size_t late;                 /* bytes that came after that */
    size_t in_size;
    uint8_t in[2 * STUB_PACKET]; /* that came behind (body) */
};

/* Greet the stub behind (fd), a connected socket, and learn which cores it has.
 * All functions return 0, or -1 with (e) filled, unless they say otherwise. */
int stub_begin(struct stub *s, int fd, struct err *e);

/* A look at the guest begins: from here on to the next call, a stub that is
 * slow for too long is given up. */
void stub_look(struct stub *s);

/* Send (question) as a packet, and hear its answer; or send (order), which has
 * none. */
int stub_ask(struct stub *s, const char *question, struct err *e);
int stub_say(struct stub *s, const char *order, struct err *e);

/* Stop the guest: interrupt it, and hear packets until one says that it stands
 * still. An interrupt that nothing answers is sent again. */
int stub_stop(struct stub *s, struct err *e);

/*
 * Questions of cores that are sent together, since what takes time is the way
 * there and back: stub_begin_batch(), stub_add() for each, stub_send_batch(),
 * and stub_answer() for each in the same order.
 */
struct stub_batch {
    char text[STUB_PACKET];
    size_t size;
    uint32_t core; /* that questions behind these are about */
};
struct stub_batch stub_begin_batch(const struct stub *s);
int stub_add(struct stub *s, struct stub_batch *b, uint32_t core,
             const char *question, struct err *e);
int stub_send_batch(struct stub *s, struct stub_batch *b, struct err *e);
int stub_answer(struct stub *s, uint32_t core, struct err *e);

/* One question of core (core). */
int stub_ask_core(struct stub *s, uint32_t core, const char *question,
                  struct err *e);

/* The bytes of which the last body has the hexadecimal digits, at most (size),
 * into (out). What a stub does not know is "xx", and 0 here. Returns how many;
 * -1: that is something else. */
long stub_bytes(const struct stub *s, uint8_t *out, size_t size);

#endif
