/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes between the device and one host. */
#include <string.h>

#include "sim.h"

struct link link_now;

size_t link_send(const void *bytes, size_t size)
{
    struct link *l = &link_now;
    size_t room = sizeof l->to_guest - l->to_guest_size;

    if (l->state != LINK_OPEN)
        return 0;
    if (size > room)
        size = room;
    memcpy(l->to_guest + l->to_guest_size, bytes, size);
    l->to_guest_size += size;
    return size;
}

size_t link_receive(void *bytes, size_t size)
{
    struct link *l = &link_now;

    if (size > l->to_host_size)
        size = l->to_host_size;
    memcpy(bytes, l->to_host, size);
    l->to_host_size -= size;
    memmove(l->to_host, l->to_host + size, l->to_host_size);
    return size;
}
