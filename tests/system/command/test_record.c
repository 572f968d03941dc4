/* SPDX-License-Identifier: BSD-2-Clause */
/* collector record: what becomes of a peer that sends without end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static uint8_t zeros[1 << 16];

static long size_of(const char *name)
{
    struct stat st;

    CHECK_EQ(stat(name, &st), 0);
    return (long)st.st_size;
}

/* Bytes of no meaning to (fd), (pieces) times 64 KiB. Returns whether all were
 * taken. */
static bool send_zeros(int fd, unsigned pieces)
{
    for (unsigned i = 0; i < pieces; i++)
        for (size_t at = 0; at < sizeof zeros;) {
            ssize_t n = write(fd, zeros + at, sizeof zeros - at);

            if (n <= 0)
                return false;
            at += (size_t)n;
        }
    return true;
}

/* A console says much before the guest does. */
static void play_late(int listener)
{
    int fd = meet(listener);

    CHECK(send_zeros(fd, 160)); /* 10 MiB */
    begin_session(fd, 1, NULL, 50);
    end_session(fd, 50);
}

/* catches: a recording that has what came before the guest, without bound */
TEST(a_recording_begins_with_the_guest)
{
    enter_dir();
    pid_t guest = start_guest("port", play_late);

    CHECK_EQ(collector("record --serial port -o run.tprof -d 0.5"), 0);
    join_guest(guest);
    CHECK(size_of("run.tprof") < 160 << 10);
    CHECK_EQ(collector("report run.tprof"), 0);
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK_CONTAINS("out", "none lost");
}

static void play_nonsense(int listener)
{
    int fd = meet(listener);

    (void)signal(SIGPIPE, SIG_IGN);
    while (send_zeros(fd, 1))
        continue;
}

/* catches: a disk that a peer fills, since -d begins with the guest */
TEST(a_peer_that_is_no_guest_ends_with_a_word)
{
    struct rusage used;

    enter_dir();
    pid_t guest = start_guest("port", play_nonsense);

    CHECK_EQ(collector("record --serial port -o run.tprof --wait 2 -d 1"), 1);
    join_guest(guest);
    CHECK_CONTAINS("err", "are not tprof's");
    CHECK(access("run.tprof", F_OK) != 0 || size_of("run.tprof") < 1024);
    CHECK_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
    CHECK(SANITIZED || used.ru_maxrss < 64 << 10); /* KiB */
}

/* Samples: (count) times 50 in 394 bytes, which nobody may want any more. */
static uint64_t play_samples(int fd, unsigned count)
{
    CHECK(freopen("/dev/null", "w", stderr) != NULL);
    for (unsigned i = 1; i < count; i++)
        say_samples(fd, 50, i * 50);
    return count * 50;
}

/* Hears that it is enough. */
static void play_much(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    end_session(fd, play_samples(fd, 310));
}

/* Does not hear. */
static void play_more(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    (void)play_samples(fd, 100000);
}

/* catches: no limit, or a recording that is cut at it */
TEST(a_recording_ends_at_its_size)
{
    enter_dir();
    CHECK_EQ(collector("record --serial port --max-size 10K"), 2);
    CHECK_CONTAINS("err", "--max-size");
    pid_t guest = start_guest("port", play_much);

    CHECK_EQ(collector("record --serial port -o run.tprof --max-size 128K"), 0);
    join_guest(guest);
    CHECK_CONTAINS("err", "run.tprof has the 128K of --max-size: sampling ends "
                          "here");
    CHECK_CONTAINS("err", "holds 15,500 samples of");
    CHECK(size_of("run.tprof") > 96 << 10 && size_of("run.tprof") < 136 << 10);
    CHECK_EQ(collector("report run.tprof"), 0);
    CHECK_CONTAINS("out", "15,500 samples of 1 core");
    CHECK_CONTAINS("out", "none lost");
}

/* catches: one that is as long as a guest likes which does not stop */
TEST(a_recording_has_no_more_than_its_size)
{
    enter_dir();
    pid_t guest = start_guest("port", play_more);

    CHECK_EQ(collector("record --serial port -o run.tprof --max-size 128K"), 0);
    (void)kill(guest, SIGKILL);
    CHECK_CONTAINS("err", "run.tprof has the 128K of --max-size");
    CHECK(size_of("run.tprof") > 64 << 10 && size_of("run.tprof") < 136 << 10);
    CHECK_EQ(collector("report run.tprof"), 0);
    CHECK_CONTAINS("out", "samples of 1 core");
}
