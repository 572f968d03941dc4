/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a dead guest, of which the input is the file: an ELF core, raw,
 * or a compressed dump. What comes out are whole frames, and not more than
 * memory of that size can hold. Then its cores are looked at from outside, by
 * the registers in it. The file is in memory (--wrap, CMakeLists.txt).
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump/dump_stream.h"
#include "dump/parts.h"
#include "looked.h"
#include "outside/outside_guest.h"
#include "profile/decode/decode.h"
#include "seen.h"

#define FD_DUMP 100000 /* no file has this descriptor */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *dump;
static size_t dump_size;

static void must(bool promise)
{
    if (!promise)
        abort();
}

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
    if (fd != FD_DUMP)
        return __real_pread(fd, to, size, at);
    must(at >= 0);
    if ((uint64_t)at >= dump_size)
        return 0;
    if (size > dump_size - (size_t)at)
        size = dump_size - (size_t)at;
    if (size > 1000)
        size = 1000; /* as a file may */
    memcpy(to, dump + at, size);
    return (ssize_t)size;
}

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
    if (fd != FD_DUMP)
        return __real_fstat(fd, st);
    *st = (struct stat){.st_mode = S_IFREG, .st_size = (off_t)dump_size};
    return 0;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    return fd == FD_DUMP ? 0 : __real_close(fd);
}

static void bury(struct dump_stream *s, uint64_t memory_size)
{
    static struct seen seen;
    struct decode *d = decode_new(&seen_events, &seen);
    const struct dump_frame *f;
    struct err e = {""};
    size_t bytes = 0;
    bool good = true;

    must(d != NULL);
    seen.hellos = seen.samples_n = 0;
    while ((f = dump_stream_next(s)) != NULL) {
        must(f->used <= sizeof f->bytes);
        bytes += f->used;
        good = good && decode_feed(d, f->bytes, f->used, &e) == 0;
    }
    must(decode_health(d)->skipped ==
         0); /* frames are whole, their CRC right */
    /* each record is of words of its own, and a core has two more frames */
    must(bytes <= 2 * memory_size + 256u * 1024);
    decode_free(d);
}

static void look_at_cores(void)
{
    struct err e = {""};
    struct outside_guest *g = outside_dump(FD_DUMP, &e);

    must(g != NULL || e.text[0] != '\0');
    if (g != NULL)
        looked(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {""};
    struct dump_memory *m;
    struct dump_stream *s;

    dump = data;
    dump_size = size;
    m = dump_memory_new(FD_DUMP, &e);
    must(m != NULL || e.text[0] != '\0');
    if (m == NULL)
        return 0;
    /* a page of memory takes 24 bytes, or its own */
    uint64_t memory_size = dump_memory_size(m);

    must(memory_size / DUMP_PAGE <= size / 24);
    s = dump_stream_new(m, &e);
    must(s != NULL || e.text[0] != '\0');
    if (s != NULL)
        bury(s, memory_size);
    dump_stream_free(s);
    look_at_cores();
    return 0;
}
