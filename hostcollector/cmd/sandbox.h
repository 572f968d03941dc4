/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Least privilege. A process that reads bytes of guests gives up capabilities,
 * new privileges, system calls (seccomp) and files (Landlock) before it reads
 * the first byte, as far as the kernel has these mechanisms.
 */
#ifndef TPROF_CMD_SANDBOX_H
#define TPROF_CMD_SANDBOX_H

#include "util/err.h"

/* What the process is going to do. */
enum sandbox_need {
    /* Opens files, as far as sandbox_allow() lets it: an image that was built
     * anew, recordings, the files of the report. */
    SANDBOX_FILES = 1u << 0,
    SANDBOX_UNIX = 1u << 1,  /* connects to Unix sockets, anybody's */
    SANDBOX_VSOCK = 1u << 2, /* connects to guests by vsock */
    /* Takes connections and what comes by them, descriptors and memory, and
     * deletes its sockets in the end. */
    SANDBOX_SERVE = 1u << 3,
    SANDBOX_BRIDGE = SANDBOX_SERVE | SANDBOX_UNIX,
    SANDBOX_LOW_PORT = 1u << 4, /* binds to a privileged port of vsock */
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
 * Allow (uses), of enum sandbox_use, for all files in the folder of (path), and
 * in the folder of the file that (path) is a link to now. The kernel cannot
 * allow a file that does not exist yet, so folders are allowed. A (path) that
 * ends in
 * "/" is a folder itself.
 */
void sandbox_allow(struct sandbox *s, const char *path, unsigned uses);

/*
 * Give up everything except what (needs), of enum sandbox_need, require; (s) is
 * released. This cannot be undone. A system call that is not allowed ends the
 * process with a line on stderr and exit status 1. TPROF_SANDBOX=off in the
 * environment keeps system calls and files allowed. So do builds with
 * AddressSanitizer or its like, whose run-time library starts and traces
 * processes; there, tests set TPROF_SANDBOX=on.
 *
 * Root stays root, but of its capabilities it keeps only the right to open
 * other people's files (CAP_DAC_OVERRIDE), and with SANDBOX_LOW_PORT the right
 * to low ports (CAP_NET_BIND_SERVICE).
 *
 * Returns 0; -1 with (e) filled: the kernel has no seccomp. The process can go
 * on, the rest is given up.
 */
int sandbox_enter(struct sandbox *s, unsigned needs, struct err *e);

/* Only the system calls, as sandbox_enter() does it; in any build. Returns 0;
 * -1 with errno set. */
int sandbox_confine_calls(unsigned needs);

#endif
