/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector serve, as a user runs it: guests come into a folder and into a file
 * and go; some lie. Child processes play them. Its page: test_serve_page.c.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

static void rest(void)
{
    const struct timespec t = {0, 20000000};

    (void)nanosleep(&t, NULL);
}

/* Each guest makes its file when START has come and its samples are sent. */
static void wait_for(const char *name)
{
    for (int i = 0; i < 1000 && access(name, F_OK) != 0; i++)
        rest();
    CHECK(access(name, F_OK) == 0);
}

/* Until standard error has (what). */
static void wait_for_word(const char *what)
{
    for (int i = 0; i < 1000 && !contains("err", what); i++)
        rest();
    CHECK_CONTAINS("err", what);
}

static void play(int listener, uint64_t n, const char *sign)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, n);
    write_text(sign, "");
    end_session(fd, n);
}

static void play_50(int listener)
{
    play(listener, 50, "sent50");
}

static void play_70(int listener)
{
    play(listener, 70, "sent70");
}

/* No tprof at all, and plenty of it, whoever connects. */
static void play_flood(int listener)
{
    static char noise[65536];

    (void)signal(SIGPIPE, SIG_IGN);
    memset(noise, 0x5a, sizeof noise);
    for (int fd = accept(listener, NULL, NULL);;
         fd = accept(listener, NULL, NULL)) {
        while (write(fd, noise, sizeof noise) > 0)
            ;
        (void)close(fd);
    }
}

/* The number behind the next (key) in (text). */
static uint64_t number_after(const char *text, const char *key)
{
    const char *found = text != NULL ? strstr(text, key) : NULL;

    CHECK(found != NULL);
    return found != NULL ? strtoull(found + strlen(key), NULL, 10) : 0;
}

TEST(guests_come_into_a_folder_and_go)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_50);
    pid_t serve = start_collector("serve --watch run");

    wait_for("sent50");
    pid_t two = start_guest("elsewhere", play_70);

    CHECK_EQ(symlink("../elsewhere", "run/two"), 0); /* comes later */
    wait_for("sent70");
    CHECK_EQ(unlink("run/one"),
             0); /* is disconnected for good; two is not touched */
    wait_for_word("one: disconnected for good: 50 samples, 0 lost");
    join_guest(one);
    CHECK(!contains("err", "two: disconnected for good"));
    CHECK_EQ(end_collector(serve), 0);
    join_guest(two);
    CHECK_CONTAINS("err", "two: disconnected for good: 70 samples, 0 lost");
    CHECK_EQ(occurrences("err", "disconnected for good"),
             2); /* nobody was met twice */
    CHECK_CONTAINS("err", "collector serve: 120 samples, 0 lost");
}

/* It leaves and returns when it is told to; its socket stays. */
static void play_leaving(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    wait_for("leave");
    (void)close(fd);
    wait_for("return");
    fd = meet(listener);
    begin_session(fd, 2, NULL, 20);
    end_session(fd, 20);
}

/* catches: a serve that says nothing of its guests for hours */
TEST(who_comes_and_leaves_is_said)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_leaving);
    pid_t serve = start_collector("serve --watch run");

    wait_for("err");
    wait_for_word("collector serve: one: is sampled at 97 Hz\n");
    write_text("leave", "");
    wait_for_word("one: has left, and may come back: 50 samples, 0 lost\n");
    write_text("return", "");
    for (int i = 0; i < 1000 && occurrences("err", "is sampled") < 2; i++)
        rest();
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_EQ(occurrences("err", "is sampled"), 2);
    CHECK_EQ(occurrences("err", "has left"), 1); /* the end is no such leave */
    CHECK_CONTAINS("err", "one: disconnected for good: 70 samples, 0 lost");
}

/* Catches: a guest that stands still since its debugger was taken for it */
TEST(debugger_in_the_folder_is_left_alone)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "run/one.gdb"};
    int debugger = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct stat st;

    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    CHECK_EQ(bind(debugger, (struct sockaddr *)&at, sizeof at), 0);
    CHECK_EQ(listen(debugger, 1), 0);
    pid_t one = start_guest("run/one", play_50);
    pid_t serve = start_collector("serve --watch run --spool all/of/it//");

    wait_for("sent50");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_EQ(access("all/of/it/.uncut", F_OK), 0); /* folders are made, */
    CHECK(stat("all/of/it", &st) == 0 && (st.st_mode & 0077) == 0);
    CHECK_EQ(accept(debugger, NULL, NULL), -1); /* nobody came */
    CHECK_CONTAINS("err", "collector serve: 50 samples, 0 lost");
    (void)close(debugger);
}

TEST(file_is_read_again_at_sighup)
{
    enter_dir();
    write_text("guests", "serial=one name=web\n");
    pid_t one = start_guest("one", play_50);
    pid_t two = start_guest("two", play_70);
    pid_t serve = start_collector("serve --guests guests");

    wait_for("sent50");
    write_text("guests", "serial=one name=web\nwhat is this\n");
    CHECK_EQ(kill(serve, SIGHUP), 0);
    wait_for_word("guests:2: what is 'what'?");
    write_text("guests", "serial=two name=db\n--gdb three --elf kernel.elf\n");
    CHECK_EQ(kill(serve, SIGHUP), 0);
    wait_for_word("guests: --gdb: collector serve cannot sample guests without "
                  "an agent: use collector record");
    write_text("guests", "serial=two name=db # new\n");
    CHECK_EQ(kill(serve, SIGHUP), 0);
    wait_for_word("web: disconnected for good: 50 samples, 0 lost");
    wait_for("sent70");
    join_guest(one);
    CHECK_EQ(end_collector(serve), 0);
    join_guest(two);
    CHECK_EQ(occurrences("err", "disconnected for good"), 2);
    CHECK_CONTAINS("err", "collector serve: 120 samples, 0 lost");
}

/* catches: a collector that hears of no guest any more, and says nothing */
TEST(folder_that_goes_ends_it_in_order)
{
    static const char line[] = "run was removed or replaced";

    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_50);
    pid_t serve = start_collector("serve --watch run");

    wait_for("sent50");
    CHECK_EQ(rename("run", "gone"), 0);
    CHECK_EQ(join_collector(serve), 1);
    join_guest(one);
    CHECK_CONTAINS("err", line);
    CHECK_CONTAINS("err", "collector serve: 50 samples, 0 lost");
    CHECK_EQ(mkdir("run", 0700), 0);
    CHECK_EQ(unlink("sent50"), 0);
    one = start_guest("run/one", play_50);
    serve = start_collector("serve --watch run");
    wait_for("sent50");
    CHECK_EQ(unlink("run/one"), 0);
    wait_for_word("one: disconnected for good");
    join_guest(one);
    CHECK_EQ(rmdir("run"), 0);
    CHECK_EQ(mkdir("run", 0700), 0); /* is another one */
    CHECK_EQ(join_collector(serve), 1);
    CHECK_CONTAINS("err", line);
}

/* Samples before and after the list is read again. */
static void play_reload(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    write_text("sent50", "");
    wait_for("reloaded");
    say_samples(fd, 20, 50);
    write_text("sent20", "");
    end_session(fd, 70);
}

/* catches: a guest that stays and is begun anew, or samples around SIGHUP that
 * are counted twice or not at all */
TEST(guest_that_stays_loses_nothing_by_sighup)
{
    enter_dir();
    write_text("guests", "serial=one name=web zone=a\nserial=two name=db\n");
    pid_t one = start_guest("one", play_reload);
    pid_t serve = start_collector("serve --guests guests --spool spool "
                                  "--window 1h");

    wait_for("sent50");
    write_text("guests", "serial=one name=web zone=b\n");
    CHECK_EQ(kill(serve, SIGHUP), 0);
    wait_for_word("db: disconnected for good: 0 samples, 0 lost");
    write_text("reloaded", "");
    wait_for("sent20");
    CHECK_EQ(kill(serve, SIGHUP), 0);
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_EQ(occurrences("err", "disconnected for good"), 2);
    CHECK_CONTAINS("err", "web: disconnected for good: 70 samples, 0 lost");
    CHECK_CONTAINS("err", "collector serve: 70 samples, 0 lost");
    CHECK_CONTAINS("err", "1 windows kept, 0 lost with 0 samples");
    CHECK_EQ(collector("report --spool spool -o all.json --force"), 0);
    const char *all = strstr(text_of("all.json"), "\"accounting\":");

    CHECK_EQ(number_after(all, "\"samples\":"), 70);
    CHECK_EQ(number_after(all, "\"lost\":"), 0);
}

TEST(others_lose_nothing_by_a_flood)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t flood = start_guest("run/flood", play_flood);
    pid_t one = start_guest("run/one", play_50);
    pid_t serve = start_collector("serve --watch run");

    wait_for("sent50");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_EQ(kill(flood, SIGKILL), 0);
    CHECK_CONTAINS("err", "one: disconnected for good: 50 samples, 0 lost");
    CHECK_CONTAINS("err", "collector serve: 50 samples, 0 lost");
}

/* Of two seconds of its clock, sampling took a thousandth of one. */
static void play_cost(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    for (uint64_t second = 1; second < 4; second++)
        wiregen_stats(&wire,
                      &(struct wiregen_stats){.flags = WIRE_STATS_STARTED,
                                              .counters = {50, 0, 0, 0},
                                              .cost = second * 500000,
                                              .tsc = second * 1000000000});
    say(fd);
    CHECK(hear(fd)); /* it is asked for another rate */
    write_text("asked", "");
    end_session(fd, 50);
}

TEST(budget_lowers_the_rate)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_cost);
    pid_t serve = start_collector("serve --watch run --budget 0.01");

    wait_for("asked");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_CONTAINS("err", "collector serve: 50 samples, 0 lost");
}

/* Its cores are too many; it sends on after that, as if it had not heard. */
static void play_too_many_cores(int listener)
{
    int fd = meet(listener);

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 256,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x400000});
    say(fd);
    while (hear(fd))
        ;
    (void)close(fd);
    fd = meet(listener);
    say_samples(fd, 50, 0);
    while (hear(fd))
        ;
}

/* Catches: a guest that is told to be none, after its HELLO was read */
TEST(guest_with_too_many_cores_is_told_as_that)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    write_text("err", "");
    pid_t one = start_guest("run/one", play_too_many_cores);
    pid_t serve = start_collector("serve --watch run");

    for (int i = 0; i < 400 && !contains("err", "no guest answered") &&
                    !contains("err", "are not tprof's");
         i++)
        rest();
    CHECK_CONTAINS("err", "one: stacks of 256 cores may need");
    CHECK_CONTAINS("err", "one, but no guest answered within 2 s");
    CHECK(!contains("err", "are not tprof's"));
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
}

/* How many windows the folder "spool" has, and, if (sums), what reports of all
 * of them say: samples delivered and lost. */
static int windows(uint64_t *samples, uint64_t *lost)
{
    DIR *folder = opendir("spool");
    const struct dirent *entry;
    int count = 0, odd = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name, *found;
        char line[512];

        if (name[0] == '.')
            continue;
        count++;
        if (samples == NULL)
            continue;
        CHECK(strncmp(name, "one.", 4) == 0);
        odd += strtoull(name + 4, NULL, 10) % 1000 != 0;
        (void)snprintf(line, sizeof line,
                       "report spool/%s -o json:window.json --force", name);
        CHECK_EQ(collector(line), 0);
        found = strstr(text_of("window.json"), "\"accounting\":");
        *samples += number_after(found, "\"samples\":");
        *lost += number_after(found, "\"lost\":");
    }
    if (folder != NULL)
        (void)closedir(folder);
    CHECK(odd <= 1); /* all but the first one begin at a multiple */
    return count;
}

/* 50 samples; when they are in the spool 70 more, of which one frame, with 30,
 * is lost on the way. */
static void play_windows(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    wait_for("more");
    say_samples(fd, 20, 50);
    say_samples(fd, 20, 50 + 20 + 30);
    write_text("sent", "");
    end_session(fd, 120);
}

TEST(spool_has_all_that_came)
{
    uint64_t samples = 0, lost = 0;

    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_windows);
    pid_t serve = start_collector("serve --watch run --spool spool --window "
                                  "1s");

    for (int i = 0; i < 1000 && windows(NULL, NULL) == 0; i++)
        rest();
    write_text("more", "");
    wait_for("sent");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_CONTAINS("err", "collector serve: 90 samples, 30 lost");
    CHECK_CONTAINS("err", " windows kept, 0 lost with 0 samples");
    CHECK(windows(&samples, &lost) >= 2);
    CHECK_EQ(samples, 90);
    CHECK_EQ(lost, 30);
    CHECK_EQ(collector("report --spool spool --since -1h -o all.json"), 0);
    const char *all = strstr(text_of("all.json"), "\"accounting\":");

    CHECK_EQ(number_after(all, "\"samples\":"), 90);
    CHECK_EQ(number_after(all, "\"lost\":"), 30);
}

/* 150,000 samples at once, which is half an hour of a core at 97 Hz. */
static void play_too_many(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    for (uint64_t sent = 50; sent < 150000; sent += 50)
        say_samples(fd, 50, sent);
    write_text("sent_all", "");
    end_session(fd, 150000);
}

/* catches: a guest that fills the spool, and drops that are in no account */
TEST(samples_beyond_all_reason_are_dropped)
{
    uint64_t samples = 0, lost = 0;

    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_too_many);
    pid_t serve = start_collector("serve --watch run --spool spool --window "
                                  "1h");

    wait_for("sent_all");
    wait_for_word("one: sends far more samples than requested: samples beyond "
                  "2,000 a second are dropped");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_CONTAINS("err", "collector serve: 150,000 samples, 0 lost");
    const char *all =
        strstr(text_of("err"), "collector serve: 150,000 samples");

    uint64_t dropped = number_after(all, "of these, ") * 1000; /* 29,123 */

    (void)windows(&samples, &lost);
    CHECK_EQ(samples + lost, 150000); /* nothing is missing in the windows */
    CHECK(lost / 1000 * 1000 == dropped);
    CHECK(samples >= 120000 && samples <= 145000); /* a minute's, and more */
}

/* The folder goes while it is served: windows are lost and counted, no more. */
TEST(a_spool_that_fails_is_told)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_50);
    pid_t serve = start_collector("serve --watch run --spool spool --window "
                                  "1h");

    wait_for("sent50");
    CHECK_EQ(system("rm -r spool"), 0);
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_CONTAINS("err", "one: spool: No such file or directory");
    CHECK_CONTAINS("err", "collector serve: 50 samples, 0 lost");
    CHECK_CONTAINS("err", "0 windows kept, 1 lost with 50 samples");
}

/* 50 samples, and 50 more in another session. */
static void play_twice(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    wait_for("kept");
    (void)close(fd);
    fd = meet(listener);
    begin_session(fd, 1, NULL, 50);
    write_text("sent_twice", "");
    end_session(fd, 50);
}

/* Catches: a guest that comes back and takes its counts with it */
TEST(what_a_guest_sent_before_it_left_counts)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_twice);
    pid_t serve = start_collector("serve --watch run --spool spool --window "
                                  "1s");

    for (int i = 0; i < 1000 && windows(NULL, NULL) == 0; i++)
        rest();
    write_text("kept", "");
    wait_for("sent_twice");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_CONTAINS("err", "one: disconnected for good: 100 samples, 0 lost");
    CHECK_CONTAINS("err", "collector serve: 100 samples, 0 lost");
}

static void play_and_hang(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    write_text("sent50", "");
    wait_for("killed");
    (void)close(fd);
    fd = meet(listener);
    begin_session(fd, 1, NULL, 50);
    write_text("sent50_again", "");
    end_session(fd, 50);
}

/* Killed with 50 samples in an open window: the next one says so. */
TEST(a_killed_one_is_accounted_for)
{
    static const char line[] =
        "serve --watch run --spool spool --window 1h --listen 127.0.0.1:0";
    int uncut, status;
    uint64_t samples = 0;

    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/one", play_and_hang);
    pid_t serve = start_collector(line);

    wait_for("sent50");
    for (int i = 0; i < 1000 && samples != 50; i++) {
        rest();
        uncut = open("spool/.uncut", O_RDONLY);
        /* what kind of file it is, and the first core: a name, its number, and
         * how many samples */
        CHECK_EQ(pread(uncut, &samples, sizeof samples, 16 + 132 + 4), 8);
        (void)close(uncut);
    }
    CHECK_EQ(collector("serve --watch . --spool spool"), 1);
    CHECK_CONTAINS("err", "another collector serve keeps windows");
    CHECK_EQ(kill(serve, SIGKILL), 0);
    CHECK_EQ(waitpid(serve, &status, 0), serve);
    /* one that does not come to serve takes nothing from the account */
    CHECK_EQ(collector("serve --watch run --spool spool --listen 8.8.8.8:1"),
             1);
    write_text("killed", "");
    serve = start_collector(line);
    wait_for("sent50_again");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_CONTAINS(
        "err", "the last collector serve was killed, and its open windows are "
               "lost: 50 samples, guests: 1");
    CHECK_CONTAINS("err", "collector serve: 50 samples, 0 lost");
    CHECK_CONTAINS("err", "1 windows kept, 0 lost with 0 samples");
}

/* Guests by their CIDs: where this host has no virtio-vsock each says so. */
TEST(guests_by_a_range_of_cids)
{
    enter_dir();
    if (access("/dev/vhost-vsock", F_OK) == 0)
        SKIP("/dev/vhost-vsock: there may be such guests");
    pid_t serve = start_collector("serve --vsock 3..5 --vsock 9:700");

    wait_for("err");
    wait_for_word("cid9_700: vsock: this host has no /dev/vhost-vsock");
    wait_for_word("cid3: ");
    CHECK_CONTAINS("err", "cid4: ");
    CHECK_CONTAINS("err", "cid5: ");
    CHECK(!contains("err", "cid6: "));
    CHECK_EQ(end_collector(serve), 0);
}

TEST(service_manager_is_told)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "notify"};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char text[512];
    ssize_t n;

    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    CHECK_EQ(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    CHECK_EQ(setenv("NOTIFY_SOCKET", "notify", 1), 0);
    CHECK_EQ(setenv("WATCHDOG_USEC", "100000", 1), 0);
    pid_t serve = start_collector("serve --watch run");

    n = recv(fd, text, sizeof text - 1, 0);
    CHECK(n > 0);
    text[n] = '\0';
    CHECK_STR(text, "READY=1\nSTATUS=0 guests, 0 sampled now; 0 samples, 0 "
                    "lost");
    n = recv(fd, text, sizeof text - 1, 0);
    CHECK(n > 0);
    text[n] = '\0';
    CHECK_STR(text, "WATCHDOG=1");
    CHECK_EQ(end_collector(serve), 0);
}

TEST(a_serve_without_guests_says_what_to_type)
{
    enter_dir();
    CHECK_EQ(collector("serve"), 2);
    CHECK_CONTAINS("err", "collector serve --watch DIR");
    CHECK_EQ(collector("serve --watch nowhere"), 1);
    CHECK_CONTAINS("err", "nowhere: No such file");
    CHECK_EQ(collector("serve --watch . --token-file t"), 1);
    CHECK_CONTAINS("err", "--token-file goes with --listen");
    CHECK_EQ(collector("serve --watch . --budget 100.1"), 2);
    CHECK_CONTAINS("err", "--budget: '100.1' is not percent");
    CHECK_EQ(collector("serve --watch nowhere --budget 0.1%"), 1);
    CHECK_EQ(collector("serve --vsock abc"), 2);
    CHECK_CONTAINS("err", "'abc' is not a guest: type its CID");
    CHECK_EQ(collector("serve --vsock 3 --vsock 4..2"), 2);
    CHECK_CONTAINS("err", "'4..2' is neither a CID nor a range");
    CHECK_EQ(collector("serve --vsock 123456789012"), 2);
    CHECK_CONTAINS("err", "'123456789012' is not a guest: type its CID");
    CHECK_EQ(collector("serve --vsock 2..9"), 2);
    CHECK_CONTAINS("err", "CID 2 means this host");
    CHECK_EQ(collector("serve --vsock 3..9:0"), 2);
    CHECK_CONTAINS("err", "'0' is not a port");
    write_text("guests", "serial=a\n\nvsock=3:x\n");
    CHECK_EQ(collector("serve --guests guests"), 2);
    CHECK_CONTAINS("err", "guests:3: --vsock: 'x' is not a port");
    CHECK_EQ(collector("serve --watch . --window 5s"), 2);
    CHECK_CONTAINS("err", "go with --spool DIR");
    CHECK_EQ(collector("serve --watch . --spool s --spool-size 1Q"), 2);
    CHECK_CONTAINS("err", "--spool-size: '1Q' is no size");
    CHECK_EQ(collector("serve --watch . --spool s --window 0.5s"), 2);
    CHECK_CONTAINS("err", "--window takes 1s to 1h");
}
