/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where wire bytes come from: one file for each origin, all behind source_ops.
 * A source gives bytes and their arrival times, and decodes nothing.
 */
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
    const char *name; /* as the user knows it: "serial" */
    /* Connect. Called again every now and then as long as it returns
     * SOURCE_ABSENT. */
    enum source_state (*open)(struct source *s, struct err *e);
    /* Read up to (size) bytes without waiting, with their arrival time. Returns
     * how many; 0: none now; SOURCE_END: no more will come; -1 with (e) filled.
     */
    ssize_t (*read)(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e);
    /* Send bytes to the guest without waiting. Returns how many were taken; -1
     * with (e) filled. NULL: nothing can be sent to the guest. */
    ssize_t (*write)(struct source *s, const void *buf, size_t size,
                     struct err *e);
    /* Release everything, also (s). Called in any state. */
    void (*close)(struct source *s);
};
#define SOURCE_END (-2)

/* The port on which agents listen by default. */
#define SOURCE_VSOCK_PORT 7077u

/* The common beginning of every source. */
struct source {
    const struct source_ops *ops;
    int fd;    /* to poll for reading; -1: absent, or readable at any time */
    bool live; /* a guest is behind it, not a file */
    const char *path;
    /* The guest may come back. After SOURCE_END, which closes (fd) and makes it
     * -1, open() is called again every now and then. */
    bool reconnects;
    /* Who may be there; set it before open(). open() fails on others. */
    struct peer_rule peers;
    /* One line for the user: why open() returned SOURCE_ABSENT, or why read()
     * ended before a byte came. The line changes with the reason: "no guest
     * with CID 3 runs", then "guest 3 runs, but nobody listens on port 7077".
     * Empty: it will soon be known. NULL: nothing to tell. */
    const char *absence;
    /* One line for the user, told once before the first open(): "CID 3 is this
     * machine's own". NULL: nothing to tell. */
    const char *warning;
    /* The end of a sentence that says why no byte comes from an open source:
     * "something else than the agent listens on port 7077 there". NULL: not
     * known. */
    const char *silence;
    /* The recording that is read, of several the first; NULL before open(), or
     * if there is none. */
    const struct recording_reader *recording;
    /* Each HELLO may only begin another window of a session:
     * aggregate_config.windows. */
    bool windows;
};

/*
 * A guest's serial port at (path): QEMU's Unix socket, a pty or another tty. Or
 * a regular file: a recording, or the bytes that such a port sent. Returns NULL
 * with (e) filled if there is no memory or (path) is too long. If nothing is at
 * (path) yet, open() returns SOURCE_ABSENT.
 */
struct source *source_serial(const char *path, struct err *e);

/*
 * The file (path): a recording, or the raw bytes of a port; the file's first
 * bytes tell which. Returns NULL with (e) filled if there is no memory.
 */
struct source *source_replay(const char *path, struct err *e);

/* What a file with a guest's memory lacks of it. */
struct memory_account {
    char cut[96];     /* "is cut: ..."; "": nothing is known to be missing */
    uint32_t unread;  /* cores of whose rings a part could not be read */
    bool no_clock;    /* the agent did not know its clock's rate */
    char trouble[96]; /* why, of a compressed dump; "": not known */
};

/*
 * The memory of a guest that is dead, in the file (path): the frames that its
 * agent would have sent of what is in its rings (dump/dump_stream.h). At its
 * end
 * (*account), zero at the beginning, tells what was missing; it must outlive
 * the source. Returns NULL with (e) filled if there is no memory.
 */
struct source *source_memory(const char *path, struct memory_account *account,
                             struct err *e);

struct spool_list;

/* Which windows source_spool() has read, and which not. */
struct spool_account {
    uint64_t read;
    uint64_t gone;          /* were removed since the folder was listed */
    uint64_t unusable;      /* damaged, or no windows */
    char unusable_why[160]; /* of the first: its name and what is wrong */
    /* Of other images than the one that was chosen, or of the same elsewhere;
     * and the build-id of the first of them in hexadecimal digits. */
    uint64_t others;
    char other_build[2 * 64 + 1];
    uint64_t gaps; /* between windows, of a second or more */
    double gap_s;  /* all of them */
};

/*
 * The windows in (list) (recording/spool/spool_list.h), one behind the other:
 * those of the image whose build-id begins with (build), hexadecimal digits, or
 * with NULL of the first window's. What cannot be used is passed over and
 * counted in
 * (*account), zero at the beginning; open() fails if nothing can. All must
 * outlive the source. Returns NULL with (e) filled if there is no memory.
 */
struct source *source_spool(const struct spool_list *list, const char *build,
                            struct spool_account *account, struct err *e);

/* The device that knows this machine's own CID; source_vsock() reads it. */
#define SOURCE_VSOCK_DEVICE "/dev/vsock"

/* How source_vsock() connects. */
#define SOURCE_VSOCK_FORCE      1u /* also where there is no /dev/vhost-vsock */
#define SOURCE_VSOCK_PRIVILEGED 2u /* from a port that not everybody gets */

/*
 * The agent of the guest (where), "CID" or "CID:PORT", over this host's own
 * virtio-vsock; (how): SOURCE_VSOCK_*. A host without /dev/vhost-vsock has
 * none; there, unless forced, only CID 1 is accepted, and the error says what
 * to do instead. Returns NULL with (e) filled, and errno set to ENODEV in that
 * case, to EINVAL where (where) is wrong.
 */
struct source *source_vsock(const char *where, unsigned how, struct err *e);

/* Is (where) what source_vsock() takes? Returns 0; -1 with (e) filled. */
int source_vsock_check(const char *where, struct err *e);

/*
 * The agent of the guest behind the Unix socket (where), "PATH" or "PATH:PORT".
 * On that socket the line "CONNECT port" connects to a port of the guest, as
 * with Firecracker, Cloud Hypervisor and collector bridge. Returns NULL with
 * (e) filled.
 */
struct source *source_vsock_uds(const char *where, struct err *e);

/* How a line begins that a process writes which samples a guest from outside;
 * the rest of the line is for the user. */
enum source_outside_word {
    SOURCE_OUTSIDE_WAITS = 'w',  /* why the guest is not there yet */
    SOURCE_OUTSIDE_OPEN = 'o',   /* from here on it speaks as an agent */
    SOURCE_OUTSIDE_FAILED = 'f', /* why it has ended */
    /* What a core has in its registers: core, time and each struct
     * registers.value in hexadecimal digits, with blanks between. It comes
     * before the bytes of that sample. */
    SOURCE_OUTSIDE_REGISTERS = 'r',
};

/*
 * The guest (where), which another process samples; that process speaks as an
 * agent does over (bytes), a socket, and writes lines to (words), a pipe. Both
 * are the source's to close from now on, unless NULL is returned, with (e)
 * filled. Registers are put into (kept), which must outlive the source; NULL:
 * nobody wants them.
 */
struct source *source_outside(const char *where, int bytes, int words,
                              struct registers_kept *kept, struct err *e);

/* What a process must be allowed to do to reach a guest. */
enum source_need {
    SOURCE_NEEDS_UNIX,    /* connect to a Unix socket */
    SOURCE_NEEDS_TTY,     /* that, or open WHERE, which may be a terminal */
    SOURCE_NEEDS_VSOCK,   /* connect by vsock */
    SOURCE_NEEDS_SAMPLER, /* nothing: another process does, which samples */
};

/* A way to a guest, which the user types as --(name) WHERE. */
struct source_kind {
    const char *name;     /* "vsock" */
    const char *argument; /* what WHERE is, for --help: "CID[:PORT]" */
    const char *help;     /* what it is, likewise, and for shells */
    const char *prefix;   /* put before WHERE to name a guest: "cid" */
    enum source_need need;
    /* As source_vsock(). NULL with SOURCE_NEEDS_SAMPLER: source_outside(). */
    struct source *(*make)(const char *where, unsigned how, struct err *e);
    /* As source_vsock_check(). NULL: every text may be a guest. */
    int (*check)(const char *where, struct err *e);
};

/* All kinds: the table in kinds.c. */
#define SOURCE_KINDS 5u
extern const struct source_kind source_kinds[SOURCE_KINDS];

/* The kind called (name), also "memory", which is not in the table: a dead
 * guest, looked at from outside. NULL if there is none. */
const struct source_kind *source_kind_find(const char *name);

/* Which part of a file has been read, 0 to 1; 0 of a guest. */
double source_part(const struct source *s);

/* End the connection of a live source, if there is one: open() makes another.
 */
void source_drop(struct source *s);

/* Release (s). NULL is allowed. */
void source_close(struct source *s);

#endif
