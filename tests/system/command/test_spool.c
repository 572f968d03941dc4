/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector report --spool: windows of a session say what its recording says,
 * and a window that cannot be used costs itself alone.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "spooled.h"

/* The accounts of all cores in the JSON report (name). */
static char *accounts_of(const char *name)
{
    const char *begin = strstr(text_of(name), "\"accounting\"");

    CHECK(begin != NULL);
    return strndup(begin, strcspn(begin, "]"));
}

TEST(windows_say_what_the_recording_says) /* catches: a sample twice or none */
{
    spooled_begin(1, BUILD);
    spooled_play(9);
    spooled_end();
    CHECK_EQ(collector("report run.tprof -o a.json -o a.folded"), 0);
    CHECK_EQ(collector("report --spool spool -o b.json -o b.folded"), 0);
    char *a = accounts_of("a.json"), *b = accounts_of("b.json");

    CHECK(strlen(a) > 100);
    CHECK_STR(a, b);
    free(a);
    free(b);
    CHECK_CONTAINS("b.json", "\"boots\":1,\"sessions\":1,");
    a = strdup(text_of("a.folded"));
    CHECK_STR(a, text_of("b.folded"));
    free(a);
    CHECK_EQ(collector("report --spool spool --guest web"), 0);
    CHECK_CONTAINS("out", "web, unknown image: 900 samples of 2 cores");
    CHECK(!contains("out", "missing"));
}

/* Catches: reports of many guests that do not say of which they are, and a file
 * that is called by what its link is called */
TEST(a_report_says_whose_windows_they_are)
{
    const char *const id = "symbols/.build-id/01/"
                           "23456789abcdef0123456789abcdef01234567";

    spooled_begin(1, KERNEL_ID);
    spooled_play(3);
    spooled_end();
    CHECK_EQ(mkdir("symbols", 0700), 0);
    CHECK_EQ(mkdir("symbols/.build-id", 0700), 0);
    CHECK_EQ(mkdir("symbols/.build-id/01", 0700), 0);
    copy_image("toro.elf", KERNEL, KERNEL_ID, KERNEL_ID);
    CHECK_EQ(symlink("../../../toro.elf", id), 0);
    CHECK_EQ(collector("report --spool spool --symbols symbols"), 0);
    CHECK_CONTAINS("out", "web, toro.elf: ");
    CHECK_EQ(unlink(id), 0);
    CHECK_EQ(rename("toro.elf", id), 0);
    CHECK_EQ(collector("report --spool spool --symbols symbols"), 0);
    CHECK_CONTAINS("out", "web, build-id 0123456789ab: ");
}

TEST(what_is_not_asked_for_is_not_lost) /* catches: counters from 0 on */
{
    spooled_begin(1, BUILD);
    spooled_play(12);
    spooled_end();
    CHECK_EQ(collector("report --spool spool --since 2025-11-24T16:00:04Z "
                       "--until 2025-11-24T16:00:08Z"),
             0);
    CHECK_CONTAINS("out", "400 samples of 2 cores");
    CHECK_CONTAINS("out",
                   "in 4.0 s, 16 lost"); /* the ring's, of four seconds */
    CHECK_EQ(unlink(spooled_window(6)), 0);
    CHECK_EQ(collector("report --spool spool -o a.json -o a.txt --since "
                       "@1764000004"),
             0);
    CHECK_CONTAINS("a.txt", "600 samples of 2 cores");
    CHECK_CONTAINS("a.txt", ", 24 lost");
    CHECK_CONTAINS("a.txt", "2 s are missing between windows, in 1 place:");
    CHECK_CONTAINS("a.json", "\"sessions\":2,");
    CHECK_CONTAINS("a.json", "\"begun\":1764000004");
}

static void write_damaged(const char *name, size_t size, size_t at)
{
    size_t had;
    uint8_t bytes[8192];
    const char *good = bytes_of(name, &had);

    CHECK(size <= had && size <= sizeof bytes);
    if (size == 0)
        size = had;
    memcpy(bytes, good, size);
    if (at != 0)
        bytes[at] ^= 0xff;
    CHECK_EQ(unlink(name), 0);
    write_file(name, bytes, size);
}

TEST(damaged_windows_cost_themselves) /* catches: one bad file ends it all */
{
    spooled_begin(1, BUILD);
    spooled_play(12);
    spooled_end();
    write_damaged(spooled_window(0), 0, 20);  /* its header */
    write_damaged(spooled_window(2), 300, 0); /* cut */
    write_damaged(spooled_window(4), 0, 200); /* a byte of what is packed */
    CHECK_EQ(unlink(spooled_window(6)), 0);
    CHECK_EQ(symlink("/dev/zero", spooled_window(6)), 0);
    write_text("spool/web.1764000000001.tprof", "");
    CHECK_EQ(mkfifo("spool/web.1764000000002.tprof", 0600), 0);
    CHECK_EQ(mkdir("spool/web.1764000000003.tprof", 0700), 0);
    CHECK_EQ(link("run.tprof", "spool/web.1764000000004.tprof"), 0);
    write_text("spool/web.tprof", "no window's name");
    write_text("spool/.fresh-1", "nor this one");
    CHECK_EQ(collector("report --spool spool -o a.txt --width 100"), 0);
    CHECK_CONTAINS("a.txt", "400 samples of 2 cores");
    CHECK_CONTAINS("a.txt", "8 windows cannot be used");
    CHECK_CONTAINS("a.txt", "the first is web.1764000000000.tprof: the header");
}

TEST(which_guest_is_clear_or_asked)
{
    spooled_begin(1, BUILD);
    spooled_play(2);
    spooled_second(false);
    spooled_deliver();
    spooled_cut("db");
    spooled_end();
    CHECK_EQ(collector("report --spool spool"), 1);
    CHECK_CONTAINS("err", "spool: has windows of more than one guest: choose "
                          "with --guest NAME: ");
    CHECK_CONTAINS("err", "web");
    CHECK_CONTAINS("err", "db");
    CHECK_EQ(collector("report --spool spool --guest db"), 0);
    CHECK_CONTAINS("out", "100 samples of 2 cores");
    /* times of other programs have other digits */
    CHECK_EQ(system("mv spool/db.*.tprof spool/db.1764000.tprof"), 0);
    CHECK_EQ(collector("report --spool spool --guest db"), 0);
    CHECK_CONTAINS("out", "100 samples of 2 cores");
    CHECK_EQ(collector("report --spool spool --guest d"), 1);
    CHECK_CONTAINS("err", "spool: has no window of d, but of ");
    CHECK_EQ(unlink("spool/db.1764000.tprof"), 0);
    CHECK_EQ(collector("report --spool spool --until 2025-11-24T16:00:01Z"), 0);
    CHECK_CONTAINS("out", "200 samples of 2 cores");
    CHECK_EQ(collector("report --spool spool --since -1h"), 1);
    CHECK_CONTAINS("err",
                   "spool: no window begins in that time; the oldest begins at "
                   "2025-11-24T16:00:00Z, the newest at ");
    CHECK_EQ(mkdir("empty", 0700), 0);
    CHECK_EQ(collector("report --spool empty"), 1);
    CHECK_CONTAINS("err", "empty: has no windows");
    CHECK_EQ(collector("report --spool nowhere"), 1);
    CHECK_CONTAINS("err", "nowhere: No such file");
}

/* The guest is built anew; all that is of another image is left out. */
TEST(build_chooses_the_image)
{
    spooled_begin(1, BUILD);
    spooled_play(2);
    spooled_boot(2, "\xab\xcd\x33\x44\x55\x66\x77\x88\x99\xaa"
                    "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa");
    spooled_play(4);
    spooled_end();
    CHECK_EQ(collector("report --spool spool -o a.txt"), 0);
    CHECK_CONTAINS("a.txt", "200 samples of 2 cores");
    CHECK_CONTAINS("a.txt", "(abcd33445566778899aa11");
    CHECK_EQ(collector("report --spool spool --build ABCd"), 0);
    CHECK_CONTAINS("out", "400 samples of 2 cores");
    CHECK_EQ(collector("report --spool spool --build 1234"), 1);
    CHECK_CONTAINS("err",
                   "spool: no window is of build 1234; there is 1122334455");
}

/* Counters go on from one to the other, and have a gap within the first. */
TEST(nonces_tell_sessions)
{
    spooled_nonce = 7;
    spooled_begin(1, BUILD);
    spooled_play(6);
    CHECK_EQ(unlink(spooled_window(2)), 0);
    CHECK_EQ(collector("report --spool spool -o a.json"), 0);
    CHECK_CONTAINS("a.json", "\"boots\":1,\"sessions\":1,");
    spooled_nonce = 9;
    spooled_stream.seq = 0;
    spooled_hello(1, BUILD);
    spooled_play(2);
    spooled_end();
    CHECK_EQ(collector("report --spool spool -o a.json --force"), 0);
    CHECK_CONTAINS("a.json", "\"boots\":1,\"sessions\":2,");
}

TEST(windows_become_a_recording)
{
    spooled_begin(1, BUILD);
    spooled_play(6);
    spooled_end();
    CHECK_EQ(collector("report --spool spool -o all.tprof"), 0);
    CHECK_EQ(collector("report all.tprof -o a.folded"), 0);
    CHECK_EQ(collector("report run.tprof -o b.folded"), 0);
    char *a = strdup(text_of("a.folded"));

    CHECK_STR(a, text_of("b.folded"));
    free(a);
}

TEST(what_is_typed_makes_sense)
{
    enter_dir();
    CHECK_EQ(collector("report --since -1h"), 2);
    CHECK_CONTAINS("err", "go with --spool DIR");
    CHECK_EQ(collector("report run.tprof --spool spool"), 2);
    CHECK_CONTAINS("err", "one at a time: 'run.tprof' or --spool spool?");
    CHECK_EQ(collector("report --spool spool --since 1h"), 2);
    CHECK_CONTAINS("err", "--since: '1h' is no time; type it as -1h");
    CHECK_EQ(collector("report --spool spool --since -1h --until -2h"), 2);
    CHECK_CONTAINS("err", "--until -2h is not behind --since -1h");
    CHECK_EQ(collector("report --spool spool --build xyz"), 2);
    CHECK_CONTAINS("err", "--build: 'xyz' is not the beginning of a build-id");
}

/* The JSON report (name) on a diff, from its functions on. */
static char *functions_of(const char *name)
{
    const char *begin = strstr(text_of(name), "\"functions\"");

    CHECK(begin != NULL);
    return strdup(begin);
}

/* The truth is the same comparison by recordings that each hold one side. */
TEST(diff_compares_the_last_two_builds) /* catches: a window on both sides */
{
    spooled_begin(1, "\xff\xff\x33\x44\x55\x66\x77\x88\x99\xaa"
                     "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa");
    spooled_play(2);
    spooled_boot(2, BUILD);
    spooled_play(4);
    spooled_boot(3, "\xab\xcd\x33\x44\x55\x66\x77\x88\x99\xaa"
                    "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa");
    spooled_play(6);
    spooled_end();
    CHECK_EQ(collector("report --spool spool --build 1122 -o a.tprof"), 0);
    CHECK_EQ(collector("report --spool spool --build abcd -o b.tprof"), 0);
    CHECK_EQ(collector("diff a.tprof b.tprof -o files.json"), 0);
    CHECK_EQ(collector("diff --spool spool -o spool.json -o -"), 0);
    char *files = functions_of("files.json"),
         *spool = functions_of("spool.json");

    CHECK_STR(spool, files);
    free(files);
    free(spool);
    CHECK_CONTAINS("out", "before  web, build 112233445566: 400 samples in");
    CHECK_CONTAINS("out", "after   web, build abcd33445566: 600 samples in");
    CHECK_CONTAINS("out", "--spool spool --guest web --build abcd33445566");
}

TEST(diff_compares_before_and_after_a_moment)
{
    spooled_begin(1, BUILD);
    spooled_play(10);
    spooled_end();
    CHECK_EQ(collector("diff --spool spool --at 2025-11-24T16:00:04Z"), 0);
    CHECK_CONTAINS("out", "before  web before 2025-11-24T16:00:04Z, build "
                          "112233445566: 400 samples");
    CHECK_CONTAINS("out", "after   web from 2025-11-24T16:00:04Z, build "
                          "112233445566: 600 samples");
    CHECK_EQ(collector("diff --spool spool"), 1);
    CHECK_CONTAINS("err", "are of one build (112233445566): compare two times "
                          "by --at WHEN");
    CHECK_EQ(collector("diff --spool spool --at 2024-11-24T16:00"), 1);
    CHECK_CONTAINS("err", "before --at 2024-11-24T16:00: spool: no window "
                          "begins in that time");
    CHECK_EQ(collector("diff --at -1h"), 2);
    CHECK_EQ(collector("diff run.tprof --spool spool"), 2);
}
