/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens files and sockets by name. A process that is confined cannot do so:
 * for it a helper process does, which was started before, opens what the user
 * has named and nothing else, and hands over the descriptors. So a file that is
 * built anew can be opened again, without its whole folder being open to
 * somebody who takes over the process.
 *
 * One helper for each process, or one for several that follow each other; what
 * is allowed is kept for it in opener_rules.c.
 */
#ifndef TPROF_GUARD_OPENER_H
#define TPROF_GUARD_OPENER_H

#include <stddef.h>

#include "util/err.h"

enum opener_how {
    OPENER_READ,     /* a file, to read */
    OPENER_WRITE,    /* a file, to write; made, or cut to nothing */
    OPENER_TERMINAL, /* to read and write, without waiting */
    OPENER_CONNECT,  /* a Unix socket that connects without waiting */
    OPENER_REMOVE,   /* nothing is opened: the name is removed */
    /* Output files that are claimed (guard/claim.h); opener_claim() alone. */
    OPENER_REPORT,
    OPENER_RECORDING,
    OPENER_FRESH, /* claim_fresh(); by opener_claim(), too */
    /* Nothing is opened: claim_settle(), with the new file or the old one. */
    OPENER_SETTLE,
    OPENER_DROP,
    /* A regular file that is named as source files are, to read. */
    OPENER_SOURCE,
    OPENER_WINDOW, /* a regular file and no link to one, to read */
};

/* Allow the helper (how) for (path), of which a copy is kept. Returns 0; -1 if
 * there is no memory. */
int opener_allow(enum opener_how how, const char *path);

/* The same for (prefix), a decimal number, and (suffix) behind each other. */
int opener_allow_numbered(enum opener_how how, const char *prefix,
                          const char *suffix);

/* Allow it to read regular files that begin like an image, ELF or PE, below
 * (folder), which ends in a slash. Returns as above. */
int opener_allow_images_below(const char *folder);

/* Allow it to read any regular file that begins like an image, ELF or PE. */
int opener_allow_images(void);

/* Allow it to connect to the Unix sockets in (folder), which ends in a slash.
 */
int opener_allow_sockets_in(const char *folder);

/* Allow it OPENER_WINDOW for the files in (folder), likewise. */
int opener_allow_windows_in(const char *folder);

/* Allow it to connect to what is a word of the text file (path) at that moment,
 * alone or behind a =, also if a colon and more follow in the word. */
int opener_allow_listed(const char *path);

/* Allow it OPENER_SOURCE, wherever the file is. */
void opener_allow_sources(void);

/*
 * Start the helper. The process may not have threads, and must have standard
 * input, output and error. The helper keeps all descriptors that are open now:
 * names like /dev/fd/3 mean them. So start it before any is watched by epoll.
 *
 * Returns 0 in the calling process, and 1 in the helper, which may confine
 * itself before opener_serve(); -1 with (e) filled.
 */
int opener_fork(struct err *e);

/* The helper's work. (lacks) says what its confinement lacks, nothing if that
 * is all there. It ends when the process that it serves does; one that is
 * shared, when the process that has started it does. */
_Noreturn void opener_serve(const struct err *lacks);

/* Wait until the helper of this process is confined, or the shared one that it
 * has started, and the process before has ended. Returns 0; -1 with (e) saying
 * what its confinement lacks, or that it has ended. */
int opener_confined(struct err *e);

/*
 * Start a helper for processes that this one is going to start, one after the
 * other: a process for each would take longer than what they do. Returns as
 * opener_fork(). This process itself goes on without a helper. One that it has
 * started before, and found gone (opener_is_shared()), is ended and waited for.
 *
 * The helper has standard input, output and error, and no other descriptor that
 * is open now: it outlives what they are for. So names like /dev/fd/3 mean
 * nothing to it, and what it is to be confined with is made after this.
 */
int opener_fork_shared(struct err *e);

/* Has this process, or the one that has started it, done so, and is that helper
 * there? It may have been killed; this process forgets it then, and may start
 * another one. */
int opener_is_shared(void);

/* In such a process: be served by that helper, as soon as the process before
 * has ended, over a socket of its own. Whoever takes this process over reaches
 * nothing of the processes before and behind it. Returns 0; -1 with (e) filled.
 */
int opener_join(struct err *e);

/*
 * Do (how) with (path): by the helper if there is one, else at once and without
 * asking what is allowed.
 *
 * Returns the descriptor, and 0 where nothing is opened; -1 with errno set:
 * EACCES if it is not allowed, EPIPE if the helper has ended.
 */
int opener_open(enum opener_how how, const char *path);

/* Open (count) files as OPENER_WINDOW, at most OPENER_WINDOWS of them: they are
 * asked for at once, since to wait for the helper each time takes longer than
 * to read a window. (fds) become descriptors, or less than 0: -errno. */
#define OPENER_WINDOWS 16u
void opener_open_windows(const char *const *paths, size_t count, int *fds);

/* The next opener_open(OPENER_READ, path) of that (path), which must live until
 * then, returns (fd) and no other one is lent; -1 takes it back, and closes
 * it. */
void opener_preopen(const char *path, int fd);

/* Likewise for what is claimed. -1 with (e) filled as by claim_file(). */
int opener_claim(enum opener_how how, const char *path, struct err *e);

/* Is there a helper? */
int opener_started(void);

#endif
