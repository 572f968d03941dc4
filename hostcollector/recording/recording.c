/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes recordings. */
#include "recording/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guard/opener.h"
#include "recording/packed/unpack.h"
#include "recording/recording_format.h"
#include "util/bytes.h"
#include "util/crc.h"

struct recording_writer {
    int fd;
    char *path;
    uint64_t size;
    uint64_t names; /* position of the first names; 0: no names */
    uint64_t taken; /* bytes of the wire */
    bool cut;       /* received bytes are missing in the file */
    uint8_t held[RECORDING_HELD];
    size_t held_size;
};

/* Write both parts, even if signals or short writes intervene. */
static int write_parts(struct recording_writer *w, struct iovec part[2],
                       struct err *e)
{
    while (part[0].iov_len + part[1].iov_len > 0) {
        ssize_t n = writev(w->fd, part, 2);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EFBIG)
            return err_set(
                e,
                "%s: the file has reached the size limit of this process: type "
                "'ulimit -f unlimited' to remove the limit",
                w->path);
        if (n < 0)
            return err_sys(e, w->path);
        w->size += (uint64_t)n;
        for (int i = 0; i < 2; i++) {
            size_t taken =
                (size_t)n < part[i].iov_len ? (size_t)n : part[i].iov_len;

            part[i].iov_base = (char *)part[i].iov_base + taken;
            part[i].iov_len -= taken;
            n -= (ssize_t)taken;
        }
    }
    return 0;
}

static int write_chunk(struct recording_writer *w, uint8_t kind,
                       const void *data, size_t size, uint64_t arrival_ns,
                       struct err *e)
{
    uint8_t header[CHUNK_HEADER];
    uint64_t before = w->size;

    recording_chunk_header(header, kind, (uint32_t)size, arrival_ns);
    /* const is cast away: writev() does not write through the pointer */
    struct iovec part[2] = {{header, sizeof header},
                            {(void *)(uintptr_t)data, size}};

    if (write_parts(w, part, e) == 0)
        return 0;
    w->cut = true;
    /* a full disk: leave a file that ends with a whole chunk */
    if (ftruncate(w->fd, (off_t)before) == 0 &&
        lseek(w->fd, (off_t)before, SEEK_SET) >= 0)
        w->size = before;
    return -1;
}

struct recording_writer *recording_create(const char *path,
                                          const struct recording_info *info,
                                          struct err *e)
{
    uint8_t header[RECORDING_HEADER_MAX];
    struct recording_writer *w = calloc(1, sizeof *w);

    if (w)
        w->path = strdup(path);
    if (!w || !w->path) {
        err_memory(e);
        free(w);
        return NULL;
    }
    /* for the user only, since the file has addresses of the kernel */
    w->fd = opener_claim(OPENER_RECORDING, path, e);
    if (w->fd < 0)
        goto fail_memory;
    if (ftruncate(w->fd, 0) != 0 && errno != EINVAL) { /* not a regular file */
        (void)err_set(e, "%s: %s", path, strerror(errno));
        goto fail_fd;
    }
    struct iovec part[2] = {{header, recording_header(header, info)},
                            {header, 0}};

    if (write_parts(w, part, e) < 0)
        goto fail_fd;
    return w;

fail_fd:
    close(w->fd);
fail_memory:
    free(w->path);
    free(w);
    return NULL;
}

static int append(struct recording_writer *w, const uint8_t *p, size_t size,
                  uint64_t arrival_ns, struct err *e)
{
    while (size > 0) {
        size_t some = size < RECORDING_CHUNK_MAX ? size : RECORDING_CHUNK_MAX;

        if (write_chunk(w, CHUNK_WIRE, p, some, arrival_ns, e) < 0)
            return -1;
        w->taken += some;
        p += some;
        size -= some;
    }
    return 0;
}

int recording_append(struct recording_writer *w, const void *bytes, size_t size,
                     uint64_t arrival_ns, struct err *e)
{
    size_t held = w->held_size;

    w->held_size = 0;
    return append(w, w->held, held, arrival_ns, e) != 0 ||
                   append(w, bytes, size, arrival_ns, e) != 0
               ? -1
               : 0;
}

void recording_hold(struct recording_writer *w, const void *bytes, size_t size)
{
    size_t more = size < RECORDING_HELD ? size : RECORDING_HELD;
    size_t stay = RECORDING_HELD - more;

    if (stay > w->held_size)
        stay = w->held_size;
    memmove(w->held, w->held + w->held_size - stay, stay);
    memcpy(w->held + stay, (const uint8_t *)bytes + size - more, more);
    w->held_size = stay + more;
}

uint64_t recording_size(const struct recording_writer *w)
{
    uint64_t end = CHUNK_HEADER + (w->names != 0 ? END_NAMES : 0);

    return w->size + (w->cut ? 0 : end);
}

uint64_t recording_taken(const struct recording_writer *w)
{
    return w->taken;
}

bool recording_takes_names(const struct recording_writer *w)
{
    return !w->cut;
}

int recording_append_names(struct recording_writer *w, const void *bytes,
                           size_t size, struct err *e)
{
    if (size > RECORDING_CHUNK_MAX)
        return err_set(e, "recording: names: a block is too large");
    if (w->names == 0)
        w->names = w->size;
    return write_chunk(w, CHUNK_NAMES, bytes, size, 0, e);
}

int recording_close(struct recording_writer *w, struct err *e)
{
    uint8_t names[END_NAMES];

    if (!w)
        return 0;
    store_u64(names, w->names);
    int result = w->cut ? 0
                        : write_chunk(w, CHUNK_END, names,
                                      w->names != 0 ? END_NAMES : 0, 0, e);

    if (close(w->fd) < 0 && result == 0)
        result = err_sys(e, w->path);
    free(w->path);
    free(w);
    return result;
}

struct recording_reader {
    int fd;
    uint8_t start[RECORDING_START]; /* bytes that the caller read already */
    size_t start_size, start_used;
    uint64_t at; /* position: bytes read */
    enum recording_end end;
    uint64_t arrival_ns, chunk_ns;
    size_t left; /* bytes left of the current chunk */
    /* position of the first names that were passed; 0: none */
    uint64_t passed_names;
    struct unpack *unpack; /* NULL: no packed chunk came yet */
    bool packed;           /* the current chunk is packed */
    const uint8_t *frame;  /* the unread (left) bytes of a packed frame */
    struct recording_info info;
    struct recording_texts texts; /* texts of (info) */
};

bool recording_is(const void *bytes, size_t size)
{
    return size >= sizeof RECORDING_MAGIC - 1 &&
           memcmp(bytes, RECORDING_MAGIC, sizeof RECORDING_MAGIC - 1) == 0;
}

/* Read (size) bytes. Returns how many there were; -1 with (e) filled. */
static ssize_t read_fully(struct recording_reader *r, void *buf, size_t size,
                          struct err *e)
{
    size_t done = r->start_size - r->start_used;

    if (done > size)
        done = size;
    memcpy(buf, r->start + r->start_used, done);
    r->start_used += done;
    while (done < size) {
        ssize_t n = read(r->fd, (char *)buf + done, size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(e, "read");
        if (n == 0)
            break;
        done += (size_t)n;
    }
    r->at += done;
    return (ssize_t)done;
}

static int read_file_header(struct recording_reader *r, struct err *e)
{
    uint8_t header[HEADER_FIXED + FIELDS_MAX + 4];
    ssize_t n = read_fully(r, header, HEADER_FIXED, e);

    if (n < 0)
        return -1;
    if (!recording_is(header, (size_t)n))
        return err_set(e, "not a recording of this tool");
    if (n < (ssize_t)HEADER_FIXED)
        return err_set(e, "is cut in its header, after %zd bytes", n);
    if (load_u16(header + 8) != VERSION_MAJOR)
        return err_set(e, "version %u.%u, but this collector reads %u.%u",
                       load_u16(header + 8), load_u16(header + 10),
                       VERSION_MAJOR, VERSION_MINOR);
    size_t fields = load_u32(header + 12);

    if (fields > FIELDS_MAX)
        return err_set(e, "the header is damaged: length %zu exceeds %u",
                       fields, FIELDS_MAX);
    n = read_fully(r, header + HEADER_FIXED, fields + 4, e);
    if (n < 0)
        return -1;
    if ((size_t)n < fields + 4)
        return err_set(e, "is cut in its header");
    if (load_u32(header + HEADER_FIXED + fields) !=
        crc32c(header, HEADER_FIXED + fields))
        return err_set(e, "the header is damaged: its CRC is wrong");
    return recording_fields(&r->info, &r->texts, header + HEADER_FIXED, fields,
                            e);
}

struct recording_reader *recording_open_after(int fd, const void *start,
                                              size_t size, struct err *e)
{
    struct recording_reader *r = calloc(1, sizeof *r);

    if (!r) {
        err_memory(e);
        return NULL;
    }
    r->fd = fd;
    r->start_size = size;
    memcpy(r->start, start, size);
    if (read_file_header(r, e) < 0) {
        free(r);
        return NULL;
    }
    return r;
}

struct recording_reader *recording_open(int fd, struct err *e)
{
    return recording_open_after(fd, "", 0, e);
}

const struct recording_info *
recording_get_info(const struct recording_reader *r)
{
    return &r->info;
}

/* Skip the data of a chunk of unknown kind. */
static int skip_data(struct recording_reader *r, size_t size, struct err *e)
{
    char scrap[4096];

    while (size > 0) {
        size_t some = size < sizeof scrap ? size : sizeof scrap;
        ssize_t n = read_fully(r, scrap, some, e);

        if (n < 0)
            return -1;
        if ((size_t)n < some) {
            r->end = RECORDING_CUT;
            return 0;
        }
        size -= some;
    }
    return 0;
}

/* Start reading a packed chunk. */
static int open_packed(struct recording_reader *r, size_t size, struct err *e)
{
    uint8_t *data = malloc(size + 1);
    ssize_t n = data == NULL ? 0 : read_fully(r, data, size, e);

    if (r->unpack == NULL)
        r->unpack = unpack_new();
    if (data == NULL || r->unpack == NULL)
        n = err_memory(e);
    if (n >= 0 && (size_t)n < size)
        r->end = RECORDING_CUT;
    else if (n >= 0 && unpack_begin(r->unpack, data, size, e) != 0)
        r->end = RECORDING_DAMAGED;
    r->packed = r->end == RECORDING_READING;
    free(data);
    return n < 0 ? -1 : 0;
}

/* Unpack the next frame of the packed chunk, or finish the chunk. */
static void next_frame(struct recording_reader *r, struct err *e)
{
    uint64_t later_ns = 0;
    long n = unpack_next(r->unpack, &r->frame, &later_ns, e);

    if (n < 0)
        r->end = RECORDING_DAMAGED;
    r->packed = n > 0;
    r->left = n > 0 ? (size_t)n : 0;
    r->arrival_ns = r->chunk_ns + later_ns;
}

/* Check the (size) bytes of the end chunk, which no checksum covers: do they
 * give the position of the names that were passed? */
static int read_end(struct recording_reader *r, size_t size, struct err *e)
{
    uint8_t names[END_NAMES] = {0};
    ssize_t n = read_fully(r, names, size == END_NAMES ? END_NAMES : 0, e);

    if (n < 0)
        return -1;
    r->end = load_u64(names) == r->passed_names ? RECORDING_WHOLE
                                                : RECORDING_DAMAGED;
    return 0;
}

/* Go to the next chunk of wire bytes, or to the end of the recording. */
static int next_chunk(struct recording_reader *r, struct err *e)
{
    while (r->end == RECORDING_READING && r->left == 0) {
        if (r->packed) {
            next_frame(r, e);
            continue;
        }
        uint8_t header[CHUNK_HEADER];
        ssize_t n = read_fully(r, header, sizeof header, e);

        if (n < 0)
            return -1;
        size_t size = load_u32(header);

        if ((size_t)n < sizeof header) {
            r->end = RECORDING_CUT;
        } else if (load_u32(header + 16) != crc32c(header, 16) ||
                   size > RECORDING_CHUNK_MAX) {
            r->end = RECORDING_DAMAGED;
        } else if (header[4] == CHUNK_END) {
            if (read_end(r, size, e) < 0)
                return -1;
        } else if (header[4] == CHUNK_WIRE) {
            r->left = size;
            r->arrival_ns = load_u64(header + 8);
        } else if (header[4] == CHUNK_PACKED) {
            r->chunk_ns = load_u64(header + 8);
            if (open_packed(r, size, e) < 0)
                return -1;
        } else {
            if (header[4] == CHUNK_NAMES && r->passed_names == 0)
                r->passed_names = r->at - sizeof header;
            if (skip_data(r, size, e) < 0)
                return -1;
        }
    }
    return 0;
}

ssize_t recording_read(struct recording_reader *r, void *buf, size_t size,
                       uint64_t *arrival_ns, struct err *e)
{
    if (next_chunk(r, e) < 0)
        return -1;
    if (r->end != RECORDING_READING)
        return 0;
    size_t some = size < r->left ? size : r->left;
    ssize_t n = (ssize_t)some;

    if (r->packed) {
        memcpy(buf, r->frame, some);
        r->frame += some;
    } else {
        n = read_fully(r, buf, some, e);
    }
    if (n < 0)
        return -1;
    if ((size_t)n < some)
        r->end = RECORDING_CUT;
    r->left -= (size_t)n;
    *arrival_ns = r->arrival_ns;
    return n;
}

void recording_reuse(struct recording_reader *r, struct recording_reader *old)
{
    unpack_free(r->unpack);
    r->unpack = old->unpack;
    old->unpack = NULL;
}

bool recording_is_packed(const struct recording_reader *r)
{
    return r->packed;
}

uint64_t recording_window(const struct recording_reader *r)
{
    return r->packed ? unpack_window(r->unpack) : 0;
}

enum recording_end recording_end(const struct recording_reader *r)
{
    return r->end;
}

bool recording_passed_names(const struct recording_reader *r)
{
    return r->passed_names != 0;
}

bool recording_find_names(const struct recording_reader *r,
                          struct recording_names *n)
{
    n->fd = r->fd;
    return recording_names_at(n->fd, &n->at);
}

void recording_reader_free(struct recording_reader *r)
{
    if (r != NULL)
        unpack_free(r->unpack);
    free(r);
}
