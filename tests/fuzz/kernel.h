/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel in memory, so that a run makes no system call: Unix sockets that
 * pass descriptors on, eventfds, one epoll, one memfd and a clock, which behave
 * like Linux's as far as the bridge can tell. kernel*.c stand in for the calls
 * by the linker's --wrap (CMakeLists.txt). Nothing blocks; a descriptor that is
 * not open and yet used ends the run: abort().
 *
 * One memfd at a time, of KERNEL_MEMORY bytes at most; all its mappings are at
 * the same address. Nothing ever unmaps it: see kernel_mappings().
 */
#ifndef TPROF_FUZZ_KERNEL_H
#define TPROF_FUZZ_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_FD     100000 /* the first descriptor: no file has it */
#define KERNEL_FILES  160u   /* also the number of descriptors */
#define KERNEL_MEMORY (1u << 20)

extern uint64_t kernel_now_ms; /* what CLOCK_MONOTONIC says */

/* How many descriptors are open, and mappings there are; but the first one,
 * which is the other side's. */
unsigned kernel_descriptors(void);
int kernel_mappings(void);

/* While (hide) and there is no mapping, the memory's first pages are none. */
void kernel_hide_unmapped(bool hide);

/* --- Between kernel*.c ---------------------------------------------------- */

enum kernel_kind {
    KERNEL_OTHER, /* anything that the bridge has no use for */
    KERNEL_EVENT,
    KERNEL_MEMFD,
    KERNEL_POLLER,
    KERNEL_LISTENER,
    KERNEL_SOCKET
};

struct kernel_file {
    enum kernel_kind kind;
    unsigned users; /* descriptors and messages that hold it; 0: it is free */
    unsigned edge;  /* counts what wakes a poller */
    uint64_t count; /* of an event; bytes of a memfd */
};

/* A new file with one user, or NULL: there are too many. */
struct kernel_file *kernel_new(enum kernel_kind kind);
void kernel_drop(struct kernel_file *f); /* one user less */

/* A descriptor for (f), which is dropped if there is none: -1, errno set. */
int kernel_describe(struct kernel_file *f);

/* The file of (fd), or NULL if (fd) is none of ours. */
struct kernel_file *kernel_file(int fd);
unsigned kernel_number(const struct kernel_file *f); /* below KERNEL_FILES */

int kernel_fail(int error);

/* Of a socket or a listener; what epoll says of it. */
void kernel_socket_end(struct kernel_file *f);
uint32_t kernel_socket_ready(const struct kernel_file *f);

#endif
