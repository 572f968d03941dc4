/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of option arguments that many commands share. */
#ifndef TPROF_CLI_OPTION_KINDS_H
#define TPROF_CLI_OPTION_KINDS_H

#include "cli/option_table.h"

#define OPTION_WORDS      64
/* Least value of --memory, in bytes. */
#define OPTION_MEMORY_MIN (16ull << 20)

/* Arguments of a repeatable option, as typed. */
struct option_words {
    const char *list[OPTION_WORDS];
    unsigned count;
};

/* A part of a run, in seconds since its start. */
struct time_span {
    double from_s; /* 0: from the beginning */
    double to_s;   /* 0: to the end */
};

extern const struct option_kind option_flag; /* bool */
extern const struct option_kind
    option_last; /* bool; the reader returns OPTION_LAST */
extern const struct option_kind option_text; /* const char * */
/* uint32_t or int32_t from min to max */
extern const struct option_kind option_count;
extern const struct option_kind option_seconds; /* double; not 0 if min is 1 */
extern const struct option_kind option_span;    /* struct time_span */
extern const struct option_kind option_size;    /* uint64_t */
/* uint32_t: index of the word in the list row.argument, "a|b|c" */
extern const struct option_kind option_choice;
extern const struct option_kind option_cores; /* struct core_set */
extern const struct option_kind option_peer;  /* struct peer_rule */

/* For enum sandbox_mode. */
extern const struct option_row sandbox_rows[];

/* --help, which needs no field. */
extern const struct option_row help_rows[];

/* The readers of option_text and option_size, for kinds in other files. */
int option_read_text(void *field, const struct option_row *row,
                     const char *value, struct err *e);
int option_read_size(void *field, const struct option_row *row,
                     const char *value, struct err *e);

/* Add (word) to (w), which may hold (max) words. Returns 0; -1 if (w) is
 * full. */
int option_words_add(struct option_words *w, unsigned max, const char *word);

#endif
