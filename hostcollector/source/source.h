/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where wire bytes come from: one file per origin, all behind source_ops.
 * Bytes and their arrival times, nothing decoded.
 */
#ifndef TPROF_SOURCE_SOURCE_H
#define TPROF_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

struct source;
struct recording_reader;

enum source_state {
    SOURCE_FAILED = -1, /* (e) is filled */
    SOURCE_ABSENT = 0,  /* the guest is not there yet: try again later */
    SOURCE_OPEN = 1,
};

struct source_ops {
    const char *name; /* as the user knows it: "serial" */
    /* Connect; called again every now and then while it says SOURCE_ABSENT. */
    enum source_state (*open)(struct source *s, struct err *e);
    /* Up to (size) bytes without waiting, and when they arrived. Returns how
     * many; 0: none now; SOURCE_END: no more will come; -1 with (e) filled. */
    ssize_t (*read)(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e);
    /* Bytes to the guest, without waiting. Returns how many were taken; -1
     * with (e) filled. NULL: the guest cannot be spoken to. */
    ssize_t (*write)(struct source *s, const void *buf, size_t size,
                     struct err *e);
    /* Release everything, (s) too. In any state. */
    void (*close)(struct source *s);
};
#define SOURCE_END (-2)

/* where agents listen, unless said otherwise */
#define SOURCE_VSOCK_PORT 7077u

/* The common beginning of every source. */
struct source {
    const struct source_ops *ops;
    int fd;    /* to poll for reading; -1: absent, or readable at any time */
    bool live; /* a guest, not a file: it may be absent, and stays open */
    const char *path;
    /* A guest may come back on it: after SOURCE_END, by which (fd) was closed
     * and is -1, open() is asked again, not at once but as while absent. */
    bool reconnects;
    /* Why open() says SOURCE_ABSENT, for the user, one line; it changes as the
     * guest comes nearer: "no guest with CID 3 runs", "guest 3 runs, but
     * nobody listens on port 7077". Also why read() ended before a byte came.
     * NULL: nothing to tell. */
    const char *absence;
    /* Told once, before the first open(), one line: "CID 3 is this machine's
     * own". NULL: nothing to tell. */
    const char *warning;
    /* Why an open source may give no HELLO, the end of a sentence: "something
     * else than the agent listens on port 7077 there". Bytes that came are no
     * silence: then it is that something else speaks. NULL: not known. */
    const char *silence;
    /* The recording that is being read; NULL for others, and until open. */
    const struct recording_reader *recording;
};

/*
 * A guest's serial port at (path): QEMU's Unix socket, a pty or another tty,
 * or a regular file with what such a port sent, which may also be a recording.
 * Returns NULL with (e) filled if there is no memory or (path) is too long; a
 * path where nothing is yet is SOURCE_ABSENT later.
 */
struct source *source_serial(const char *path, struct err *e);

/*
 * The file (path): a recording or the raw bytes of a port, told apart by its
 * beginning. Returns NULL with (e) filled if there is no memory.
 */
struct source *source_replay(const char *path, struct err *e);

/*
 * The agent of the guest (where), "CID" or "CID:PORT", over this host's own
 * virtio-vsock. Refused, with what to do instead, where this host has none:
 * without /dev/vhost-vsock nothing but CID 1 is connected to, unless (force).
 * Returns NULL with (e) filled.
 */
struct source *source_vsock(const char *where, bool force, struct err *e);

/*
 * The agent of the guest behind the Unix socket (where), "PATH" or "PATH:PORT",
 * where a line "CONNECT port" leads to that port of the guest: Firecracker,
 * Cloud Hypervisor, collector bridge. Returns NULL with (e) filled.
 */
struct source *source_vsock_uds(const char *where, struct err *e);

/* What a process must be allowed to do to reach a guest. */
enum source_need {
    SOURCE_NEEDS_UNIX,  /* connect to a Unix socket */
    SOURCE_NEEDS_TTY,   /* likewise, or open WHERE, which may be a terminal */
    SOURCE_NEEDS_VSOCK, /* connect by vsock */
};

/* A way to a guest, which the user types as --(name) WHERE. */
struct source_kind {
    const char *name;     /* "vsock" */
    const char *argument; /* what WHERE is, for --help: "CID[:PORT]" */
    const char *help;     /* lines, with newlines between */
    const char *prefix;   /* of a guest's name that is made from WHERE: "cid" */
    enum source_need need;
    /* As source_vsock(). */
    struct source *(*make)(const char *where, bool force, struct err *e);
};

/* All kinds: the table in source.c. */
#define SOURCE_KINDS 3u
extern const struct source_kind source_kinds[SOURCE_KINDS];

/* The kind called (name); NULL if there is none. */
const struct source_kind *source_kind(const char *name);

/* Release (s). NULL is allowed. */
void source_close(struct source *s);

/* CLOCK_MONOTONIC in nanoseconds: the clock of all arrival times. */
uint64_t source_now_ns(void);

#endif
