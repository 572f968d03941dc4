/* SPDX-License-Identifier: BSD-2-Clause */
/* Which process has a descriptor: messages that carry one, and those which no
 * child shall have. Leaf. */
#ifndef TPROF_GUARD_DESCRIPTOR_H
#define TPROF_GUARD_DESCRIPTOR_H

#include <stddef.h>
#include <sys/types.h>

/* Send (size) bytes as one message over (socket), and (fd) with them if that is
 * not -1. Returns 0; -1 with errno set: nobody is there. */
int descriptor_send(int socket, const void *bytes, size_t size, int fd);

/* Wait for a message of up to (size) bytes. (*fd) is the descriptor that came
 * with it; -1: none did, or this process may have no more. Returns the
 * message's size; 0 at the end; -1 with errno set. */
ssize_t descriptor_receive(int socket, void *bytes, size_t size, int *fd);

/* Have (fd) closed in each process that this one forks from here on, until
 * descriptor_close(). Returns 0; -1 with errno set, ENFILE if there are
 * DESCRIPTOR_OWN already. */
#define DESCRIPTOR_OWN 8u
int descriptor_own(int fd);

/* Close (fd), whether it is one of these or not. */
void descriptor_close(int fd);

#endif
