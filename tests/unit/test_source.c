/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources by themselves: terminals, and what is no port at all. */
#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/source/source.h"
#include "wiregen.h"

static struct err error;

TEST(pty_is_read_raw) /* catches: a terminal that edits what passes */
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct wiregen w = {0};

    CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    struct source *source = source_serial(ptsname(master), &error);

    CHECK(source != NULL);
    CHECK_EQ(source->ops->open(source, &error), SOURCE_OPEN);
    for (unsigned i = 0; i < 256; i++)
        wiregen_uint(&w, i, 1);
    CHECK_EQ(write(master, w.bytes, w.size), 256);
    uint8_t got[256];
    uint64_t arrival;
    ssize_t n = 0;

    while (n < 256) {
        struct pollfd fd = {.fd = source->fd, .events = POLLIN};

        CHECK_EQ(poll(&fd, 1, 5000), 1);
        ssize_t some = source->ops->read(
            source, got + n, sizeof got - (size_t)n, &arrival, &error);
        CHECK(some > 0);
        n += some;
    }
    CHECK_MEM(got, w.bytes, 256);
    CHECK_EQ(source->ops->write(source, "\x03\x04\n", 3, &error), 3);
    CHECK_EQ(read(master, got, 3), 3);
    CHECK_MEM(got, "\x03\x04\n", 3);
    close(master);
    CHECK_EQ(source->ops->read(source, got, 256, &arrival, &error), SOURCE_END);
    source_close(source);
    wiregen_fini(&w);
}

TEST(serial_refuses_what_is_no_port) /* catches: reading a directory for ever */
{
    struct source *source = source_serial("/tmp", &error);

    CHECK_EQ(source->ops->open(source, &error), SOURCE_FAILED);
    CHECK(strstr(error.text,
                 "neither a Unix socket, nor a terminal, nor a file") != NULL);
    source_close(source);
    source = source_serial("/dev/null", &error);
    CHECK_EQ(source->ops->open(source, &error), SOURCE_FAILED);
    CHECK(strstr(error.text, "not a terminal") != NULL);
    source_close(source);
    char path[200];

    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[199] = '\0';
    CHECK(source_serial(path, &error) == NULL);
}
