/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes lines to standard error, separate from the progress line. */
#include "cli/messages.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/host_clock.h"
#include "util/text.h"

#define WIDTH 79 /* width of a terminal that does not report one */

/* Limit of lines about single guests in a span of time, so that the same
 * trouble of a thousand guests does not hide other messages. */
#define LINES_MAX 20u
#define LINES_NS  5000000000u

bool messages_stderr_is_writable(void)
{
    struct pollfd standard_error = {.fd = STDERR_FILENO, .events = POLLOUT};

    /* an error will be an error of writing */
    return poll(&standard_error, 1, 0) != 0;
}

/* Remove the progress line before other text. */
static void clear_line(struct messages *t)
{
    if (t->line_open)
        (void)fputs("\r\033[K", stderr);
    t->line_open = false;
}

void messages_end(struct messages *t)
{
    clear_line(t);
    if (t->untold != 0)
        (void)fprintf(stderr,
                      "collector: dropped %zu more lines about other guests\n",
                      t->untold);
    t->untold = 0;
    if (t->unheard != 0 && messages_stderr_is_writable()) {
        (void)fprintf(stderr,
                      "collector: dropped %zu lines, because standard error "
                      "was blocked\n",
                      t->unheard);
        t->unheard = 0;
    }
}

/* May one more line about one of many guests be printed? */
static bool has_room(struct messages *t)
{
    uint64_t now = clock_ns();

    if (now - t->lines_ns > LINES_NS) {
        messages_end(t);
        t->lines_ns = now;
        t->lines = 0;
    }
    if (t->lines < LINES_MAX) {
        t->lines++;
        return true;
    }
    t->untold++;
    return false;
}

/* Print (text) up to its end or a newline. Returns the rest. */
static const char *print_line(const char *text)
{
    size_t length = strcspn(text, "\n");
    char line[512], shown[1024];

    (void)snprintf(line, sizeof line, "%.*s", (int)length, text);
    (void)fprintf(stderr, "%s\n", text_escape(shown, sizeof shown, line));
    return text + length + (text[length] == '\n');
}

void messages_line(struct messages *t, const char *command, const char *name,
                   const char *text)
{
    bool of_many = name != NULL && !t->alone;

    if (of_many && !has_room(t))
        return;
    if (!messages_stderr_is_writable()) {
        t->unheard++;
        return;
    }
    clear_line(t);
    (void)fprintf(stderr, "%s: %s%s", command, of_many ? name : "",
                  of_many ? ": " : "");
    text = print_line(text);
    while (!of_many && *text != '\0') {
        (void)fputs("    ", stderr);
        text = print_line(text);
    }
}

/* Return the columns that fit one line of the terminal. A wrapped progress line
 * could not be removed. */
static int line_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1
               ? size.ws_col - 1
               : WIDTH;
}

void messages_progress(struct messages *t, const struct guest_loop_progress *p)
{
    char samples[TEXT_NUMBER], guests[64] = "", line[256];
    uint64_t ticks = p->samples + p->lost;

    if (!t->terminal || !messages_stderr_is_writable())
        return;
    if (!t->alone)
        (void)snprintf(guests, sizeof guests, "%zu of %zu guests, ",
                       p->sampling, p->guests);
    (void)snprintf(line, sizeof line,
                   "%s%s samples, %.0f/s, %.2f %% lost, %.0f s (%s ends)",
                   guests, text_count(samples, p->samples), p->sample_rate,
                   ticks == 0 ? 0 : 100 * (double)p->lost / (double)ticks,
                   p->seconds, t->keys_taken ? "Ctrl-A X" : "Ctrl-C");
    (void)fprintf(stderr, "\r\033[K%.*s", line_width(), line);
    (void)fflush(stderr);
    t->line_open = true;
}

void messages_written(const char *path, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    double size = (double)bytes;
    char text[512];
    size_t i = 0;

    for (; i < 3 && size >= 1024; i++)
        size /= 1024;
    (void)fprintf(stderr, "wrote %s (%.*f %s)\n",
                  text_escape(text, sizeof text, path), i != 0 && size < 10,
                  size, units[i]);
}
