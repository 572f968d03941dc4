/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options as tables. Each command has a table with offsets into its own config.
 * Parsing, --help, suggestions and shell completion use the table.
 */
#ifndef TPROF_CLI_OPTION_TABLE_H
#define TPROF_CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Room for the possible words of an argument. */
#define OPTION_CHOICES 576

struct option_row;

/* Results of a reader. A reader returns -1 with (e) filled on failure. */
enum option_result {
    OPTION_READ = 0,
    OPTION_LAST = 1, /* the rest of the command line is ignored */
    OPTION_HELP = 2, /* the rest is not read, and the command prints its help */
};

/* The type of an argument. */
struct option_kind {
    /* Read (value) into (field) of the config. (value) is NULL if (row) takes
     * no argument. Returns an enum option_result; -1 with (e) filled. */
    int (*read)(void *field, const struct option_row *row, const char *value,
                struct err *e);
    /* List the possible words of the argument, separated by blanks, commas or
     * bars. NULL: any word is possible. */
    void (*choices)(const struct option_row *row, char text[OPTION_CHOICES]);
    bool listed; /* --help shows these words after the row's own text */
};

/* One option. A table ends with a row without a name. */
struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: the option takes no argument */
    const struct option_kind *kind;
    size_t offset; /* offset of the field in the struct of the table */
    uint32_t min, max;
    const char *help; /* shells show the part before a ; or a ( */
};

/* Rows that several commands may share. */
struct option_group {
    const struct option_row *rows;
    /* Rows that are made at run time: row (i), NULL after the last. NULL:
     * none. */
    const struct option_row *(*made)(size_t i);
    size_t base; /* offset of the rows' struct in the command's config */
    /* Title of the next groups in --help. Such a group has no rows. */
    const char *title;
};
#define OPTION_ROWS(table, at)                                                 \
    {                                                                          \
        .rows = (table), .base = (at)                                          \
    }
#define OPTION_MADE(function, at)                                              \
    {                                                                          \
        .made = (function), .base = (at)                                       \
    }
#define OPTION_TITLE(words)                                                    \
    {                                                                          \
        .title = (words)                                                       \
    }
#define OPTION_END                                                             \
    {                                                                          \
        .rows = NULL                                                           \
    }

/* The options and words of a command. */
struct option_set {
    const char *command; /* as typed after "collector": " report"; or "" */
    const struct option_group *groups; /* end with OPTION_END */
    /* Read (word), which is no option, into (config). Returns 0; -1 with (e)
     * filled. NULL: the command takes only options. */
    int (*word)(void *config, const char *word, struct err *e);
    bool dashes; /* (word) reads "--", too */
    /* Return the name of the command that is most similar to (word); NULL if
     * none is similar. The member is NULL if no command's name is expected. */
    const char *(*nearest)(const char *word);
};

/* Return row (i) of (set), and the place of its field in the config; NULL after
 * the last row. */
const struct option_row *option_at(const struct option_set *set, size_t i,
                                   size_t *offset);

/* Return the row of (set) that the first (len) bytes of (word) name, such as -o
 * or --output; NULL if no row has this name. */
const struct option_row *option_find(const struct option_set *set,
                                     const char *word, size_t len,
                                     size_t *offset);

/* Return the index of the first of the (argc) words at (argv) that is neither
 * an option of (set) nor an option's argument. "--" is such a word. Return
 * (argc) if all words are options and arguments. */
int option_words_begin(const struct option_set *set, int argc, char **argv);

/*
 * Read the (argc) words at (argv), which follow the command's name, into
 * (config), which has the defaults. Strings of (config) point into (argv).
 * Returns an enum option_result, where OPTION_READ means that all words were
 * read; -1 with (e) filled, which says what to type instead.
 */
int option_parse(void *config, const struct option_set *set, int argc,
                 char **argv, struct err *e);

#endif
