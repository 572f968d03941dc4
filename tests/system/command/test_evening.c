/* SPDX-License-Identifier: BSD-2-Clause */
/* What somebody types on a first evening, and what they read. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

/* A folder with a recording of 50 samples, made as the first lines of README
 * say. */
static void after_the_first_recording(void)
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 200ms --rate 1k"), 0);
    join_guest(guest);
    CHECK_CONTAINS("err", "tprof.tprof holds 50 samples");
}

TEST(a_command_without_a_file_reads_the_last_recording)
{
    after_the_first_recording();
    CHECK_EQ(collector("report"), 0);
    CHECK_STR(text_of("err"), "reading tprof.tprof\n");
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK_EQ(collector("report -q"), 0);
    CHECK_STR(text_of("err"), "");
    CHECK_EQ(collector("stacks tprof.tprof"), 0);
    CHECK_EQ(rename("tprof.tprof", "monday.tprof"), 0);
    CHECK_EQ(collector("report"), 2);
    CHECK_CONTAINS("err", "which recording? no tprof.tprof is here; type: "
                          "collector report FILE");
    CHECK_EQ(collector("annotate walk"), 2);
    CHECK_CONTAINS("err", "type: collector annotate walk FILE");
    CHECK_EQ(collector("diff monday.tprof"), 2);
}

TEST(a_recording_to_compare_with_is_the_last_one) /* catches: both the same */
{
    after_the_first_recording();
    CHECK_EQ(rename("tprof.tprof", "monday.tprof"), 0);
    pid_t guest = start_guest("port2", play_50);

    CHECK_EQ(collector("record --serial port2 -d 0.2"), 0);
    join_guest(guest);
    CHECK_EQ(collector("diff monday.tprof"), 0);
    CHECK_STR(text_of("err"), "reading tprof.tprof\n");
    CHECK_CONTAINS("out", "before  monday.tprof: 50 samples");
    CHECK_CONTAINS("out", "after   tprof.tprof: 50 samples");
}

TEST(files_are_written_as_typed_and_named)
{
    after_the_first_recording();
    CHECK_EQ(collector("report --format html -o x.html"), 0);
    CHECK_CONTAINS("err", "wrote x.html (");
    CHECK_CONTAINS("err", " KiB)\n");
    CHECK_CONTAINS("x.html", "<!DOCTYPE html>");
    CHECK_EQ(collector("report --format folded -o stacks"), 0);
    CHECK_CONTAINS("err", "wrote stacks (18 bytes)\n");
    CHECK_EQ(collector("report --format folded -o stacks.txt -q"), 0);
    CHECK_STR(text_of("err"), "");
    CHECK_STR(text_of("stacks.txt"), "core0;0x400100 50\n");
    CHECK_EQ(collector("report -q --format folded"), 0);
    CHECK_STR(text_of("out"), "core0;0x400100 50\n");
    CHECK_EQ(collector("report -q --markdown"), 0);
    CHECK_CONTAINS("out", "| 100.0 | ");
}

TEST(times_are_typed_in_one_way) /* catches: an open end that is second 0 */
{
    after_the_first_recording();
    CHECK_EQ(collector("report --time 0.. -o folded:all"), 0);
    CHECK_STR(text_of("all"), "core0;0x400100 50\n");
    CHECK_EQ(collector("report --time 0s..1m -o folded:all"), 0);
    CHECK_STR(text_of("all"), "core0;0x400100 50\n");
    CHECK_EQ(collector("report --time ..5000ms -o folded:all"), 0);
    CHECK_STR(text_of("all"), "core0;0x400100 50\n");
    CHECK_EQ(collector("report --time 5"), 2);
    CHECK_CONTAINS("err", "type it as 2..5, 2.., ..5 or 500ms..2s");
}

TEST(nothing_here_says_what_there_is)
{
    after_the_first_recording();
    CHECK_EQ(collector("report --core 7"), 3);
    CHECK_CONTAINS("out", "There are samples of core 0, from 0");
}

TEST(a_recording_that_fails_spares_the_old_one)
{
    after_the_first_recording();
    CHECK_EQ(collector("record --serial nobody --wait 0 -d 1s"), 1);
    CHECK_CONTAINS("err",
                   "no samples came: tprof.tprof is the older recording");
    CHECK_CONTAINS("err", "nothing ever listened at nobody");
    CHECK_EQ(collector("report"), 0);
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK(access("tprof.tprof.old", F_OK) != 0);
}

TEST(a_selection_does_not_empty_a_recording) /* catches: the old one is back */
{
    after_the_first_recording();
    CHECK_EQ(rename("tprof.tprof", "run.tprof"), 0);
    pid_t guest = start_guest("port2", play_50);

    CHECK_EQ(collector("--serial port2 -d .2 --core 9 -o run.tprof"), 3);
    join_guest(guest);
    CHECK(!contains("err", "no samples came"));
    CHECK(access("run.tprof.old", F_OK) == 0);
    CHECK_EQ(collector("report run.tprof"), 0);
    CHECK_CONTAINS("out", "50 samples of 1 core");
}

static void play_a_kernel(int listener)
{
    int fd = meet(listener);

    say_hello(fd, 1, KERNEL_ID);
    while (hear(fd))
        ;
}

TEST(the_reason_comes_before_what_follows_from_it)
{
    enter_dir();
    pid_t guest = start_guest("port", play_a_kernel);

    CHECK_EQ(collector("--serial port --elf " APP " -d 1s"), 1);
    join_guest(guest);
    CHECK_CONTAINS("err", "collector: the guest runs build 0123456789");
    CHECK(!contains("err", "the guest left"));
}

/* A line with a slip, and the word that was meant. */
static const struct slip {
    const char *line, *meant;
} slips[] = {
    {"repotr", "did you mean 'report'?"},
    {"help recrod", "did you mean 'record'?"},
    {"report --detials", "did you mean --details?"},
    {"report --sort slef", "(did you mean self?)"},
    {"report --format htlm", "(did you mean html?)"},
    {"report -o x.htm", "which format (did you mean html?)? Type it as"},
    {"report -o htlm:x", "which format (did you mean html?)? Type it as"},
    {"report --by treads", "(did you mean thread?)"},
    {"report --color alway", "(did you mean always?)"},
    {"report --sandbox of", "(did you mean off?)"},
    {"push --to pyroscop+http://127.0.0.1:4040 tprof.tprof",
     "there is no kind 'pyroscop' (did you mean pyroscope?)"},
    {"push --as clikhouse --to http://127.0.0.1 tprof.tprof",
     "(did you mean clickhouse?)"},
};

TEST(slips_are_understood) /* catches: a folder "pyroscop+http:" */
{
    after_the_first_recording();
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        CHECK_EQ(collector(slips[i].line), 2);
        CHECK_CONTAINS("err", slips[i].meant);
        CHECK_STR(text_of("out"), "");
    }
    CHECK(access("pyroscop+http:", F_OK) != 0);
}

/* Checks that no line of the file (name) is longer than 80 columns. Returns the
 * number of its lines. */
static size_t lines_of_80(const char *name)
{
    size_t lines = 0, columns = 0;

    for (const char *c = text_of(name); *c != '\0'; c++) {
        columns += ((unsigned char)*c & 0xc0u) != 0x80;
        if (*c != '\n')
            continue;
        CHECK(columns <= 80 + 1);
        columns = 0;
        lines++;
    }
    return lines;
}

TEST(help_has_layers) /* catches: a first screen of every option */
{
    static const char *const commands[] = {
        "live",     "run",   "record",  "report", "view",
        "annotate", "diff",  "top",     "pgo",    "check",
        "stacks",   "serve", "compact", "push",   "bridge"};
    char line[32];

    enter_dir();
    CHECK_EQ(collector(""), 2);
    CHECK_EQ(collector("--help"), 0);
    CHECK(lines_of_80("out") <= 24);
    CHECK_CONTAINS("out", "\n  collector run qemu-system-x86_64 ");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        (void)snprintf(line, sizeof line, "help %s", commands[i]);
        CHECK_EQ(collector(line), 0);
        CHECK(lines_of_80("out") <= 120);
        CHECK_CONTAINS("out", "\nExample");
    }
}

TEST(a_pipe_has_80_columns_and_whole_tables)
{
    after_the_first_recording();
    CHECK_EQ(unsetenv("LINES"), 0);
    CHECK_EQ(setenv("COLUMNS", "", 1), 0);
    CHECK_EQ(collector("report"), 0);
    CHECK(lines_of_80("out") > 10);
    CHECK_EQ(collector("stacks tprof.tprof"), 0);
    CHECK(lines_of_80("out") > 1);
}

TEST(a_limit_says_points_or_percent)
{
    after_the_first_recording();
    CHECK_EQ(collector("diff tprof.tprof tprof.tprof --fail-if x"), 2);
    CHECK_CONTAINS("err", "'NAME +3% of the rest', 'NAME +3% per COUNTER'");
}
