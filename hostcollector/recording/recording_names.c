/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the names at the end of a recording. */

#include <stddef.h>
#include <sys/stat.h>

#include "recording/recording.h"
#include "recording/recording_format.h"
#include "util/bytes.h"
#include "util/crc.h"
#include "util/io.h"

/* Read exactly (size) bytes at (at). */
static bool read_at(int fd, void *buf, size_t size, uint64_t at)
{
    return io_read_at(fd, buf, size, at) == (ssize_t)size;
}

/* Read the header of the chunk at (at). False if it is damaged. */
static bool chunk_at(int fd, uint64_t at, uint8_t header[CHUNK_HEADER])
{
    return read_at(fd, header, CHUNK_HEADER, at) &&
           load_u32(header + 16) == crc32c(header, 16) &&
           load_u32(header) <= RECORDING_CHUNK_MAX;
}

bool recording_names_at(int fd, uint64_t *at)
{
    uint8_t header[CHUNK_HEADER], place[END_NAMES];
    struct stat st;

    if (fstat(fd, &st) != 0 || st.st_size < (off_t)(CHUNK_HEADER + END_NAMES))
        return false;
    uint64_t end = (uint64_t)st.st_size - CHUNK_HEADER - END_NAMES;

    if (!chunk_at(fd, end, header) || header[4] != CHUNK_END ||
        load_u32(header) != END_NAMES ||
        !read_at(fd, place, sizeof place, end + CHUNK_HEADER))
        return false;
    *at = load_u64(place);
    return *at < end;
}

ssize_t recording_next_names(struct recording_names *n, uint8_t *buf,
                             struct err *e)
{
    uint8_t header[CHUNK_HEADER];

    for (;;) {
        if (!chunk_at(n->fd, n->at, header))
            return err_set(e, "their chunk is damaged");
        size_t size = load_u32(header);
        uint64_t data = n->at + CHUNK_HEADER;

        n->at = data + size;
        if (header[4] == CHUNK_END)
            return 0;
        if (header[4] != CHUNK_NAMES || size == 0)
            continue; /* of a later minor version */
        return read_at(n->fd, buf, size, data)
                   ? (ssize_t)size
                   : err_set(e, "their chunk is cut");
    }
}
