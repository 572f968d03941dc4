/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of guests, made from the command line and the lines of a --guests
 * file. Each guest has a source, a unique name, and images if the user gave
 * any.
 */
#ifndef TPROF_GUEST_GUESTS_H
#define TPROF_GUEST_GUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "guest/source/source.h"
#include "util/arena.h"
#include "util/err.h"

#define GUEST_NAME_MAX 64 /* NUL included */

/* Paths of a guest's images: first the kernel, then images that the kernel
 * loads. */
struct elf_path {
    const char *path;
    struct elf_path *next; /* the next in the order given; NULL: none */
};

struct registers_kept;

/* One guest. Its strings belong to argv or to the list. */
struct guest_spec {
    const char *kind;          /* name of its source_kind: "vsock" */
    const char *where;         /* argument of that option: "3" */
    struct elf_path *elfs;     /* NULL: none given */
    const char *const *labels; /* labels of the guest in the file: "zone=a" */
    size_t label_count;
    /* Letters, digits, '.', '_' and '-' only, since the name becomes part of
     * file names. */
    char name[GUEST_NAME_MAX];
    bool named;  /* the user gave the name */
    bool listed; /* the guest is in the --guests file */
    /* Descriptors of the process that samples the guest (sampler_process.h),
     * if its kind needs such a process. */
    int bytes, words;
    /* Registers of the guest's cores, if the command needs them. */
    struct registers_kept *registers;
};

/* Zeroed: empty. */
struct guests {
    struct guest_spec *list;
    size_t count, room;
    struct elf_path *elfs; /* for guests that have no images of their own */
    /* Number of guests for which the command line gives images, and the last
     * of these guests. */
    unsigned elf_owners;
    struct elf_path *last_elfs;
    bool open;          /* the next --elf or --name belongs to the last guest */
    const char *path;   /* path of the --guests file; NULL: none */
    char *text;         /* contents of the file, into which the list points */
    struct arena arena; /* memory of elf_path */
};

/*
 * Add option (key) of the command line: a source_kind, "elf" or "name". Its
 * argument (value) must outlive (g).
 *
 * A source begins another guest. "elf" and "name" belong to the last guest
 * before them; "elf" may be repeated for further images. An "elf" before the
 * first source belongs to all guests that have no "elf" of their own. If there
 * is only one guest, every "elf" is for that guest.
 *
 * Returns 0; -1 with (e) filled for a usage error.
 */
int guests_option(struct guests *g, const char *key, const char *value,
                  struct err *e);

/*
 * Add the guests of the file (path), one on each line. Options are written as
 * on the command line or as key=value, and # begins a comment. Any other
 * key=value is a label. Only one file can be added.
 *
 * Returns 0; -1 with (e) filled: file, line, and the expected words.
 */
int guests_read(struct guests *g, const char *path, struct err *e);

/*
 * Complete the list. If only one guest was given images, all guests get them.
 * Guests without a name get one made from their source.
 *
 * Returns 0; -1 with (e) filled if two guests have the same name, or if a
 * guest that is sampled from outside has no image.
 */
int guests_finish(struct guests *g, struct err *e);

/* Create the source of (spec). (how) is as in source_vsock(). NULL with (e)
 * filled on failure. */
struct source *guests_source(const struct guest_spec *spec, unsigned how,
                             struct err *e);

/* Release what (g) holds. */
void guests_fini(struct guests *g);

#endif
