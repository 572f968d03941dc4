/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings: a header, then the bytes of the wire as they were received, in
 * chunks with arrival times. RECORDING.md is the specification.
 */
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
    /* Paths of further ELF files. A reader's live as long as the reader. Paths
     * for which the header has no room are left out. */
    const char *const *more_elfs;
    size_t more_elf_count;
    /* What the user says of the guest, "zone=a". Likewise. */
    const char *const *labels;
    size_t label_count;
    char version[32];                         /* of the collector */
    uint8_t build_id[RECORDING_BUILD_ID_MAX]; /* of that ELF */
    size_t build_id_len;                      /* 0: none */
    uint64_t wall_ns;      /* CLOCK_REALTIME, since 1970 ... */
    uint64_t monotonic_ns; /* ... at this CLOCK_MONOTONIC time */
};

/* Of a recording that is replayed, another one says what (from) says, but for
 * the images of (images), if it names some. */
void recording_info_copy(struct recording_info *to,
                         const struct recording_info *from,
                         const struct recording_info *images);

struct recording_writer;

/*
 * Create (path), for the user alone to read, and write its header. A file that
 * is there is renamed, as claim_file() has it; no other process can claim the
 * file until recording_close(). Returns NULL with (e) filled if that fails.
 */
struct recording_writer *recording_create(const char *path,
                                          const struct recording_info *info,
                                          struct err *e);

/*
 * Append bytes that arrived at (arrival_ns). When this returns the kernel has
 * them, so that a collector that is killed later does not lose them. Returns 0;
 * -1 with (e) filled. Then the file ends with a whole chunk, if the disk
 * allows.
 */
int recording_append(struct recording_writer *w, const void *bytes, size_t size,
                     uint64_t arrival_ns, struct err *e);

/* Hold bytes that may belong to the guest's first words: the next
 * recording_append() puts the last RECORDING_HELD of all that were held before
 * its own. Without one nothing comes of them. */
#define RECORDING_HELD 8192u
void recording_hold(struct recording_writer *w, const void *bytes, size_t size);

/* How many bytes of the wire it has. */
uint64_t recording_taken(const struct recording_writer *w);

/* Append a chunk of names, behind all other bytes: at most RECORDING_CHUNK_MAX.
 * Returns likewise. */
int recording_append_names(struct recording_writer *w, const void *bytes,
                           size_t size, struct err *e);

/* May names be appended? Not if bytes that came are missing. */
bool recording_takes_names(const struct recording_writer *w);

/*
 * Mark the end, unless recording_append() has failed, close and release (w).
 * NULL is allowed. Returns 0; -1 with (e) filled if the end could not be
 * written.
 */
int recording_close(struct recording_writer *w, struct err *e);

struct recording_reader;

/* Does a recording begin with these (size) bytes? The first 8 are enough. */
bool recording_is(const void *bytes, size_t size);

/*
 * Begin to read the recording in (fd), which stays the caller's. Returns NULL
 * with (e) filled if the file is no recording, its header is damaged, its major
 * version is not ours, or there is no memory.
 */
struct recording_reader *recording_open(int fd, struct err *e);

/* The same where (size) bytes, at most RECORDING_START, were read already:
 * those at (start). */
#define RECORDING_START 64u
struct recording_reader *recording_open_after(int fd, const void *start,
                                              size_t size, struct err *e);

const struct recording_info *
recording_get_info(const struct recording_reader *r);

/*
 * Read up to (size) bytes of the current chunk, with the chunk's arrival time.
 * Returns how many bytes; 0 at the end; -1 with (e) filled if reading fails.
 */
ssize_t recording_read(struct recording_reader *r, void *buf, size_t size,
                       uint64_t *arrival_ns, struct err *e);

/* Have (r) unpack with what (old) has for that, which is not read any more: to
 * make it takes longer than a small window does. */
void recording_reuse(struct recording_reader *r, struct recording_reader *old);

/* Was what recording_read() gave last packed? Then it was one frame, or as much
 * of that as there was room for. */
bool recording_is_packed(const struct recording_reader *r);

/* Of which window of a spool was it, by the start that its name told? 0: the
 * recording is one window, or none. */
uint64_t recording_window(const struct recording_reader *r);

enum recording_end {
    RECORDING_READING, /* not at the end yet */
    RECORDING_WHOLE,   /* its writer closed it in order */
    RECORDING_CUT,     /* its writer was killed, or the file was cut */
    RECORDING_DAMAGED, /* senseless bytes; nothing behind them was read */
};
enum recording_end recording_end(const struct recording_reader *r);

/* Where the next chunk of names is. */
struct recording_names {
    int fd;
    uint64_t at;
};

/* Find the names of the recording, wherever reading is. False: it was cut, or
 * has none. (*n) is valid as long as (r). */
bool recording_find_names(const struct recording_reader *r,
                          struct recording_names *n);

/* Has recording_read() come across names? */
bool recording_passed_names(const struct recording_reader *r);

/*
 * The next chunk of names, in the RECORDING_CHUNK_MAX bytes at (buf). Returns
 * its size; 0 behind the last; -1 with (e) filled: it is damaged.
 */
ssize_t recording_next_names(struct recording_names *n, uint8_t *buf,
                             struct err *e);

/* Release (r). NULL is allowed. */
void recording_reader_free(struct recording_reader *r);

#endif
