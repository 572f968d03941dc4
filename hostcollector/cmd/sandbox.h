/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Least privilege: what a process that listens to guests gives up before it
 * hears the first byte. Capabilities, new privileges, system calls (seccomp),
 * and files (Landlock), each as far as the kernel has it.
 */
#ifndef TPROF_CMD_SANDBOX_H
#define TPROF_CMD_SANDBOX_H

#include "util/err.h"

enum sandbox_mode {
    /* Samples guests or reads a recording: connects Unix and vsock sockets,
     * opens files as far as sandbox_allow() lets it (an image that was built
     * anew, the files of the report), starts and signals no process. */
    SANDBOX_GUESTS,
    /* Is a guest's device: takes and makes Unix connections, maps the memory
     * that comes by them, opens no file, and deletes its sockets in the end. */
    SANDBOX_BRIDGE,
};

/* What may be done with files. */
enum sandbox_use {
    SANDBOX_READ = 1u << 0,
    SANDBOX_WRITE = 1u << 1, /* and create */
    SANDBOX_REMOVE = 1u << 2,
};

struct sandbox {
    int rules; /* of Landlock; -1: the kernel has none */
};

/* Begin: no file is allowed. Those that are open stay usable in any case. */
void sandbox_init(struct sandbox *s);

/*
 * Allow (uses), of enum sandbox_use, for what is at (path) or will be, and for
 * what it is a link to now. That is all of the folder that it is in, which is
 * what the kernel can be told. A (path) that ends in "/" is a folder itself.
 */
void sandbox_allow(struct sandbox *s, const char *path, unsigned uses);

/*
 * Give everything up that (mode) does not need, for good; (s) is released. A
 * system call that is not allowed ends the process with a line on stderr and
 * exit status 1. TPROF_SANDBOX=off in the environment keeps system calls and
 * files allowed; so do builds with AddressSanitizer or its like, whose run-time
 * library starts and traces processes.
 *
 * Root stays root, but of its capabilities it keeps only the right to open
 * other people's files (CAP_DAC_OVERRIDE).
 *
 * Returns 0; -1 with (e) filled: the kernel has no seccomp. The process can go
 * on, the rest is given up.
 */
int sandbox_enter(struct sandbox *s, enum sandbox_mode mode, struct err *e);

/* Only the system calls, as sandbox_enter() does it; in any build. Returns 0;
 * -1 with errno set. */
int sandbox_confine_calls(enum sandbox_mode mode);

#endif
