/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One guest's way through the collector: joins its source, recorder, decoder
 * and aggregate, and speaks with it: START, PING, RESET, STOP. It never waits;
 * fleet.h has the loop that does.
 */
#ifndef TPROF_PIPELINE_H
#define TPROF_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregate/aggregate.h"
#include "model/profile.h"
#include "source/recording.h"
#include "source/source.h"
#include "util/err.h"

struct pipeline;

/* Each NULL callback is not called. (context) is handed to all. */
struct pipeline_config {
    uint32_t rate_hz; /* to ask for; 0: the guest's default */
    uint32_t depth;   /* frames; 0: the guest's default */
    double wait_s;    /* for a guest that left to come back, see talk.h */

    /* What is selected; 0: everything. (memory_max) bounds the dictionaries
     * of the guest's cores as well: one that has too many is an error. */
    struct aggregate_config aggregate;

    /* Record to this path; NULL: do not. (info)'s elf, version and build_id
     * are the caller's, the rest is filled in. */
    const char *record_path;
    struct recording_info info;

    void *context;
    /* A guest introduced itself, for the first time or after a reboot: check
     * here that it runs the right ELF. Returns 0; -1 with (e) filled: the
     * pipeline fails with that error. */
    int (*hello)(void *context, const struct guest *g, struct err *e);
    /* Something that the user should know now, one line: "waiting for a guest
     * at PATH", why no HELLO came, a refused START. Escape control bytes. */
    void (*note)(void *context, const char *line);
};

/* Why a pipeline ended. */
enum pipeline_end {
    PIPELINE_DURATION,    /* the time is over */
    PIPELINE_STOPPED,     /* by the user */
    PIPELINE_ABANDONED,   /* by the user, at once: no last STATS */
    PIPELINE_SOURCE_END,  /* end of file, or the guest is gone */
    PIPELINE_STAYED_AWAY, /* likewise, and did not come back in (wait_s) */
    PIPELINE_OTHER_IMAGE, /* after a reboot another image runs, or it lies
                             elsewhere; those samples are not in the profile */
};

/*
 * A pipeline that will read (source), which it owns from now on, also if this
 * fails. (config) is copied; what it points to must outlive the pipeline.
 * Returns NULL with (e) filled if there is no memory or the recording cannot
 * be created.
 */
struct pipeline *pipeline_new(struct source *source,
                              const struct pipeline_config *config,
                              struct err *e);

/* What a pipeline waits for; it changes with every call. */
struct pipeline_wait {
    int fd;        /* to become readable; -1: no descriptor can be polled */
    bool to_write; /* to become writable, too */
    uint64_t due;  /* a time of source_now_ns(); TALK_NEVER: none */
};
struct pipeline_wait pipeline_wait(const struct pipeline *p);

/*
 * Do what is due, and, if (readable), take in what fits the (size) bytes at
 * (buf), whose contents no pipeline needs afterwards.
 *
 * Returns 1 while it goes on; 0 when it has ended; -1 with (e) filled if it
 * cannot go on. After these two there is only pipeline_close() to call.
 */
int pipeline_step(struct pipeline *p, bool readable, void *buf, size_t size,
                  struct err *e);

/* End it because of (end): at once with PIPELINE_ABANDONED, else in order:
 * steps go on until the guest has said its last words, or its time is over. */
void pipeline_stop(struct pipeline *p, enum pipeline_end end);

/*
 * Say good-bye to the guest, once, when it has ended: a live source and the
 * recording are closed. Returns 0 and why it ended in (*end); -1 with (e)
 * filled if what came last could not be decoded or recorded.
 */
int pipeline_close(struct pipeline *p, enum pipeline_end *end, struct err *e);

/* The (context) of its config. */
void *pipeline_context(const struct pipeline *p);

/* Is a live guest being sampled now? */
bool pipeline_is_sampling(const struct pipeline *p);

/* When a live guest's sampling began; 0: not yet. */
uint64_t pipeline_sampling_ns(const struct pipeline *p);

/* Sums of what came so far, cheap. */
struct aggregate_sums pipeline_sums(const struct pipeline *p);

/* What was gathered; valid until pipeline_free(). NULL if out of memory. */
const struct profile *pipeline_profile(struct pipeline *p);

/* What the replayed recording says of itself, with how it ended; NULL if the
 * source is none. */
const struct recording_info *pipeline_recording(const struct pipeline *p,
                                                enum recording_end *end);

/* Release (p) and its source. NULL is allowed. */
void pipeline_free(struct pipeline *p);

#endif
