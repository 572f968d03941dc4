/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources of wire bytes: one file for each kind, all behind source_ops. A
 * source returns bytes and their arrival times, and decodes nothing. */
#ifndef TPROF_GUEST_SOURCE_SOURCE_H
#define TPROF_GUEST_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "guard/peer.h"
#include "util/err.h"

struct source;
struct recording_reader;
struct registers_kept;

enum source_state {
    SOURCE_FAILED = -1, /* (e) is filled */
    SOURCE_ABSENT = 0,  /* the guest is not there yet: try again later */
    SOURCE_OPEN = 1,
};

struct source_ops {
    const char *name; /* as the user types it: "serial" */
    /* Connects. Called again from time to time while it returns
     * SOURCE_ABSENT. */
    enum source_state (*open)(struct source *s, struct err *e);
    /* Reads up to (size) bytes without waiting, and their arrival time.
     * Returns the number of bytes; 0: none now; SOURCE_END: no more will come;
     * -1 with (e) filled. */
    ssize_t (*read)(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e);
    /* Sends bytes to the guest without waiting. Returns the number of bytes
     * taken; -1 with (e) filled. NULL: nothing can be sent to the guest. */
    ssize_t (*write)(struct source *s, const void *buf, size_t size,
                     struct err *e);
    /* Releases everything, also (s). Called in any state. */
    void (*close)(struct source *s);
};
#define SOURCE_END (-2)

/* The port on which agents listen by default. */
#define SOURCE_VSOCK_PORT 7077u

/* The common first member of every source. */
struct source {
    const struct source_ops *ops;
    /* descriptor to poll for reading; -1: absent, or readable at any time */
    int fd;
    bool live; /* the source is a guest, not a file */
    const char *path;
    char *given; /* of source_new(): a copy of what the user typed */
    /* The guest may return. After SOURCE_END, which closes (fd) and sets it to
     * -1, open() is called again from time to time. */
    bool reconnects;
    /* Users who may own the other side; set it before open(). open() fails for
     * others. */
    struct peer_rule peers;
    /* One line for the user: the reason why open() returned SOURCE_ABSENT, or
     * why read() ended before a byte came. The line changes with the reason:
     * "no guest with CID 3 runs", then "guest 3 runs, but nobody listens on
     * port 7077". Empty: the source does not know the reason yet. NULL: the
     * source never knows a reason. */
    const char *absence;
    /* One line for the user, shown once before the first open(): "CID 3 is
     * this machine's own". NULL: none. */
    const char *warning;
    /* The end of a sentence that explains why an open source sends no byte:
     * "something else than the agent listens on port 7077 there". NULL:
     * unknown. */
    const char *silence;
    /* The recording that is being read, or the first of several. NULL before
     * open(), or if the source is not a recording. */
    const struct recording_reader *recording;
    /* A HELLO may begin a further window of the same session:
     * aggregate_config.windows. */
    bool windows;
};

/*
 * A guest's serial port at (path): QEMU's Unix socket, a pty or another tty. A
 * regular file may be a recording, or the bytes that such a port sent. Returns
 * NULL with (e) filled if there is no memory or (path) is too long. If nothing
 * is at (path) yet, open() returns SOURCE_ABSENT.
 */
struct source *source_serial(const char *path, struct err *e);

/* The file (path): a recording, or the raw bytes of a port. The first bytes of
 * the file decide. Returns NULL with (e) filled if there is no memory. */
struct source *source_replay(const char *path, struct err *e);

/* Parts of a guest's memory that are missing in a file. */
struct memory_account {
    char cut[96];     /* "is cut: ..."; "": no known gap */
    uint32_t unread;  /* cores with rings that could be read only in part */
    bool no_clock;    /* the agent did not know the rate of its clock */
    char trouble[96]; /* trouble with a compressed dump; "": none */
};

/*
 * The memory of a dead guest in the file (path). From the rings in that memory
 * the source makes the frames that the guest's agent would have sent
 * (dump/dump_stream.h). At its end the source fills (*account), which is zero
 * at the beginning and must outlive the source. Returns NULL with (e) filled if
 * there is no memory.
 */
struct source *source_memory(const char *path, struct memory_account *account,
                             struct err *e);

struct spool_list;

/* Windows that source_spool() has read, and those that it could not. */
struct spool_account {
    uint64_t read;
    uint64_t gone;          /* removed since the folder was listed */
    uint64_t unusable;      /* damaged, or not windows */
    char unusable_why[160]; /* name and fault of the first unusable file */
    /* Windows that were skipped, because they are of another image than the
     * chosen one, or of the same image at another address; and the hexadecimal
     * build-id of the first of these windows. */
    uint64_t others;
    char other_build[2 * 64 + 1];
    uint64_t gaps; /* gaps of a second or more between windows */
    double gap_s;  /* length of all gaps together */
};

/*
 * The windows in (list) (recording/spool/spool_list.h) as one stream, if their
 * image has a build-id that begins with the hexadecimal digits (build). If
 * (build) is NULL, the first window's image is taken. Unusable windows are
 * skipped and counted in (*account), which is zero at the beginning; open()
 * fails if no window is usable. All arguments must outlive the source. Returns
 * NULL with (e) filled if there is no memory.
 */
struct source *source_spool(const struct spool_list *list, const char *build,
                            struct spool_account *account, struct err *e);

/* Room for a build-id in hexadecimal digits. */
#define SOURCE_BUILD_ROOM (2 * 64 + 1)

/*
 * Write the build-id of the newest window in (list) into (id), in hexadecimal
 * digits. Windows of the build (other) are skipped; "" skips none. Windows
 * without a build-id, and windows that cannot be read, are skipped, too.
 * Returns whether there is such a window. The process must be confined, since
 * windows hold bytes of guests.
 */
bool source_spool_newest(const struct spool_list *list, const char *other,
                         char id[SOURCE_BUILD_ROOM]);

/* The device from which source_vsock() reads this machine's own CID. */
#define SOURCE_VSOCK_DEVICE "/dev/vsock"

/* Flags of source_vsock(). */
#define SOURCE_VSOCK_FORCE      1u /* connect even without /dev/vhost-vsock */
#define SOURCE_VSOCK_PRIVILEGED 2u /* connect from a privileged port */

/*
 * The agent of the guest (where), "CID" or "CID:PORT", over virtio-vsock of
 * this host. (how) is a set of SOURCE_VSOCK_*. Without /dev/vhost-vsock the
 * host has no vsock guests. Every CID except 1 is then refused, unless (how)
 * has SOURCE_VSOCK_FORCE. (e) says what to do.
 *
 * Returns NULL with (e) filled, and errno set: ENODEV if the host has no vsock
 * guests, EINVAL if (where) is wrong.
 */
struct source *source_vsock(const char *where, unsigned how, struct err *e);

/* Is (where) valid for source_vsock()? Returns 0; -1 with (e) filled. */
int source_vsock_check(const char *where, struct err *e);

/*
 * The agent of the guest behind the Unix socket (where), "PATH" or "PATH:PORT".
 * The line "CONNECT port" on that socket connects to a port of the guest.
 * Firecracker, Cloud Hypervisor and collector bridge have such sockets. Returns
 * NULL with (e) filled on failure.
 */
struct source *source_vsock_uds(const char *where, struct err *e);

/* First byte of a line from the process that samples a guest from outside. The
 * rest of the line is for the user. */
enum source_outside_word {
    SOURCE_OUTSIDE_WAITS = 'w',  /* the reason why the guest is not there yet */
    SOURCE_OUTSIDE_OPEN = 'o',   /* the process acts as an agent from here on */
    SOURCE_OUTSIDE_FAILED = 'f', /* the reason why the process has ended */
    /* Registers of a core: core, time and each struct registers.value as
     * hexadecimal digits, separated by blanks. The line comes before the bytes
     * of that sample. */
    SOURCE_OUTSIDE_REGISTERS = 'r',
};

#define SOURCE_OUTSIDE_LINE 768u /* bytes of a line, with its end */

/*
 * The guest (where), which another process samples. The other process sends
 * frames as an agent does over the socket (bytes), and lines over the pipe
 * (words). The source closes both, unless NULL is returned with (e) filled.
 * Registers are stored in (kept), which must outlive the source. (kept) is NULL
 * if registers are not needed.
 */
struct source *source_outside(const char *where, int bytes, int words,
                              struct registers_kept *kept, struct err *e);

/* Permissions that a process needs to reach a guest. */
enum source_need {
    SOURCE_NEEDS_UNIX, /* connect to a Unix socket */
    /* connect to a Unix socket, or open WHERE, which may be a terminal */
    SOURCE_NEEDS_TTY,
    SOURCE_NEEDS_VSOCK, /* connect by vsock */
    /* no permission: the process that samples the guest reaches it */
    SOURCE_NEEDS_SAMPLER,
};

/* A kind of source, which the user types as --(name) WHERE. */
struct source_kind {
    const char *name;     /* "vsock" */
    const char *argument; /* form of WHERE, for --help: "CID[:PORT]" */
    const char *help;     /* description of WHERE, for --help and shells */
    const char *prefix;   /* prefix to WHERE in a guest's name: "cid" */
    enum source_need need;
    /* Creates the source, as source_vsock(). NULL with SOURCE_NEEDS_SAMPLER:
     * call source_outside(). */
    struct source *(*make)(const char *where, unsigned how, struct err *e);
    /* Checks WHERE, as source_vsock_check(). NULL: every text is valid. */
    int (*check)(const char *where, struct err *e);
};

/* All kinds: the table in source_kinds.c. */
#define SOURCE_KINDS 6u
extern const struct source_kind source_kinds[SOURCE_KINDS];

/* The kind named (name), including "memory" for a dead guest's memory, which
 * is not in the table. NULL if there is none. */
const struct source_kind *source_kind_find(const char *name);

/* Part of a file that has been read, 0 to 1. 0 for a live guest. */
double source_part(const struct source *s);

/* End the connection of a live source, if there is one. open() connects
 * anew. */
void source_drop(struct source *s);

/* For the kinds: return (size) bytes that begin with a struct source, zeroed
 * except for (ops), no descriptor, and (path), which is copied. Release by
 * source_free(). NULL with (e) filled if there is no memory. */
void *source_new(size_t size, const struct source_ops *ops, const char *path,
                 struct err *e);

/* For source_ops.close: close (s->fd) unless it is standard input, and release
 * (s). */
void source_free(struct source *s);

/* Release (s). NULL is allowed. */
void source_close(struct source *s);

#endif
