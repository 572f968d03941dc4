/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of guests, made from words of the command line and lines of a
 * --guests file. Each guest has a source, a unique name and, if they were
 * given, images.
 */
#ifndef TPROF_GUEST_GUESTS_H
#define TPROF_GUEST_GUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "guest/source/source.h"
#include "util/arena.h"
#include "util/err.h"

#define GUEST_NAME_MAX 64 /* NUL included */

/* Paths of a guest's images: the kernel's, and what it loads. */
struct elf_path {
    const char *path;
    struct elf_path *next; /* as given after it; NULL: none */
};

struct registers_kept;

/* One guest. Strings that are pointed to are argv's or the list's. */
struct guest_spec {
    const char *kind;          /* the source_kind that it is behind: "vsock" */
    const char *where;         /* that option's argument: "3" */
    struct elf_path *elfs;     /* NULL: none given */
    const char *const *labels; /* what else the file says of it: "zone=a" */
    size_t label_count;
    /* Letters, digits and . _ - only: it becomes part of file names. */
    char name[GUEST_NAME_MAX];
    bool named;  /* by the user */
    bool listed; /* by the --guests file */
    /* Descriptors of the process that samples the guest (sampler_process.h),
     * where its kind needs one. */
    int bytes, words;
    /* What its cores had in their registers, if that was asked for. */
    struct registers_kept *registers;
};

/* Zeroed: empty. */
struct guests {
    struct guest_spec *list;
    size_t count, room;
    struct elf_path *elfs; /* for guests without images of their own */
    /* For how many guests the command line gives images; the last of those. */
    unsigned elf_owners;
    struct elf_path *last_elfs;
    bool open;          /* --elf and --name belong to the last guest */
    const char *path;   /* of the --guests file; NULL: none */
    char *text;         /* what is in it; the list points into that */
    struct arena arena; /* elf_path */
};

/*
 * Take option (key) of the command line, a source_kind, "elf" or "name", with
 * its argument, which must outlive (g). A source begins another guest. "elf"
 * and "name" belong to the guest before them; "elf" may be given once for each
 * image. An "elf" before the first source belongs to all guests that have none,
 * and to the only guest in any case.
 *
 * Returns 0; -1 with (e) filled: a usage error.
 */
int guests_option(struct guests *g, const char *key, const char *value,
                  struct err *e);

/*
 * Add the guests of the file (path), one a line. Options are written as on the
 * command line or as key=value, and # begins a comment. Any other key=value is
 * a label. One file at a time.
 *
 * Returns 0; -1 with (e) naming file, line, and what to write there.
 */
int guests_read(struct guests *g, const char *path, struct err *e);

/*
 * The list is complete. Images that were given for one guest alone become those
 * of all guests, and guests without a name get one that is made from their
 * source.
 *
 * Returns 0; -1 with (e) filled: two have the same name, or one that is sampled
 * from outside has no image.
 */
int guests_finish(struct guests *g, struct err *e);

/* The source of (spec); (how) as for source_vsock(). NULL with (e) filled. */
struct source *guests_source(const struct guest_spec *spec, unsigned how,
                             struct err *e);

/* Release what (g) holds. */
void guests_fini(struct guests *g);

#endif
