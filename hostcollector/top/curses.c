/* SPDX-License-Identifier: BSD-2-Clause */
/* Screens and keys by ncurses. */
#include "top/curses.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "top/top.h"

/* Last, because these headers define macros with common names. */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/*
 * The outlet between ncurses and the terminal. The collector must never wait
 * for a terminal that does not read (Ctrl-S, a stalled ssh), but ncurses waits
 * for its terminal even if the descriptor does not block. So ncurses draws into
 * a file in memory. The file is then copied to a second opening of the
 * terminal, which does not block.
 */

/* Time limit for writing the last picture, in steps of milliseconds. */
#define LAST_STEPS 10
#define LAST_STEP  50

static struct {
    FILE *stream;
    int memory;       /* the file */
    int terminal;     /* does not block, unless it is standard output itself */
    off_t size, done; /* size of the file, and bytes already written */
} outlet = {.memory = -1, .terminal = -1};

/* Begin, before the process is confined. Standard output is a terminal. Returns
 * the stream for ncurses; NULL with (e) filled. */
static FILE *outlet_open(struct err *e)
{
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

    outlet.stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    outlet.memory = memfd_create("top", MFD_CLOEXEC);
    if (outlet.stream == NULL || outlet.memory < 0) {
        (void)err_sys(e, "top");
        return NULL;
    }
    outlet.terminal =
        open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (outlet.terminal < 0)
        outlet.terminal = STDOUT_FILENO;
    return outlet.stream;
}

/* Keep the stream's output until outlet_release(). */
static void outlet_hold(void)
{
    /* new output follows the contents of the file */
    (void)dup3(outlet.memory, fileno(outlet.stream), O_CLOEXEC);
}

/* Make the stream write to the terminal again. */
static void outlet_release(void)
{
    off_t end = lseek(outlet.memory, 0, SEEK_CUR);

    (void)dup3(STDOUT_FILENO, fileno(outlet.stream), O_CLOEXEC);
    if (end > 0)
        outlet.size = end;
}

/* Write as much as possible. If the terminal fails, it is gone, and the rest is
 * lost. */
static bool write_some(const char *bytes, size_t size)
{
    ssize_t n = write(outlet.terminal, bytes, size);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    outlet.done = n < 0 ? outlet.size : outlet.done + n;
    return n < 0 || (size_t)n == size;
}

bool curses_flush(void)
{
    char bytes[4096];

    while (outlet.done < outlet.size) {
        off_t left = outlet.size - outlet.done; /* older bytes come after it */
        size_t part = left < (off_t)sizeof bytes ? (size_t)left : sizeof bytes;
        ssize_t n = pread(outlet.memory, bytes, part, outlet.done);

        if (n <= 0)
            break;
        if (!write_some(bytes, (size_t)n))
            return false;
    }
    (void)lseek(outlet.memory, 0, SEEK_SET);
    outlet.size = outlet.done = 0;
    return true;
}

/* Flush for half a second, drop the rest, and close the stream. Does nothing if
 * the stream is not open. */
static void outlet_close(void)
{
    if (outlet.stream == NULL)
        return;
    for (int i = 0; i < LAST_STEPS && !curses_flush(); i++)
        (void)poll(NULL, 0, LAST_STEP);
    (void)fclose(outlet.stream);
    (void)close(outlet.memory);
    if (outlet.terminal != STDOUT_FILENO)
        (void)close(outlet.terminal);
    outlet.stream = NULL;
}

static struct {
    SCREEN *screen;
    WINDOW *keys; /* never shown, so that reading keys draws nothing */
    struct termios before;
    bool color;
    /* The text that ends the full screen. It is made in advance, because a
     * signal handler may not call ncurses. */
    char leave[128];
    size_t leave_size;
} terminal;

/* Colors of styles. A terminal with fewer than 256 colors gets the basic
 * eight. */
static const struct {
    short color; /* -1: the terminal's default color */
    attr_t attributes, mono;
} styles[SCREEN_STYLES] = {
    [SCREEN_PLAIN] = {-1, A_NORMAL, A_NORMAL},
    [SCREEN_DIM] = {-1, A_DIM, A_DIM},
    [SCREEN_BOLD] = {-1, A_BOLD, A_BOLD},
    [SCREEN_HEAD] = {-1, A_REVERSE, A_REVERSE},
    [SCREEN_SELECTED] = {-1, A_BOLD | A_REVERSE, A_BOLD | A_REVERSE},
    [SCREEN_BUSY] = {COLOR_GREEN, A_NORMAL, A_NORMAL},
    [SCREEN_IDLE] = {COLOR_CYAN, A_NORMAL, A_NORMAL},
    [SCREEN_LATE] = {COLOR_YELLOW, A_NORMAL, A_BOLD},
    [SCREEN_LOST] = {COLOR_RED, A_BOLD, A_BOLD},
    [SCREEN_MORE] = {COLOR_RED, A_NORMAL, A_BOLD},
    [SCREEN_LESS] = {COLOR_GREEN, A_NORMAL, A_BOLD},
};

/* Append the capability (name) of the terminal to the text that ends the full
 * screen. */
static void leave_by(const char *name)
{
    const char *text = tigetstr(name);
    size_t size = text != NULL && text != (char *)-1 ? strlen(text) : 0;

    if (terminal.leave_size + size < sizeof terminal.leave) {
        memcpy(terminal.leave + terminal.leave_size, size ? text : "", size);
        terminal.leave_size += size;
    }
}

/* Restore the terminal and end the process after a signal. Calls only functions
 * that a signal handler may call. */
static void on_fatal(int number)
{
    curses_restore();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Catch the signals that no command catches and that end the process by
 * default. */
static void catch_fatal(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS,  SIGFPE,
                                  SIGILL,  SIGABRT, SIGQUIT};
    struct sigaction action = {.sa_handler = on_fatal,
                               .sa_flags = (int)SA_RESETHAND};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        (void)sigaction(signals[i], &action, NULL);
}

static void start_colors(void)
{
    const char *no = getenv("NO_COLOR");

    terminal.color = (no == NULL || no[0] == '\0') && has_colors() &&
                     start_color() == OK && use_default_colors() == OK;
    for (short i = 0; terminal.color && i < SCREEN_STYLES; i++)
        (void)init_pair((short)(i + 1), styles[i].color, -1);
}

int curses_open(struct err *e)
{
    FILE *out;

    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1 ||
        tcgetattr(STDIN_FILENO, &terminal.before) != 0)
        return err_set(
            e, "top needs a terminal: standard input and output must be one; "
               "'collector' and 'collector report' write to files");
    out = outlet_open(e);
    if (out == NULL)
        return -1;
    terminal.screen = newterm(NULL, out, stdin);
    if (terminal.screen == NULL)
        return err_set(e, "top does not know the terminal '%s': set TERM",
                       getenv("TERM") != NULL ? getenv("TERM") : "");
    terminal.leave_size = 0;
    leave_by("sgr0");
    leave_by("cnorm");
    leave_by("rmkx");
    leave_by("rmcup");
    catch_fatal();
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    terminal.keys = newpad(1, 1);
    (void)keypad(terminal.keys, TRUE);
    (void)nodelay(terminal.keys, TRUE);
    (void)curs_set(0);
    (void)set_escdelay(50);
    start_colors();
    return 0;
}

void curses_close(void)
{
    if (terminal.screen != NULL) {
        outlet_hold();
        (void)endwin();
        outlet_release();
        delscreen(terminal.screen);
        (void)del_curterm(cur_term); /* delscreen() does not free it */
        terminal.screen = NULL;
        /* at once: a stopped terminal never drains its output */
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
    }
    outlet_close();
}

void curses_restore(void)
{
    if (terminal.screen == NULL)
        return;
    terminal.screen = NULL;
    (void)!write(STDOUT_FILENO, terminal.leave, terminal.leave_size);
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
}

void curses_size(unsigned *width, unsigned *height)
{
    *width = (unsigned)(COLS > 0 ? COLS : 80);
    *height = (unsigned)(LINES > 0 ? LINES : 24);
}

static void set_style(const struct screen_line *row, enum screen_style style)
{
    attr_t all = styles[row->all].attributes;
    attr_t own = terminal.color ? styles[style].attributes : styles[style].mono;

    /* on a reversed row, a color would become the background */
    if (row->all != SCREEN_PLAIN)
        style = SCREEN_PLAIN;
    (void)attr_set(all | (row->all == SCREEN_PLAIN ? own : 0),
                   (short)(terminal.color ? style + 1 : 0), NULL);
}

static void show_row(const struct screen_line *row)
{
    size_t from = 0;

    set_style(row, SCREEN_PLAIN);
    for (size_t i = 0; i < row->span_count; i++) {
        size_t to = row->spans[i].from;

        (void)addnstr(row->text + from, (int)(to - from));
        set_style(row, (enum screen_style)row->spans[i].style);
        from = to;
    }
    (void)addnstr(row->text + from, (int)(row->size - from));
    if (row->all != SCREEN_PLAIN) {
        set_style(row, SCREEN_PLAIN);
        for (int x = getcurx(stdscr); x < COLS - 1 && x > 0; x++)
            (void)addch(' ');
    }
}

bool curses_show(const struct screen *s)
{
    if (!curses_flush())
        return false;
    (void)erase();
    for (size_t i = 0; i < s->count && i < s->height; i++) {
        (void)move((int)i, 0);
        show_row(&s->rows[i]);
    }
    outlet_hold();
    (void)refresh();
    outlet_release();
    (void)curses_flush();
    return true;
}

static uint32_t key_of(wint_t code)
{
    static const struct {
        wint_t code;
        uint32_t key;
    } keys[] = {
        {KEY_UP, TOP_KEY_UP},         {KEY_DOWN, TOP_KEY_DOWN},
        {KEY_LEFT, TOP_KEY_LEFT},     {KEY_RIGHT, TOP_KEY_RIGHT},
        {KEY_PPAGE, TOP_KEY_PAGE_UP}, {KEY_NPAGE, TOP_KEY_PAGE_DOWN},
        {KEY_HOME, TOP_KEY_HOME},     {KEY_END, TOP_KEY_END},
        {KEY_BTAB, TOP_KEY_BACK_TAB}, {KEY_BACKSPACE, TOP_KEY_BACKSPACE},
        {KEY_ENTER, TOP_KEY_ENTER},
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].code == code)
            return keys[i].key;
    return 0;
}

static uint32_t character_of(wint_t c)
{
    switch (c) {
    case '\r':
    case '\n':
        return TOP_KEY_ENTER;
    case 0x1b:
        return TOP_KEY_ESCAPE;
    case 0x7f:
    case '\b':
        return TOP_KEY_BACKSPACE;
    default:
        return (uint32_t)c;
    }
}

/* Is the other end of the terminal closed? */
static bool has_hung_up(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&in, 1, 0) > 0 && (in.revents & (POLLHUP | POLLERR)) != 0;
}

uint32_t curses_key(bool *resized, bool *gone)
{
    wint_t c;
    int kind;

    *resized = *gone = false;
    do {
        kind = wget_wch(terminal.keys, &c);
        *resized |= kind == KEY_CODE_YES && c == KEY_RESIZE;
    } while (kind == KEY_CODE_YES && key_of(c) == 0);
    if (kind == ERR)
        *gone = has_hung_up();
    return kind == KEY_CODE_YES ? key_of(c) : kind == OK ? character_of(c) : 0;
}
