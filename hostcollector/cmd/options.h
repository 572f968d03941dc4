/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: one table of options, which --help shows, too. */
#ifndef TPROF_CMD_OPTIONS_H
#define TPROF_CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/guests.h"
#include "util/err.h"

/* Which commands know an option. */
enum command_bit {
    COMMAND_LIVE = 1u << 0, /* collector without a command's name */
    COMMAND_RECORD = 1u << 1,
    COMMAND_REPORT = 1u << 2,
    COMMAND_BRIDGE = 1u << 3,
    COMMAND_CHECK = 1u << 4,
};

#define OPTIONS_OUTPUTS 8

/* What the user asked for. Strings point into argv. */
struct options {
    struct guests guests; /* with the --elf of collector report, too */
    const char *input; /* --input, or the FILE of collector report, or NULL */
    const char *format;
    const char *outputs[OPTIONS_OUTPUTS];
    unsigned output_count;
    double wait_s; /* for a guest that left */
    bool force_vsock, privileged;
    double duration_s; /* 0: until Ctrl-C or the guest's end */
    uint32_t rate_hz;  /* 0: the guest's choice */
    uint32_t depth;    /* 0: the guest's choice */
    int32_t core;      /* -1: all */
    double from_s;     /* 0: from the beginning */
    double to_s;       /* 0: to the end */
    uint32_t top;      /* rows of a table; 0: as many as are worth a look */
    const char *vhost_user, *uds; /* the bridge's sockets */
    uint32_t cid;                 /* its guest; 0: the default */
    bool all;                     /* every row and branch */
    bool help; /* --help was found, the rest was not looked at */
};

/*
 * Read the (argc) words at (argv), which follow the name of (command). (*o)
 * need not be initialized. options_fini() must follow in any case.
 *
 * Returns 0; -1 with (e) saying what to type instead.
 */
int options_parse(struct options *o, enum command_bit command, int argc,
                  char **argv, struct err *e);

/* Release what (o) holds. */
void options_fini(struct options *o);

/* Write the options that (command) knows to (out), one line or more each. */
void options_help(FILE *out, enum command_bit command);

#endif
