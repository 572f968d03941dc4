/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thousand guests for the collector: this process plays them all, each on a
 * Unix socket of its own, in real time, and has the collector run beside it on
 * another core. It knows to the sample what each of them sent.
 */
#ifndef TPROF_SWARM_H
#define TPROF_SWARM_H

#include <stdbool.h>
#include <stdint.h>

struct swarm_config {
    const char *collector; /* the program */
    const char *dir;       /* an empty directory; guest N is at N in it */
    unsigned guests;
    uint32_t rate_hz;   /* samples a second, of each guest's one core */
    double duration_s;  /* from the first START on, as the collector is told */
    const char *output; /* the report goes to this file of (dir); NULL: the
                           collector is killed when it has read all */
};

/* What one guest did. A sample for which there is no room, because the
 * collector does not read in time, is counted as dropped, as in a real ring. */
struct swarm_guest {
    uint64_t sent, dropped;
    bool stopped; /* it heard STOP and said its last words, which were read */
};

struct swarm_result {
    struct swarm_guest *guests; /* to be freed */
    int status;                 /* the collector's, of wait() */
    long rss_kib;               /* its most */
    double cpu_s, wall_s;       /* its time */
    double own_cpu_s;           /* of the guests */
    double late_s;              /* how late a guest's turn came at most */
    uint64_t unread;            /* bytes in all sockets when STOP came */
    bool apart;                 /* on two cores, one for each side */
};

/* Play until the collector has ended. Ends the process if that cannot begin. */
void swarm_run(const struct swarm_config *config, struct swarm_result *result);

#endif
