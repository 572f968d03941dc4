/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A VMM's socket that answers CONNECT with anything. The first byte chooses:
 * bits 0 to 2 how many bytes come between two looks (0: all at once), bit 3
 * whether it hangs up in the end. What follows an accepted answer must come
 * out of read() whole.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "source/source.h"
#include "source/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_stream_connect_unix(const char *path);

static int peer = -1; /* of the last connection */

int __wrap_stream_connect_unix(const char *path)
{
    int pair[2];

    (void)path;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
        abort();
    peer = pair[1];
    return pair[0];
}

/* The answer is good: LF ends "OK " and digits. What follows is the guest's. */
static const uint8_t *guest_bytes(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\n', size);

    if (end == NULL || end - data < 4 || memcmp(data, "OK ", 3) != 0)
        return NULL;
    for (const uint8_t *c = data + 3; c < end; c++) {
        if (*c < '0' || *c > '9')
            return NULL;
    }
    return end + 1;
}

static void check_rest(struct source *s, const uint8_t *data, size_t size)
{
    const uint8_t *rest = guest_bytes(data, size);
    uint8_t got[4096];
    uint64_t arrival;
    struct err e;
    ssize_t n = s->ops->read(s, got, sizeof got, &arrival, &e);
    size_t left = rest == NULL ? 0 : size - (size_t)(rest - data);

    if (rest == NULL)
        abort();
    if (left == 0 ? n > 0 : n != (ssize_t)left || memcmp(got, rest, left) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e;
    enum source_state state;

    if (size < 2 || size > 4096)
        return 0;
    size_t piece = data[0] & 7u ? data[0] & 7u : size;
    bool ends = (data[0] & 8u) != 0;
    struct source *s = source_vsock_uds("/nowhere", &e);

    if (s == NULL || s->ops->open(s, &e) != SOURCE_ABSENT)
        abort();
    data++;
    size--;
    int vmm = peer;
    size_t at = 0;

    do {
        size_t some = size - at < piece ? size - at : piece;

        if (send(vmm, data + at, some, MSG_NOSIGNAL) < 0)
            break; /* it has hung up on us */
        at += some;
        if (at == size && ends)
            (void)shutdown(vmm, SHUT_WR);
        state = s->ops->open(s, &e);
    } while (at < size && state == SOURCE_ABSENT && peer == vmm);
    if (s->fd >= 0)
        check_rest(s, data, at);
    (void)close(vmm);
    source_close(s);
    if (peer != vmm) /* it was asked anew */
        (void)close(peer);
    return 0;
}
