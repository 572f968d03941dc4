/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Least privilege. A process that reads bytes of guests, recordings or images
 * gives up capabilities, new privileges, system calls (seccomp) and files
 * (Landlock) before it reads the first one, as far as the kernel has these
 * mechanisms.
 */
#ifndef TPROF_GUARD_SANDBOX_H
#define TPROF_GUARD_SANDBOX_H

#include <stdbool.h>

#include "util/err.h"

/* What the process is going to do. */
enum sandbox_need {
    /* Reads and writes what is open, and what a helper opens for it. */
    SANDBOX_READER = 1u << 0,
    SANDBOX_VSOCK = 1u << 1, /* connects to guests by vsock */
    /* Takes connections and what comes by them, descriptors and memory. */
    SANDBOX_SERVE = 1u << 2,
    SANDBOX_LOW_PORT = 1u << 3, /* binds to a privileged port of vsock */
    /* Is that helper: opens files and connects to Unix sockets. */
    SANDBOX_OPENER = 1u << 4,
    SANDBOX_FOLDER = 1u << 6, /* lists a folder that is open */
    /* Writes, lists and removes files of a folder that it was allowed. */
    SANDBOX_SPOOL = 1u << 7,
    /* Speaks TCP and UDP with servers, and opens files that it was allowed. */
    SANDBOX_NETWORK = 1u << 8,
    SANDBOX_CACHE = 1u << 9,  /* keeps files in folders that it makes */
    SANDBOX_SCREEN = 1u << 5, /* draws on its terminal, and may be suspended */
};

/* What may be done with files. */
enum sandbox_use {
    SANDBOX_READ = 1u << 0,
    SANDBOX_WRITE = 1u << 1, /* and create, and cut short */
    SANDBOX_REMOVE = 1u << 2,
    SANDBOX_DEVICE = 1u << 3, /* ioctl */
    SANDBOX_LIST = 1u << 4,
    SANDBOX_FOLDERS = 1u << 6, /* make and remove folders */
    SANDBOX_ADD = 1u << 5,     /* write and create, but cut nothing short */
};

/* What the user wants. Builds with AddressSanitizer or its like, whose run-time
 * library starts and traces processes, take SANDBOX_AUTO for SANDBOX_OFF. */
enum sandbox_mode {
    SANDBOX_AUTO,     /* as far as the kernel has it */
    SANDBOX_REQUIRED, /* all of it, or nothing is read */
    SANDBOX_OFF,
    SANDBOX_MODES
};

/* As --sandbox has them. */
extern const char *const sandbox_words[SANDBOX_MODES];

struct sandbox {
    int rules; /* of Landlock; -1: none */
    int error; /* errno of what failed; 0: nothing did */
};

/* Does this build enter it with (mode)? */
bool sandbox_wanted(enum sandbox_mode mode);

/* The version of Landlock that the kernel has; -1 with errno set. */
long sandbox_landlock(void);

/* Begin: no file is allowed. Those that are open stay usable in any case. */
void sandbox_init(struct sandbox *s);

/* Likewise, for a process that connects by TCP. */
void sandbox_init_network(struct sandbox *s);

/*
 * Allow (uses), of enum sandbox_use, for (path).
 *
 * A (path) that is a folder allows that folder with all below it, and nothing
 * beside it, whether a slash ends it or not. A device or a pipe allows itself:
 * its folder may have disks in it. Any other file allows its folder, and the
 * folder of the file that (path) is a link to now: the file may not exist yet,
 * or be replaced, and debug files lie beside images. A (path) that ends in "/"
 * and is not there allows nothing.
 */
void sandbox_allow(struct sandbox *s, const char *path, unsigned uses);

/* Allow (uses) for what (path) leads to now, or below it, and nothing beside.
 * Nothing if it is not there, or NULL. */
void sandbox_allow_alone(struct sandbox *s, const char *path, unsigned uses);

/* Release (s), which was not entered. */
void sandbox_fini(struct sandbox *s);

/*
 * Give up everything except what (needs), of enum sandbox_need, require; (s) is
 * released. This cannot be undone. A system call that is not allowed ends the
 * process with a line on stderr and exit status 1; opening a file fails with
 * EACCES, since C libraries look for files which they can do without.
 *
 * Nobody else can trace the process or find its memory in a core file. Root
 * stays root, but of its capabilities it keeps only the right to find other
 * people's files (CAP_DAC_READ_SEARCH), with SANDBOX_OPENER also to open them
 * (CAP_DAC_OVERRIDE), and with SANDBOX_LOW_PORT the right to low ports
 * (CAP_NET_BIND_SERVICE).
 *
 * Returns 0; -1 with (e) saying what the kernel lacks, and what stays possible.
 * The rest is given up in any case.
 */
int sandbox_enter(struct sandbox *s, unsigned needs, struct err *e);

/* Have (call) called before a system call that is not allowed ends the process:
 * it may do what a handler of signals may. */
void sandbox_before_end(void (*call)(void));

/* Only the system calls, as sandbox_enter() does it; in any build. Returns 0;
 * -1 with errno set. */
int sandbox_confine_calls(unsigned needs);

#endif
