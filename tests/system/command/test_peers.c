/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose sockets the collector talks with: a path may lie in /tmp. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

#define NOBODY 65534u

static int ready[2];

/* From here on this process and its listener are somebody else's: the kernel
 * tells who called listen() last. */
static void become_nobody(int listener)
{
    CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    CHECK_EQ(listen(listener, 4), 0);
    CHECK_EQ(write(ready[1], "x", 1), 1);
}

static void play_mute(int listener)
{
    become_nobody(listener);
    (void)pause();
}

static void play_50(int listener)
{
    become_nobody(listener);
    play_in_order(listener, 50);
}

static void play_uds_50(int listener)
{
    become_nobody(listener);
    int fd = meet_uds(listener);

    begin_session(fd, 1, NULL, 50);
    end_session(fd, 50);
}

static pid_t start_stranger(void (*play)(int listener))
{
    char byte;

    if (geteuid() != 0)
        SKIP("only root can play two users");
    enter_dir();
    CHECK_EQ(pipe(ready), 0);
    pid_t pid = start_guest("port", play);

    CHECK_EQ(read(ready[0], &byte, 1), 1);
    return pid;
}

static void check_refused(const char *line)
{
    pid_t stranger = start_stranger(play_mute);

    CHECK_EQ(collector(line), 1);
    CHECK_CONTAINS("err", "port belongs to user 65534, who is neither you nor "
                          "root; if that is right, add --peer 65534");
    CHECK_EQ(kill(stranger, SIGKILL), 0);
    CHECK_EQ(waitpid(stranger, NULL, 0), stranger);
}

/* Catches: orders to, and a report by, whoever was first in /tmp */
TEST(serial_port_of_another_user_is_refused)
{
    check_refused("--serial port -d 0.2");
}

TEST(vsock_of_another_user_is_refused) /* catches: likewise */
{
    check_refused("--vsock-uds port -d 0.2 --peer 12345");
}

TEST(user_who_was_named_is_trusted) /* catches: a VMM that runs by itself */
{
    pid_t friend = start_stranger(play_50);

    CHECK_EQ(collector("--serial port -d 0.2 --peer 65534"), 0);
    join_guest(friend);
    CHECK_CONTAINS("out", "50 samples of 1 core");
}

TEST(any_user_may_be_trusted) /* catches: likewise, by vsock */
{
    pid_t friend = start_stranger(play_uds_50);

    CHECK_EQ(collector("record --vsock-uds port -d 0.2 --peer any"), 0);
    join_guest(friend);
    CHECK_CONTAINS("err", "50 samples");
}

TEST(terminal_of_another_user_is_refused) /* catches: a link in /tmp to one */
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    if (geteuid() != 0)
        SKIP("only root can play two users");
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        SKIP("no pseudo terminals here");
    enter_dir();
    CHECK_EQ(chown(ptsname(master), NOBODY, (gid_t)-1), 0);
    CHECK_EQ(symlink(ptsname(master), "port"), 0);
    CHECK_EQ(collector("--serial port -d 0.2"), 1);
    CHECK_CONTAINS("err", "port belongs to user 65534");
}
