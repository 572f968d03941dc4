/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/nonblocking_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * ncurses waits for its terminal, even if the terminal's descriptor does not
 * block. So ncurses draws into a file in memory. The file is then copied to a
 * second opening of the terminal, which does not block.
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

int nonblocking_terminal_open(FILE **stream, struct err *e)
{
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

    outlet.stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    outlet.memory = memfd_create("top", MFD_CLOEXEC);
    if (outlet.stream == NULL || outlet.memory < 0)
        return err_sys(e, "top");
    outlet.terminal =
        open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (outlet.terminal < 0)
        outlet.terminal = STDOUT_FILENO;
    *stream = outlet.stream;
    return 0;
}

void nonblocking_terminal_hold(void)
{
    /* the file is empty, or its contents come first */
    (void)dup3(outlet.memory, fileno(outlet.stream), O_CLOEXEC);
}

void nonblocking_terminal_release(void)
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

bool nonblocking_terminal_flush(void)
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

void nonblocking_terminal_close(void)
{
    if (outlet.stream == NULL)
        return;
    for (int i = 0; i < LAST_STEPS && !nonblocking_terminal_flush(); i++)
        (void)poll(NULL, 0, LAST_STEP);
    (void)fclose(outlet.stream);
    (void)close(outlet.memory);
    if (outlet.terminal != STDOUT_FILENO)
        (void)close(outlet.terminal);
    outlet.stream = NULL;
}
