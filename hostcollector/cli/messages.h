/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of a running command: lines, and a progress line. */
#ifndef TPROF_CLI_MESSAGES_H
#define TPROF_CLI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/guest_loop.h"

/* Zeroed except for the first three members. */
struct messages {
    bool alone;      /* there is one guest, so lines need no name */
    bool terminal;   /* a progress line may be shown */
    bool keys_taken; /* QEMU has the keys, so Ctrl-C does not end sampling */
    /* The members from here on belong to the functions below. */
    bool line_open;    /* a progress line is shown */
    uint64_t lines_ns; /* start of the span of time that limits lines */
    unsigned lines;    /* printed since then */
    size_t untold;     /* lines left out because of the limit */
    size_t unheard;    /* lines left out because messages_stderr_is_writable()
                        * was false */
};

/* Return true if standard error takes a line without waiting. Its reader may
 * have stopped, and waiting would lose samples. */
bool messages_stderr_is_writable(void);

/* Print the first line of (text), by (command). If there are several guests,
 * the line names the guest (name); NULL: it names none. If there is one guest,
 * print the further lines of (text), too. Lines beyond a limit, and lines that
 * standard error cannot take, are counted and not printed. */
void messages_line(struct messages *t, const char *command, const char *name,
                   const char *text);

/* Show (p) in place of the last progress line. */
void messages_progress(struct messages *t, const struct guest_loop_progress *p);

/* Print a line such as "wrote x.html (228 KiB)". */
void messages_written(const char *path, uint64_t bytes);

/* Remove the progress line, and print the number of lines that were left
 * out. */
void messages_end(struct messages *t);

#endif
