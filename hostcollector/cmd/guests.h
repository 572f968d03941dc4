/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which guests are meant: the words of the command line and the lines of a
 * --guests file become one list, in which each guest has a source, a name of
 * its own and, where one was given, an image.
 */
#ifndef TPROF_CMD_GUESTS_H
#define TPROF_CMD_GUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "source/source.h"
#include "util/err.h"

#define GUEST_NAME_MAX 64 /* NUL included */

/* One guest. Strings that are pointed to are argv's or the list's. */
struct guest_spec {
    const char *kind;  /* the option that names its source: "vsock" */
    const char *where; /* that option's argument: "3" */
    const char *elf;   /* NULL: none given */
    /* Letters, digits and . _ - only: it becomes part of file names. */
    char name[GUEST_NAME_MAX];
    bool named; /* by the user */
};

/* Zeroed: empty. */
struct guests {
    struct guest_spec *list;
    size_t count, room;
    const char *elf;      /* of those that have none of their own */
    const char *last_elf; /* the last of (elfs) of the command line */
    unsigned elfs;
    bool open;  /* elf and name belong to the last of the list */
    char *text; /* of the --guests file; the list points into it */
};

/*
 * Take option (key) of the command line, one of "serial", "vsock", "vsock-uds",
 * "elf" and "name", with its argument, which must outlive (g). A source begins
 * another guest; elf and name are of the guest before them, an elf before the
 * first source is of all that have none.
 *
 * Returns 0; -1 with (e) filled: a usage error.
 */
int guests_option(struct guests *g, const char *key, const char *value,
                  struct err *e);

/*
 * Add those of the file (path): one guest a line, its options as on the command
 * line or as key=value, # begins a comment. One file at a time.
 *
 * Returns 0; -1 with (e) naming file, line, and what to write there.
 */
int guests_read(struct guests *g, const char *path, struct err *e);

/*
 * No more will come: an image that was given alone becomes everybody's, and
 * guests without a name get one made from their source.
 *
 * Returns 0; -1 with (e) filled: two have the same name.
 */
int guests_finish(struct guests *g, struct err *e);

/* The source of (spec); (force) as for source_vsock(). NULL with (e) filled. */
struct source *guests_source(const struct guest_spec *spec, bool force,
                             struct err *e);

/* Release what (g) holds. */
void guests_fini(struct guests *g);

#endif
