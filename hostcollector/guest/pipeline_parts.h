/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct pipeline, for the files of the pipeline. */
#ifndef TPROF_GUEST_PIPELINE_PARTS_H
#define TPROF_GUEST_PIPELINE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/pipeline.h"
#include "guest/talk/talk.h"
#include "profile/decode/decode.h"

struct pipeline {
    struct pipeline_config config;
    struct source *source;
    struct talk talk;
    struct recording_writer *writer; /* NULL: not recording */
    struct recording_info header;    /* of the written or replayed one */
    struct events events;            /* of the decoder */
    struct decode *decode;
    struct aggregate *aggregate;

    enum pipeline_end end;
    uint64_t arrival_ns; /* of the bytes being decoded; 0: unknown */
    uint64_t last_ns;    /* arrival of the last bytes */
    uint64_t samples_ns; /* arrival of the first samples; 0: unknown */
    bool failed;         /* the decoder cannot go on */
    bool has_guest;
    struct err excuse;          /* the reason why there is none, in the end */
    uint64_t charged, recorded; /* bytes for cores; of the sealed recording */
    struct guest guest;         /* as the last HELLO described it */
};

/* pipeline_record.c */

/* Fill in the recording's header, as far as it is known at creation. */
void pipeline_describe(struct pipeline *p);

/* Create the recording. Of a replayed recording, the header is known by now.
 * Returns 0; -1 with (e) filled. */
int pipeline_create_recording(struct pipeline *p, struct err *e);

/* Record bytes. Bytes beyond the limit are left out, and the pipeline ends in
 * order, for which some bytes are reserved. Returns 0; -1 with (e) filled. */
int pipeline_append(struct pipeline *p, const void *buf, size_t size,
                    struct err *e);

#endif
