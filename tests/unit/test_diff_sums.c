/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of threads, requests and locks before and after, of made profiles. */
#include "diff/diff_runs.h"
#include "diff/diff_text_parts.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define HZ 1000000u /* so a tick is 1 us */

struct made {
    struct profile profile;
    struct profile_thread threads[2];
    struct profile_request requests[1];
    struct profile_lock locks[1];
    uint64_t buckets[WIRE_REQUEST_BUCKETS];
};

/* A run of one second. (running) and (waited) are in ticks. */
static struct report run_of(struct made *m, uint64_t running, uint64_t waited,
                            size_t bucket, uint64_t requests)
{
    *m = (struct made){
        .threads = {{.name = "Ping",
                     .wall = HZ,
                     .running = running,
                     .blocked = HZ - running},
                    {.name = "swapper", .wall = HZ, .idle = true}},
        .requests = {{.name = "page", .wall = HZ, .count = requests}},
        .locks = {{.name = "heap",
                   .wall = HZ,
                   .acquires = 1000,
                   .waits = {.count = waited / 1000, .time = waited},
                   .holds = {.count = 1000, .time = HZ / 2}}},
    };
    m->buckets[bucket] = requests;
    m->requests[0].buckets = m->buckets;
    m->profile = (struct profile){.tsc_hz = HZ,
                                  .threads = m->threads,
                                  .thread_count = 2,
                                  .requests = m->requests,
                                  .request_count = 1,
                                  .locks = m->locks,
                                  .lock_count = 1};
    return (struct report){.profile = &m->profile};
}

/* The text of (d), for free(). */
static char *text_of(const struct diff *d)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    CHECK(out != NULL);
    diff_sums_tables(out, 80, d);
    CHECK_EQ(fclose(out), 0);
    return text;
}

/* Catches: sides that are mixed up, runs that are not added up, or a figure of
 * another column */
TEST(figures_are_those_of_the_runs)
{
    static struct made made;
    struct diff_sums s = {0};
    struct diff d = {0};
    struct report r;

    /* buckets below 128 are of one tick */
    r = run_of(&made, 400000, 100000, 50, 200);
    CHECK_EQ(diff_sums_add(&s, 0, &r), 0);
    r = run_of(&made, 200000, 300000, 50, 400);
    CHECK_EQ(diff_sums_add(&s, 0, &r), 0);
    r = run_of(&made, 900000, 20000, 100, 4);
    CHECK_EQ(diff_sums_add(&s, 1, &r), 0);
    diff_sums_state(&s, &d);
    CHECK_EQ(d.item_count, 3); /* without the idle thread */

    char *text = text_of(&d);

    CHECK(strstr(text, "\n   30.0    90.0     0.0     0.0    70.0    10.0   "
                       "Ping\n") != NULL);
    CHECK(strstr(text, "\n    300     4.0   50 us  100 us   50 us  100 us   "
                       "page\n") != NULL);
    CHECK(strstr(text, "\n   20.0     2.0    20.0     2.0    50.0    50.0   "
                       "heap\n") != NULL);
    for (const char *line = text; *line != '\0';
         line += strcspn(line, "\n") + 1)
        CHECK(strcspn(line, "\n") <= 80);
    free(text);
    diff_sums_fini(&s);
}

/* Catches: a thread that one side lacks, or a table without rows */
TEST(only_what_both_sides_have_is_compared)
{
    static struct made made;
    struct diff_sums s = {0};
    struct diff d = {0};
    struct report r = run_of(&made, 400000, 100000, 50, 200);

    CHECK_EQ(diff_sums_add(&s, 0, &r), 0);
    r = run_of(&made, 400000, 100000, 50, 200);
    strcpy(made.threads[0].name, "Pong");
    made.profile.request_count = made.profile.lock_count = 0;
    CHECK_EQ(diff_sums_add(&s, 1, &r), 0);
    diff_sums_state(&s, &d);
    CHECK_EQ(d.item_count, 0);

    char *text = text_of(&d);

    CHECK_STR(text, "");
    free(text);
    diff_sums_fini(&s);
}

/* Catches: a hostile guest whose names take all time and memory */
TEST(names_have_a_limit)
{
    static struct made made;
    struct diff_sums s = {0};
    struct diff d = {0};

    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < DIFF_ITEMS_MAX; i++) {
            struct report r = run_of(&made, 400000, 100000, 50, 200);

            made.profile.lock_count = 0;
            (void)snprintf(made.requests[0].name, sizeof made.requests[0].name,
                           "%u", i);
            CHECK_EQ(diff_sums_add(&s, side, &r), 0);
        }
    CHECK_EQ(s.count, DIFF_ITEMS_MAX);
    CHECK_EQ(s.refused, 2); /* the thread has a name, too */
    diff_sums_state(&s, &d);
    CHECK_EQ(d.item_count, DIFF_ITEMS_MAX);
    diff_sums_fini(&s);
}
