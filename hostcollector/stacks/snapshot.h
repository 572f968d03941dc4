/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack of each core of a guest at one moment, with names. stacks/newest.c
 * makes it from the newest samples of a profile. Leaf. */
#ifndef TPROF_STACKS_SNAPSHOT_H
#define TPROF_STACKS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/registers.h"

struct arena;
struct image_map;
struct profile;
struct profile_core;
struct view;

/* A function that was active, or a mark in place of unknown functions. */
struct snapshot_frame {
    const char *function; /* safe to print on a terminal; for a mark, its name
                           * in reports */
    const char *file;     /* of (line); NULL: unknown */
    const char *image; /* image of the function; NULL: the kernel, or a mark */
    uint64_t address;  /* address in the image's file; 0 for a mark */
    uint64_t offset;   /* distance from the function's first byte to the place
                          where it continues */
    uint32_t line;     /* 0: unknown */
    bool has_offset;   /* (offset) is known; false for inlined functions */
    bool inlined;      /* into the next frame */
    bool nameless;     /* (function) is an address */
    bool mark;
};

enum snapshot_state {
    SNAPSHOT_BUSY,
    SNAPSHOT_IDLE,
    SNAPSHOT_DEAD, /* halted with interrupts off: no event wakes it */
    SNAPSHOT_NONE, /* the core has no sample */
};

struct snapshot_core {
    uint32_t core;
    enum snapshot_state state;
    bool apart;  /* the sample is of another moment than those of other cores */
    bool late;   /* no new sample during (wait_s) of the snapshot */
    bool off;    /* the guest reports that the core does not sample */
    bool left;   /* (off), but the core sampled before */
    bool absent; /* (off), because the core never joined: see profile_core */
    double age_s; /* seconds since the sample; below 0: unknown */
    const struct snapshot_frame *frames; /* innermost first */
    size_t count;
    const struct cpu *cpu; /* CPU of the registers */
    const struct registers
        *registers;  /* registers at that moment; NULL: unknown */
    const char *end; /* If the frames end before the outermost function, the
                      * reason. NULL: they do not, or there is no sample. */
};

/* One guest. */
struct snapshot {
    const char *guest; /* its name, safe to print on a terminal; NULL: the only
                        * guest */
    const char *elf;   /* path of its image; escape it. NULL: unknown */
    bool outside;      /* sampled from outside, without an agent */
    bool registers;    /* the user asked for registers */
    /* seconds for which it was stopped for samples; below 0: unknown */
    double stood_s;
    double wait_s;               /* longest wait for a core's sample; 0: a
                                  * recording */
    struct snapshot_core *cores; /* by number */
    size_t count;
};

/* The stacks of all guests at one moment: one look of several. */
struct snapshot_look {
    uint32_t number,
        of; /* number of this look, from 1; number of looks, 0: unknown */
    double wall_s; /* time of the look, in seconds since 1970; 0: unknown */
    const struct snapshot *const *guests;
    size_t count;
};

/* newest.c: make a snapshot of the newest sample of each core. */

/* Returns true if the guest has reported that (core) of (p) does not sample. */
bool snapshot_is_off(const struct profile *p, const struct profile_core *core);

/*
 * Create a snapshot of the newest selected samples of (p). (v) is the view of
 * (p), made with (image_map). The last bytes of the guest came (quiet_s)
 * seconds ago. Cores whose newest sample is older than (wait_s) are marked as
 * late; 0: no core is. (kept) has registers of the cores; NULL: unknown. The
 * result is in (arena), and points into (v) and (kept). Returns NULL if there
 * is no memory.
 */
struct snapshot *snapshot_new(const struct profile *p, const struct view *v,
                              const struct image_map *image_map, double quiet_s,
                              double wait_s, const struct registers_kept *kept,
                              struct arena *arena);

#endif
