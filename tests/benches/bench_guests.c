/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guests_per_core: how many guests at 1 kHz each one collector on one core
 * serves without loss. guests_share: the share of that core that they take,
 * with the start of the collector and its reports. Doubles the number until
 * something is lost or left unread, then halves the interval. What fails may
 * try again: somebody else may have had the core.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "swarm.h"

#define RATE        1000u
#define SECONDS     3.0 /* a trial */
#define FIRST       1000u
#define MOST        18000u /* of the 20,000 files that are usually allowed */
#define HALVINGS    4
#define SEARCH_S    60.0 /* no further trial begins after that */
#define CELL        7u   /* bytes of a sample */
#define SOCKET_COST 3u   /* what the kernel counts for a byte in a socket */

static const char *collector;
static double core_percent; /* of the last trial that was good */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void remove_dir(const char *dir)
{
    DIR *d = opendir(dir);
    char path[512];

    for (struct dirent *entry; d != NULL && (entry = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        unlink(path);
    }
    if (d != NULL)
        closedir(d);
    rmdir(dir);
}

/* Do so many lose nothing? */
static bool trial(unsigned guests)
{
    char dir[] = "/tmp/bench_guests.XXXXXX";
    struct swarm_result r;
    uint64_t dropped = 0;
    bool whole = true;

    if (mkdtemp(dir) == NULL) {
        perror("bench_guests");
        exit(1);
    }
    swarm_run(&(struct swarm_config){.collector = collector,
                                     .dir = dir,
                                     .guests = guests,
                                     .rate_hz = RATE,
                                     .duration_s = SECONDS},
              &r);
    for (unsigned i = 0; i < guests; i++) {
        dropped += r.guests[i].dropped;
        whole = whole && r.guests[i].stopped;
    }
    /* what came within the last quarter of a second may be unread */
    bool kept_up = r.unread < (uint64_t)guests * RATE / 4 * CELL * SOCKET_COST;
    bool good = whole && dropped == 0 && kept_up;

    fprintf(stderr,
            "bench_guests: %u guests: %s; dropped %llu, unread %llu KiB, "
            "%ld KiB of memory, collector %.1f s, guests %.1f s of a core, "
            "%.2f s late at most\n",
            guests, good ? "good" : "too many", (unsigned long long)dropped,
            (unsigned long long)r.unread >> 10, r.rss_kib, r.cpu_s, r.own_cpu_s,
            r.late_s);
    if (good)
        core_percent = 100 * r.cpu_s / r.wall_s;
    free(r.guests);
    remove_dir(dir);
    if (!r.apart) {
        fprintf(stderr, "SKIP: bench_guests: needs two cores\n");
        exit(77);
    }
    return good;
}

static bool succeeds(unsigned guests)
{
    for (int attempt = 0; attempt < 2; attempt++)
        if (trial(guests))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    unsigned good = 0, bad = 0;
    double start = now();

    if (argc != 2) {
        fprintf(stderr, "usage: bench_guests COLLECTOR\n");
        return 2;
    }
    collector = argv[1];
    for (unsigned n = FIRST; bad == 0 && good < MOST; n *= 2) {
        n = n < MOST ? n : MOST;
        *(succeeds(n) ? &good : &bad) = n;
        if (now() - start > SEARCH_S)
            break;
    }
    for (int i = 0; i < HALVINGS && bad != 0 && now() - start < SEARCH_S; i++) {
        unsigned middle = (good + bad) / 2;

        *(succeeds(middle) ? &good : &bad) = middle;
    }
    printf("guests_per_core %u guests\n", good);
    printf("guests_share %.0f %% of a core\n", core_percent);
    return good > 0 ? 0 : 1;
}
