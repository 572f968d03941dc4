/* SPDX-License-Identifier: BSD-2-Clause */
/* guests DIR N [FIRST]: N guests at 97 Hz each on sockets in DIR, named by
 * numbers from FIRST (0) on, for collectors that come and go; standard input
 * says what they do (swarm.h). In the end a line for each: its name, and how
 * many samples it has sent and dropped. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "swarm.h"

int main(int argc, char **argv)
{
    struct swarm_config config = {.rate_hz = 97};
    struct swarm_result result;

    if (argc != 3 && argc != 4)
        return 2;
    config.dir = argv[1];
    config.guests = (unsigned)strtoul(argv[2], NULL, 10);
    config.first = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    swarm_run(&config, &result);
    for (unsigned i = 0; i < config.guests; i++)
        printf("%u %" PRIu64 " %" PRIu64 "\n", config.first + i,
               result.guests[i].sent, result.guests[i].dropped);
    free(result.guests);
    return 0;
}
