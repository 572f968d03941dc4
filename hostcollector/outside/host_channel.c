/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's channel in a process that samples from outside. */
#include "outside/sampler_parts.h"

#include <errno.h>
#include <sys/socket.h>

#include "tprof/tprof.h"

static int channel_open(void *context)
{
    const struct host_channel *h = context;

    return !h->left;
}

static int closed(struct host_channel *h)
{
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    h->left = true;
    return TPROF_ERR_CLOSED;
}

static int channel_send(void *context, const void *data, uint32_t size)
{
    struct host_channel *h = context;
    ssize_t n = send(h->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);

    return n < 0 ? closed(h) : (int)n;
}

static int channel_receive(void *context, void *data, uint32_t size)
{
    struct host_channel *h = context;
    ssize_t n = recv(h->fd, data, size, MSG_DONTWAIT);

    if (n != 0)
        return n < 0 ? closed(h) : (int)n;
    h->left = true;
    return TPROF_ERR_CLOSED;
}

void host_channel_init(struct tprof_channel *channel, struct host_channel *h)
{
    *channel = (struct tprof_channel){
        .flags = TPROF_CHANNEL_IRQ_SAFE,
        .context = h,
        .open = channel_open,
        .send = channel_send,
        .receive = channel_receive,
    };
}
