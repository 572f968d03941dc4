/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One guest's way through the collector. A pipeline joins source, recorder,
 * decoder and aggregate, and talks to the guest: START, PING, RESET, STOP. A
 * pipeline never waits; the loop of guest/guest_loop.h does.
 */
#ifndef TPROF_GUEST_PIPELINE_H
#define TPROF_GUEST_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/source/source.h"
#include "model/events.h"
#include "model/profile.h"
#include "profile/aggregate/aggregate.h"
#include "recording/recording.h"
#include "util/err.h"

struct pipeline;

/* A NULL callback is not called. (context) is handed to each callback. */
struct pipeline_config {
    uint32_t rate_hz;    /* to ask for; 0: the guest's default */
    uint32_t depth;      /* frames; 0: the guest's default */
    double wait_s;       /* for a guest that left to come back: talk.h */
    double first_wait_s; /* for its first HELLO; 0: for ever */

    /* Which samples are selected; 0: all. (memory_max) is of the decoder's
     * dictionaries, too: a guest whose cores would take more than half is an
     * error. */
    struct aggregate_config aggregate;

    /* Record to this path; NULL: do not record. The caller sets elf, version
     * and build_id of (info); the pipeline fills in the rest. What a recording
     * that is replayed says of itself is kept, but for the ELF if there is one
     * here. */
    const char *record_path;
    uint64_t record_max; /* bytes of the guest in it; 0: no limit */
    struct recording_info info;
    bool names; /* the recording gets names: see pipeline_recorder() */

    /* Where the events go that are about samples: struct events up to
     * (progress). Then there is no profile of them, and no sums; those that
     * concern the conversation come here, too, after the pipeline has seen
     * them. NULL: there is a profile. */
    const struct events *tap;
    void *tap_context;
    /* With the tap's context: the guest's clock has been measured (anew). */
    void (*clock)(void *tap_context, uint64_t tsc_hz);
    bool backs_off; /* try a guest that is not there less and less often */
    bool failed; /* the pipeline before this: the guest may send on, no HELLO */

    void *context;
    /* A guest sent HELLO, for the first time or after a reboot. The callback
     * checks that the guest runs the right image. Returns 0; -1 with (e)
     * filled, and the pipeline fails with that error. */
    int (*hello)(void *context, const struct guest *g, struct err *e);
    /* One line that the user should read now: "waiting for a guest at PATH",
     * why no HELLO came, a refused START. Escape its control bytes. */
    void (*note)(void *context, const char *line);
};

/* Why a pipeline ended. */
enum pipeline_end {
    PIPELINE_DURATION,    /* the time is over */
    PIPELINE_STOPPED,     /* by the user */
    PIPELINE_FULL,        /* the recording has (record_max) bytes */
    PIPELINE_ABANDONED,   /* by the user, at once: no last STATS */
    PIPELINE_SOURCE_END,  /* end of file, or the guest is gone */
    PIPELINE_STAYED_AWAY, /* likewise, and did not come back in (wait_s); or
                             never came in (first_wait_s) */
    /* After a reboot the guest runs another image, or its image has another
     * address. The profile has no samples from after the reboot. */
    PIPELINE_OTHER_IMAGE,
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
struct pipeline_poll {
    int fd;        /* to become readable; -1: no descriptor can be polled */
    bool to_write; /* to become writable, too */
    uint64_t due;  /* a time of clock_ns(); TALK_NEVER: none */
};
struct pipeline_poll pipeline_wait(const struct pipeline *p);

/*
 * Do what is due. If (readable), also read up to (size) bytes of the source
 * into (buf), which is free for others when this returns.
 *
 * Returns 1 while the pipeline goes on; 0 when it has ended; -1 with (e) filled
 * if it cannot go on. After 0 or -1 only pipeline_close() may be called.
 */
int pipeline_step(struct pipeline *p, bool readable, void *buf, size_t size,
                  struct err *e);

/* Ask the guest for (rate_hz) and (depth) from now on; 0: its own choice. What
 * it gives is in guest_status of the profile. */
void pipeline_ask(struct pipeline *p, uint32_t rate_hz, uint32_t depth);

/* Ask the guest to define its stacks anew. */
void pipeline_reset(struct pipeline *p);

/*
 * Record what comes from now on to (path), or end recording if that is NULL. A
 * recording begins with HELLO, so a guest that listens is connected to anew,
 * and misses a moment. Returns 0; -1 with (e) filled: nothing is recorded.
 */
int pipeline_record(struct pipeline *p, const char *path, struct err *e);

/* How many bytes of the guest are in the recording so far; 0: there is none. */
uint64_t pipeline_recorded(const struct pipeline *p);

/* Which part of a file has been read, 0 to 1; 0 of a guest. */
double pipeline_part(const struct pipeline *p);

/* End it because of (end). PIPELINE_ABANDONED ends it at once. Other reasons
 * end it in order: steps go on until the guest has sent its final STATS, or did
 * not in time. */
void pipeline_stop(struct pipeline *p, enum pipeline_end end);

/*
 * Close a live source and the recording. Call it once, when the pipeline has
 * ended. Returns 0 and the reason of the end in (*end); -1 with (e) filled if
 * the last bytes could not be decoded or recorded.
 */
int pipeline_close(struct pipeline *p, enum pipeline_end *end, struct err *e);

/* Why no guest introduced itself, after pipeline_close(); "" if one did. */
const char *pipeline_excuse(const struct pipeline *p);

/* After pipeline_close(), where (names) were asked for, the recording to which
 * they may be appended, and which pipeline_seal() closes. NULL: there is none,
 * or bytes that came are missing in it. */
struct recording_writer *pipeline_recorder(struct pipeline *p);

/* Close the recording, if that is still open. Returns 0; -1 with (e) filled. */
int pipeline_seal(struct pipeline *p, struct err *e);

/* The (context) of its config. */
void *pipeline_context(const struct pipeline *p);

/* Is a live guest being sampled now? */
bool pipeline_is_sampling(const struct pipeline *p);

/* When a live guest's sampling began; 0: not yet. */
uint64_t pipeline_sampling_ns(const struct pipeline *p);

/* When its last bytes came; 0: none did, or it is not known. */
uint64_t pipeline_heard_ns(const struct pipeline *p);

/* Sums of what came so far, cheap. */
struct aggregate_totals pipeline_sums(const struct pipeline *p);

/* How many bytes of memory_max are not used. */
uint64_t pipeline_memory_left(const struct pipeline *p);

/* What was gathered; valid until pipeline_free(). NULL if out of memory. */
const struct profile *pipeline_profile(struct pipeline *p);

/* aggregate_leave_out() for that profile. */
void pipeline_leave_out(struct pipeline *p, bool *const *out);

/* The header of the recording that is replayed, and how that recording ended.
 * NULL if the source is no recording. */
const struct recording_info *pipeline_recording(const struct pipeline *p,
                                                enum recording_end *end);

/* As recording_find_names(); false, too, if the source is no recording. */
bool pipeline_find_names(const struct pipeline *p, struct recording_names *n);

/* As recording_passed_names(), likewise. */
bool pipeline_passed_names(const struct pipeline *p);

/* Release (p) and its source. NULL is allowed. */
void pipeline_free(struct pipeline *p);

#endif
