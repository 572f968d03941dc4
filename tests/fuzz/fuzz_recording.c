/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile recording. The first byte chooses: bit 0 set, the CRCs of header
 * and chunks are made right first, as far as the lengths in the bytes lead to
 * them; bits 1 and up are the size of the pieces that are read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/recording.h"
#include "util/bytes.h"
#include "wiregen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void read_all(int fd, size_t piece, size_t size)
{
    char buf[256];
    struct err e;
    uint64_t arrival;
    size_t total = 0;
    ssize_t n;
    struct recording_reader *r = recording_open(fd, &e);

    if (!r)
        return;
    while ((n = recording_read(r, buf, piece, &arrival, &e)) > 0)
        total += (size_t)n;
    const struct recording_info *info = recording_info(r);

    if (n < 0 || total > size || recording_end(r) == RECORDING_READING ||
        strlen(info->elf) >= sizeof info->elf ||
        info->build_id_len > sizeof info->build_id || info->more_elf_count > 64)
        abort();
    recording_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (size == 0)
        return 0;
    uint8_t *bytes = malloc(size);

    if (!bytes)
        return 0;
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 1)
        repair(bytes, size - 1);
    if (ftruncate(fd, 0) < 0 || pwrite(fd, bytes, size - 1, 0) < 0 ||
        lseek(fd, 0, SEEK_SET) < 0)
        abort();
    free(bytes);
    read_all(fd, 1 + (size_t)(data[0] >> 1), size);
    return 0;
}
