/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins source, recorder, decode and aggregate, and speaks with the guest:
 * START, PING, RESET, STOP. Everything a command does before its report.
 */
#ifndef TPROF_PIPELINE_H
#define TPROF_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregate/aggregate.h"
#include "model/profile.h"
#include "source/recording.h"
#include "source/source.h"
#include "util/err.h"

struct pipeline;

struct pipeline_progress {
    uint64_t samples;   /* delivered */
    uint64_t lost;      /* ticks without a sample, for whatever reason */
    double seconds;     /* since sampling began; 0 before */
    double sample_rate; /* delivered per second, over the last interval */
};

/* Each NULL callback is not called. (context) is handed to all. */
struct pipeline_config {
    uint32_t rate_hz;  /* to ask for; 0: the guest's default */
    uint32_t depth;    /* frames; 0: the guest's default */
    double duration_s; /* from the START on; 0: until stopped, or the end */

    /* Readable when the user wants to stop (a signalfd or a pipe): up to 128
     * bytes are read each time. The first ends sampling in order, the second
     * leaves at once. -1: none. */
    int stop_fd;

    struct aggregate_config aggregate; /* what is selected; 0: everything */

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
    /* Once per (progress_ms) while a live guest is being read. */
    void (*progress)(void *context, const struct pipeline_progress *p);
    uint32_t progress_ms; /* 0: 500 */
};

/* Why a pipeline ended. */
enum pipeline_end {
    PIPELINE_DURATION,    /* the time is over */
    PIPELINE_STOPPED,     /* by stop_fd */
    PIPELINE_ABANDONED,   /* by stop_fd, twice: no last STATS */
    PIPELINE_SOURCE_END,  /* end of file, or the guest is gone */
    PIPELINE_OTHER_IMAGE, /* after a reboot another image runs; its samples
                             are not in the profile */
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

/*
 * Run until something ends it. Returns 0 and why in (*end); -1 with (e)
 * filled: what came until then is in the profile, and in the recording.
 */
int pipeline_run(struct pipeline *p, enum pipeline_end *end, struct err *e);

/* What was gathered; valid until pipeline_free(). NULL if out of memory. */
const struct profile *pipeline_profile(struct pipeline *p);

/* What the replayed recording says of itself, with how it ended; NULL if the
 * source is none. */
const struct recording_info *pipeline_recording(const struct pipeline *p,
                                                enum recording_end *end);

/* Release (p) and its source. NULL is allowed. */
void pipeline_free(struct pipeline *p);

#endif
