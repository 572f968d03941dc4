/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Least privilege. A process that reads bytes of guests, recordings or images
 * first gives up capabilities, new privileges, system calls (seccomp) and files
 * (Landlock), as far as the kernel supports this.
 */
#ifndef TPROF_GUARD_SANDBOX_H
#define TPROF_GUARD_SANDBOX_H

#include <stdbool.h>

#include "util/err.h"

/* Tasks of the process. */
enum sandbox_need {
    /* Uses open descriptors, and files that a helper opens for the process. */
    SANDBOX_READER = 1u << 0,
    SANDBOX_VSOCK = 1u << 1, /* connects to guests by vsock */
    /* Accepts connections, and receives descriptors and memory over them. */
    SANDBOX_SERVE = 1u << 2,
    SANDBOX_LOW_PORT = 1u << 3, /* binds to a privileged port of vsock */
    /* Is the helper: opens files and connects to Unix sockets. */
    SANDBOX_OPENER = 1u << 4,
    SANDBOX_FOLDER = 1u << 6, /* lists an open folder */
    /* Writes, lists and removes files of an allowed folder. */
    SANDBOX_SPOOL = 1u << 7,
    /* Speaks TCP and UDP with servers, and opens allowed files. */
    SANDBOX_NETWORK = 1u << 8,
    SANDBOX_CACHE = 1u << 9,  /* keeps files in folders that it creates */
    SANDBOX_SCREEN = 1u << 5, /* draws on its terminal, and may be suspended */
};

/* Ways to use a file. */
enum sandbox_use {
    SANDBOX_READ = 1u << 0,
    SANDBOX_WRITE = 1u << 1, /* also create and truncate */
    SANDBOX_REMOVE = 1u << 2,
    SANDBOX_DEVICE = 1u << 3, /* ioctl */
    SANDBOX_LIST = 1u << 4,
    SANDBOX_FOLDERS = 1u << 6, /* make and remove folders */
    SANDBOX_ADD = 1u << 5,     /* write and create, but not truncate */
};

/* The value of --sandbox. A build with AddressSanitizer treats SANDBOX_AUTO as
 * SANDBOX_OFF, because its run-time library starts and traces processes. */
enum sandbox_mode {
    SANDBOX_AUTO,     /* as far as the kernel supports it */
    SANDBOX_REQUIRED, /* complete, or nothing is read */
    SANDBOX_OFF,
    SANDBOX_MODES
};

/* The values of --sandbox, as text. */
extern const char *const sandbox_words[SANDBOX_MODES];

struct sandbox {
    int rules; /* descriptor of the Landlock rules; -1: none */
    int error; /* errno of the first failure; 0: none */
};

/* Does this build enter the sandbox with (mode)? */
bool sandbox_wanted(enum sandbox_mode mode);

/* The kernel's version of Landlock; -1 with errno set. */
long sandbox_landlock(void);

/* Begin a sandbox in which no file is allowed. Files that are open already stay
 * usable. */
void sandbox_init(struct sandbox *s);

/* Begin a sandbox in which no file is allowed, for a process that connects by
 * TCP. */
void sandbox_init_network(struct sandbox *s);

/*
 * Allow (uses), of enum sandbox_use, for (path).
 *
 * If (path) is a folder, everything below it is allowed, and nothing beside it,
 * with or without a slash at the end. If (path) is a device or a pipe, only
 * this file is allowed, because its folder may contain disks.
 *
 * For any other file, its folder is allowed, because the file may be created or
 * replaced later, and debug files lie beside images. If the file is a link, the
 * folder of its present target is allowed, too. A (path) that ends in "/" and
 * does not exist allows nothing.
 */
void sandbox_allow(struct sandbox *s, const char *path, unsigned uses);

/* Allow (uses) for the present target of (path), if it is a file. If it is a
 * folder, allow everything below it, and nothing beside it. Allows nothing if
 * (path) does not exist or is NULL. */
void sandbox_allow_alone(struct sandbox *s, const char *path, unsigned uses);

/* Release (s) without entering it. */
void sandbox_fini(struct sandbox *s);

/*
 * Give up everything except what (needs), of enum sandbox_need, require, and
 * release (s). This cannot be undone. A system call that is not allowed ends
 * the process with a line on stderr and exit status 1. Opening a file fails
 * with EACCES instead, because C libraries try to open files that they can do
 * without. No other process can trace this process or find its memory in a core
 * file.
 *
 * A process of root stays a process of root. It keeps the capability
 * CAP_DAC_READ_SEARCH, to find files of other users; with SANDBOX_OPENER also
 * CAP_DAC_OVERRIDE, to open them; and with SANDBOX_LOW_PORT also
 * CAP_NET_BIND_SERVICE, for low ports.
 *
 * Returns 0; -1 with (e) filled, which says what the kernel lacks, and what
 * therefore stays possible. Everything else is given up in that case, too.
 */
int sandbox_enter(struct sandbox *s, unsigned needs, struct err *e);

/* Call (call) before a forbidden system call ends the process. In (call) only
 * functions that a signal handler may call are allowed. */
void sandbox_before_end(void (*call)(void));

/* Restrict the system calls only, as sandbox_enter() does, in any build.
 * Returns 0; -1 with errno set. */
int sandbox_confine_calls(unsigned needs);

#endif
