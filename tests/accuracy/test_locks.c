/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A convoy on a lock, and a priority inversion (tests/guest/locks): the sums of
 * the report lie within the bounds that the guest has measured by its own
 * clock, and the report alone names the cause.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"

#define TURNS 30

/* What the guest says of a lock. */
struct truth {
    uint64_t acquires, waits, waited_least, waited_most, held_least, held_most;
};

static struct truth told(const char *console, const char *lock)
{
    struct truth t;
    char line[32];

    snprintf(line, sizeof line, "%s: ", lock);
    const char *at = strstr(console, line);

    CHECK(at != NULL);
    CHECK_EQ(sscanf(at + strlen(line),
                    "%" SCNu64 " acquires, %" SCNu64 " waits of %" SCNu64
                    " to %" SCNu64 " ticks, holds of %" SCNu64 " to %" SCNu64,
                    &t.acquires, &t.waits, &t.waited_least, &t.waited_most,
                    &t.held_least, &t.held_most),
             6);
    return t;
}

static void is_within(const char *what, uint64_t value, uint64_t least,
                      uint64_t most)
{
    printf("%s: %" PRIu64 ", from %" PRIu64 " to %" PRIu64 "\n", what, value,
           least, most);
    CHECK(value >= least && value <= most);
}

/* Compares the sums of (lock) with what the guest says. */
static void compare(const struct lab_run *run, const char *lock, struct truth t)
{
    CHECK_EQ(lab_lock(run, lock, NULL, "acquires"), t.acquires);
    CHECK_EQ(lab_lock(run, lock, "waits", "count"), t.waits);
    CHECK_EQ(lab_lock(run, lock, "holds", "count"), t.acquires);
    is_within("waited", lab_lock(run, lock, "waits", "seconds"), t.waited_least,
              t.waited_most);
    is_within("held", lab_lock(run, lock, "holds", "seconds"), t.held_least,
              t.held_most);
}

/* The part of the report (text) that is about locks. */
static const char *locks_of(const char *text)
{
    const char *at = strstr(text, "LOCKS, by");

    CHECK(at != NULL);
    return at;
}

/* Does a line of (text) have all these words in this order? */
static void has_line(const char *text, const char *first, const char *second,
                     const char *third)
{
    for (const char *line = text; (line = strstr(line, first)) != NULL;
         line++) {
        const char *end = strchrnul(line, '\n');
        const char *at = strstr(line, second);

        if (at == NULL || at > end)
            continue;
        at = strstr(at, third);
        if (at != NULL && at < end)
            return;
    }
    printf("%s\n", text);
    check_failed(__FILE__, __LINE__, "no line with %s, %s and %s", first,
                 second, third);
}

/* Replaces numbers by "#", times by "# T" and blanks by one blank, because a
 * picture is of another compiler. */
static void simplify(char *text)
{
    static const char digits[] = "0123456789.,";
    char *to = text;

    for (const char *at = text; *at;) {
        size_t digit = *at >= '0' && *at <= '9' ? strspn(at, digits) : 0;
        size_t blank = strspn(at, " ");

        *to++ = digit ? '#' : blank ? ' ' : *at;
        at += digit ? digit : blank ? blank : 1;
        if (digit && (strncmp(at, " ms", 3) == 0 || strncmp(at, " us", 3) == 0))
            at += 3, to = stpcpy(to, " T");
        else if (digit && strncmp(at, " s", 2) == 0 && !strchr("tp", at[2]))
            at += 2, to = stpcpy(to, " T");
    }
    *to = 0;
}

/* Does the report (locks) have each line of the picture (name) in the page
 * about locks? */
static void compare_picture(const char *name, const char *locks)
{
    char fence[64];
    char *page = lab_file(LAB_PAGE), *report = strdup(locks), *rest;

    snprintf(fence, sizeof fence, "```text %s\n", name);
    char *at = strstr(page, fence);

    CHECK(at != NULL);
    at = strchr(strchr(at, '\n') + 1, '\n') + 1; /* after the head */
    *strstr(at, "```") = 0;
    simplify(at);
    simplify(report);
    for (char *line = strtok_r(at, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        has_line(report, line, "", "");
    free(page);
    free(report);
}

/* catches: waits of the wrong lock; a holder that is not the long one */
TEST(convoy_is_found_by_its_report)
{
    const struct lab_run run = {
        .elf = LAB_GUEST,
        .options = "rate=10000 settle=3000",
        .cores = 4,
        .by_memory = true,
    };

    lab_boot(&run);
    char *console = lab_console();
    struct truth t = told(console, "queue_lock");

    free(console);
    compare(&run, "queue_lock", t);
    CHECK(t.waits >= 3 * TURNS / 2);
    CHECK_EQ(lab_lock(&run, "queue_lock", NULL, "most_waiting"), 3);
    CHECK_EQ(setenv("COLUMNS", "80", 1), 0); /* of the page */
    char *text = lab_report(&run);
    const char *locks = locks_of(text);

    printf("%s\n", locks);
    has_line(locks, "waiting", "Worker", "Put > Enter");
    has_line(locks, "holding", "Hog", "Copy > Enter");
    has_line(locks, "queue", "up to 3 threads", "");
    compare_picture("convoy", locks);
    free(text);
}

/* catches: a holder that counts as running while another thread has its core */
TEST(priority_inversion_is_found_by_its_report)
{
    const struct lab_run run = {
        .elf = LAB_GUEST,
        .options = "rate=10000 settle=3000 inversion=1",
        .by_memory = true,
    };

    lab_boot(&run);
    char *console = lab_console();
    struct truth t = told(console, "log_lock");
    const char *middle = strstr(console, "Middle: ");

    CHECK(middle != NULL);
    uint64_t ticks = strtoull(middle + strlen("Middle: "), NULL, 10);

    free(console);
    compare(&run, "log_lock", t);
    CHECK_EQ(t.waits, TURNS);
    /* from Low's switch on: High begins to wait, then Middle runs */
    is_within("ready with the lock",
              lab_lock(&run, "log_lock", "holds", "ready_seconds"), ticks,
              ticks + TURNS * 20000ull);
    CHECK_EQ(setenv("COLUMNS", "80", 1), 0); /* of the page */
    char *text = lab_report(&run);
    const char *locks = locks_of(text);

    printf("%s\n", locks);
    has_line(locks, "waiting", "High", "Alarm > Enter");
    has_line(locks, "holding", "Low", "Write > Enter");
    has_line(locks, "! of ", "held, holders were ready for", "blocked for 0");
    compare_picture("inversion", locks);
    free(text);
}
