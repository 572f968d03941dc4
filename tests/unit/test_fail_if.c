/* SPDX-License-Identifier: BSD-2-Clause */
/* --fail-if: what it takes, which function it means, and when it holds. */

#include <math.h>
#include <string.h>

#include "check.h"
#include "diff/diff.h"

static struct fail_if rule(const char *text)
{
    struct fail_if f;
    struct err e;

    CHECK_EQ(fail_if_parse(&f, text, &e), 0);
    return f;
}

TEST(rules_are_read_from_their_ends)
{
    struct fail_if f = rule("Bus.Send(int, char) +3%");

    CHECK_STR(f.name, "Bus.Send(int, char)");
    CHECK(fabs(f.change - .03) < 1e-12 && !f.of_rest);
    f = rule("a of the rest  -0.5% of the rest");
    CHECK_STR(f.name, "a of the rest");
    CHECK(fabs(f.change + .005) < 1e-12 && f.of_rest);
    CHECK(rule("f +0%").change == 0 && !signbit(rule("f +0%").change));
    CHECK(signbit(rule("f -0%").change));
}

TEST(what_is_no_rule_is_refused)
{
    static const char *const bad[] = {
        "",
        "f",
        "+3%",
        " +3%",
        "f 3%",
        "f +3",
        "f +%",
        "f +nan%",
        "f +1e9%",
        "f +101%",
        "f +1.2.3%",
        "f+3%",
        "f + 3%",
        "f +3% of the",
        "f +3%of the rest",
        "f +3% per ",
        "work: +3%",
        "work:a +3% per b",
        "work:a +3% of the rest",
        "f +20000% per a",
        "+3% per a",
        "work:a 3%",
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct fail_if f;
        struct err e = {""};

        CHECK_EQ(fail_if_parse(&f, bad[i], &e), -1);
        CHECK(strstr(e.text, "NAME +3%") != NULL);
    }
}

static const struct pair functions[] = {{.name = "push"},
                                        {.name = "push_all"},
                                        {.name = "init", .file = "a.c"},
                                        {.name = "init", .file = "b.c"},
                                        {.name = "Process.Switch(PThread)"}};

static struct compare_row rows[] = {
    {.all.of = {.03, .02, .04}, .rest.of = {.01, -.01, .03}},
    {.all.of = {.2, .1, .3}},
    {.all.of = {.01, .005, .02}},
    {.all.of = {.07, .05, .09}},
    {.all.of = {-.05, -.06, -.04}},
};

static const struct unit_row per_byte[] = {
    {1e-9, 1e-9, 0, -.1, .1, 1, 1, false},
    {1e-9, 2e-9, 1, .5, 1.5, 0, 0, true},
    {1e-9, 0, -1, -1, -1, 1, 1, true},
    {0, 1e-9, INFINITY, INFINITY, INFINITY, 1, 1, true},
    {0, 1e-12, INFINITY, INFINITY, INFINITY, 1, 1, false},
};

static const struct diff d = {
    .functions = functions,
    .rows = rows,
    .count = 5,
    .units = {{"messages", {1e-6, 1e-6, 0, .02}, per_byte},
              {"bytes sent", {1e-8, 2e-8, 1, .2}, per_byte}},
    .unit_count = 2,
};

static int find(const char *text, uint32_t *function, struct err *e)
{
    struct fail_if f = rule(text);
    struct fail_if_found found;
    int result = fail_if_find(&f, &d, &found, e);

    *function = found.function;
    return result;
}

TEST(a_name_means_one_function)
{
    uint32_t function = 9;
    struct err e = {""};

    CHECK_EQ(find("push +1%", &function, &e), 0);
    CHECK_EQ(function, 0);
    CHECK_EQ(find("Switch +1%", &function, &e), 0);
    CHECK_EQ(function, 4);
    /* of several the one that changed the most in this direction */
    CHECK_EQ(find("init +1%", &function, &e), 0);
    CHECK_EQ(function, 3);
    CHECK_EQ(find("init -1%", &function, &e), 0);
    CHECK_EQ(function, 2);
    CHECK_EQ(find("pus +1%", &function, &e), -1);
    CHECK(strstr(e.text, "2 functions") != NULL);
    CHECK_EQ(find("pull_all +1%", &function, &e), -1);
    CHECK(strstr(e.text, "near: push_all") != NULL);
}

/* catches: an estimate that fails a job, where its interval does not */
TEST(all_of_the_interval_must_lie_beyond)
{
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        {"push +1.9%", true},
        {"push +2%", false},
        {"push +2.5%", false},
        {"push +0%", true},
        {"push -1%", false},
        {"push +0% of the rest", false},
        {"Switch -3.9%", true},
        {"Switch -4%", false},
        {"Switch -0%", true},
        {"Switch +0%", false},
        {"work:bytes sent +79%", true},
        {"work:bytes sent +80%", false},
        {"work:messages +0%", false},
        {"push_all +49% per messages", true},
        {"push_all +51% per messages", false},
        {"push_all -1% per messages", false},
        {"push +0% per messages", false},
        /* new, and gone: by whatever share */
        {"init +9999% per messages", true},
        {"init -99% per messages", true},
        {"Switch +0% per messages", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fail_if f = rule(cases[i].text);
        struct fail_if_found found;
        struct err e = {""};

        CHECK_EQ(fail_if_find(&f, &d, &found, &e), 0);
        CHECK_EQ(fail_if_holds(&f, &d, &found, &e), cases[i].holds);
        CHECK_EQ(e.text[0] != '\0', cases[i].holds);
    }
}

TEST(a_counter_must_be_there)
{
    uint32_t function;
    struct err e = {""};

    CHECK_STR(rule("a per b +1% per c").name, "a per b");
    CHECK_EQ(find("push +1% per byte", &function, &e), -1);
    CHECK(strstr(e.text, "there is messages") != NULL);
    CHECK_EQ(find("work:message +1%", &function, &e), -1);
    CHECK_EQ(find("pull +1% per messages", &function, &e), -1);
}
