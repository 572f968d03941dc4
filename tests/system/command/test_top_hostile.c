/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `collector top` as a user starts it, with a guest that sends names full of
 * control characters, floods, and leaves, while keys are typed at random and
 * the terminal gets all sizes. The terminal is top.terminfo's of the fuzz
 * targets: whatever on it is not its own is the guest's.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

#define MEMORY_MOST                                                            \
    (300u << 10) /* KiB, by --memory=64M and its like in libraries */
#define HOSTILE "\x1b]0;owned\x07\x9b\x32J\xe2\x80\xae\r\n\x0e\x01T7"

struct terminal {
    int master;
    pid_t top;
    struct termios before;
    bool in_sequence;
    size_t shown;          /* bytes */
    unsigned smcup, rmcup; /* sequences that enter and leave the full screen */
    char sequence[16];
    char last[16]; /* bytes of text */
    bool named;    /* the guest's name was among them, harmless */
    size_t sequence_size;
};

static unsigned seed = 1;

static unsigned random_below(unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % n;
}

static void nap_ms(int ms)
{
    (void)poll(NULL, 0, ms);
}

/* --- The guest ------------------------------------------------------------ */

static void say_hostile_hello(int fd)
{
    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 8,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x400000});
    for (unsigned i = 0; i < 8; i++)
        wiregen_map(&wire, &(struct wiregen_map){.start = 0x401000 + 0x1000 * i,
                                                 .size = 0x1000,
                                                 .link_start = 0x1000,
                                                 .name = HOSTILE,
                                                 .text_crc = i});
    say(fd);
}

/* (n) samples anywhere. Returns false when nobody hears them. */
static bool say_anything(int fd, unsigned n, uint64_t before)
{
    struct wiregen_samples s = {.shift = 4, .period = 8000, .epoch = 1};

    wiregen_samples_begin(&wire, &s);
    wiregen_stack(&wire, &(struct wiregen_stack){.id = 1});
    for (unsigned i = 0; i < n; i++)
        wiregen_short(&wire, 1, 8000, random_below(0x10000), 0);
    wiregen_samples_end(&wire, (uint64_t[4]){before + n, 0, 0, 0});
    bool heard = write(fd, wire.bytes, wire.size) == (ssize_t)wire.size;

    wire.size = 0;
    return heard;
}

/* Does anybody look at the first byte? Then it waits for the file "go". */
static void wait_to_begin(void)
{
    write_text("met", "");
    for (int i = 0; i < 1000 && access("go", F_OK) != 0; i++)
        nap_ms(10);
}

static void play_hostile(int listener)
{
    uint64_t sent = 0;
    int fd = meet(listener);
    time_t end = time(NULL) + 20;

    (void)signal(SIGPIPE, SIG_IGN);
    wait_to_begin();
    say_hostile_hello(fd);
    while (time(NULL) < end && access("end", F_OK) != 0 &&
           say_anything(fd, 200, sent)) {
        sent += 200;
        nap_ms(1);
    }
}

/* --- The terminal --------------------------------------------------------- */

static void end_sequence(struct terminal *t)
{
    t->in_sequence = false;
    t->sequence[t->sequence_size] = '\0';
    t->smcup += strcmp(t->sequence, "T7smcup") == 0;
    t->rmcup += strcmp(t->sequence, "T7rmcup") == 0;
}

static bool ends_in(const struct terminal *t, const char *text)
{
    size_t n = strlen(text);

    return memcmp(t->last + sizeof t->last - n, text, n) == 0;
}

/* U+202E, which turns what follows. */
static const char override[] = {'\xe2', '\x80', '\xae', '\0'};

/* One byte is shown. Sequences begin in ^AT7 and end in ^B. */
static void see_byte(struct terminal *t, unsigned char c)
{
    t->shown++;
    if (t->in_sequence && c == 2) {
        end_sequence(t);
    } else if (t->in_sequence) {
        CHECK(t->sequence_size < sizeof t->sequence - 1);
        CHECK(c == ';' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
              (t->sequence_size == 0 && c == 'T'));
        t->sequence[t->sequence_size++] = (char)c;
        if (t->sequence_size == 2)
            CHECK(memcmp(t->sequence, "T7", 2) == 0);
    } else if (c == 1) {
        t->in_sequence = true;
        t->sequence_size = 0;
    } else {
        /* ncurses adds a \r when it leaves; all that is said behind that ends
         * its lines */
        memmove(t->last, t->last + 1, sizeof t->last - 1);
        t->last[sizeof t->last - 1] = (char)c;
        CHECK(!ends_in(t, override) && !ends_in(t, "\xc2\x9b"));
        t->named |= ends_in(t, "]0;owned");
        CHECK((c >= ' ' && c != 0x7f) || (t->rmcup != 0 && strchr("\r\n", c)));
    }
}

/* Take what is shown, for (ms) at most. Returns false when the terminal is at
 * its end. */
static bool see(struct terminal *t, int ms)
{
    struct pollfd p = {.fd = t->master, .events = POLLIN};
    unsigned char bytes[65536];

    while (poll(&p, 1, ms) > 0) {
        ssize_t n = read(t->master, bytes, sizeof bytes);

        if (n <= 0)
            return false;
        for (ssize_t i = 0; i < n; i++)
            see_byte(t, bytes[i]);
        ms = 0;
    }
    return true;
}

static void start_top(struct terminal *t, const char *more)
{
    const struct winsize size = {.ws_row = 24, .ws_col = 80};

    *t = (struct terminal){.master = -1};
    t->top = forkpty(&t->master, NULL, NULL, &size);
    CHECK(t->top >= 0);
    if (t->top == 0) {
        closefrom(3); /* what the tests' runner left open */
        (void)alarm(60);
        (void)setenv("TERMINFO", TERMINFO, 1);
        (void)setenv("TERM", "foreign", 1);
        /* leaks are looked for by a thread and ptrace */
        (void)setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
        (void)setenv("LC_ALL", "C.UTF-8", 1);
        (void)execl(COLLECTOR, COLLECTOR, "top", "--serial", "port",
                    "--memory=64M", "--output=run.tprof", more, (char *)NULL);
        _exit(127);
    }
    CHECK_EQ(tcgetattr(t->master, &t->before), 0);
}

/* Wait for its end, which leaves the terminal as it was. Returns the status. */
static int end_top(struct terminal *t)
{
    struct termios after;
    int status = 0;

    for (int i = 0; i < 500; i++) {
        if (!see(t, 10))
            nap_ms(10); /* its last process still has to end */
        if (waitpid(t->top, &status, WNOHANG) == t->top)
            break;
        if (i == 499)
            check_failed(__FILE__, __LINE__, "top does not end");
    }
    while (see(t, 100) &&
           poll(&(struct pollfd){t->master, POLLIN, 0}, 1, 0) > 0)
        continue;
    CHECK_EQ(t->smcup, t->rmcup);
    CHECK_EQ(tcgetattr(t->master, &after), 0);
    CHECK_EQ(after.c_lflag, t->before.c_lflag);
    CHECK_EQ(after.c_iflag, t->before.c_iflag);
    CHECK_EQ(after.c_oflag, t->before.c_oflag);
    (void)close(t->master);
    return status;
}

/* The first child of (pid); 0: it has none. */
static pid_t child_of(pid_t pid)
{
    char path[64], line[64] = "";
    FILE *in;

    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
                   (int)pid);
    in = fopen(path, "re");
    if (in == NULL)
        return 0;
    (void)!fgets(line, sizeof line, in);
    (void)fclose(in);
    return (pid_t)atoi(line);
}

static unsigned long memory_of(pid_t pid)
{
    const char *at = strstr(status_of(pid), "VmHWM:");

    return at != NULL ? strtoul(at + 6, NULL, 10) : 0;
}

static void wait_for_file(const char *name)
{
    for (int i = 0; i < 1000 && access(name, F_OK) != 0; i++)
        nap_ms(10);
    CHECK_EQ(access(name, F_OK), 0);
}

static void begin(struct terminal *t, pid_t *guest)
{
    enter_dir();
    if (access(TERMINFO "/f/foreign", R_OK) != 0)
        SKIP("no tic");
    *guest = start_guest("port", play_hostile);
    start_top(t, has_landlock() ? "--sandbox=required" : "--sandbox=off");
    for (int i = 0; i < 500 && access("met", F_OK) != 0; i++)
        (void)see(t, 10);
    wait_for_file("met");
}

/* Keys, but for those that end it at once. */
static void type_anything(struct terminal *t)
{
    static const char *const keys[] = {"\x1bOA",  "\x1bOB",
                                       "\x1bOC",  "\x1bOD",
                                       "\x1bOH",  "\x1bOF",
                                       "\x1b[5~", "\x1b[6~",
                                       "\x1b[Z",  "\r",
                                       "\t",      "l",
                                       "/a\r",    "/\xe2\x80\xae\x9b\r",
                                       "s",       "S",
                                       "w",       "W",
                                       "b",       "i",
                                       "?",       "+",
                                       "-",       "<",
                                       ">",       "a",
                                       "3",       " ",
                                       "g",       "G",
                                       "e",       "\x1b",
                                       "\x7f",    "\x01\x02\x1e"};
    const char *key = keys[random_below(sizeof keys / sizeof keys[0])];

    CHECK_EQ(write(t->master, key, strlen(key)), strlen(key));
}

static void resize(struct terminal *t)
{
    static const struct winsize sizes[] = {
        {1, 1, 0, 0},   {500, 500, 0, 0}, {24, 80, 0, 0}, {0, 0, 0, 0},
        {2, 500, 0, 0}, {500, 1, 0, 0},   {7, 20, 0, 0},  {24, 80, 0, 0}};

    CHECK_EQ(ioctl(t->master, TIOCSWINSZ,
                   &sizes[random_below(sizeof sizes / sizeof sizes[0])]),
             0);
}

static void play_with(struct terminal *t, int steps)
{
    for (int i = 0; i < steps; i++) {
        if (random_below(4) == 0)
            resize(t);
        else
            type_anything(t);
        CHECK(see(t, 15));
        CHECK_EQ(waitpid(t->top, NULL, WNOHANG), 0);
    }
}

static void end_guest(pid_t guest)
{
    write_text("end", "");
    join_guest(guest);
}

/* One that cannot end in order, since nobody hears it any more. */
static void kill_guest(pid_t guest)
{
    (void)kill(guest, SIGKILL);
    (void)waitpid(guest, NULL, 0);
}

/* Catches: names of a guest that the terminal takes for orders, sizes that are
 * not fit for a screen, and memory that grows with what is sent */
TEST(nothing_of_a_guest_reaches_the_terminal)
{
    struct terminal t;
    pid_t guest;

    begin(&t, &guest);
    write_text("go", "");
    play_with(&t, 300);
    CHECK(t.named && t.shown > 10000);
    if (!SANITIZED)
        CHECK(memory_of(t.top) < MEMORY_MOST);
    end_guest(guest);
    play_with(&t, 40);
    CHECK_EQ(kill(t.top, SIGTERM), 0);
    CHECK_EQ(end_top(&t), 0);
}

/* Nothing was heard of the guest yet. */
TEST(confined_before_the_first_byte)
{
    static const char *const links[] = {
        "/dev/pts/",   "/dev/null", "/memfd:top", "socket:",
        "anon_inode:", "pipe:",     "/dev/ptmx"};
    char path[300], target[256];
    const struct dirent *d;
    struct terminal t;
    pid_t guest;

    begin(&t, &guest);
    if (!has_landlock())
        SKIP("the kernel has no Landlock");
    CHECK(strstr(status_of(t.top), "NoNewPrivs:\t1") != NULL);
    CHECK(strstr(status_of(t.top), "Seccomp:\t2") != NULL);
    /* of root's rights that to find files is left (sandbox.h) */
    CHECK(strstr(status_of(t.top), "CapEff:\t0000000000000004") != NULL ||
          strstr(status_of(t.top), "CapEff:\t0000000000000000") != NULL);
    CHECK(strstr(status_of(t.top), "CapBnd:\t0000000000000000") != NULL ||
          getuid() != 0);
    CHECK(strstr(status_of(child_of(t.top)), "Seccomp:\t2") != NULL);
    CHECK(strstr(status_of(child_of(t.top)), "NoNewPrivs:\t1") != NULL);
    /* what is open: no file but its recording, and no folder */
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)t.top);
    DIR *fds = opendir(path);

    CHECK(fds != NULL);
    while ((d = readdir(fds)) != NULL) {
        bool known = false;
        ssize_t n;

        (void)snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)t.top,
                       d->d_name);
        n = readlink(path, target, sizeof target - 1);
        if (n < 0)
            continue; /* "." and ".." */
        target[n] = '\0';
        for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
            known |= strncmp(target, links[i], strlen(links[i])) == 0;
        if (!known && strstr(target, "/run.tprof") == NULL)
            check_failed(__FILE__, __LINE__, "%s is open", target);
    }
    (void)closedir(fds);
    write_text("go", "");
    (void)see(&t, 500);
    end_guest(guest);
    CHECK_EQ(kill(t.top, SIGTERM), 0);
    CHECK_EQ(end_top(&t), 0);
}

/* Catches: a screen that stays behind, and processes that do */
TEST(its_helper_is_killed)
{
    struct terminal t;
    pid_t guest, helper;

    begin(&t, &guest);
    helper = child_of(t.top);
    if (helper == 0)
        SKIP("the kernel has no Landlock");
    write_text("go", "");
    play_with(&t, 20);
    CHECK_EQ(kill(helper, SIGKILL), 0);
    play_with(&t, 20); /* nothing has to be opened */
    end_guest(guest);
    for (int i = 0; i < 20; i++)
        (void)see(&t, 20);
    (void)kill(t.top, SIGTERM);
    (void)end_top(&t);
}

TEST(it_is_killed_itself)
{
    struct terminal t;
    pid_t guest, helper;

    begin(&t, &guest);
    helper = child_of(t.top);
    write_text("go", "");
    play_with(&t, 10);
    CHECK_EQ(kill(t.top, SIGKILL), 0);
    CHECK_EQ(waitpid(t.top, NULL, 0), t.top);
    for (int i = 0; i < 200 && helper != 0 && parent_of(helper) != 0; i++)
        nap_ms(10);
    CHECK(helper == 0 || parent_of(helper) == 0);
    kill_guest(guest);
    (void)close(t.master);
}

/* Catches: a process that turns in circles when nobody has the other end */
TEST(terminal_hangs_up)
{
    struct terminal t;
    pid_t guest;
    int status = 0;

    begin(&t, &guest);
    write_text("go", "");
    play_with(&t, 20);
    (void)close(t.master);
    for (int i = 0; i < 300 && waitpid(t.top, &status, WNOHANG) != t.top; i++)
        nap_ms(10);
    CHECK_EQ(kill(t.top, 0), -1);
    /* by itself, or by the signal that tells of it */
    CHECK(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP));
    kill_guest(guest);
    /* what was recorded until then is whole */
    CHECK_EQ(collector("report run.tprof --no-pager"), 0);
    CHECK(!contains("err", "cut"));
}
