/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A debugger's stub as QEMU has it, played: of a guest with two cores that runs
 * the image KERNEL, and stands in its function walk().
 */
#ifndef TPROF_PLAYED_STUB_H
#define TPROF_PLAYED_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUB_INTERRUPT '\3'
#define STUB_TEXT      16384u /* bytes of a packet's body, at most */

/* Hear a packet, or an interrupt. Returns whether one came; false when the
 * other side has gone. */
bool stub_hear(int fd, char *body, size_t most);

/* What a stub that does not lie answers to (question); "" if nothing. It lives
 * until the next call. */
const char *stub_truth(const char *question);

/* Send (body) as a packet, or bytes as they are. */
void stub_say(int fd, const char *body);
void stub_send(int fd, const char *bytes, size_t size);

/* Put the answer to "g" into (text), of STUB_TEXT bytes; and (value) at byte
 * (at) of it. A core that runs no 64-bit code has 0 at STUB_EFER. */
#define STUB_EFER (17u * 8 + 28 + 24 + 40)
void stub_registers(char *text);
void stub_put(char *text, size_t at, uint64_t value);

#endif
