/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens files and sockets by name for a confined process, which cannot do this
 * itself. A helper process, started before the confinement, opens only the
 * files that the user has named, and sends the descriptors. A file that was
 * rebuilt can be opened again in this way, without opening its whole folder to
 * an attacker who takes over the confined process.
 *
 * There is one helper for each process, or one for several processes that run
 * one after the other. opener_rules.c keeps the list of allowed files.
 */
#ifndef TPROF_GUARD_OPENER_H
#define TPROF_GUARD_OPENER_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

enum opener_how {
    OPENER_READ,     /* a file, for reading */
    OPENER_WRITE,    /* a file, for writing; created or emptied */
    OPENER_TERMINAL, /* for reading and writing, without blocking */
    OPENER_CONNECT,  /* a Unix socket; connects without blocking */
    OPENER_REMOVE,   /* removes the name and opens nothing */
    /* Output files that are claimed (guard/claim.h), by opener_claim() only. */
    OPENER_REPORT,
    OPENER_RECORDING,
    OPENER_UNDO,  /* claim_undo(); allowed together with OPENER_RECORDING */
    OPENER_FRESH, /* claim_fresh(), by opener_claim() only */
    /* claim_settle(): _SETTLE keeps the new file, _DROP the old file. Nothing
     * is opened. */
    OPENER_SETTLE,
    OPENER_DROP,
    /* A regular file with a name like a source file, for reading. */
    OPENER_SOURCE,
    OPENER_WINDOW, /* a regular file that is not a link, for reading */
};

/* Allow the helper to do (how) with (path), which is copied. Returns 0; -1 if
 * there is no memory. */
int opener_allow(enum opener_how how, const char *path);

/* Allow (how) for names that consist of (prefix), a decimal number and
 * (suffix). Returns 0; -1 if there is no memory. */
int opener_allow_numbered(enum opener_how how, const char *prefix,
                          const char *suffix);

/* Allow the helper to read regular files below (folder), which ends in a slash,
 * if they begin like an image, ELF or PE. Returns 0; -1 if there is no memory.
 */
int opener_allow_images_below(const char *folder);

/* Allow the helper to read any regular file that begins like an image. */
int opener_allow_images(void);

/* Allow the helper to connect to Unix sockets in (folder), which ends in a
 * slash. */
int opener_allow_sockets_in(const char *folder);

/* Allow OPENER_WINDOW for files in (folder), which ends in a slash. */
int opener_allow_windows_in(const char *folder);

/* Allow the helper to connect to each socket whose name is a word of the text
 * file (path) when it connects. A word may follow a =, and end before a
 * colon. */
int opener_allow_listed(const char *path);

/* Allow OPENER_SOURCE for files anywhere. */
void opener_allow_sources(void);

/*
 * Start the helper. This process must have no threads, and must have standard
 * input, output and error. The helper inherits all open descriptors, because
 * the user may name files like /dev/fd/3. Start the helper before epoll watches
 * any of the descriptors.
 *
 * Returns 0 in the calling process; 1 in the helper, which may confine itself
 * before it calls opener_serve(); -1 with (e) filled.
 */
int opener_fork(struct err *e);

/* Do the helper's work. (lacks) says what the helper's confinement lacks, and
 * is empty if the confinement is complete. The helper exits when the process
 * that it serves exits. A shared helper exits when the process that started it
 * exits. */
_Noreturn void opener_serve(const struct err *lacks);

/* Wait until this process's helper is confined. If the helper is shared, also
 * wait until the process that it served before has exited. Returns 0; -1 with
 * (e) filled, which says what the helper's confinement lacks, or that the
 * helper has exited. */
int opener_confined(struct err *e);

/*
 * Start a helper that serves the child processes of this process, one after the
 * other. Starting a helper for each child would take longer than the child's
 * work. This process itself has no helper then. If an earlier shared helper has
 * ended (opener_is_shared()), this call waits for its end first. Returns like
 * opener_fork().
 *
 * The helper may run for a long time, so it keeps only standard input, output
 * and error. It cannot open names like /dev/fd/3, and descriptors for its
 * confinement must be made after this call.
 */
int opener_fork_shared(struct err *e);

/* Does a shared helper, started by this process or by its parent, still run? If
 * it was killed, this process forgets it and may start another one. */
int opener_is_shared(void);

/* Close all descriptors of this child process except the standard ones, (fd),
 * and the one that opener_join() needs. */
void opener_keep(int fd);

/* Connect this child process to the shared helper, over a socket of its own.
 * The helper serves this process after the previous one has exited. An attacker
 * who takes over this process reaches nothing of the processes before and after
 * it. Returns 0; -1 with (e) filled. */
int opener_join(struct err *e);

/*
 * Do (how) with (path). The helper does this if there is a helper. Otherwise
 * this process does it, and checks no rule.
 *
 * Returns the descriptor; 0 if nothing is opened; -1 with errno set: EACCES if
 * (how) is not allowed, EPIPE if the helper has exited.
 */
int opener_open(enum opener_how how, const char *path);

/* Open (count) files as OPENER_WINDOW, at most OPENER_WINDOWS of them. All are
 * requested at once, since waiting for each answer takes longer than reading a
 * window. Each of (fds) becomes a descriptor, or -errno. */
#define OPENER_WINDOWS 16u
void opener_open_windows(const char *const *paths, size_t count, int *fds);

/* Make the next opener_open(OPENER_READ, path) return (fd). (path) must live
 * until then. Only one descriptor is kept at a time. An (fd) of -1 withdraws
 * the kept descriptor and closes it. */
void opener_preopen(const char *path, int fd);

/* Claim (path) as claim_file(), claim_fresh() or claim_settle() do, by (how).
 * Returns the values of opener_open(), with (e) filled on failure. */
int opener_claim(enum opener_how how, const char *path, struct err *e);

/* Is there a helper? */
int opener_started(void);

/* opener_rules.c, for opener.c: the list of allowed files. opener_allow() and
 * the functions after it fill the list before the helper starts. */

/* Is (how) allowed for (path)? opener_rules_name() decides by the name alone,
 * opener_rules_image() for an image, opener_rules_source() for a file with a
 * name like a source file. */
bool opener_rules_name(enum opener_how how, const char *path);
bool opener_rules_image(enum opener_how how, const char *path);
bool opener_rules_source(enum opener_how how);

/* Does (path) end like the name of a source file? */
bool opener_rules_source_name(const char *path);

#endif
