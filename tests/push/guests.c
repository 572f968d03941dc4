/* SPDX-License-Identifier: BSD-2-Clause */
/* guests DIR N [FIRST [CORES]]: N guests at 97 Hz each on sockets in DIR, named
 * by numbers from FIRST (0) on, with CORES (1) each, for collectors that come
 * and go; standard input says what they do (swarm.h). In the end a line for
 * each: its name, how many samples it has sent and dropped, and how many each
 * core has sent. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "swarm.h"

int main(int argc, char **argv)
{
    struct swarm_config config = {.rate_hz = 97};
    struct swarm_result result;

    if (argc < 3 || argc > 5)
        return 2;
    config.dir = argv[1];
    config.guests = (unsigned)strtoul(argv[2], NULL, 10);
    config.first = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    config.cores = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 1;
    if (config.cores == 0 || config.cores > SWARM_CORES)
        return 2;
    swarm_run(&config, &result);
    for (unsigned i = 0; i < config.guests; i++) {
        const struct swarm_guest *g = &result.guests[i];

        printf("%u %" PRIu64 " %" PRIu64, config.first + i, g->sent,
               g->dropped);
        for (unsigned core = 0; core < config.cores; core++)
            printf(" %" PRIu64, g->sent_by[core]);
        putchar('\n');
    }
    free(result.guests);
    return 0;
}
