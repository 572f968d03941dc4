/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program with several guests, and with guests that leave and come back:
 * child processes play them, at sockets of their own.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

static void play_70(int listener)
{
    play_in_order(listener, 70);
}

TEST(each_guest_has_a_report_and_all_have_one_together)
{
    enter_dir();
    pid_t one = start_guest("one", play_50);
    pid_t two = start_guest("two", play_70);

    CHECK_EQ(collector("--serial one --serial two --name web -d 0.5 "
                       "-q -o a.tprof -o a.folded -o a.txt"),
             0);
    join_guest(one);
    join_guest(two);
    CHECK_STR(text_of("err"), "");
    CHECK_CONTAINS("out", "==== one ====\nguest of unknown image: 50 samples");
    CHECK_CONTAINS("out", "==== web ====\nguest of unknown image: 70 samples");
    CHECK_CONTAINS("out",
                   "==== all guests ====\n2 guests: 120 samples, 0 lost");
    CHECK_CONTAINS("out", "unknown image on 2 guests: busy or idle is not "
                          "known, 120 samples");
    CHECK_EQ(occurrences("a.txt", "===="), 6);
    CHECK_STR(text_of("a.folded"),
              "one;core0;0x400100 50\nweb;core0;0x400100 70\n");

    /* each has a recording, and that is a guest's as any other */
    CHECK(access("a.tprof", F_OK) != 0);
    CHECK_EQ(collector("report a.web.tprof --format folded"), 0);
    CHECK_STR(text_of("out"), "core0;0x400100 70\n");
    CHECK_EQ(collector("report a.one.tprof --format folded"), 0);
    CHECK_STR(text_of("out"), "core0;0x400100 50\n");
}

/* Returns the number of lines of (file) that are longer than (columns). */
static unsigned long_lines(const char *file, size_t columns)
{
    unsigned n = 0;

    for (const char *line = text_of(file), *end; *line != '\0'; line = end) {
        end = strchrnul(line, '\n');
        n += (size_t)(end - line) > columns;
        end += *end == '\n';
    }
    return n;
}

#define LONG_NAME "a-guest-whose-name-has-thirty-9"

TEST(guests_are_listed_in_the_columns_of_the_output)
{
    enter_dir();
    for (unsigned columns = 80; columns <= 120; columns += 40) {
        char number[8];
        pid_t one = start_guest("one", play_50);
        pid_t two = start_guest("two", play_70);

        (void)snprintf(number, sizeof number, "%u", columns);
        (void)setenv("COLUMNS", number, 1);
        CHECK_EQ(collector("--serial one --name " LONG_NAME " --serial two "
                           "--serial never -d 0.5 -q"),
                 1);
        join_guest(one);
        join_guest(two);
        CHECK_CONTAINS("out", "==== all guests ====\n3 guests: 120 samples");
        CHECK_CONTAINS("out",
                       "              ! nothing ever listened at never: ");
        CHECK_CONTAINS(
            "out", columns == 80 ? "  a-guest-whose-name-has..  unknown image\n"
                                 : "  a-guest-whose-name-has-thirt..  "
                                   "unknown image\n");
        CHECK_EQ(long_lines("out", columns), 0);
        CHECK(unlink("one") == 0 && unlink("two") == 0);
    }
}

/* Of another wire version. */
static void play_foreign(int listener)
{
    int fd = meet(listener);

    wiregen_hello(&wire, &(struct wiregen_hello){.version = 0x0900,
                                                 .cores = 1,
                                                 .text_start = 0x400000});
    say(fd);
    CHECK(!hear(fd));
}

static void play_vanishing(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 20);
}

/* Says HELLO, then nonsense, as fast as it is read, until nobody reads. */
static void play_flood(int listener)
{
    static char nonsense[65536];
    int fd = meet(listener);

    memset(nonsense, 0x54, sizeof nonsense);
    say_hello(fd, 1, NULL);
    while (write(fd, nonsense, sizeof nonsense) > 0)
        continue;
}

TEST(guest_that_lies_leaves_or_floods_disturbs_no_other)
{
    enter_dir();
    pid_t guests[] = {
        start_guest("good", play_50), start_guest("foreign", play_foreign),
        start_guest("gone", play_vanishing), start_guest("flood", play_flood),
        start_guest("fine", play_70)};

    CHECK_EQ(collector("--serial good --serial foreign --serial gone "
                       "--serial flood --serial fine -d 1"),
             1);
    for (size_t i = 0; i < sizeof guests / sizeof guests[0]; i++)
        join_guest(guests[i]);
    CHECK_EQ(occurrences("err", "\n"), 1);
    CHECK_CONTAINS("err", "collector: foreign: decode: the guest speaks wire "
                          "version 9.0");
    CHECK_EQ(occurrences("out", "==== foreign ===="), 0);
    CHECK_CONTAINS("out", "==== good ====\nguest of unknown image: 50 samples");
    CHECK_CONTAINS("out", "==== gone ====\nguest of unknown image: 20 samples");
    CHECK_CONTAINS("out", "==== fine ====\nguest of unknown image: 70 samples");
    CHECK_CONTAINS("out", "5 guests: 140 samples, 0 lost; 1 failed\n");
}

/* Stays until the collector is gone. */
static void play_patient(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 70);
    CHECK(!hear(fd));
}

TEST(recordings_are_whole_after_the_collector_is_killed)
{
    enter_dir();
    pid_t one = start_guest("one", play_vanishing);
    pid_t two = start_guest("two", play_patient);
    pid_t pid = start_collector("record --serial one --serial two -o r.tprof");

    /* samples of 7 bytes are in them, behind 257 bytes of header and HELLO */
    wait_for_size("r.one.tprof", 380);
    wait_for_size("r.two.tprof", 600);
    join_guest(one);
    CHECK_EQ(kill(pid, SIGKILL), 0);
    CHECK_EQ(waitpid(pid, NULL, 0), pid);
    join_guest(two);
    CHECK_EQ(collector("report r.two.tprof"), 0);
    CHECK_CONTAINS("out", "70 samples of 1 core");
    CHECK_CONTAINS("out", "its collector was killed");
    CHECK_EQ(collector("report r.one.tprof"), 0);
    CHECK_CONTAINS("out", "20 samples of 1 core");
}

TEST(guests_are_listed_in_a_file)
{
    enter_dir();
    write_text("list", "# two of them\n"
                       "--serial one   # by its path\n"
                       "\n"
                       "  serial=two name=db\r\n");
    pid_t one = start_guest("one", play_50);
    pid_t two = start_guest("two", play_70);

    CHECK_EQ(collector("record --guests list -d 0.3"), 0);
    join_guest(one);
    join_guest(two);
    CHECK_CONTAINS("err", "tprof.one.tprof holds 50 samples");
    CHECK_CONTAINS("err", "next: collector report tprof.db.tprof");
}

TEST(too_many_guests_for_the_open_files_are_refused)
{
    struct rlimit limit = {80, 80};

    enter_dir();
    FILE *f = fopen("list", "w");
    for (int i = 0; i < 60; i++)
        fprintf(f, "serial=nowhere name=g%d\n", i);
    CHECK(f != NULL && fclose(f) == 0);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQ(collector("--guests list -d 1"), 1);
    CHECK_CONTAINS("err", "60 guests need 92 open files, but the limit is 80: "
                          "type 'ulimit -n 92' first");
}

TEST(guest_that_never_comes_costs_the_others_nothing)
{
    enter_dir();
    pid_t one = start_guest("one", play_50);

    CHECK_EQ(collector("--serial one --serial never -d 0.5"), 1);
    join_guest(one);
    CHECK_EQ(occurrences("err", "\n"), 2);
    CHECK_CONTAINS("err", "collector: never: waiting for a guest at never\n");
    CHECK_CONTAINS("err", "collector: never: nothing ever listened at never: "
                          "is QEMU started with");
    CHECK_CONTAINS("out", "==== one ====\nguest of unknown image: 50 samples");
    CHECK_CONTAINS("out", "2 guests: 50 samples, 0 lost; 1 failed\n");
}

TEST(ctrl_c_stops_all_guests_in_order)
{
    enter_dir();
    pid_t one = start_guest("one", play_50);
    pid_t two = start_guest("two", play_70);
    pid_t pid = start_collector("--serial one --serial two -o a.tprof");

    wait_for_size("a.one.tprof", 600);
    wait_for_size("a.two.tprof", 600);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 0);
    join_guest(one);
    join_guest(two);
    CHECK_CONTAINS("out", "2 guests: 120 samples, 0 lost\n");
    CHECK_EQ(occurrences("out", "no final count arrived"), 0);
}

/* Guests that leave */

static void play_reconnect(int listener)
{
    int fd = meet_uds(listener);

    begin_session(fd, 1, NULL, 20);
    /* cut in a frame of 4096 bytes, which the next HELLO is not part of */
    CHECK_EQ(write(fd, "\x54\x9d\x02\0\x02\0\0\x10", 8), 8);
    close(fd);
    fd = meet_uds(listener);
    say_hello(fd, 1, NULL);
    CHECK(hear(fd));
    say_samples(fd, 30, 25); /* five were in what was cut, or for another */
    end_session(fd, 55);
}

TEST(broken_connection_is_made_again) /* catches: the rest of a day lost */
{
    enter_dir();
    pid_t guest = start_guest("vm", play_reconnect);

    CHECK_EQ(collector("--vsock-uds vm -d 1 --details"), 0);
    join_guest(guest);
    CHECK_CONTAINS("err",
                   "the guest left vm; waiting 10 s for it to come back");
    CHECK_CONTAINS("err", "connected to vm again; sampling goes on");
    CHECK_EQ(occurrences("err", "\n"), 2);
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK_CONTAINS("out", "     0           50            0           50"
                          "           50            0 ");
    CHECK_CONTAINS("out", "An earlier boot or session ended without a final "
                          "count from core 0. What happened there after the");
}

static void play_reboot(int listener)
{
    for (uint8_t boot = 1; boot < 3; boot++) {
        int fd = meet_uds(listener);

        begin_session(fd, boot, NULL, 20);
        close(fd);
    }
}

TEST(guest_that_stays_away_is_reported_on)
{
    enter_dir();
    pid_t guest = start_guest("vm", play_reboot);

    CHECK_EQ(collector("--vsock-uds vm --wait 0.5 --details"), 0);
    join_guest(guest);
    CHECK_CONTAINS("err", "the guest rebooted; sampling goes on");
    CHECK_CONTAINS("err", "the guest stayed away");
    CHECK_CONTAINS("out", "40 samples of 1 core");
    CHECK_CONTAINS("out", "did not come back within 0.5 s");
}

static void play_vanishing_uds(int listener)
{
    int fd = meet_uds(listener);

    begin_session(fd, 1, NULL, 20);
}

TEST(no_guest_is_waited_for_with_wait_0)
{
    enter_dir();
    pid_t guest = start_guest("vm", play_vanishing_uds);

    CHECK_EQ(collector("--vsock-uds vm --wait 0"), 0);
    join_guest(guest);
    CHECK_STR(text_of("err"), "");
    CHECK_CONTAINS("out", "20 samples of 1 core");
}

TEST(duration_ends_the_wait_for_a_guest)
{
    enter_dir();
    pid_t guest = start_guest("vm", play_vanishing_uds);

    CHECK_EQ(collector("--vsock-uds vm -d 0.5 --wait 1000"), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "20 samples of 1 core");
    CHECK_EQ(occurrences("out", "did not come back"), 0);
}

/* As many frames as there are sequence numbers: the next session's HELLO has
 * the number that is due. */
static void play_wrapped(int listener)
{
    for (int session = 0; session < 2; session++) {
        int fd = meet_uds(listener);

        say_hello(fd, 1, NULL);
        CHECK(hear(fd));
        for (int i = 1; i < 65536; i++) {
            wiregen_open(&wire, 0x70); /* of no type that anybody knows */
            wiregen_close(&wire);
        }
        say(fd);
        close(fd);
    }
}

TEST(session_after_65536_frames_is_started_too)
{
    enter_dir();
    pid_t guest = start_guest("vm", play_wrapped);

    CHECK_EQ(collector("--vsock-uds vm --wait 0.5"), 3); /* no samples */
    join_guest(guest); /* it heard START both times */
    CHECK_CONTAINS("err", "connected to vm again");
}

/* Guests that are rebuilt: app.elf is tests/golden/kernel.elf at first. */

#define BUILD_B                                                                \
    "\xb1\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23" \
    "\x45\x67"

/* Put the kernel at app.elf, as a new file, with this build-id. */
static void build(const char *id)
{
    copy_image("app.elf", KERNEL, KERNEL_ID, id);
}

/* Build A runs, and then B, with or without its file at app.elf. */
static void play_update(int listener, int rebuilt)
{
    int fd = meet_uds(listener);

    begin_session(fd, 1, KERNEL_ID, 20);
    if (rebuilt)
        build(BUILD_B);
    close(fd);
    fd = meet_uds(listener);
    say_hello(fd, 2, BUILD_B);
    CHECK(!hear(fd)); /* the collector begins anew */
    close(fd);
    fd = meet_uds(listener);
    say_hello(fd, 2, BUILD_B);
    if (!hear(fd))
        return; /* or not */
    say_samples(fd, 30, 0);
    end_session(fd, 30);
}

static void play_rebuilt(int listener)
{
    play_update(listener, 1);
}

static void play_forgotten(int listener)
{
    play_update(listener, 0);
}

TEST(rebuilt_guest_gets_a_report_of_its_own)
{
    enter_dir();
    build(KERNEL_ID);
    pid_t guest = start_guest("vm", play_rebuilt);

    CHECK_EQ(collector("--vsock-uds vm --elf app.elf -d 1.5 -o r.tprof "
                       "-o r.txt"),
             0);
    join_guest(guest);
    CHECK_CONTAINS("err", "the guest rebooted into another image");
    CHECK_CONTAINS("out", "==== vm ====\napp.elf: 20 samples");
    CHECK_CONTAINS("out", "==== vm.2 ====\napp.elf: 30 samples");
    CHECK_EQ(occurrences("out", "app.elf on 2 guests"), 0); /* two images */
    CHECK_EQ(collector("report r.tprof --elf app.elf"), 1);
    CHECK_CONTAINS("err", "but app.elf is build b1234567");
    CHECK_EQ(collector("report r.vm.2.tprof"), 0);
    CHECK_CONTAINS("out", "app.elf: 30 samples");
}

TEST(old_image_is_not_used_for_a_rebuilt_guest)
{
    enter_dir();
    build(KERNEL_ID);
    pid_t guest = start_guest("vm", play_forgotten);

    CHECK_EQ(collector("--vsock-uds vm --elf app.elf"), 1);
    join_guest(guest);
    CHECK_CONTAINS("err", "the guest runs build b1234567");
    CHECK_CONTAINS("out", "==== vm ====\napp.elf: 20 samples");
}

TEST(same_message_of_many_guests_is_cut_short)
{
    enter_dir();
    FILE *f = fopen("list", "w");
    for (int i = 0; i < 100; i++)
        fprintf(f, "serial=never name=g%d\n", i);
    CHECK(f != NULL && fclose(f) == 0);
    pid_t one = start_guest("one", play_50);

    CHECK_EQ(collector("--guests list --serial one -d 0.5"), 1);
    join_guest(one);
    CHECK_EQ(occurrences("err", "\n"), 21);
    CHECK_CONTAINS("err",
                   "collector: g19: waiting for a guest at never\n"
                   "collector: dropped 180 more lines about other guests\n");
    CHECK_CONTAINS("out", "101 guests: 50 samples, 0 lost; 100 failed\n");
    CHECK_EQ(occurrences("out", "! nothing ever listened at never"), 100);
}
