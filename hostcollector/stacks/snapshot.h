/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack of each core of a guest at one moment, with names. stacks/newest.c
 * makes it from the newest samples of a profile. Leaf. */
#ifndef TPROF_STACKS_SNAPSHOT_H
#define TPROF_STACKS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/registers.h"

/* A function that was active, or a mark: what is not known between two. */
struct snapshot_frame {
    const char *function; /* harmless; of a mark as reports have it */
    const char *file;     /* of (line); NULL: unknown */
    const char *image;    /* that it is in; NULL: the kernel, or a mark */
    uint64_t address;     /* in the image's file; 0 of a mark */
    uint64_t offset;      /* of where it goes on, from its first byte */
    uint32_t line;        /* 0: unknown */
    bool has_offset;      /* (offset) is known; never of what is inlined */
    bool inlined;         /* into the next frame */
    bool nameless;        /* (function) is an address */
    bool mark;
};

enum snapshot_state {
    SNAPSHOT_BUSY,
    SNAPSHOT_IDLE,
    SNAPSHOT_DEAD, /* halted with interrupts off: nothing wakes it */
    SNAPSHOT_NONE, /* nothing was seen of the core */
};

struct snapshot_core {
    uint32_t core;
    enum snapshot_state state;
    bool apart;   /* it is of another moment than the other cores */
    bool late;    /* nothing new was seen for longer than a look takes */
    bool off;     /* the guest says that the core does not sample */
    bool left;    /* (off), and the core sampled before */
    bool absent;  /* (off), and the core never joined: see profile_core */
    double age_s; /* since this was so; below 0: not known */
    const struct snapshot_frame *frames; /* innermost first */
    size_t count;
    const struct registers *registers; /* of that moment; NULL: not known */
    const char *end; /* why the frames end, where it is not at the outermost
                        function; NULL: it is, or nothing was seen */
};

/* One guest. */
struct snapshot {
    const char *guest; /* its name, harmless; NULL: it is the only one */
    const char *elf;   /* path of its image; escape it. NULL: not known */
    bool outside;      /* it was looked at from outside, without an agent */
    bool registers;    /* they were asked for */
    double stood_s;    /* still, for samples until now; below 0: not known */
    double wait_s;     /* longest wait for a core; 0: a recording */
    struct snapshot_core *cores; /* by number */
    size_t count;
};

/* The stacks of all guests at one of several looks. */
struct snapshot_look {
    uint32_t number, of; /* from 1 on; of so many, 0: not known */
    double wall_s;       /* when, in seconds since 1970; 0: not known */
    const struct snapshot *const *guests;
    size_t count;
};

#endif
