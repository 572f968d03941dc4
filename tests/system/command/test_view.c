/* SPDX-License-Identifier: BSD-2-Clause */
/* collector view: the page, and the program that opens the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

/* A folder with monday.tprof, and with an xdg-open in bin/ that writes its
 * arguments to the file opened. The environment is that of a desktop. */
static void at_a_desk(void)
{
    char folder[512], path[1024];

    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 200ms --rate 1k"), 0);
    CHECK_EQ(rename("tprof.tprof", "monday.tprof"), 0);
    join_guest(guest);
    CHECK_EQ(mkdir("bin", 0700), 0);
    write_text("bin/xdg-open",
               "#!/bin/sh\necho \"$#\" \"$@\" >new; mv new opened\n");
    CHECK_EQ(chmod("bin/xdg-open", 0700), 0);
    CHECK(getcwd(folder, sizeof folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/bin:/usr/bin:/bin", folder);
    CHECK_EQ(setenv("PATH", path, 1), 0);
    (void)snprintf(path, sizeof path, "%s/home", folder);
    CHECK_EQ(mkdir(path, 0700), 0);
    CHECK_EQ(setenv("HOME", path, 1), 0);
    CHECK_EQ(unsetenv("XDG_CACHE_HOME"), 0);
    CHECK_EQ(setenv("DISPLAY", ":0", 1), 0);
    CHECK_EQ(setenv("USER", "me", 1), 0);
    CHECK_EQ(unsetenv("SSH_CONNECTION"), 0);
}

/* The page of monday.tprof, unless -o names another. */
#define PAGE "home/.cache/tprof/monday.html"

/* The browser was asked for the page (name) of this folder. */
static void check_opened(const char *name)
{
    char folder[512], want[1024];

    CHECK(getcwd(folder, sizeof folder) != NULL);
    (void)snprintf(want, sizeof want, "1 %s/%s\n", folder, name);
    wait_for_size("opened", (long)strlen(want));
    CHECK_STR(text_of("opened"), want);
}

TEST(the_page_is_opened_once_it_is_written)
{
    at_a_desk();
    CHECK_EQ(collector("view monday.tprof"), 0);
    CHECK_CONTAINS("err", "/" PAGE " (");
    CHECK_CONTAINS(PAGE, "<!DOCTYPE html>");
    check_opened(PAGE);
    CHECK(access("monday.html", F_OK) != 0);
}

TEST(the_page_has_the_name_that_was_typed) /* catches: a format by suffix */
{
    at_a_desk();
    CHECK_EQ(collector("view monday.tprof -o -x.txt"), 0);
    CHECK_CONTAINS("-x.txt", "<!DOCTYPE html>");
    check_opened("-x.txt"); /* no option of xdg-open */
}

TEST(a_page_that_fails_is_not_opened) /* catches: the page of yesterday */
{
    at_a_desk();
    write_text("monday.html", "my own");
    CHECK_EQ(collector("view monday.tprof -o monday.html"), 1);
    CHECK_STR(text_of("monday.html"), "my own");
    CHECK_EQ(collector("view nothing.tprof"), 1);
    CHECK_EQ(collector("view"), 2);
    CHECK_CONTAINS("err", "type: collector view FILE");
    CHECK(access("opened", F_OK) != 0);
    CHECK_EQ(collector("view monday.tprof -o monday.html --force"), 0);
    check_opened("monday.html");
}

TEST(the_page_is_where_the_browser_can_read) /* catches: a snap's empty page */
{
    at_a_desk();
    CHECK_EQ(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    CHECK_EQ(collector("view monday.tprof"), 0);
    CHECK_CONTAINS(PAGE, "<!DOCTYPE html>");
    char folder[512], path[2048];

    CHECK(getcwd(folder, sizeof folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/mine", folder);
    CHECK_EQ(setenv("XDG_CACHE_HOME", path, 1), 0);
    CHECK_EQ(collector("view monday.tprof"), 0);
    CHECK_CONTAINS("mine/tprof/monday.html", "<!DOCTYPE html>");

    CHECK_EQ(mkdir("snap", 0700), 0);
    CHECK_EQ(mkdir("snap/bin", 0700), 0);
    write_text("snap/bin/firefox", "");
    CHECK_EQ(chmod("snap/bin/firefox", 0700), 0);
    (void)snprintf(path, sizeof path, "%s/bin:%s/snap/bin:/bin", folder,
                   folder);
    CHECK_EQ(setenv("PATH", path, 1), 0);
    CHECK_EQ(collector("view monday.tprof"), 0);
    CHECK_CONTAINS("err", "wrote monday.html (");
    CHECK_CONTAINS("monday.html", "<!DOCTYPE html>");
}

TEST(an_ssh_session_opens_nothing)
{
    at_a_desk();
    CHECK_EQ(setenv("SSH_CONNECTION", "10.0.0.9 50000 fe80::2 2222", 1), 0);
    CHECK_EQ(collector("view monday.tprof"), 0);
    CHECK_CONTAINS("err", "  scp -P 2222 'me@[fe80::2]:/");
    CHECK_CONTAINS("err", "/monday.html' .\n");
    CHECK_EQ(setenv("SSH_CONNECTION", "10.0.0.9 50000 10.0.0.2 22", 1), 0);
    CHECK_EQ(collector("view monday.tprof"), 0);
    CHECK_CONTAINS("err", "  scp 'me@10.0.0.2:/");
    CHECK(access("opened", F_OK) != 0);
}

TEST(without_a_display_the_place_is_said)
{
    at_a_desk();
    CHECK_EQ(unsetenv("DISPLAY"), 0);
    CHECK_EQ(unsetenv("WAYLAND_DISPLAY"), 0);
    CHECK_EQ(collector("view monday.tprof"), 0);
    CHECK_CONTAINS("err", "/monday.html yourself\n");
    CHECK(access("opened", F_OK) != 0);
}
