/* SPDX-License-Identifier: BSD-2-Clause */
/* What picolibc asks of a machine: a console, memory and an end. */
#define _DEFAULT_SOURCE /* sbrk() */
#include <stdio.h>
#include <unistd.h>

#include "guest.h"

#define LINE_MAX 256

static char line[LINE_MAX];
static size_t line_len;
static _Alignas(16) char heap[1 << 20];
static size_t heap_used;

/*
 * stdout's lines reach the console whole. One core at a time prints by stdio:
 * this library, too, is built for one thread.
 */
static int put(char c, FILE *file)
{
    (void)file;
    line[line_len++] = c;
    if (c == '\n' || line_len == LINE_MAX) {
        con_write(line, line_len);
        line_len = 0;
    }
    return (unsigned char)c;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;

void *sbrk(ptrdiff_t bytes)
{
    if (bytes < 0 || (size_t)bytes > sizeof heap - heap_used)
        return (void *)-1;
    char *start = heap + heap_used;

    heap_used += (size_t)bytes;
    return start;
}

_Noreturn void _exit(int status)
{
    guest_exit(status);
}
