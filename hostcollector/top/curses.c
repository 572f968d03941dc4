/* SPDX-License-Identifier: BSD-2-Clause */
/* Screens and keys by ncurses. */
#include "top/curses.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "top/nonblocking_terminal.h"
#include "top/top.h"

/* Last, because these headers define macros with common names. */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

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
    if (nonblocking_terminal_open(&out, e) != 0)
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
        nonblocking_terminal_hold();
        (void)endwin();
        nonblocking_terminal_release();
        delscreen(terminal.screen);
        (void)del_curterm(cur_term); /* delscreen() does not free it */
        terminal.screen = NULL;
        /* at once: a stopped terminal never drains its output */
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
    }
    nonblocking_terminal_close();
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

bool curses_flush(void)
{
    return nonblocking_terminal_flush();
}

bool curses_show(const struct screen *s)
{
    if (!nonblocking_terminal_flush())
        return false;
    (void)erase();
    for (size_t i = 0; i < s->count && i < s->height; i++) {
        (void)move((int)i, 0);
        show_row(&s->rows[i]);
    }
    nonblocking_terminal_hold();
    (void)refresh();
    nonblocking_terminal_release();
    (void)nonblocking_terminal_flush();
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
