/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 1,000 guests at 1 kHz each against one collector on one core: nothing is
 * lost, every count is exact, and memory stays below what the manual says. On a
 * machine that others use, too, what is lost is counted, and the collector's
 * time says that one core would have been enough.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "swarm.h"

/* a sanitizer makes all several times slower, and needs memory of its own */
#define GUESTS      (SANITIZED ? 200u : 1000u)
#define RATE        1000u
#define SECONDS     8.0
/* The manual says 170 KiB for such a guest, 50 for its 256 pairs of stack and
 * leaf, 63 for 8,000 samples; and what the program is itself. */
#define RSS_MAX_KIB (GUESTS * (170 + 50 + 63) + 32 * 1024)

static struct swarm_result result;
static uint64_t reported[GUESTS];
static double reported_lost[GUESTS]; /* % */

/* "1,234" as a number. */
static uint64_t number(const char *text)
{
    uint64_t n = 0;

    for (; (*text >= '0' && *text <= '9') || *text == ','; text++)
        if (*text != ',')
            n = n * 10 + (uint64_t)(*text - '0');
    return n;
}

/* The table over all guests: samples, lost %, busy %, idle %, name. Returns how
 * many lines it has. */
static unsigned read_report(const char *path)
{
    char line[512], samples[64], lost[64], name[64];
    unsigned lines = 0, guest;
    bool overall = false;
    FILE *f = fopen(path, "r");

    CHECK(f != NULL);
    while (fgets(line, sizeof line, f)) {
        overall |= strstr(line, "==== all guests ====") != NULL;
        if (!overall ||
            sscanf(line, "%63s %63s %*s %*s %63s", samples, lost, name) != 3 ||
            sscanf(name, "g%u", &guest) != 1)
            continue;
        CHECK(guest < GUESTS);
        reported[guest] = number(samples);
        reported_lost[guest] = strtod(lost, NULL);
        lines++;
    }
    fclose(f);
    return lines;
}

/* Others had the two cores: the guests' turns came late, or the collector had
 * to wait though it had work, which makes its reports take long as well. Then
 * guests' rings may have been full before the collector's turn came. */
static bool starved(void)
{
    return result.late_s > .5 || result.wall_s - SECONDS > 3 * result.cpu_s + 2;
}

/* What the collector says of guest (i) is what that has sent and dropped. */
static void check_guest(unsigned i)
{
    const struct swarm_guest *g = &result.guests[i];
    double all = (double)(g->sent + g->dropped);

    if (!starved()) {
        CHECK(g->stopped);
        CHECK_EQ(g->dropped, 0);
    }
    if (!g->stopped)
        return; /* the collector waits for its last words for so long */
    CHECK_EQ(reported[i], g->sent);
    double off = reported_lost[i] - 100 * (double)g->dropped / all;

    CHECK(off < .00501 && off > -.00501);
}

TEST(a_thousand_guests_lose_nothing)
{
    uint64_t sum = 0;

    enter_dir();
    swarm_run(&(struct swarm_config){.collector = COLLECTOR,
                                     .dir = ".",
                                     .guests = GUESTS,
                                     .rate_hz = RATE,
                                     .duration_s = SECONDS,
                                     .output = "out"},
              &result);
    printf("%u guests at %u Hz: %ld KiB, %.2f s of a core in %.1f s, guests "
           "%.2f s, %.3f s late at most\n",
           GUESTS, RATE, result.rss_kib, result.cpu_s, result.wall_s,
           result.own_cpu_s, result.late_s);
    CHECK_EQ(result.status, 0);
    CHECK_EQ(read_report("out"), GUESTS);
    for (unsigned i = 0; i < GUESTS; i++) {
        check_guest(i);
        sum += result.guests[i].sent + result.guests[i].dropped;
    }
    /* one core is enough, whoever else uses this machine */
    if (!SANITIZED)
        CHECK(result.cpu_s < SECONDS);
    /* they were at it: nine tenths of the time that was asked for, since the
     * last of them is started a little later than the first */
    CHECK(starved() || sum > (uint64_t)(.9 * SECONDS * GUESTS * RATE));
    if (!SANITIZED)
        CHECK(result.rss_kib < RSS_MAX_KIB);
    free(result.guests);
}
