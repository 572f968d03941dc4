/* SPDX-License-Identifier: BSD-2-Clause */
/* The services: one function each, for a socket that may not be ready. */
#include "services.h"

#include "guest.h"
#include "vsock.h"

#define CLIENTS 4u /* of each service at a time */

/* A bit of work for (socket). False: it is over. */
typedef bool (*service_fn)(int socket);

static bool echo(int socket);
static bool discard(int socket);
static bool chargen(int socket);

static const struct {
    uint32_t port;
    service_fn run;
} services[] = {
    {SERVICE_ECHO, echo},
    {SERVICE_DISCARD, discard},
    {SERVICE_CHARGEN, chargen},
};
#define SERVICES (sizeof services / sizeof *services)

static service_fn clients[VSOCK_SOCKETS]; /* by socket; NULL: not ours */
static struct service_counts counts;
#define PATTERN_PERIOD 256u
#define PATTERN_BYTES  65536u
static uint8_t pattern[PATTERN_BYTES + PATTERN_PERIOD];
static uint32_t pattern_at[VSOCK_SOCKETS]; /* what comes next, by socket */

/* What has come goes back as far as it is taken, and else stays where it is:
 * so the sender's credit runs out, and it waits. */
static bool echo(int socket)
{
    const void *data;
    int came = vsock_peek(socket, &data);

    if (came <= 0)
        return came == 0;
    int sent = vsock_send(socket, data, (size_t)came);

    if (sent < 0)
        return false;
    vsock_taken(socket, (size_t)sent);
    counts.received += (uint64_t)sent;
    counts.sent += (uint64_t)sent;
    return true;
}

static bool discard(int socket)
{
    const void *data;
    int came = vsock_peek(socket, &data);

    if (came < 0)
        return false;
    vsock_taken(socket, (size_t)came);
    counts.received += (uint64_t)came;
    return true;
}

static bool chargen(int socket)
{
    int sent = vsock_send(socket, pattern + pattern_at[socket], PATTERN_BYTES);

    if (sent < 0)
        return false;
    pattern_at[socket] = (pattern_at[socket] + (uint32_t)sent) % PATTERN_PERIOD;
    counts.sent += (uint64_t)sent;
    return true;
}

void services_init(void)
{
    for (uint32_t i = 0; i < SERVICES; i++) {
        if (!vsock_listen(services[i].port, CLIENTS))
            guest_fail("own: too many listeners");
    }
    if (!vsock_listen(SERVICE_END, 1))
        guest_fail("own: too many listeners");
    for (uint32_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)i;
}

static void begin(int socket, service_fn run)
{
    clients[socket] = run;
    pattern_at[socket] = 0;
    counts.connections++;
}

void services_call(uint32_t port)
{
    int socket = vsock_connect(VSOCK_HOST, port);

    if (socket < 0)
        guest_fail("own: no socket");
    begin(socket, echo);
}

bool services_run(void)
{
    int socket;

    for (uint32_t i = 0; i < SERVICES; i++) {
        while ((socket = vsock_accept(services[i].port)) >= 0)
            begin(socket, services[i].run);
    }
    for (socket = 0; socket < VSOCK_SOCKETS; socket++) {
        if (clients[socket] != NULL && !clients[socket](socket)) {
            clients[socket] = NULL;
            vsock_close(socket);
        }
    }
    return vsock_accept(SERVICE_END) < 0;
}

const struct service_counts *services_counts(void)
{
    return &counts;
}
