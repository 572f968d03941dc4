/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile recording, or raw bytes, as a source; what came of it is recorded
 * again, and read once more. The first byte chooses: bit 0 set, the CRCs of
 * header and chunks are made right first, as far as the lengths in the bytes
 * lead to them; bits 1 to 6 are the size of the pieces that are read; bit 7
 * set, the disk for the second recording has as many bytes as the last two say.
 *
 * Files are in memory: the linker's --wrap puts what is here in the place of
 * system calls (CMakeLists.txt).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guard/opener.h"
#include "guest/source/source.h"
#include "recording/recording.h"
#include "util/bytes.h"
#include "wiregen.h"

#define FD_FILE  100000 /* and the next one: no file has these descriptors */
#define FILE_MAX (1u << 18)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The recording that is given, and the one that is made of it. */
static struct file {
    uint8_t bytes[FILE_MAX];
    size_t size, at, room;
    bool open;
} files[2];

static bool running;

static void must(bool promise)
{
    if (!promise)
        abort();
}

/* --- Files ---------------------------------------------------------------- */

static struct file *file_of(int fd)
{
    return fd >= FD_FILE && fd < FD_FILE + 2 ? &files[fd - FD_FILE] : NULL;
}

int __wrap_opener_open(enum opener_how how, const char *path);
int __wrap_opener_open(enum opener_how how, const char *path)
{
    (void)how;
    must(!files[0].open && path[0] == 'i');
    files[0].open = true;
    files[0].at = 0;
    return FD_FILE;
}

int __wrap_opener_claim(enum opener_how how, const char *path, struct err *e);
int __wrap_opener_claim(enum opener_how how, const char *path, struct err *e)
{
    (void)how;
    (void)e;
    must(!files[1].open && path[0] == 'o');
    files[1].open = true;
    return FD_FILE + 1;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    struct file *f = file_of(fd);

    if (f == NULL)
        return __real_close(fd);
    must(f->open);
    f->open = false;
    return 0;
}

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size)
{
    struct file *f = file_of(fd);

    if (f == NULL)
        return __real_read(fd, buf, size);
    must(f->open);
    if (size > f->size - f->at)
        size = f->size - f->at;
    memcpy(buf, f->bytes + f->at, size);
    f->at += size;
    return (ssize_t)size;
}

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at)
{
    struct file *f = file_of(fd);

    must(f != NULL && f->open);
    if (at < 0) { /* beyond what a file may have */
        errno = EINVAL;
        return -1;
    }
    if ((size_t)at > f->size)
        at = (off_t)f->size;
    if (size > f->size - (size_t)at)
        size = f->size - (size_t)at;
    memcpy(buf, f->bytes + at, size);
    return (ssize_t)size;
}

/* As a disk does that becomes full: the last write is cut short. */
ssize_t __wrap_writev(int fd, const struct iovec *part, int count);
ssize_t __wrap_writev(int fd, const struct iovec *part, int count)
{
    struct file *f = file_of(fd);
    size_t before;

    must(f != NULL && f->open);
    before = f->at;
    for (int i = 0; i < count; i++) {
        size_t some = part[i].iov_len;

        if (some > f->room - f->at)
            some = f->room - f->at;
        if (some > 0)
            memcpy(f->bytes + f->at, part[i].iov_base, some);
        f->at += some;
    }
    if (f->size < f->at)
        f->size = f->at;
    errno = ENOSPC;
    return f->at == before ? -1 : (ssize_t)(f->at - before);
}

int __wrap_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size)
{
    struct file *f = file_of(fd);

    must(f != NULL && f->open && (size_t)size <= f->size);
    f->size = (size_t)size;
    return 0;
}

off_t __wrap_lseek(int fd, off_t at, int from);
off_t __wrap_lseek(int fd, off_t at, int from)
{
    struct file *f = file_of(fd);

    must(f != NULL && f->open && from == SEEK_SET);
    f->at = (size_t)at;
    return at;
}

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
    if (file_of(fd) == NULL)
        return __real_fstat(fd, st);
    memset(st, 0, sizeof *st);
    st->st_mode = S_IFREG;
    st->st_size = (off_t)file_of(fd)->size;
    return 0;
}

int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st)
{
    if (!running) /* what replays a corpus asks for its files */
        return __real_stat(path, st);
    must(path[0] == 'i');
    *st = (struct stat){.st_mode = S_IFREG};
    return 0;
}

/* --- What is promised ----------------------------------------------------- */

static void repair(uint8_t *bytes, size_t size)
{
    if (size < 16)
        return;
    static const uint8_t start[10] = "tprofrec\1";

    memcpy(bytes, start, sizeof start);
    size_t fields = load_u32(bytes + 12);

    if (fields > 16384 || fields + 20 > size)
        return;
    store_u32(bytes + 16 + fields, wiregen_crc(bytes, 16 + fields));
    for (size_t at = 20 + fields; size - at >= 20;) {
        size_t length = load_u32(bytes + at);

        store_u32(bytes + at + 16, wiregen_crc(bytes + at, 16));
        if (length > size - at - 20)
            return;
        at += 20 + length;
    }
}

static void check_info(const struct recording_reader *r)
{
    const struct recording_info *info = recording_get_info(r);

    must(strlen(info->elf) < sizeof info->elf &&
         info->build_id_len <= sizeof info->build_id &&
         info->more_elf_count <= 64);
}

/* What the names of (r) add up to, chunk by chunk; appended to (w) unless that
 * is NULL, as long as there is room. (*whole): nothing was wrong. */
static uint64_t pass_names(const struct recording_reader *r,
                           struct recording_writer *w, bool *whole)
{
    static uint8_t chunk[RECORDING_CHUNK_MAX];
    struct recording_names names;
    struct err e;
    uint64_t sum = 0;
    ssize_t n = 0;

    if (!recording_find_names(r, &names))
        return 0;
    while ((n = recording_next_names(&names, chunk, &e)) > 0) {
        must(n <= (ssize_t)sizeof chunk);
        sum = sum * 31 + wiregen_crc(chunk, (size_t)n);
        if (w != NULL && *whole &&
            recording_append_names(w, chunk, (size_t)n, &e) != 0)
            *whole = false;
    }
    must(n == 0 || e.text[0] != '\0');
    return sum;
}

/* The bytes of the second recording are the first (done) of (bytes), and all
 * if it was written (whole); then the (names) are the same, too. */
static void check_copy(const uint8_t *bytes, size_t size, uint64_t names,
                       bool whole)
{
    static uint8_t got[FILE_MAX];
    size_t done = 0;
    ssize_t n;
    uint64_t arrival;
    struct err e;
    struct recording_reader *r;

    files[1].at = 0;
    files[1].open = true;
    r = recording_open(FD_FILE + 1, &e);
    must(r != NULL);
    while ((n = recording_read(r, got + done, 100, &arrival, &e)) > 0)
        done += (size_t)n;
    must(n == 0 && done <= size && memcmp(got, bytes, done) == 0);
    must(recording_end(r) == (whole ? RECORDING_WHOLE : RECORDING_CUT));
    must(!whole || done == size);
    check_info(r);
    must(!whole || pass_names(r, NULL, &whole) == names);
    recording_reader_free(r);
    files[1].open = false;
}

static struct recording_writer *begin_copy(const struct source *s,
                                           struct recording_info *info)
{
    struct err e;

    if (s->recording != NULL) {
        check_info(s->recording);
        *info = *recording_get_info(s->recording);
    }
    files[1].size = files[1].at = 0;
    return recording_create("out", info, &e);
}

/* Read (s), which is open, to its end, and record it. */
static void copy(struct source *s, size_t piece)
{
    static uint8_t bytes[FILE_MAX];
    struct recording_info info = {0};
    struct recording_writer *w = begin_copy(s, &info);
    struct err e;
    uint64_t arrival;
    size_t total = 0;
    ssize_t n = 1;
    bool whole = w != NULL;

    /* what is packed may become more than there is room for */
    while (total + piece <= sizeof bytes &&
           (n = s->ops->read(s, bytes + total, piece, &arrival, &e)) > 0) {
        if (whole &&
            recording_append(w, bytes + total, (size_t)n, arrival, &e) != 0)
            whole = false;
        total += (size_t)n;
    }
    must(n == SOURCE_END || n > 0);
    must(s->recording == NULL || n > 0 ||
         recording_end(s->recording) != RECORDING_READING);
    if (w == NULL) {
        must(files[1].room < 65536 && !files[1].open);
        return;
    }
    uint64_t names =
        s->recording != NULL ? pass_names(s->recording, w, &whole) : 0;

    whole &= recording_close(w, &e) == 0;
    check_copy(bytes, total, names, whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e;

    if (size < 3 || size > FILE_MAX / 4)
        return 0;
    memcpy(files[0].bytes, data + 1, size - 1);
    files[0].size = size - 1;
    files[1].room = FILE_MAX;
    if (data[0] & 0x80)
        files[1].room = load_u16(data + size - 2);
    if (data[0] & 1)
        repair(files[0].bytes, size - 1);
    running = true;
    struct source *s = source_replay("in", &e);

    must(s != NULL);
    if (s->ops->open(s, &e) == SOURCE_OPEN)
        copy(s, 1 + (size_t)(data[0] >> 1 & 63u));
    source_close(s);
    running = false;
    must(!files[0].open && !files[1].open);
    return 0;
}
