/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all options: parsing, --help and suggestions read it. */
#ifndef TPROF_CLI_OPTION_TABLE_H
#define TPROF_CLI_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"

enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char * */
    OPTION_COUNT,   /* uint32_t or int32_t from min to max */
    OPTION_SECONDS, /* double; more than 0 with a min of 1 */
    OPTION_SPAN,    /* from_s and to_s */
    OPTION_SIZE,    /* uint64_t */
    OPTION_MEMORY,  /* that, or the file of a guest's memory */
    OPTION_CHOICE,  /* uint32_t: which of the argument's words, between bars */
    OPTION_CORES,   /* cores */
    OPTION_OUTPUT,  /* one more of outputs */
    OPTION_FORMAT,  /* const char *; its help ends with the list of formats */
    OPTION_GUEST,   /* a word for guests_option() */
    OPTION_GUESTS,  /* a file for guests_read() */
    OPTION_PEER,    /* peers */
    OPTION_EXCLUDE, /* one more of exclude */
    OPTION_SYMBOLS, /* one more of symbols */
    OPTION_FAIL_IF, /* one more of fail_if */
    OPTION_INPUT,   /* one more of inputs */
    OPTION_LABEL,   /* one more of labels */
    OPTION_SANDBOX, /* sandbox */
    OPTION_KIND,    /* const char *: one of receiver_names() */
};

struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: takes none */
    unsigned commands;    /* enum command_bit */
    enum option_kind kind;
    size_t offset; /* in struct options */
    uint32_t min, max;
    const char *help; /* shells show what stands before a ; or a ( */
};

/* Row (i) of the table; NULL behind the last one. */
const struct option_row *option_row(size_t i);

/* The row of (commands), of enum command_bit, that the first (len) bytes of
 * (word) name: -o, --output. NULL: there is none. */
const struct option_row *option_find(const char *word, size_t len,
                                     unsigned commands);

/* The row of (commands) whose name is most like the (len) bytes at (name),
 * which come without dashes. NULL: none is like it. */
const struct option_row *option_nearest(const char *name, size_t len,
                                        unsigned commands);

/* What is typed for (command) behind "collector": " report"; "" for
 * COMMAND_LIVE. */
const char *option_command(enum command_bit command);

#endif
