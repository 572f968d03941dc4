/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings: a header, then the bytes of the wire as they were received, in
 * chunks with arrival times. RECORDING.md is the specification. */
#ifndef TPROF_RECORDING_RECORDING_H
#define TPROF_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

#define RECORDING_TEXT_MAX     1024u
#define RECORDING_BUILD_ID_MAX 64u
#define RECORDING_CHUNK_MAX    (1u << 20)

/* The header: where and when a recording was made. */
struct recording_info {
    char source[RECORDING_TEXT_MAX]; /* "serial:/path" */
    char elf[RECORDING_TEXT_MAX];    /* path of the guest's ELF; "" unknown */
    /* Paths of further ELF files. In a reader's header they live as long as
     * the reader. A writer leaves out paths for which the header has no
     * room. */
    const char *const *more_elfs;
    size_t more_elf_count;
    /* The user's labels, such as "zone=a". They live as long as the reader,
     * and are left out if the header has no room. */
    const char *const *labels;
    size_t label_count;
    char version[32];                         /* of the collector */
    uint8_t build_id[RECORDING_BUILD_ID_MAX]; /* build-id of (elf) */
    size_t build_id_len;                      /* 0: none */
    uint64_t wall_ns;      /* CLOCK_REALTIME of the start, since 1970 */
    uint64_t monotonic_ns; /* CLOCK_MONOTONIC of the same moment */
};

/* Fill (to) for a new recording of (from), which is replayed. If (images) names
 * ELF files, they replace the ELF files of (from). */
void recording_info_copy(struct recording_info *to,
                         const struct recording_info *from,
                         const struct recording_info *images);

struct recording_writer;

/*
 * Create (path), readable by the user only, and write its header. An existing
 * file is renamed, as claim_file() does. No other process can claim the file
 * until recording_close(). Returns NULL with (e) filled on failure.
 */
struct recording_writer *recording_create(const char *path,
                                          const struct recording_info *info,
                                          struct err *e);

/*
 * Append bytes that arrived at (arrival_ns). The bytes are with the operating
 * system afterwards, so they are kept if the collector dies. Returns 0; -1 with
 * (e) filled. After an error the file ends with a whole chunk, if the disk
 * allows this.
 */
int recording_append(struct recording_writer *w, const void *bytes, size_t size,
                     uint64_t arrival_ns, struct err *e);

/* Hold bytes that may belong to the guest's first HELLO. The next
 * recording_append() writes the last RECORDING_HELD of all held bytes before
 * its own. Held bytes are dropped if no recording_append() follows. */
#define RECORDING_HELD 8192u
void recording_hold(struct recording_writer *w, const void *bytes, size_t size);

/* Number of bytes that the file would have if it were closed now. */
uint64_t recording_size(const struct recording_writer *w);

/* Number of bytes of the wire in the recording. */
uint64_t recording_taken(const struct recording_writer *w);

/* Append a chunk of names, at most RECORDING_CHUNK_MAX bytes, after all other
 * bytes. Returns 0; -1 with (e) filled. */
int recording_append_names(struct recording_writer *w, const void *bytes,
                           size_t size, struct err *e);

/* May names be appended? No, if received bytes are missing in the file. */
bool recording_takes_names(const struct recording_writer *w);

/*
 * Write the end chunk, unless recording_append() has failed. Then close and
 * release (w). NULL is allowed. Returns 0; -1 with (e) filled if the end could
 * not be written.
 */
int recording_close(struct recording_writer *w, struct err *e);

struct recording_reader;

/* Do these (size) bytes begin a recording? The first 8 are enough. */
bool recording_is(const void *bytes, size_t size);

/*
 * Start reading the recording in (fd), which stays the caller's. Returns NULL
 * with (e) filled if the file is not a recording, its header is damaged, its
 * major version is not ours, or there is no memory.
 */
struct recording_reader *recording_open(int fd, struct err *e);

/* Start reading as recording_open() does, after (size) bytes at (start) were
 * read already, at most RECORDING_START. */
#define RECORDING_START 64u
struct recording_reader *recording_open_after(int fd, const void *start,
                                              size_t size, struct err *e);

const struct recording_info *
recording_get_info(const struct recording_reader *r);

/*
 * Read up to (size) bytes of the current chunk, with the chunk's arrival time.
 * Returns the number of bytes; 0 at the end; -1 with (e) filled if reading
 * fails.
 */
ssize_t recording_read(struct recording_reader *r, void *buf, size_t size,
                       uint64_t *arrival_ns, struct err *e);

/* Move the unpacker of (old) to (r), because making an unpacker takes longer
 * than unpacking a small window. (old) must not be read any more. */
void recording_reuse(struct recording_reader *r, struct recording_reader *old);

/* Were the bytes of the last recording_read() packed? If so, the bytes were one
 * frame. They were the beginning of a frame if (size) was too small. */
bool recording_is_packed(const struct recording_reader *r);

/* Returns the start of the window of the last recording_read(), as in the
 * window's file name. 0 if the recording has one window or none. */
uint64_t recording_window(const struct recording_reader *r);

enum recording_end {
    RECORDING_READING, /* not at the end yet */
    RECORDING_WHOLE,   /* its writer closed it in order */
    RECORDING_CUT,     /* its writer was killed, or the file was cut */
    /* there are invalid bytes, after which nothing was read */
    RECORDING_DAMAGED,
};
enum recording_end recording_end(const struct recording_reader *r);

/* Position of the next chunk of names. */
struct recording_names {
    int fd;
    uint64_t at;
};

/* Find the names of the recording. The reading position does not matter, and
 * does not change. False if the recording was cut or has no names. (*n) is
 * valid as long as (r). */
bool recording_find_names(const struct recording_reader *r,
                          struct recording_names *n);

/* Has recording_read() passed a chunk of names? */
bool recording_passed_names(const struct recording_reader *r);

/*
 * Read the next chunk of names into the RECORDING_CHUNK_MAX bytes at (buf).
 * Returns its size; 0 after the last chunk; -1 with (e) filled if the chunk is
 * damaged.
 */
ssize_t recording_next_names(struct recording_names *n, uint8_t *buf,
                             struct err *e);

/* Release (r). NULL is allowed. */
void recording_reader_free(struct recording_reader *r);

#endif
