/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A spool: up to four files that may be anything, read as the windows of a
 * guest; of each its size in two bytes, and then its bytes. A file of one byte
 * has gone meanwhile. Bit 0 of the last byte: only those of a build. And the
 * input as a file's name in a spool, and as a moment.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "cli/amount.h"
#include "guard/opener.h"
#include "guest/source/source.h"
#include "recording/recording.h"
#include "recording/spool/spool_list.h"
#include "tprof_wire.h"
#include "util/bytes.h"

#define FILES    4u
#define FIRST_FD 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    const uint8_t *bytes;
    size_t size, at;
    bool open;
} files[FILES];
static size_t file_count, opened;

static void must(bool promise)
{
    if (!promise)
        abort();
}

/* The files are in memory, so that a run makes no system call. */
void __wrap_opener_open_windows(const char *const *paths, size_t count,
                                int *fds);
void __wrap_opener_open_windows(const char *const *paths, size_t count,
                                int *fds)
{
    for (size_t i = 0; i < count; i++) {
        must(paths[i][0] != '\0' && opened < file_count);
        files[opened].open = files[opened].size != 1;
        fds[i] = files[opened].open ? FIRST_FD + (int)opened : -ENOENT;
        opened++;
    }
}

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size)
{
    if (fd < FIRST_FD)
        return __real_read(fd, buf, size);
    size_t i = (size_t)(fd - FIRST_FD), left = files[i].size - files[i].at;

    must(files[i].open);
    if (size > left)
        size = left;
    memcpy(buf, files[i].bytes + files[i].at, size);
    files[i].at += size;
    return (ssize_t)size;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    if (fd < FIRST_FD)
        return __real_close(fd);
    must(files[fd - FIRST_FD].open);
    files[fd - FIRST_FD].open = false;
    return 0;
}

static void divide(const uint8_t *data, size_t size)
{
    memset(files, 0, sizeof files);
    file_count = opened = 0;
    while (size >= 2 && file_count < FILES) {
        size_t n = load_u16(data);

        n = n < size - 2 ? n : size - 2;
        files[file_count].bytes = data + 2;
        files[file_count++].size = n;
        data += 2 + n;
        size -= 2 + n;
    }
}

/* All bytes of it, which are frames, whole and in order of time. */
static void read_all(struct source *s, uint8_t *buf, size_t room)
{
    uint64_t arrival_ns = 0, last_ns = 0;
    struct err e;
    ssize_t n;

    while ((n = s->ops->read(s, buf, room, &arrival_ns, &e)) > 0) {
        must((size_t)n <= room && arrival_ns >= last_ns);
        last_ns = arrival_ns;
    }
    must(n == SOURCE_END);
}

static void read_windows(bool some)
{
    static struct spool_window windows[FILES];
    static uint8_t buf[1u << 16];
    struct spool_list list = {
        .folder = (char[]){"spool"}, .guest = "a", .windows = windows};
    struct spool_account account = {0};
    struct err e = {""};

    size_t gone = 0;

    list.count = file_count;
    struct source *s = source_spool(&list, some ? "b1d0" : NULL, &account, &e);

    if (s == NULL)
        return;
    if (s->ops->open(s, &e) == SOURCE_OPEN) {
        must(recording_get_info(s->recording) != NULL && account.read != 0);
        read_all(s, buf, some ? sizeof buf : 1000);
    } else {
        must(e.text[0] != '\0' && account.read == 0);
    }
    source_close(s);
    for (size_t i = 0; i < file_count; i++) {
        must(!files[i].open);
        gone += files[i].size == 1;
    }
    must(opened == file_count && account.gone == gone &&
         account.read + gone <= file_count &&
         account.read + gone + account.others + account.unusable >= file_count);
}

/* What is taken for a window's name is that window's. */
static void read_text(const uint8_t *data, size_t size)
{
    char text[300];
    struct spool_name n;
    struct err e = {""};
    uint64_t ms = 0;

    if (size >= sizeof text)
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    if (spool_name_parse(text, &n))
        must(n.guest_length != 0 && text[n.guest_length] == '.' &&
             strtoull(text + n.guest_length + 1, NULL, 10) == n.start_ms);
    if (when_parse("since", text, 1764000000000, &ms, &e) == 0)
        must(ms <= 300000000000000 && (text[0] != '-' || ms <= 1764000000000));
    else
        must(e.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_text(data, size);
    if (size < 1)
        return 0;
    divide(data, size - 1);
    read_windows(data[size - 1] & 1);
    return 0;
}
