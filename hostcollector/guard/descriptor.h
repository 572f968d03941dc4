/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that carry a descriptor, descriptors that forked processes do not
 * inherit, and the limit of their number. */
#ifndef TPROF_GUARD_DESCRIPTOR_H
#define TPROF_GUARD_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/err.h"

/* Send (size) bytes as one message over (socket), with (fd) unless it is -1.
 * Returns 0; -1 with errno set, for example if no process has the other end. */
int descriptor_send(int socket, const void *bytes, size_t size, int fd);

/* Wait for a message of up to (size) bytes. Stores in (*fd) the descriptor that
 * came with the message; -1 if no descriptor came, or if this process has too
 * many open. Returns the message's size; 0 at the end; -1 with errno set. */
ssize_t descriptor_receive(int socket, void *bytes, size_t size, int *fd);

/* Close (fd) in each process that this process forks from now on, until
 * descriptor_close(). Returns 0; -1 with errno set, ENFILE if DESCRIPTOR_OWN
 * descriptors are registered already. */
#define DESCRIPTOR_OWN 8u
int descriptor_own(int fd);

/* Close (fd), registered or not. */
void descriptor_close(int fd);

/* Raise this process's limit of open files for (guests) guests. Each guest
 * needs a connection, and with (recorded) one more file. Returns 0; -1 with (e)
 * filled, which says what to type. */
int descriptor_allow_guests(size_t guests, bool recorded, struct err *e);

#endif
