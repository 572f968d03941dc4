/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * made_up LISTEN [TOKEN_FILE]: serves the pages of a table that nobody writes
 * any more, by the process that
 * collector starts for them. That says where; ends when
 * standard input does. Guests: one that is well, one that loses samples, one
 * that never came, and one whose name is an attack.
 */
#include <stdio.h>
#include <unistd.h>

#include "fleet/serve/web_process.h"

#define ROWS 8

static const struct status_guest guests[] = {
    {.name = "web10",
     .state = STATUS_SAMPLING,
     .cores = 2,
     .rate_hz = 97,
     .has_busy = true,
     .busy_ppm = 123456,
     .samples = 1234567,
     .windows = 40,
     .bytes = 80000},
    {.name = "a-guest-of-the-longest-name-that-there-is.x86_64.rack-17.zone-a",
     .state = STATUS_SAMPLING,
     .cores = 64,
     .rate_hz = 97,
     .samples = 14351, /* of 26,696 ticks half are lost, 1,003 with a window */
     .lost = 12345,
     .crashed = 7,
     .windows = 41,
     .bytes = 81234,
     .lost_window_samples = 1003,
     .dropped = 2500},
    {.name = "web9", .state = STATUS_WAITING, .rate_hz = 97},
    {.name = "\"\\\n</td><script>alert(1)</script>&'\x1b[2J",
     .state = STATUS_FAILED,
     .rate_hz = 97},
};

static struct status *make_table(struct err *e)
{
    struct status *s = status_new(ROWS, 2, e);
    struct status_totals totals = {.samples = 9007199255975560,
                                   .lost = 12345,
                                   .windows = 81,
                                   .lag_ms = 250,
                                   .spool_files = 70,
                                   .spool_bytes = 140000,
                                   .removed = 11,
                                   .lost_windows = 3,
                                   .lost_window_samples = 1003,
                                   .unsent = 5,
                                   .unsent_samples = 4850,
                                   .crashed = 7,
                                   .dropped = 2500,
                                   .guests = 4,
                                   .sampling = 2};
    uint64_t now = status_now_ms();

    if (s == NULL)
        return NULL;
    totals.start_ms = now - 400000;
    /* it goes on for a day: what is shown is as of now */
    totals.alive_ms = now + 86400000;
    status_put_totals(s, &totals);
    status_put_wait(s, 0, &(struct status_wait){"0123abcd", 2, now - 60000});
    status_put_wait(s, 1, &(struct status_wait){"89abcdef", 1, now - 300000});
    status_put_wait(s, 3, &(struct status_wait){"76543210", 0, 0});
    status_put_crashed(s, 0, &(struct status_crashed){"web10", 0, 7});
    status_put_crashed(s, 1, &(struct status_crashed){"gone", 1023, 1});
    for (size_t i = 0; i < sizeof guests / sizeof guests[0]; i++) {
        struct status_guest g = guests[i];

        if (g.windows != 0)
            g.window_ms = totals.start_ms + 390000;
        status_put(s, 2 * i, &g); /* rows between them are free */
    }
    return s;
}

int main(int argc, char **argv)
{
    struct err e = {""};
    struct status *s = make_table(&e);
    struct serve_config o = {.listen = argv[1],
                             .token_file = argc > 2 ? argv[2] : NULL};
    char byte;

    if (s == NULL || o.listen == NULL ||
        web_process_start(&o, s, NULL, &e) != 0) {
        (void)fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    (void)!read(STDIN_FILENO, &byte, 1);
    status_free(s);
    return 0;
}
