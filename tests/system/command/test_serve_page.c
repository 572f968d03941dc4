/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of collector serve, as a user runs it: what it tells of a guest, and
 * that it is there again when a process of it was killed.
 */
#include <dirent.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "paged.h"

static void play_50(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    write_text("sent50", "");
    end_session(fd, 50);
}

static void wait_for_samples(void)
{
    for (int i = 0; i < 1000 && access("sent50", F_OK) != 0; i++)
        rest();
    CHECK(access("sent50", F_OK) == 0);
}

TEST(page_tells_of_guests)
{
    static const char samples[] =
        "tprof_guest_samples_total{guest=\"one\"} 50\n";
    static const char sampling[] = "tprof_guests_sampling 1\n";

    need_page();
    pid_t one = start_guest("run/one", play_50);
    pid_t serve = start_collector("serve --watch run --listen 127.0.0.1:0");

    wait_for_samples();
    ask("/metrics");
    /* the sums of all guests are told a moment after their rows */
    for (int i = 0; i < 1000 && !(contains("answer", samples) &&
                                  contains("answer", sampling));
         i++) {
        rest();
        ask("/metrics");
    }
    CHECK_CONTAINS("answer", samples);
    CHECK_CONTAINS("answer", sampling);
    ask("/healthz");
    CHECK_CONTAINS("answer", "HTTP/1.1 200 OK\r\n");
    CHECK_CONTAINS("answer", "ok: 1 of 1 guest sampled\n");
    ask("/");
    CHECK_CONTAINS("answer", "<td>one<td>sampled<td>1<td>97");
    CHECK_EQ(kill(serve, SIGSTOP), 0); /* the page's process goes on */
    for (int i = 0; i < 1000 && !contains("answer", "503"); i++) {
        rest();
        ask("/healthz");
    }
    CHECK_CONTAINS("answer", "the serving loop has not run for ");
    CHECK_CONTAINS("answer", "Retry-After: 1");
    CHECK_EQ(kill(serve, SIGCONT), 0);
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_CONTAINS("err", "collector serve: 50 samples, 0 lost");
}

static void play_300(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 300);
    write_text("sent300", "");
    end_session(fd, 300);
}

/* How many files of (guest) are in the spool; their sizes' sum in (*bytes). */
static uint64_t files_of(const char *guest, uint64_t *bytes)
{
    DIR *folder = opendir("spool");
    const struct dirent *entry;
    uint64_t files = 0;

    CHECK(folder != NULL);
    *bytes = 0;
    while ((entry = readdir(folder)) != NULL) {
        struct stat st;

        if (strncmp(entry->d_name, guest, strlen(guest)) != 0 ||
            fstatat(dirfd(folder), entry->d_name, &st, 0) != 0)
            continue;
        files++;
        *bytes += (uint64_t)st.st_size;
    }
    (void)closedir(folder);
    return files;
}

/* (metric) of (guest) in "answer"; 0: it is not there. */
static uint64_t metric_of(const char *metric, const char *guest)
{
    char key[128];
    const char *at;

    (void)snprintf(key, sizeof key, "\n%s{guest=\"%s\"} ", metric, guest);
    at = strstr(text_of("answer"), key);
    return at != NULL ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Of (guest) there are as many windows and bytes as the disk has; each second
 * another one comes, which may be between the two looks. */
static void check_windows(const char *guest)
{
    uint64_t files = 0, bytes = 0;

    for (int i = 0; i < 100; i++) {
        ask("/metrics");
        files = files_of(guest, &bytes);
        if (files != 0 &&
            files == metric_of("tprof_guest_windows_total", guest) &&
            bytes == metric_of("tprof_guest_bytes_total", guest))
            break;
        rest();
    }
    CHECK(files != 0);
    CHECK_EQ(metric_of("tprof_guest_windows_total", guest), files);
    CHECK_EQ(metric_of("tprof_guest_bytes_total", guest), bytes);
}

/* Catches: bytes of another guest, of all, or of what a connection carried. The
 * second one has more samples, so its windows are larger. */
TEST(windows_are_as_large_as_their_files)
{
    need_page();
    pid_t one = start_guest("run/one", play_50);
    pid_t two = start_guest("run/two", play_300);
    pid_t serve = start_collector("serve --watch run --listen 127.0.0.1:0 "
                                  "--spool spool --window 1s");

    wait_for_samples();
    check_windows("one");
    check_windows("two");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    join_guest(two);
}

#define A16 "aaaaaaaaaaaaaaaa"
#define A64 A16 A16 A16 A16

TEST(page_of_a_guest)
{
    need_page();
    pid_t one = start_guest("run/one", play_50);
    pid_t serve = start_collector("serve --watch run --listen 127.0.0.1:0 "
                                  "--spool spool --window 1s");

    wait_for_samples();
    ask("/");
    for (int i = 0; i < 1000 && !contains("answer", "<a href=\"/guest/one\">");
         i++) {
        rest();
        ask("/");
    }
    CHECK_CONTAINS("answer", "<a href=\"/guest/one\">one</a>");
    ask("/guest/one?since=-1h");
    CHECK_CONTAINS("answer", "HTTP/1.1 200 OK\r\n");
    CHECK_CONTAINS("answer", "Content-Type: text/html");
    CHECK_CONTAINS("answer", "script-src 'unsafe-inline'");
    CHECK_CONTAINS("answer", "data-part=\"moments\"");
    ask("/guest/two");
    CHECK_CONTAINS("answer", "HTTP/1.1 404 Not Found\r\n");
    CHECK_CONTAINS("answer", "collector report: ");
    ask("/guest/one?since=today&until=-1h");
    CHECK_CONTAINS("answer", "HTTP/1.1 404 Not Found\r\n");
    CHECK_CONTAINS("answer", "no window begins in that time");
    ask("/guest/one?build=1234");
    CHECK_CONTAINS("answer", "HTTP/1.1 404 Not Found\r\n");
    CHECK_CONTAINS("answer", "1234");
    ask("/guest/one?build=" A64);
    CHECK_CONTAINS("answer", A64);
    ask("/guest/one?build=a" A64);
    CHECK_CONTAINS("answer", "time or build");
    ask("/guest/one?until=123456789-123456789-123456789-12");
    CHECK_CONTAINS("answer", "time or build");
    ask("/guest/one?build=--listen");
    CHECK_CONTAINS("answer", "--build: ");
    ask("/guest/one?since=--listen");
    CHECK_CONTAINS("answer", "--since: '--listen' is no");
    ask("/guest/..%2f..%2fetc");
    CHECK_CONTAINS("answer", "unknown guest");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
}

/* Catches: a page that has report take the guest's name for an option */
TEST(guests_are_called_like_options)
{
    need_page();
    pid_t one = start_guest("run/-o", play_50);
    pid_t two = start_guest("run/--help", play_50);
    pid_t serve = start_collector("serve --watch run --listen 127.0.0.1:0 "
                                  "--spool spool --window 1s");

    ask_until("/", "<a href=\"/guest/-o\">");
    ask_until("/", "<a href=\"/guest/--help\">");
    ask_until("/guest/-o?since=-1h", "data-part=\"moments\"");
    ask_until("/guest/--help?since=-1h", "data-part=\"moments\"");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    join_guest(two);
}

/* A window of (guest) that began (minutes) ago; nothing can be read in it. */
static void put_window(const char *guest, unsigned minutes)
{
    char path[64];

    (void)snprintf(path, sizeof path, "spool/%s.%llu000.tprof", guest,
                   (unsigned long long)time(NULL) - minutes * 60);
    write_text(path, "x");
}

/* catches: a page of another time than what its link says */
TEST(page_without_words_is_of_ten_minutes)
{
    need_page();
    CHECK_EQ(mkdir("spool", 0700), 0);
    put_window("new", 8);
    put_window("old", 12);
    pid_t serve = start_collector("serve --watch run --listen 127.0.0.1:0 "
                                  "--spool spool");

    ask("/guest/old");
    CHECK_CONTAINS("answer", "no window begins in that time");
    ask("/guest/old?since=-1h");
    CHECK_CONTAINS("answer", "collector report: ");
    CHECK(!contains("answer", "no window begins in that time"));
    ask("/guest/new");
    CHECK_CONTAINS("answer", "collector report: ");
    CHECK(!contains("answer", "no window begins in that time"));
    CHECK_EQ(end_collector(serve), 0);
}

/* catches: a receiver that gets nothing any more, and nobody sees it, or not
 * for how long */
TEST(windows_that_wait_for_push_are_counted)
{
    static const char name[] =
        "\ntprof_spool_oldest_unsent_seconds{tag=\"0123abcd\"} ";
    const time_t begun = time(NULL);
    const char *oldest;
    double seconds;

    need_page();
    CHECK_EQ(mkdir("spool", 0700), 0);
    write_text("spool/one.1764000000000.tprof", "x");
    write_text("spool/one.1764000000000.tprof.sent-0123abcd", "");
    write_text("spool/one.1764000010000.tprof", "x");
    write_text("spool/two.1764000005000.tprof", "x");
    pid_t serve = start_collector("serve --watch run --listen 127.0.0.1:0 "
                                  "--spool spool --spool-age 9000d");

    ask_until("/metrics", "tprof_spool_unsent_windows{tag=\"0123abcd\"} 2\n");
    oldest = strstr(text_of("answer"), name);
    CHECK(oldest != NULL);
    seconds = strtod(oldest + sizeof name - 1, NULL) + 1764000005;
    CHECK(seconds >= (double)begun && seconds <= (double)time(NULL) + 1);
    ask_until("/", "2 windows wait for collector push");
    CHECK_CONTAINS("answer", "Collecting for ");
    CHECK_EQ(end_collector(serve), 0);
}

#define GRANDCHILDREN 8

/* The processes that are kept when there are (count) of them. */
static void wait_for_processes(pid_t serve, pid_t *list, int count)
{
    int found = grandchildren_of(serve, list, GRANDCHILDREN);

    for (int i = 0; i < 1000 && found != count; i++) {
        rest();
        found = grandchildren_of(serve, list, GRANDCHILDREN);
    }
    CHECK_EQ(found, count);
}

/* Nobody is reached at (at) any more. */
static void wait_for_silence(const struct sockaddr_in *at)
{
    int fd = reach(at);

    for (int i = 0; i < 1000 && fd >= 0; i++) {
        (void)close(fd);
        rest();
        fd = reach(at);
    }
    CHECK_EQ(fd, -1);
}

static const char again[] = " is started again: ended by signal 9, Killed\n";

TEST(page_is_there_again_after_a_kill)
{
    pid_t list[GRANDCHILDREN];

    need_page();
    pid_t serve = start_collector("serve --watch run --listen 127.0.0.1:0");

    ask("/metrics");
    CHECK_CONTAINS("answer", "\ntprof_page_restarts_total 0\n");
    wait_for_processes(serve, list, 1);
    struct sockaddr_in at = address();

    CHECK_EQ(kill(list[0], SIGKILL), 0);
    while (parent_of(list[0]) != 0)
        rest();
    ask("/healthz"); /* nobody answers yet: it waits, and is not turned away */
    CHECK_CONTAINS("answer", "HTTP/1.1 200 OK\r\n");
    CHECK_CONTAINS("err", again);
    ask("/metrics");
    CHECK_CONTAINS("answer", "\ntprof_page_restarts_total 1\n");
    CHECK_CONTAINS("answer", "\ntprof_merge_restarts_total 0\n");
    wait_for_processes(serve, list, 1);
    CHECK_EQ(kill(list[0], SIGKILL), 0);
    time_t before = time(NULL);

    CHECK_EQ(kill(serve, SIGTERM), 0); /* while it is not there */
    CHECK_EQ(join_collector(serve), 0);
    wait_for_silence(&at);
    /* on a busy machine the end takes longer than the second that passes
     * before it is there again */
    CHECK(occurrences("err", again) == 1 || time(NULL) > before);
}

/* That which answers, that which has pages of guests written, and that which
 * merges windows, in any order. */
TEST(pages_of_guests_are_there_again_after_a_kill)
{
    pid_t list[GRANDCHILDREN];
    int status;

    need_page();
    pid_t one = start_guest("run/one", play_50);
    pid_t serve = start_collector("serve --watch run --listen 127.0.0.1:0 "
                                  "--spool spool --window 1s");

    wait_for_samples();
    for (int i = 0; i < 3; i++) {
        wait_for_processes(serve, list, 3);
        CHECK_EQ(kill(list[i], SIGKILL), 0);
        while (parent_of(list[i]) != 0)
            rest();
        for (int t = 0; t < 500; t++) { /* what was asked too early ends */
            ask("/guest/one?since=-1h");
            if (contains("answer", "data-part=\"moments\""))
                break;
            rest();
        }
        CHECK_CONTAINS("answer", "HTTP/1.1 200 OK\r\n");
        for (int t = 0;
             t < 1000 && occurrences("err", " is started again: ") != i + 1;
             t++)
            rest();
        CHECK_EQ(occurrences("err", " is started again: "), i + 1);
    }
    struct sockaddr_in at = address();

    CHECK_EQ(kill(one, SIGKILL), 0);
    CHECK_EQ(kill(serve, SIGKILL), 0);
    CHECK_EQ(waitpid(serve, &status, 0), serve);
    wait_for_silence(&at);
}

/* Of kernel.elf, from objdump. */
#define TEXT       0x200000u
#define IN_RECEIVE 0xd9u /* less TEXT */
#define IN_IDLE    0xe7u /* behind its hlt */

/* (n) samples at (leaf), of which each covers (weight) deadlines. */
static void put_samples(unsigned n, int64_t leaf, uint64_t weight)
{
    for (unsigned i = 0; i < n; i++)
        wiregen_long_sample(&wire, &(struct wiregen_long){.dt = 8000 * weight,
                                                          .id = 1,
                                                          .leaf = leaf,
                                                          .weight = weight});
}

/* It runs (id), and sleeps for a quarter of its time, once it is asked to. */
static void play_sleeper(int listener, const char *id)
{
    int fd = meet(listener);

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = TEXT,
                                                 .text_size = 0x127,
                                                 .build_id = id});
    say(fd);
    CHECK(hear(fd));
    for (int i = 0; i < 1000 && access("sleep", F_OK) != 0; i++)
        rest();
    wiregen_samples_begin(&wire, &(struct wiregen_samples){
                                     .shift = 4, .period = 8000, .epoch = 1});
    wiregen_stack(&wire, &(struct wiregen_stack){.id = 1});
    put_samples(20, IN_RECEIVE, 2);
    put_samples(20, IN_RECEIVE, 1);
    put_samples(10, IN_IDLE, 2);
    wiregen_samples_end(&wire, (uint64_t[4]){50, 30, 0, 0});
    say(fd);
    end_session(fd, 50);
}

static void play_kernel(int listener)
{
    play_sleeper(listener, KERNEL_ID);
}

static void play_other_build(int listener)
{
    play_sleeper(listener, REBUILT_ID);
}

/* What the page in "answer" knows of its guest, into "guest": zlib's stream
 * with gzip's header in the place of its own. */
static void unpack_page(void)
{
    int done = system(
        "(printf '\\037\\213\\010\\0\\0\\0\\0\\0\\0\\0'; "
        "sed -n 's/.*data-part=\"guest\">\\([^<]*\\).*/\\1/p' answer | "
        "base64 -d | tail -c +3) | gzip -dc 2>trailer | tr -d '\\0' >guest");

    CHECK_EQ(done, 0);
}

/* Catches: a share of another build's code, one that differs from the report's,
 * pages that fail since a guest runs none of the files, and windows that do not
 * name their image. */
TEST(busy_is_what_a_report_says)
{
    need_page();
    copy_image("kernel.elf", KERNEL, KERNEL_ID, KERNEL_ID);
    pid_t one = start_guest("run/one", play_kernel);
    pid_t two = start_guest("run/two", play_other_build);
    pid_t serve =
        start_collector("serve --watch run --elf kernel.elf --spool spool "
                        "--window 1s --listen 127.0.0.1:0");

    ask_until("/metrics", "tprof_guest_up{guest=\"one\"} 1\n");
    ask_until("/metrics", "tprof_guest_up{guest=\"two\"} 1\n");
    CHECK(!contains("answer", "tprof_guest_busy_ratio{"));
    write_text("sleep", "");
    ask_until("/metrics", "tprof_guest_samples_total{guest=\"one\"} 50\n");
    ask_until("/metrics", "tprof_guest_samples_total{guest=\"two\"} 50\n");
    CHECK_CONTAINS("answer",
                   "tprof_guest_busy_ratio{guest=\"one\"} 0.750000\n");
    CHECK(!contains("answer", "tprof_guest_busy_ratio{guest=\"two\"}"));
    ask_until("/", "<a href=\"/guest/one\">one</a>");
    ask_until("/", "<a href=\"/guest/two\">two</a>");
    CHECK_CONTAINS("answer", "one</a><td>sampled<td>1<td>97<td>75.0 %<td>50");
    CHECK_CONTAINS("answer", "two</a><td>sampled<td>1<td>97<td>-<td>50");
    CHECK_CONTAINS("answer", "give that image to collector serve with --elf");
    ask("/guest/one?since=-1h");
    CHECK_CONTAINS("answer", "HTTP/1.1 200 OK\r\n");
    unpack_page();
    CHECK_CONTAINS("guest", "kernel::bus::receive");
    ask("/guest/two?since=-1h");
    CHECK_CONTAINS("answer", "HTTP/1.1 200 OK\r\n");
    unpack_page();
    CHECK_CONTAINS("guest", "0x2000d9");
    CHECK(!contains("guest", "kernel::bus::receive"));
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    join_guest(two);
    CHECK_EQ(collector("report --spool spool --guest one --elf kernel.elf"), 0);
    CHECK_CONTAINS("out", "\n   0   75.0 %  ");
    CHECK_EQ(collector("report --spool spool --guest one"), 0);
    CHECK_CONTAINS("out", "  kernel::bus::receive  ");
    CHECK_EQ(collector("report --spool spool --guest two"), 0);
    CHECK_CONTAINS("out", "Addresses have no names");
    /* the kernel is built anew */
    copy_image("kernel.elf", KERNEL, KERNEL_ID, REBUILT_ID);
    CHECK_EQ(collector("report --spool spool --guest one"), 0);
    CHECK_CONTAINS("out", "one, kernel.elf: 50 samples");
    CHECK_CONTAINS("out", "\n   0   75.0 %  ");
    CHECK_CONTAINS("out", "  kernel::bus::receive  ");
    CHECK_EQ(rename("kernel.elf", "gone"), 0);
    CHECK_EQ(collector("report --spool spool --guest one"), 0);
    CHECK_CONTAINS("out", "  kernel::bus::receive  ");
    /* push reads the copy, too */
    CHECK_EQ(collector("push --to sent --format folded spool"), 0);
    CHECK_EQ(system("cat sent/one/*/*.folded >folded"), 0);
    CHECK_CONTAINS("folded", "kernel::bus::receive ");
    CHECK(!contains("folded", "0x"));
}

#define TOKEN "0123456789abcdef"
#define SERVE_ONE                                                              \
    "serve --watch run --elf kernel.elf --spool spool --window 1s "            \
    "--listen 127.0.0.1:0"

/* Catches: sources of the user who serves, in a page for all local users; and
 * one that does not say why they are not there */
TEST(code_is_for_clients_with_a_token)
{
    static const struct {
        const char *options;
        bool code;
    } serves[] = {
        {"", false}, {" --page-code", true}, {" --token-file token", true}};

    need_page();
    write_text("token", TOKEN "\n");
    copy_image("kernel.elf", KERNEL, KERNEL_ID, KERNEL_ID);
    write_text("sleep", "");
    pid_t one = start_guest("run/one", play_kernel);
    pid_t serve = start_collector(SERVE_ONE);

    ask_until("/metrics", "tprof_guest_samples_total{guest=\"one\"} 50\n");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    for (size_t i = 0; i < sizeof serves / sizeof serves[0]; i++) {
        char line[128];

        (void)snprintf(line, sizeof line, SERVE_ONE "%s", serves[i].options);
        write_text("err", "");
        serve = start_collector(line);
        ask_with("/guest/one?since=-1h",
                 "Host: localhost\r\nAuthorization: Bearer " TOKEN "\r\n");
        CHECK_CONTAINS("answer", "data-part=\"moments\"");
        CHECK_EQ(contains("answer", "data-part=\"code\""), serves[i].code);
        CHECK_EQ(contains("answer", "<meta name=\"tprof-code\""),
                 !serves[i].code);
        CHECK_EQ(end_collector(serve), 0);
    }
    CHECK_EQ(collector("serve --watch run --page-code"), 1);
    CHECK_CONTAINS("err", "--page-code goes with --listen");
}

/* Those of the file, and those that come into it later. */
TEST(images_in_the_file_of_guests)
{
    need_page();
    copy_image("kernel.elf", KERNEL, KERNEL_ID, KERNEL_ID);
    write_text("guests", "serial=one elf=kernel.elf name=web\n"
                         "serial=two elf=missing.elf\n");
    pid_t one = start_guest("one", play_kernel);
    pid_t serve = start_collector("serve --guests guests --listen 127.0.0.1:0");

    ask_until("/metrics", "tprof_guest_up{guest=\"web\"} 1\n");
    CHECK_CONTAINS("err", "missing.elf: No such file or directory");
    write_text("sleep", "");
    ask_until("/metrics", "tprof_guest_busy_ratio{guest=\"web\"} 0.750000\n");
    write_text("guests", "serial=one elf=other.elf name=web\n");
    CHECK_EQ(kill(serve, SIGHUP), 0);
    for (int i = 0; i < 1000 && !contains("err", "web: other.elf: "); i++)
        rest();
    CHECK_CONTAINS("err",
                   "web: other.elf: images are opened only at the start");
    ask_until("/metrics", "tprof_guest_up{guest=\"web\"} 1\n");
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    CHECK_EQ(collector("serve --watch . --elf missing.elf"), 1);
    CHECK_CONTAINS("err", "missing.elf: No such file or directory");
}

/* Catches: images that a confined process cannot open any more */
TEST(images_by_build_id)
{
    need_page();
    CHECK_EQ(mkdir("symbols", 0700), 0);
    CHECK_EQ(mkdir("symbols/.build-id", 0700), 0);
    CHECK_EQ(mkdir("symbols/.build-id/01", 0700), 0);
    copy_image("symbols/.build-id/01/23456789abcdef0123456789abcdef01234567",
               KERNEL, KERNEL_ID, KERNEL_ID);
    pid_t one = start_guest("run/one", play_kernel);
    pid_t two = start_guest("run/two", play_other_build);
    pid_t serve = start_collector("serve --watch run --symbols symbols "
                                  "--listen 127.0.0.1:0");

    ask_until("/metrics", "tprof_guest_up{guest=\"one\"} 1\n");
    ask_until("/metrics", "tprof_guest_up{guest=\"two\"} 1\n");
    write_text("sleep", "");
    ask_until("/metrics", "tprof_guest_busy_ratio{guest=\"one\"} 0.750000\n");
    ask_until("/metrics", "tprof_guest_samples_total{guest=\"two\"} 50\n");
    CHECK(!contains("answer", "tprof_guest_busy_ratio{guest=\"two\"}"));
    CHECK_EQ(end_collector(serve), 0);
    join_guest(one);
    join_guest(two);
}
