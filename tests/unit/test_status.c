/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of collector serve: what one process writes, another one reads. */
#include "fleet/windows/status.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static struct status *table(size_t rows)
{
    struct err e = {""};
    struct status *s = status_new(rows, 0, &e);

    CHECK(s != NULL);
    return s;
}

TEST(rows_are_free_until_they_are_written)
{
    struct status *s = table(2);
    struct status_guest g = {.name = "web1",
                             .state = STATUS_SAMPLING,
                             .cores = 2,
                             .has_busy = true,
                             .busy_ppm = 750000,
                             .images = {7, 1000},
                             .samples = 970,
                             .window_ms = 7};
    struct status_guest copy;
    struct status_totals totals;

    CHECK(!status_get(s, 0, &copy));
    CHECK(!status_get_totals(s, &totals));
    status_put(s, 1, &g);
    CHECK(!status_get(s, 0, &copy));
    CHECK(status_get(s, 1, &copy));
    CHECK_STR(copy.name, "web1");
    CHECK_EQ(copy.state, STATUS_SAMPLING);
    CHECK_EQ(copy.cores, 2);
    CHECK(copy.has_busy);
    CHECK_EQ(copy.busy_ppm, 750000);
    CHECK_EQ(copy.images[1], 1000);
    CHECK_EQ(copy.samples, 970);
    CHECK_EQ(copy.window_ms, 7);
    CHECK(!status_get(s, 2, &copy));
    status_put(s, 2, &g); /* ignored */
    g.state = STATUS_FREE;
    status_put(s, 1, &g);
    CHECK(!status_get(s, 1, &copy));
    status_free(s);
}

TEST(starts_are_counted_by_whoever_starts_a_process)
{
    struct status *s = table(1);
    struct status_totals totals = {.guests = 3};
    int how;
    pid_t child = fork();

    if (child == 0) {
        status_again(s, STATUS_MERGING);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &how, 0), child);
    status_put_totals(s, &totals); /* is another one's */
    CHECK_EQ(status_starts(s, STATUS_MERGING), 1);
    CHECK_EQ(status_starts(s, STATUS_PAGE), 0);
    status_free(s);
}

TEST(text_of_a_liar_ends)
{
    struct status *s = table(1);
    struct status_guest g = {.state = STATUS_WAITING}, copy;

    memset(g.name, 'x', sizeof g.name);
    status_put(s, 0, &g);
    CHECK(status_get(s, 0, &copy));
    CHECK_EQ(strlen(copy.name), STATUS_NAME_MAX - 1);
    status_free(s);
}

/* All counts of a row are the same number: a torn copy has two. */
TEST(copies_are_of_one_moment)
{
    struct status *s = table(1);
    pid_t writer = fork();

    if (writer == 0) {
        for (uint64_t i = 1; i <= 200000; i++)
            status_put(s, 0,
                       &(struct status_guest){.state = STATUS_SAMPLING,
                                              .samples = i,
                                              .lost = i,
                                              .window_ms = i});
        _exit(0);
    }
    struct status_guest g = {0};

    while (g.samples != 200000)
        if (status_get(s, 0, &g))
            CHECK(g.lost == g.samples && g.window_ms == g.samples);
    CHECK_EQ(waitpid(writer, NULL, 0), writer);
    status_free(s);
}
