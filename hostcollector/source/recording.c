/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes recordings; RECORDING.md has the layout. */
#include "source/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "source/recording_format.h"
#include "source/recording_names.h"
#include "util/bytes.h"
#include "util/crc32c.h"
#include "util/opener.h"

static const char magic[8] = {'t', 'p', 'r', 'o', 'f', 'r', 'e', 'c'};
#define MORE_MAX 64u /* further ELFs */

/* Writing */

struct recording_writer {
    int fd;
    char *path;
    uint64_t size;
    uint64_t names; /* where they begin; 0: there are none */
    bool cut;       /* bytes that came are not in it */
};

static uint8_t *put_field(uint8_t *p, uint8_t tag, const void *value,
                          size_t length)
{
    p[0] = tag;
    store_u16(p + 1, (uint16_t)length);
    memcpy(p + FIELD_HEADER, value, length);
    return p + FIELD_HEADER + length;
}

static uint8_t *put_text(uint8_t *p, uint8_t tag, const char *text)
{
    return put_field(p, tag, text, strlen(text));
}

static uint8_t *put_time(uint8_t *p, uint8_t tag, uint64_t ns)
{
    uint8_t value[8];

    store_u64(value, ns);
    return put_field(p, tag, value, sizeof value);
}

/* Returns the header's size; (buf) holds one of HEADER_FIXED + FIELDS_MAX + 4:
 * names that do not fit are left out. */
static size_t build_header(uint8_t *buf, const struct recording_info *info)
{
    uint8_t *p = buf + HEADER_FIXED;

    p = put_text(p, FIELD_SOURCE, info->source);
    p = put_text(p, FIELD_ELF, info->elf);
    p = put_text(p, FIELD_VERSION, info->version);
    p = put_field(p, FIELD_BUILD_ID, info->build_id, info->build_id_len);
    p = put_time(p, FIELD_WALL, info->wall_ns);
    p = put_time(p, FIELD_MONOTONIC, info->monotonic_ns);
    for (size_t i = 0; i < info->more_elf_count; i++)
        if (p + FIELD_HEADER + strlen(info->more_elfs[i]) <=
            buf + HEADER_FIXED + FIELDS_MAX)
            p = put_text(p, FIELD_MORE_ELF, info->more_elfs[i]);
    memcpy(buf, magic, sizeof magic);
    store_u16(buf + 8, VERSION_MAJOR);
    store_u16(buf + 10, VERSION_MINOR);
    store_u32(buf + 12, (uint32_t)(p - buf - HEADER_FIXED));
    store_u32(p, crc32c(buf, (size_t)(p - buf)));
    return (size_t)(p - buf) + 4;
}

/* Both parts, whatever signals and short writes come between. */
static int write_parts(struct recording_writer *w, struct iovec part[2],
                       struct err *e)
{
    while (part[0].iov_len + part[1].iov_len > 0) {
        ssize_t n = writev(w->fd, part, 2);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EFBIG)
            return err_set(e,
                           "%s: the file may not grow any more: 'ulimit -f' "
                           "tells how far",
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
    uint8_t header[CHUNK_HEADER] = {0};
    uint64_t before = w->size;

    store_u32(header, (uint32_t)size);
    header[4] = kind;
    store_u64(header + 8, arrival_ns);
    store_u32(header + 16, crc32c(header, 16));
    /* writev() does not write through the pointer that it takes */
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
    uint8_t header[HEADER_FIXED + FIELDS_MAX + 4];
    struct recording_writer *w = calloc(1, sizeof *w);

    if (w)
        w->path = strdup(path);
    if (!w || !w->path) {
        err_set(e, "out of memory");
        free(w);
        return NULL;
    }
    /* addresses of the kernel are in it, which are nobody else's business */
    w->fd = opener_claim(OPENER_RECORDING, path, e);
    if (w->fd < 0)
        goto fail_memory;
    if (ftruncate(w->fd, 0) != 0 && errno != EINVAL) { /* no regular file */
        (void)err_set(e, "%s: %s", path, strerror(errno));
        goto fail_fd;
    }
    struct iovec part[2] = {{header, build_header(header, info)}, {header, 0}};

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

int recording_append(struct recording_writer *w, const void *bytes, size_t size,
                     uint64_t arrival_ns, struct err *e)
{
    const uint8_t *p = bytes;

    while (size > 0) {
        size_t some = size < RECORDING_CHUNK_MAX ? size : RECORDING_CHUNK_MAX;

        if (write_chunk(w, CHUNK_WIRE, p, some, arrival_ns, e) < 0)
            return -1;
        p += some;
        size -= some;
    }
    return 0;
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

/* Reading */

struct recording_reader {
    int fd;
    uint8_t start[RECORDING_START]; /* read by the caller */
    size_t start_size, start_used;
    uint64_t at; /* bytes read */
    enum recording_end end;
    uint64_t arrival_ns;
    size_t left; /* of the chunk that is being read */
    bool passed_names;
    struct recording_info info;
    const char *more[MORE_MAX]; /* info.more_elfs, in: */
    char more_text[FIELDS_MAX]; /* no field is longer than in the header */
    size_t more_used;
};

bool recording_is(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Returns how many of (size) bytes there were; -1 with (e) filled. */
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

static void get_text(char *text, size_t size, const uint8_t *value,
                     size_t length)
{
    if (length > size - 1)
        length = size - 1;
    memcpy(text, value, length);
    text[length] = '\0';
}

/* A field's header leaves room for the NUL. */
static void get_more_elf(struct recording_reader *r, const uint8_t *value,
                         size_t length)
{
    char *text = r->more_text + r->more_used;

    if (r->info.more_elf_count == MORE_MAX)
        return;
    get_text(text, length + 1, value, length);
    r->more_used += length + 1;
    r->more[r->info.more_elf_count++] = text;
    r->info.more_elfs = r->more;
}

static void get_field(struct recording_reader *r, uint8_t tag,
                      const uint8_t *value, size_t length)
{
    struct recording_info *info = &r->info;

    switch (tag) {
    case FIELD_MORE_ELF:
        get_more_elf(r, value, length);
        break;
    case FIELD_SOURCE:
        get_text(info->source, sizeof info->source, value, length);
        break;
    case FIELD_ELF:
        get_text(info->elf, sizeof info->elf, value, length);
        break;
    case FIELD_VERSION:
        get_text(info->version, sizeof info->version, value, length);
        break;
    case FIELD_BUILD_ID:
        if (length <= sizeof info->build_id) {
            memcpy(info->build_id, value, length);
            info->build_id_len = length;
        }
        break;
    case FIELD_WALL:
        info->wall_ns = length == 8 ? load_u64(value) : 0;
        break;
    case FIELD_MONOTONIC:
        info->monotonic_ns = length == 8 ? load_u64(value) : 0;
        break;
    default: /* of a later minor version */
        break;
    }
}

/* The fields' bytes are right, by the CRC; still they may be made by hand. */
static int get_fields(struct recording_reader *r, const uint8_t *p, size_t size,
                      struct err *e)
{
    while (size >= FIELD_HEADER) {
        size_t length = load_u16(p + 1);

        if (length > size - FIELD_HEADER)
            break;
        get_field(r, p[0], p + FIELD_HEADER, length);
        p += FIELD_HEADER + length;
        size -= FIELD_HEADER + length;
    }
    return size == 0 ? 0 : err_set(e, "the header is damaged: a field is cut");
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
        return err_set(e, "version %u.%u, this reader knows %u.%u",
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
    return get_fields(r, header + HEADER_FIXED, fields, e);
}

struct recording_reader *recording_open_after(int fd, const void *start,
                                              size_t size, struct err *e)
{
    struct recording_reader *r = calloc(1, sizeof *r);

    if (!r) {
        err_set(e, "out of memory");
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

const struct recording_info *recording_info(const struct recording_reader *r)
{
    return &r->info;
}

/* Pass over the data of a chunk that we do not know. */
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

/* On to the next chunk of wire bytes, or to an end of whatever kind. */
static int next_chunk(struct recording_reader *r, struct err *e)
{
    while (r->end == RECORDING_READING && r->left == 0) {
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
            r->end = RECORDING_WHOLE;
        } else if (header[4] == CHUNK_WIRE) {
            r->left = size;
            r->arrival_ns = load_u64(header + 8);
        } else {
            r->passed_names |= header[4] == CHUNK_NAMES;
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
    ssize_t n = read_fully(r, buf, some, e);

    if (n < 0)
        return -1;
    if ((size_t)n < some)
        r->end = RECORDING_CUT;
    r->left -= (size_t)n;
    *arrival_ns = r->arrival_ns;
    return n;
}

enum recording_end recording_end(const struct recording_reader *r)
{
    return r->end;
}

bool recording_passed_names(const struct recording_reader *r)
{
    return r->passed_names;
}

bool recording_find_names(const struct recording_reader *r,
                          struct recording_names *n)
{
    n->fd = r->fd;
    return recording_names_at(n->fd, &n->at);
}

void recording_reader_free(struct recording_reader *r)
{
    free(r);
}
