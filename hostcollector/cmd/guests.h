/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which guests are meant: the words of the command line and the lines of a
 * --guests file become one list, in which each guest has a source, a name of
 * its own and, where they were given, images.
 */
#ifndef TPROF_CMD_GUESTS_H
#define TPROF_CMD_GUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "source/source.h"
#include "util/arena.h"
#include "util/err.h"

#define GUEST_NAME_MAX 64 /* NUL included */

/* Paths of a guest's images: the kernel's, and what it loads. */
struct elf_path {
    const char *path;
    struct elf_path *next; /* as given after it; NULL: none */
};

/* One guest. Strings that are pointed to are argv's or the list's. */
struct guest_spec {
    const char *kind;      /* the source_kind that it is behind: "vsock" */
    const char *where;     /* that option's argument: "3" */
    struct elf_path *elfs; /* NULL: none given */
    /* Letters, digits and . _ - only: it becomes part of file names. */
    char name[GUEST_NAME_MAX];
    bool named; /* by the user */
};

/* Zeroed: empty. */
struct guests {
    struct guest_spec *list;
    size_t count, room;
    struct elf_path *elfs; /* of those that have none of their own */
    /* For how many guests the command line has them, and for the last. */
    unsigned elf_owners;
    struct elf_path *last_elfs;
    bool open;          /* elf and name belong to the last of the list */
    char *text;         /* of the --guests file; the list points into it */
    struct arena arena; /* elf_path */
};

/*
 * Take option (key) of the command line, one of "serial", "vsock", "vsock-uds",
 * "elf" and "name", with its argument, which must outlive (g). A source begins
 * another guest; elf and name are of the guest before them, and elf may be
 * given again for each of its images. Those before the first source are of all
 * guests that have none, and of the only guest in any case.
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
 * No more will come: images that were given for one guest alone become
 * everybody's, and guests without a name get one made from their source.
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
