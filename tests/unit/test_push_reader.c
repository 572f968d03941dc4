/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that reads recordings for push. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "cli/command.h"
#include "fleet/push/push_reader.h"

/* Descriptors of the process (pid) other than the standard ones. */
static int descriptors(pid_t pid)
{
    char path[64];
    const struct dirent *entry;
    int count = 0;

    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);

    if (folder == NULL)
        SKIP("only root sees what a confined process has open");
    while ((entry = readdir(folder)) != NULL)
        count += entry->d_name[0] != '.' && atoi(entry->d_name) > STDERR_FILENO;
    (void)closedir(folder);
    return count;
}

/* Have a recording read that is not there. While the process waits for the next
 * one, it must have only its (sockets): to this process, and to its helper if
 * there is one. */
static void check_reader(enum sandbox_mode mode, int sockets)
{
    const struct push_config options = {
        .from = {.sandbox = mode, .memory = 1u << 30}};
    const struct receiver_kind kind = {.name = "none"};
    const struct receiver receiver = {.kind = &kind};
    const struct origin origin = {.guest = "web"};
    const struct parcel parcel = {.origin = &origin};
    struct push_tell tell = {.notify_fd = -1};
    struct push_reader r = {
        .options = &options, .receiver = &receiver, .tell = &tell};
    FILE *window = tmpfile();
    int sender[2], output = dup(STDOUT_FILENO);
    struct err e = {""};

    CHECK(window != NULL && output > STDERR_FILENO);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sender), 0);
    CHECK_EQ(push_reader_read(&r, &parcel, "none.tprof", window, &e),
             EXIT_FAILED);
    CHECK(r.child > 0);
    CHECK_EQ(descriptors(r.child), sockets);
    push_reader_end(&r);
    CHECK_EQ(r.child, 0);
    (void)close(sender[0]);
    (void)close(sender[1]);
    (void)close(output);
    (void)fclose(window);
}

/* Each catches: a process that is taken over by a recording, and speaks to
 * receivers with the user's credentials by an inherited socket */
TEST(reader_has_its_sockets_and_nothing_else)
{
    check_reader(SANDBOX_AUTO, sandbox_wanted(SANDBOX_AUTO) ? 2 : 1);
}

TEST(reader_without_a_sandbox_has_its_socket_and_nothing_else)
{
    check_reader(SANDBOX_OFF, 1);
}
