/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: what is understood, and what is said when it is not. */
#include "cmd/options.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static struct options o;
static struct err e;

/* Parse (line), words separated by single blanks. */
static int parse(enum command_bit command, const char *line)
{
    static char copy[256];
    char *argv[32];
    int argc = 0;

    (void)snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok(copy, " "); w != NULL; w = strtok(NULL, " "))
        argv[argc++] = w;
    e.text[0] = 0;
    options_fini(&o);
    return options_parse(&o, command, argc, argv, &e);
}

static void check_refused(enum command_bit command, const char *line,
                          const char *want)
{
    CHECK_EQ(parse(command, line), -1);
    CHECK_STR(e.text, want);
}

TEST(options_reach_their_fields)
{
    CHECK_EQ(parse(COMMAND_LIVE, "--serial /tmp/s --elf=app.elf -d 5 --rate "
                                 "1000 --depth 8 -o a.folded -ob.txt"),
             0);
    CHECK_EQ(o.guests.count, 1);
    CHECK_STR(o.guests.list[0].kind, "serial");
    CHECK_STR(o.guests.list[0].where, "/tmp/s");
    CHECK_STR(o.guests.list[0].elf, "app.elf");
    CHECK(o.duration_s == 5);
    CHECK_EQ(o.rate_hz, 1000);
    CHECK_EQ(o.depth, 8);
    CHECK_EQ(o.output_count, 2);
    CHECK_STR(o.outputs[0], "a.folded");
    CHECK_STR(o.outputs[1], "b.txt");
    CHECK_EQ(o.core, -1);
    CHECK(!o.all && !o.help && o.input == NULL && o.format == NULL);

    CHECK_EQ(parse(COMMAND_REPORT, "x.tprof --core 3 --all --top 5 -o -"), 0);
    CHECK_STR(o.input, "x.tprof");
    CHECK_EQ(o.core, 3);
    CHECK_EQ(o.top, 5);
    CHECK(o.all);
    CHECK_STR(o.outputs[0], "-");
}

TEST(spans_of_time_may_be_open)
{
    CHECK_EQ(parse(COMMAND_REPORT, "--time 1.5..4"), 0);
    CHECK(o.from_s == 1.5 && o.to_s == 4);
    CHECK_EQ(parse(COMMAND_REPORT, "--time 2..5"), 0);
    CHECK(o.from_s == 2 && o.to_s == 5);
    CHECK_EQ(parse(COMMAND_REPORT, "--time 2.."), 0);
    CHECK(o.from_s == 2 && o.to_s == 0);
    CHECK_EQ(parse(COMMAND_REPORT, "--time ..0.5"), 0);
    CHECK(o.from_s == 0 && o.to_s == 0.5);

    static const char *const bad[] = {
        "--time 5",     "--time 5..2",   "--time a..b",  "--time -1..2",
        "--time 1..2x", "--time 1...2x", "--time 1..nan"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_EQ(parse(COMMAND_REPORT, bad[i]), -1);
}

TEST(mistakes_say_what_to_type)
{
    check_refused(COMMAND_LIVE, "--elff x",
                  "no option '--elff'; did you mean --elf? "
                  "'collector --help' lists all");
    check_refused(COMMAND_LIVE, "--dur=5",
                  "no option '--dur'; did you mean --duration? "
                  "'collector --help' lists all");
    check_refused(COMMAND_RECORD, "--zzz",
                  "no option '--zzz'; 'collector record --help' lists all");
    check_refused(COMMAND_REPORT, "-d 5", /* not a report's */
                  "no option '-d'; 'collector report --help' lists all");
    check_refused(COMMAND_LIVE, "--rate", "--rate wants HZ after it");
    check_refused(COMMAND_LIVE, "--all=1", "--all takes no argument");
    check_refused(COMMAND_LIVE, "x.tprof",
                  "what is 'x.tprof'? 'collector --help' tells what to type");
    check_refused(COMMAND_REPORT, "a b",
                  "one recording at a time: 'a' or 'b'?");
    check_refused(COMMAND_LIVE, "-d 0",
                  "--duration: '0' is not a number of "
                  "seconds");
    check_refused(COMMAND_LIVE, "-d inf",
                  "--duration: 'inf' is not a number "
                  "of seconds");
}

TEST(numbers_keep_their_bounds)
{
    CHECK_EQ(parse(COMMAND_LIVE, "--rate 1"), 0);
    CHECK_EQ(parse(COMMAND_LIVE, "--rate 50000"), 0);
    check_refused(COMMAND_LIVE, "--rate 50001",
                  "--rate: '50001' is not a number from 1 to 50000");
    CHECK_EQ(parse(COMMAND_LIVE, "--rate 0"), -1);
    CHECK_EQ(parse(COMMAND_LIVE, "--rate 1k"), -1);
    CHECK_EQ(parse(COMMAND_LIVE, "--rate 99999999999999999999"), -1);
    CHECK_EQ(parse(COMMAND_LIVE, "--depth 128"), -1);
    CHECK_EQ(parse(COMMAND_REPORT, "--core -1"), -1);
}

TEST(too_many_files_are_refused)
{
    CHECK_EQ(parse(COMMAND_LIVE, "-o 1 -o 2 -o 3 -o 4 -o 5 -o 6 -o 7 -o 8"), 0);
    CHECK_EQ(
        parse(COMMAND_LIVE, "-o 1 -o 2 -o 3 -o 4 -o 5 -o 6 -o 7 -o 8 -o 9"),
        -1);
}

TEST(help_lists_what_a_command_knows_and_no_more)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    options_help(out, COMMAND_RECORD);
    CHECK(fclose(out) == 0);
    CHECK(strstr(text, "-d, --duration SECONDS") != NULL);
    CHECK(strstr(text, "--serial PATH") != NULL);
    CHECK(strstr(text, "--core") == NULL);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        CHECK(strlen(line) <= 100);
    free(text);
}

TEST(help_wins_over_what_follows)
{
    CHECK_EQ(parse(COMMAND_LIVE, "--help --nonsense"), 0);
    CHECK(o.help);
}
