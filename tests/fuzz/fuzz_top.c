/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `collector top` as it is, on a terminal, with a guest or a recording that
 * lies, and a user who types anything. An input is two bytes and then acts of
 * "what, length (2 bytes), bytes". The first byte: 1 what the guest sends is a
 * recording that is played, 2 there is an image, 4 the terminal hangs up in the
 * end, 8 less memory. Bits 2 to 4 of (what) are the act:
 *
 *     0 to 3  the bytes come from the guest
 *     4  the guest's connection ends
 *     5  the bytes are typed
 *     6  2^(first byte) ms pass, at most 2^20
 *     7  the terminal gets another size: columns and rows, 2 bytes each
 *
 * The terminal is one of our own (top.terminfo), whose sequences begin as
 * nothing does that a guest sends. So each other control character on it is the
 * guest's, and there must be none. In the end the terminal is as it was.
 */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/signals.h"
#include "shown.h"
#include "util/bytes.h"

#define HEAD     2u
#define ACT_HEAD 3u
#define TURNS    20000u
#define SHOWN    (8u << 20)
#define BEGIN    "\001T7" /* of a sequence, as top.terminfo has them */
#define RMCUP    "rmcup"
#define CTRL_Q   "\x11"
#define CTRL_S   '\x13'

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum act {
    ACT_END = 4,
    ACT_KEYS,
    ACT_TIME,
    ACT_SIZE,
};

static struct {
    const uint8_t *data;
    size_t size, at;
    int master, slave; /* (master) -1: it has hung up */
    int listener, guest, stop;
    uint64_t ns;
    unsigned turns;
    bool stopped; /* the terminal, by Ctrl-S: its last picture may be lost */
    unsigned ends;
    bool runs; /* the command does */
    size_t used;
} world;

static char folder[] = "/tmp/tprof-fuzz-top-XXXXXX";
static char port[64], recording[64];
static char shown[SHOWN + 1];

#define must(promise) must_at((promise), #promise)

static void must_at(bool promise, const char *what)
{
    if (promise)
        return;
    (void)dprintf(STDERR_FILENO, "must be: %s\n", what);
    abort();
}

/* --- The world ------------------------------------------------------------ */

uint64_t __wrap_clock_ns(void);
uint64_t __wrap_clock_ns(void)
{
    return world.ns += 1000; /* each look at it takes a microsecond */
}

int __wrap_signals_catch(struct err *e);
int __wrap_signals_catch(struct err *e)
{
    (void)e;
    world.stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return world.stop;
}

void __wrap_signals_release(int fd, uint64_t until_ns);
void __wrap_signals_release(int fd, uint64_t until_ns)
{
    (void)until_ns;
    if (fd >= 0)
        (void)close(fd);
}

/* Fatal signals stay those of who looks for faults. */
int __real_sigaction(int number, const struct sigaction *new,
                     struct sigaction *old);
int __wrap_sigaction(int number, const struct sigaction *new,
                     struct sigaction *old);
int __wrap_sigaction(int number, const struct sigaction *new,
                     struct sigaction *old)
{
    return world.runs ? 0 : __real_sigaction(number, new, old);
}

/* Take what the terminal shows, and what the guest is told. */
static void take_output(void)
{
    char scrap[512];
    ssize_t n;

    while (world.master >= 0 && world.used < SHOWN &&
           (n = read(world.master, shown + world.used, SHOWN - world.used)) > 0)
        world.used += (size_t)n;
    if (world.guest < 0)
        world.guest =
            accept4(world.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (world.guest >= 0 && read(world.guest, scrap, sizeof scrap) > 0)
        continue;
}

static void end_guest(void)
{
    if (world.guest >= 0)
        (void)close(world.guest);
    world.guest = -1;
}

static void set_size(const uint8_t *bytes, size_t size)
{
    struct winsize w = {.ws_col = size >= 2 ? load_u16(bytes) : 80,
                        .ws_row = size >= 4 ? load_u16(bytes + 2) : 24};

    /* ncurses keeps all of a screen, of which nobody has one so large */
    w.ws_col %= 1024;
    w.ws_row %= 1024;
    if (world.master >= 0 && ioctl(world.master, TIOCSWINSZ, &w) == 0)
        (void)raise(SIGWINCH);
}

static void type(const void *keys, size_t size)
{
    world.stopped |= memchr(keys, CTRL_S, size) != NULL;
    if (world.master >= 0)
        (void)!write(world.master, keys, size);
}

static void act(enum act what, const uint8_t *bytes, size_t size)
{
    switch (what) {
    case ACT_END:
        end_guest();
        return;
    case ACT_KEYS:
        type(bytes, size);
        return;
    case ACT_TIME:
        world.ns += UINT64_C(1000000) << (size != 0 ? bytes[0] % 21 : 0);
        return;
    case ACT_SIZE:
        set_size(bytes, size);
        return;
    default:
        if (world.guest >= 0)
            (void)!send(world.guest, bytes, size, MSG_NOSIGNAL);
    }
}

/* The next act of the input. Returns false at its end. */
static bool step(void)
{
    const uint8_t *at = world.data + world.at;
    size_t left = world.size - world.at, size;

    if (left < ACT_HEAD)
        return false;
    size = load_u16(at + 1);
    if (size > left - ACT_HEAD)
        size = left - ACT_HEAD;
    world.at += ACT_HEAD + size;
    act(at[0] >> 2 & 7u, at + ACT_HEAD, size);
    return true;
}

static void hang_up(void)
{
    (void)close(world.master);
    world.master = -1;
}

/* What happens behind the input. */
static void end(void)
{
    const uint64_t one = 1;

    world.ns += UINT64_C(2000000000); /* one more picture */
    if (world.ends++ < 4)
        return;
    type(CTRL_Q, 1);
    if ((world.data[0] & 4) != 0 && world.master >= 0)
        hang_up();
    else
        must(write(world.stop, &one, sizeof one) == sizeof one);
}

int __real_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
    take_output();
    int n = __real_poll(fds, count, 0);

    if (count != 3) /* it waits elsewhere */
        return n;
    must(world.turns++ < TURNS); /* does it turn in circles? */
    if (n != 0 || (ms == 0 && world.turns % 8 != 0))
        return n;
    if (!step())
        end();
    return __real_poll(fds, count, 0);
}

/* --- What must hold ------------------------------------------------------- */

/* Leave the text in (shown). Sequences are of the terminal's own. */
static void remove_sequences(void)
{
    size_t to = 0;

    for (size_t at = 0; at < world.used; at++) {
        const char *close_at;

        if (shown[at] != BEGIN[0]) {
            must((unsigned char)shown[at] >= ' ');
            shown[to++] = shown[at];
            continue;
        }
        must(world.used - at >= 3 && memcmp(shown + at, BEGIN, 3) == 0);
        close_at = memchr(shown + at, '\002', world.used - at);
        if (close_at == NULL)
            break; /* cut by a hang-up */
        if (memcmp(shown + at + 3, RMCUP, sizeof RMCUP - 1) == 0 &&
            close_at[1] == '\r')
            close_at++; /* ncurses adds that at the end */
        at = (size_t)(close_at - shown);
    }
    world.used = to;
    shown[to] = '\0';
}

static bool is_restored(void)
{
    const char *left = NULL, *entered = NULL, *at = shown;

    shown[world.used] = '\0';
    while ((at = strstr(at, BEGIN "smcup")) != NULL)
        entered = at++;
    at = shown;
    while ((at = strstr(at, BEGIN RMCUP)) != NULL)
        left = at++;
    return entered == NULL || left > entered;
}

static void check(const struct termios *before)
{
    struct termios after;

    take_output();
    must(
        world.master < 0 || /* then the kernel tells nothing of it */
        (tcgetattr(world.slave, &after) == 0 &&
         after.c_iflag == before->c_iflag && after.c_oflag == before->c_oflag &&
         after.c_lflag == before->c_lflag && after.c_cflag == before->c_cflag));
    must(world.master < 0 || world.stopped || world.used == SHOWN ||
         is_restored());
    remove_sequences();
    /* a picture that is cut within a character ends the text */
    while (world.used > 0 && (shown[world.used - 1] & 0x80) != 0)
        world.used--;
    shown_is_harmless(shown, world.used, NULL);
}

/* --- A run ---------------------------------------------------------------- */

static void leave_world(void)
{
    (void)unlink(port);
    (void)unlink(recording);
    (void)rmdir(folder);
}

static void make_world(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};

    must(mkdtemp(folder) != NULL);
    (void)snprintf(port, sizeof port, "%s/port", folder);
    (void)snprintf(recording, sizeof recording, "%s/recording", folder);
    must(atexit(leave_world) == 0);
    must(setenv("TERMINFO", TERMINFO, 1) == 0 &&
         setenv("TERM", "foreign", 1) == 0 &&
         setenv("LC_ALL", "C.UTF-8", 1) == 0);
    (void)unsetenv("DEBUGINFOD_URLS");
    memcpy(a.sun_path, port, strlen(port));
    world.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    must(world.listener >= 0 &&
         bind(world.listener, (struct sockaddr *)&a, sizeof a) == 0 &&
         listen(world.listener, 8) == 0);
}

/* The bytes of all acts that are the guest's, into the file "recording". */
static void write_recording(void)
{
    int fd = open(recording, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    must(fd >= 0);
    for (size_t at = HEAD; at + ACT_HEAD <= world.size;) {
        size_t left = world.size - at - ACT_HEAD;
        size_t size = load_u16(world.data + at + 1);

        if (size > left)
            size = left;
        if ((world.data[at] >> 2 & 7u) < ACT_END)
            (void)!write(fd, world.data + at + ACT_HEAD, size);
        at += ACT_HEAD + size;
    }
    (void)close(fd);
}

static void open_terminal(struct termios *before)
{
    const struct winsize w = {.ws_col = 80, .ws_row = 24};

    must(openpty(&world.master, &world.slave, NULL, NULL, &w) == 0 &&
         fcntl(world.master, F_SETFL, O_NONBLOCK) == 0 &&
         fcntl(world.master, F_SETFD, FD_CLOEXEC) == 0 &&
         tcgetattr(world.slave, before) == 0);
}

static void run_top(void)
{
    static char serial[] = "--serial", off[] = "--sandbox=off", elf[] = "--elf",
                kernel[] = KERNEL, less[] = "--memory=16M";
    bool player = (world.data[0] & 1) != 0;
    char *words[8] = {off};
    int count = 1;

    if (player)
        write_recording();
    else
        words[count++] = serial;
    words[count++] = player ? recording : port;
    if ((world.data[0] & 2) != 0) {
        words[count++] = elf;
        words[count++] = kernel;
    }
    if ((world.data[0] & 8) != 0)
        words[count++] = less;
    (void)cmd_top.run(count, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
    struct termios before;

    if (size < HEAD)
        return close(in) + close(out);
    if (world.listener == 0)
        make_world();
    int listener = world.listener;

    memset(&world, 0, sizeof world);
    world.data = data;
    world.size = size;
    world.at = HEAD;
    world.listener = listener;
    world.guest = -1;
    open_terminal(&before);
    (void)fflush(stdout);
    must(dup2(world.slave, 0) == 0 && dup2(world.slave, 1) == 1);
    world.runs = true;
    run_top();
    world.runs = false;
    must(dup2(in, 0) == 0 && dup2(out, 1) == 1);
    check(&before);
    end_guest();
    if (world.master >= 0)
        hang_up();
    (void)close(world.slave);
    (void)close(in);
    (void)close(out);
    return 0;
}
