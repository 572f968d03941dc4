/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the steps for one guest: source, recorder, decoder and aggregate. A
 * pipeline also talks to the guest: START, PING, RESET, STOP. A pipeline never
 * waits. The loop of guest/guest_loop.h waits for all pipelines.
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

/* A NULL callback is not called. (context) is passed to each callback. */
struct pipeline_config {
    uint32_t rate_hz;    /* rate to ask for; 0: the guest's default */
    uint32_t depth;      /* frames to ask for; 0: the guest's default */
    double wait_s;       /* wait this long for the return of a guest that left:
                          * talk.h */
    bool started;        /* tprof has started the guest */
    double first_wait_s; /* wait this long for its first HELLO; 0: for ever */

    /* Selection of samples; 0: all. (memory_max) includes the decoder's cores.
     * The pipeline fails if cores with empty dictionaries need more than half
     * of (memory_max), or if cores with full dictionaries need more than all of
     * it. */
    struct aggregate_config aggregate;
    /* Value of --memory, for messages. (memory_max) is a part of it. */
    uint64_t memory_all;

    /* Path of the recording; NULL: do not record. The caller sets elf, version
     * and build_id of (info); the pipeline fills in the rest. If a recording
     * is replayed, the new one keeps its header, except for the ELF file if
     * (info) has one. */
    const char *record_path;
    uint64_t record_max; /* limit of the guest's bytes in the recording; 0:
                          * none */
    struct recording_info info;
    bool names; /* names will be appended: see pipeline_recorder() */

    /* Receives the events about samples: struct events up to (progress). These
     * events then make no profile, and no sums. After the pipeline, (tap) also
     * receives the events of the conversation. NULL: make a profile. */
    const struct events *tap;
    void *tap_context;
    /* Called with the tap's context each time the rate of the guest's clock has
     * been measured. */
    void (*clock)(void *tap_context, uint64_t tsc_hz);
    /* Called with the tap's context at HELLO, and when the decoder's cores have
     * grown: they take (bytes) in all. Returns 0; -1 with (e) filled, and the
     * pipeline fails with that error. */
    int (*grown)(void *tap_context, uint64_t bytes, struct err *e);
    bool backs_off; /* try an absent guest less and less often */
    /* the last pipeline of this guest failed: the guest may continue its
     * session, without HELLO */
    bool failed;

    void *context;
    /* Called when a guest sent HELLO for the first time or after a reboot. The
     * callback checks that the guest runs the right image. Returns 0; -1 with
     * (e) filled, and the pipeline fails with that error. */
    int (*hello)(void *context, const struct guest *g, struct err *e);
    /* Called with a line that the user should read now: "waiting for a guest
     * at PATH", the reason why no HELLO came, a refused START. Escape its
     * control bytes. */
    void (*note)(void *context, const char *line);
};

/* Reason why a pipeline ended. */
enum pipeline_end {
    PIPELINE_DURATION,   /* the requested duration is over */
    PIPELINE_STOPPED,    /* the user stopped */
    PIPELINE_FULL,       /* the recording has (record_max) bytes */
    PIPELINE_ABANDONED,  /* the user stopped at once: no last STATS */
    PIPELINE_SOURCE_END, /* end of file, or the guest is gone */
    /* the guest is gone and did not return in (wait_s), or never came in
     * (first_wait_s) */
    PIPELINE_STAYED_AWAY,
    /* After a reboot the guest runs another image, or its image has another
     * address. The profile has no samples from after the reboot. */
    PIPELINE_OTHER_IMAGE,
};

/*
 * Create a pipeline that reads (source). The pipeline owns (source) from now
 * on, also after an error. (config) is copied; objects to which it points must
 * outlive the pipeline. Returns NULL with (e) filled if there is no memory or
 * the recording cannot be created.
 */
struct pipeline *pipeline_new(struct source *source,
                              const struct pipeline_config *config,
                              struct err *e);

/* Events for which a pipeline waits. They change with every call. */
struct pipeline_poll {
    int fd;        /* descriptor to become readable; -1: cannot be polled */
    bool to_write; /* wait for it to become writable, too */
    uint64_t due;  /* a time of clock_ns(); TALK_NEVER: none */
};
struct pipeline_poll pipeline_wait(const struct pipeline *p);

/*
 * Do the work that is due. If (readable), also read up to (size) bytes of the
 * source into (buf), which is free again when this function returns.
 *
 * Returns 1 while the pipeline goes on; 0 when it has ended; -1 with (e)
 * filled if it cannot go on. After 0 or -1 only pipeline_close() may be
 * called.
 */
int pipeline_step(struct pipeline *p, bool readable, void *buf, size_t size,
                  struct err *e);

/* Ask the guest for (rate_hz) and (depth) from now on; 0: its own choice. The
 * guest's answer is the guest_status of the profile. */
void pipeline_ask(struct pipeline *p, uint32_t rate_hz, uint32_t depth);

/* Ask the guest to define its stacks anew. */
void pipeline_reset(struct pipeline *p);

/*
 * Record to (path) from now on, or end recording if (path) is NULL. A
 * recording begins with HELLO. A guest that accepts connections is therefore
 * connected anew, and misses a moment. Returns 0; -1 with (e) filled if
 * nothing is recorded.
 */
int pipeline_record(struct pipeline *p, const char *path, struct err *e);

/* Number of bytes that the recording would have if it were sealed now; 0
 * without one. */
uint64_t pipeline_recorded(const struct pipeline *p);

/* Part of a file that has been read, 0 to 1. 0 for a live guest. */
double pipeline_part(const struct pipeline *p);

/* End the pipeline because of (end). PIPELINE_ABANDONED ends it at once. Other
 * reasons end it in order: steps go on until the guest has sent its final
 * STATS, or until the time for them is over. */
void pipeline_stop(struct pipeline *p, enum pipeline_end end);

/*
 * Close a live source and the recording. Call it once, when the pipeline has
 * ended. Returns 0 and the reason of the end in (*end); -1 with (e) filled if
 * the last bytes could not be decoded or recorded.
 */
int pipeline_close(struct pipeline *p, enum pipeline_end *end, struct err *e);

/* The reason why no guest sent HELLO, after pipeline_close(); "" if a guest
 * did. */
const char *pipeline_excuse(const struct pipeline *p);

/* The recording to which names may be appended, after pipeline_close(), if the
 * config asked for (names). pipeline_seal() closes it. NULL if there is no
 * recording, or if received bytes are missing in it. */
struct recording_writer *pipeline_recorder(struct pipeline *p);

/* Close the recording if it is still open. Returns 0; -1 with (e) filled. */
int pipeline_seal(struct pipeline *p, struct err *e);

/* The (context) of the pipeline's config. */
void *pipeline_context(const struct pipeline *p);

/* Is the pipeline sampling a live guest now? */
bool pipeline_is_sampling(const struct pipeline *p);

/* The time at which a live guest's sampling began; 0: not yet. */
uint64_t pipeline_sampling_ns(const struct pipeline *p);

/* Returns the time at which the guest's last bytes came; 0: none came, or the
 * time is unknown. */
uint64_t pipeline_heard_ns(const struct pipeline *p);

/* Sums so far, cheap to compute. */
struct aggregate_totals pipeline_sums(const struct pipeline *p);

/* Number of bytes of memory_max that are not used. */
uint64_t pipeline_memory_left(const struct pipeline *p);

/* The profile so far, valid until pipeline_free(). NULL if out of memory. */
const struct profile *pipeline_profile(struct pipeline *p);

/* Call aggregate_leave_out() for that profile. */
void pipeline_leave_out(struct pipeline *p, bool *const *out);

/* The header of the replayed recording, and in (*end) how that recording
 * ended. NULL if the source is not a recording. */
const struct recording_info *pipeline_recording(const struct pipeline *p,
                                                enum recording_end *end);

/* Call recording_find_names(). Returns false also if the source is not a
 * recording. */
bool pipeline_find_names(const struct pipeline *p, struct recording_names *n);

/* Call recording_passed_names(). Returns false also if the source is not a
 * recording. */
bool pipeline_passed_names(const struct pipeline *p);

/* Release (p) and its source. NULL is allowed. */
void pipeline_free(struct pipeline *p);

#endif
