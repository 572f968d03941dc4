/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thousand guests for the collector. This process plays all of them in real
 * time, each on a Unix socket of its own; the collector runs beside it, on
 * another core if there is one. The result says how many samples each guest
 * has sent.
 */
#ifndef TPROF_SWARM_H
#define TPROF_SWARM_H

#include <stdbool.h>
#include <stdint.h>

#define SWARM_CORES 4u /* of a guest, at most */

struct swarm_config {
    /* The program; NULL: collectors come and go, and standard input says what
     * the guests do. A line "rest": none takes a sample from now on, and the
     * line "resting" is printed when collectors have read all that was sent.
     * "work": they go on. Its end is the end. */
    const char *collector;
    const char *dir; /* a directory; guest N is at (first) + N in it */
    unsigned first, guests;
    unsigned cores;    /* of each guest; 0: one */
    uint32_t rate_hz;  /* samples a second, of each core */
    double duration_s; /* from the first START on; the collector's option -d;
                          not without a program */
    /* file in (dir) for the report; NULL: the collector is killed when it has
     * read all */
    const char *output;
};

/* What one guest did. A sample for which there is no room, because the
 * collector does not read in time, is counted as dropped, as in a real ring. */
struct swarm_guest {
    uint64_t sent, dropped;
    uint64_t sent_by[SWARM_CORES];
    /* STOP came, and the collector has read the final counters */
    bool stopped;
};

struct swarm_result {
    struct swarm_guest *guests; /* the caller frees it */
    int status;                 /* of the collector, as wait() has it */
    long rss_kib;               /* the collector's largest resident size */
    double cpu_s, wall_s;       /* the collector's time */
    double own_cpu_s;           /* this process's, for the guests */
    double late_s;              /* the latest turn of a guest, by so much */
    uint64_t unread;            /* bytes in all sockets when STOP came */
    bool apart;                 /* did each side have a core of its own? */
};

/* Start the collector and play the guests until it has ended. Ends the process
 * if the collector or a socket cannot be made. */
void swarm_run(const struct swarm_config *config, struct swarm_result *result);

#endif
