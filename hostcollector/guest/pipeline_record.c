/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording of what a guest sends. */
#include "guest/pipeline_parts.h"

#include <stdio.h>

#include "util/host_clock.h"

#define LAST_WORDS (1ull << 20) /* bytes kept for a recording's end */

void pipeline_describe(struct pipeline *p)
{
    if (p->source->recording != NULL) {
        recording_info_copy(&p->header,
                            recording_get_info(p->source->recording),
                            &p->config.info);
        return;
    }
    p->header = p->config.info;
    (void)snprintf(p->header.source, sizeof p->header.source, "%s:%s",
                   p->source->ops->name, p->source->path);
    p->header.wall_ns = clock_wall_ns();
    p->header.monotonic_ns = clock_ns();
}

int pipeline_create_recording(struct pipeline *p, struct err *e)
{
    if (!p->source->live)
        pipeline_describe(p);
    p->writer = recording_create(p->config.record_path, &p->header, e);
    return p->writer != NULL ? 0 : -1;
}

int pipeline_append(struct pipeline *p, const void *buf, size_t size,
                    struct err *e)
{
    uint64_t max = p->config.record_max, last = max / 4;
    uint64_t then = p->writer != NULL ? recording_taken(p->writer) + size : 0;

    if (max != 0 && then > max - (last < LAST_WORDS ? last : LAST_WORDS))
        pipeline_stop(p, PIPELINE_FULL);
    if (max != 0 && then > max)
        talk_end(&p->talk);
    else if (p->writer != NULL)
        return recording_append(p->writer, buf, size, p->arrival_ns, e);
    return 0;
}

struct recording_writer *pipeline_recorder(struct pipeline *p)
{
    return p->writer != NULL && recording_takes_names(p->writer) ? p->writer
                                                                 : NULL;
}

int pipeline_seal(struct pipeline *p, struct err *e)
{
    struct recording_writer *w = p->writer;

    p->recorded = pipeline_recorded(p);
    p->writer = NULL;
    return recording_close(w, e);
}

uint64_t pipeline_recorded(const struct pipeline *p)
{
    return p->writer != NULL ? recording_size(p->writer) : p->recorded;
}

int pipeline_record(struct pipeline *p, const char *path, struct err *e)
{
    p->config.record_path = NULL;
    if (pipeline_seal(p, e) < 0)
        return -1;
    if (!path)
        return 0;
    if (!p->source)
        return err_set(e, "the guest has gone");
    pipeline_describe(p);
    p->writer = recording_create(path, &p->header, e);
    if (!p->writer)
        return -1;
    if (p->source->fd < 0 || p->talk.one_way || p->talk.state == TALK_OVER)
        return 0;
    source_drop(p->source);
    talk_anew(&p->talk);
    return decode_end(p->decode, e);
}
