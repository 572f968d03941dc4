/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel does with its sockets, under the old port numbers. */
#ifndef OWN_SERVICES_H
#define OWN_SERVICES_H

#include <stdbool.h>
#include <stdint.h>

/* a connection, and the machine ends */
#define SERVICE_END     1u
/* what comes goes back */
#define SERVICE_ECHO    7u
/* what comes is counted */
#define SERVICE_DISCARD 9u
/* bytes without end, 0 to 255 and again */
#define SERVICE_CHARGEN 19u

/* Of all connections so far. */
struct service_counts {
    uint64_t connections, received, sent;
};

void services_init(void);

/* Call the host's (port), and echo what comes from there. */
void services_call(uint32_t port);

/* One round: whoever waits, and a bit of work for each who is there. Returns
 * false when somebody has asked for the end. */
bool services_run(void);

const struct service_counts *services_counts(void);

#endif
