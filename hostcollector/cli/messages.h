/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of a running command to its user: lines, and a progress line. */
#ifndef TPROF_CLI_MESSAGES_H
#define TPROF_CLI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/guest_loop.h"

/* Zeroed except for the first three members. */
struct messages {
    bool alone;      /* there is one guest, whose name need not be said */
    bool terminal;   /* a progress line may be shown */
    bool keys_taken; /* by QEMU: Ctrl-C ends nothing */
    /* Its own. */
    bool line_open;    /* one is shown */
    uint64_t lines_ns; /* when the time for some lines began */
    unsigned lines;    /* printed since then */
    size_t untold;     /* left out */
    size_t unheard;    /* left out, too: see messages_stderr_is_writable() */
};

/* Return true if standard error takes a line without waiting. Its reader may
 * have stopped, and waiting would lose samples. */
bool messages_stderr_is_writable(void);

/* The first line of (text), by (command), about the guest (name) where there
 * are several; NULL: about none. Where there is one guest, the further lines of
 * (text), too. Too many lines about guests are counted, not told; and so is
 * what nobody hears. */
void messages_line(struct messages *t, const char *command, const char *name,
                   const char *text);

/* Show (p) in place of the last progress line. */
void messages_progress(struct messages *t, const struct guest_loop_progress *p);

/* "wrote x.html (228 KiB)" */
void messages_written(const char *path, uint64_t bytes);

/* Remove the progress line, and print the number of lines that were left
 * out. */
void messages_end(struct messages *t);

#endif
