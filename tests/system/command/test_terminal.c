/* SPDX-License-Identifier: BSD-2-Clause */
/* The report on a terminal: width, colour and pager; and in a pipe. */
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

/* A recording in a.tprof. */
static void record(void)
{
    enter_dir();
    pid_t guest = start_guest("one", play_50);

    CHECK_EQ(collector("record --serial one -d 0.2 -o a.tprof"), 0);
    join_guest(guest);
    CHECK_EQ(setenv("TERM", "xterm", 1), 0);
    CHECK_EQ(unsetenv("COLUMNS"), 0);
    CHECK_EQ(unsetenv("NO_COLOR"), 0);
    CHECK_EQ(unsetenv("PAGER"), 0);
    CHECK_EQ(setenv("TPROF_PAGER", "", 1), 0);
}

/* What a terminal of (columns) shows of the shell command (line), in which $C
 * is the collector, in the file "screen". Behind the text (cue) (keys) are
 * typed; NULL: none. */
static void show_typing(unsigned short columns, const char *line,
                        const char *cue, const char *keys)
{
    const struct winsize size = {.ws_row = 24, .ws_col = columns};
    int master, status;
    char bytes[4096];
    FILE *screen = fopen("screen", "w");
    pid_t child = forkpty(&master, NULL, NULL, &size);
    ssize_t n;

    CHECK(screen != NULL && child >= 0);
    if (child == 0) {
        (void)alarm(30);
        (void)setenv("C", COLLECTOR, 1);
        (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    /* an error is the end of a terminal that all have left */
    while ((n = read(master, bytes, sizeof bytes)) > 0) {
        CHECK_EQ(fwrite(bytes, 1, (size_t)n, screen), (size_t)n);
        if (keys != NULL && fflush(screen) == 0 && contains("screen", cue)) {
            CHECK_EQ(write(master, keys, strlen(keys)), (ssize_t)strlen(keys));
            keys = NULL;
        }
    }
    CHECK_EQ(fclose(screen), 0);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    (void)close(master);
}

static void show(unsigned short columns, const char *line)
{
    show_typing(columns, line, NULL, NULL);
}

/* The longest line of the screen. */
static size_t widest(void)
{
    size_t most = 0;

    for (const char *at = text_of("screen"); *at != '\0';) {
        size_t n = strcspn(at, "\r\n");

        most = n > most ? n : most;
        at += n + strspn(at + n, "\r\n");
    }
    return most;
}

TEST(text_is_as_wide_as_the_terminal)
{
    record();
    static const unsigned short widths[] = {60, 80, 200};

    for (size_t i = 0; i < 3; i++) {
        show(widths[i], "$C report a.tprof --color never");
        CHECK_CONTAINS("screen", "50 samples of 1 core");
        CHECK(widest() <= widths[i] && widest() > 40);
    }
    show(200, "COLUMNS=50 $C report a.tprof --color never");
    CHECK(widest() <= 50);

    pid_t guest = start_guest("live", play_50);

    show(60, "$C --serial live -d 0.2 --color never 2>/dev/null");
    join_guest(guest);
    CHECK_CONTAINS("screen", "Next:  -o run.tprof keeps");
    CHECK(widest() <= 60);
}

TEST(next_is_what_was_not_asked_for) /* catches: the same command again */
{
    record();
    show(80, "$C report a.tprof --color never");
    CHECK_CONTAINS("screen", "report a.tprof --details");
    show(80, "$C report a.tprof --color never --details");
    CHECK_CONTAINS("screen", "report a.tprof -o flame.html");
    CHECK(!contains("screen", "report a.tprof --details"));
}

TEST(colour_is_for_terminals_that_want_it)
{
    record();
    show(80, "$C report a.tprof");
    CHECK_CONTAINS("screen", "\033[1m0x400100\033[m");
    CHECK_CONTAINS("screen", "\033[1;31m!\033[m ");
    show(80, "NO_COLOR=1 $C report a.tprof");
    CHECK(!contains("screen", "\033"));
    show(80, "TERM=dumb $C report a.tprof");
    CHECK(!contains("screen", "\033"));
    show(80, "$C report a.tprof | cat");
    CHECK(!contains("screen", "\033"));
    show(80, "$C report a.tprof --color always | cat");
    CHECK_CONTAINS("screen", "\033[1m0x400100\033[m");
}

/* Catches: a pager that the sandbox keeps from starting, a collector that ends
 * before the pager, text that a missing pager swallows */
TEST(text_goes_through_the_pager)
{
    record();
    show(80, "TPROF_PAGER='sleep 0.3; sed s/^/by-it:/' PAGER=false "
             "$C report a.tprof; echo after");
    CHECK_CONTAINS("screen", "by-it:guest of unknown image: 50 samples");
    CHECK(strstr(strstr(text_of("screen"), "after"), "by-it:") == NULL);
    show(80, "unset TPROF_PAGER; PAGER='sed s/^/other:/' $C report a.tprof");
    CHECK_CONTAINS("screen", "other:guest of unknown image");
    show(80, "TPROF_PAGER=no-such-pager $C report a.tprof");
    CHECK_CONTAINS("screen", "50 samples of 1 core");
}

TEST(pager_is_for_terminals_that_want_it)
{
    record();
    show(80, "TPROF_PAGER='sed s/^/by-it:/' $C report a.tprof --no-pager");
    CHECK_CONTAINS("screen", "50 samples of 1 core");
    CHECK(!contains("screen", "by-it:"));
    show(80, "TPROF_PAGER='sed s/^/by-it:/' $C report a.tprof | cat");
    CHECK(!contains("screen", "by-it:"));
    /* an error has no text, so no pager */
    show(80, "TPROF_PAGER='sed s/^/by-it:/;:' $C report none.tprof || :");
    CHECK_CONTAINS("screen", "none.tprof");
    CHECK(!contains("screen", "by-it:"));
}

/* Catches: a pager that the key has ended before it has shown anything */
TEST(ctrl_c_ends_sampling_and_not_the_pager)
{
    record();
    pid_t guest = start_guest("live", play_50);

    show_typing(80,
                "TPROF_PAGER='sed s/^/by-it:/' exec $C --serial live "
                "--color never",
                "50 samples, ", "\003");
    join_guest(guest);
    CHECK_CONTAINS("screen", "by-it:guest of unknown image: 50 samples");
    CHECK_CONTAINS("screen", "by-it:Next:");
}

/* Catches: a width for standard output alone, a terminal that is asked first */
TEST(width_that_was_typed_holds_everywhere)
{
    record();
    show(80, "COLUMNS=90 $C report a.tprof --color never --width 50");
    CHECK(widest() <= 50);
    show(80, "$C report a.tprof --color never --width 140 | cat");
    CHECK(widest() > 100 && widest() <= 140);
    show(80, "$C report a.tprof -q --width 140 -o b.txt; cat b.txt");
    CHECK(widest() > 100 && widest() <= 140);
    CHECK_EQ(collector("report a.tprof --width 39"), 2);
}

/* Catches: a line of progress that is wrapped, and another one each time */
TEST(progress_fits_a_narrow_terminal)
{
    record();
    pid_t guest = start_guest("live", play_50);

    show(30, "$C --serial live -d 0.5 --no-pager -o a.txt");
    join_guest(guest);
    const char *at = text_of("screen");

    CHECK(strstr(at, "\r\033[K50 samples") != NULL);
    while ((at = strstr(at, "\r\033[K")) != NULL) {
        at += strlen("\r\033[K");
        CHECK(at[0] < '0' || at[0] > '9' || strcspn(at, "\r\n") < 30);
    }
}
