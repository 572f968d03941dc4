/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run of one guest. A run lasts from the guest's first HELLO until the guest
 * leaves, its image changes, or the user stops. guest_report.h reports on it.
 */
#ifndef TPROF_SESSION_GUEST_RUN_H
#define TPROF_SESSION_GUEST_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "diagnose/remarks.h"
#include "guest/guests.h"
#include "guest/pipeline.h"
#include "image/match/guest_images.h"
#include "image/match/images.h"
#include "model/origin.h"
#include "session/guest_names.h"
#include "util/arena.h"
#include "util/err.h"

#define GUEST_RUN_NAME_MAX (GUEST_NAME_MAX + 12)

struct guest_run;

/* Inputs of a run. Everything that the members point to must outlive the
 * run. */
struct guest_run_config {
    const struct options *options;
    const struct guest_spec *spec; /* NULL: (input) is read */
    const char *input;             /* path; NULL: windows of options.from */
    unsigned number;               /* number of the run among this guest's runs,
                                    * from 1 */
    bool alone;                    /* no other guest is sampled */
    bool no_moments;               /* as in aggregate_config */
    const struct slow_set *slow;   /* as in aggregate_config */
    /* With (slow): only samples of requests of these kinds, a bit for each. */
    uint32_t slow_kinds;
    bool slow_only;        /* of the requests in (slow), else of the others */
    const char *recording; /* path; NULL: none */
    uint64_t memory_max;   /* as in aggregate_config */
    uint64_t view_max;     /* as of view_new() */
    bool needs_code;       /* the report needs code in addition to names */
    bool takes_told;       /* the code in the recording is enough */
    bool supervised;       /* another process notices the end of the guest */
    const struct origin *origin; /* origin in reports; NULL: none */
    struct images *images;
    void *context;
    /* Called with a line that the user should read now. Escape the line. */
    void (*say)(void *context, const struct guest_run *r, const char *line);
};

struct guest_run {
    struct guest_run_config config;
    char name[GUEST_RUN_NAME_MAX]; /* name of the guest; from the second run on
                                    * with the run's number */
    char source[RECORDING_TEXT_MAX];
    char *recording;            /* path; NULL: none */
    uint64_t recorded;          /* bytes in the recording when it was closed */
    struct spool_account spool; /* with options.listed */
    struct memory_account memory; /* with options.from.input_is_memory */
    struct pipeline *pipeline;
    struct guest_images images;
    size_t placed_maps; /* number of maps when (images) last found their
                         * addresses */
    uint32_t placed_sessions;
    size_t given;       /* number of files in (images) that --elf gave */
    bool other_kernel;  /* failed because no file of (images) is the guest's
                           kernel */
    bool images_sought; /* the files that a recording names were searched */
    struct guest_names names;              /* names that a recording has */
    const char *more_elfs[GUEST_MAPS_MAX]; /* paths of further images, for the
                                            * header of a recording */
    size_t more_elf_count;
    struct arena paths;
    struct remarks remarks;

    /* Set by guest_run_ended(). */
    bool failed; /* (e) says why */
    struct err e;
    enum pipeline_end end;
    const struct profile *profile; /* NULL: out of memory */
};

/* Causes of a run that cannot begin. */
enum guest_run_fault {
    GUEST_RUN_ELSE,
    GUEST_RUN_TYPED, /* the user's input */
    GUEST_RUN_IMAGE, /* a file of --elf cannot be read */
};

/* Open image and recording, and make the pipeline. NULL with (*fault) and (e)
 * filled. */
struct guest_run *guest_run_new(const struct guest_run_config *config,
                                enum guest_run_fault *fault, struct err *e);

/* End the run: its pipeline has ended for the reason (end), with the error (e)
 * or NULL. */
void guest_run_ended(struct guest_run *r, enum pipeline_end end,
                     const struct err *e);

/* Read a recording to its end, and call guest_run_ended(). A signal at the
 * descriptor (stop_fd) interrupts reading. Returns 0; -1 with (e) filled. */
int guest_run_read(struct guest_run *r, int stop_fd, struct err *e);

/* Write the names into the recording and close the recording, after sampling.
 * On failure (r) fails. */
void guest_run_seal(struct guest_run *r);

/* Mark (r) as failed with the error (e). */
void guest_run_failed(struct guest_run *r, const struct err *e);

/* Return true if there is a report to write. If not, (r->failed) is set. */
bool guest_run_has_report(struct guest_run *r);

/* Return true if there are samples that the options select. */
bool guest_run_has_samples(const struct guest_run *r);

/* Return the path of the kernel's image; NULL if unknown. */
const char *guest_run_elf(const struct guest_run *r);

/* Return the memory for the report: a share if there are several guests, else
 * all that is left. */
uint64_t guest_run_memory_left(const struct guest_run *r);

/* Return the information in the recording that is read; NULL if no recording is
 * read. */
const struct recording_info *guest_run_recorded(const struct guest_run *r);

/* If an image that the recording names is missing, add this to (e). */
void guest_run_blame_missing(const struct guest_run *r, struct err *e);

/* Release (r). NULL is allowed. */
void guest_run_free(struct guest_run *r);

#endif
