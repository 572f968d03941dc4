/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/guest_run_parts.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

/* Open the source of a run that has no guest's address. */
static struct source *open_file(struct guest_run *r, struct err *e)
{
    const struct options *o = r->config.options;

    if (o->from.listed != NULL)
        return source_spool(o->from.listed, o->from.build, &r->spool, e);
    return o->from.input_is_memory
               ? source_memory(r->config.input, &r->memory, e)
               : source_replay(r->config.input, e);
}

struct source *guest_source_open(struct guest_run *r, struct err *e)
{
    const struct options *o = r->config.options;
    const struct guest_spec *spec = r->config.spec;
    unsigned how = (o->from.force_vsock ? SOURCE_VSOCK_FORCE : 0) |
                   (o->from.privileged ? SOURCE_VSOCK_PRIVILEGED : 0);
    struct source *source =
        spec != NULL ? guests_source(spec, how, e) : open_file(r, e);

    if (source == NULL)
        return NULL;
    source->peers = o->from.peers;
    (void)snprintf(r->source, sizeof r->source, "%s%s%s",
                   spec != NULL ? spec->kind : "", spec != NULL ? ":" : "",
                   source->path);
    return source;
}

static void remark_on_windows(struct guest_run *r)
{
    const struct spool_account *a = &r->spool;

    if (a->unusable != 0)
        remarks_warn(&r->remarks,
                     "%" PRIu64 " window%s cannot be used, or only a part of "
                     "them; the first is %s.",
                     a->unusable, text_plural(a->unusable), a->unusable_why);
    if (a->others != 0)
        (r->config.options->from.build != NULL ? remarks_note : remarks_warn)(
            &r->remarks,
            "%" PRIu64
            " window%s left out: the guest ran another image then (%s), or its "
            "image was at another address. --build selects another image.",
            a->others, a->others == 1 ? " is" : "s are",
            a->other_build[0] != '\0' ? a->other_build : "without build-id");
    if (a->gone != 0)
        remarks_note(&r->remarks,
                     "%" PRIu64 " window%s removed from the spool before "
                     "they could be read.",
                     a->gone, a->gone == 1 ? " was" : "s were");
    if (a->gaps != 0)
        remarks_note_first(
            &r->remarks,
            "%.0f s are missing between windows, in %" PRIu64
            " place%s: the guest or its collector was away, or windows were "
            "removed. This time does not count as lost.",
            a->gap_s, a->gaps, text_plural(a->gaps));
}

static void remark_on_memory(struct guest_run *r)
{
    const struct memory_account *a = &r->memory;

    if (a->cut[0] != '\0')
        remarks_warn(&r->remarks, "The dump %s.", a->cut);
    if (a->unread != 0)
        remarks_warn(&r->remarks,
                     "The rings of %" PRIu32
                     " core%s are not completely in the dump, so older samples "
                     "are missing%s%s.",
                     a->unread, text_plural(a->unread),
                     a->trouble[0] != '\0' ? "; " : "", a->trouble);
    if (a->no_clock && r->profile != NULL && r->profile->tsc_hz != 0)
        remarks_note(&r->remarks,
                     "The guest did not know the rate of its clock. %.1f MHz "
                     "follows from the rate that its last collector requested.",
                     (double)r->profile->tsc_hz / 1e6);
}

void guest_source_remark(struct guest_run *r)
{
    enum recording_end closed = RECORDING_WHOLE;

    if (r->config.options->from.listed != NULL) {
        remark_on_windows(r);
        return;
    }
    if (r->config.options->from.input_is_memory) {
        remark_on_memory(r);
        return;
    }
    (void)pipeline_recording(r->pipeline, &closed);
    if (closed == RECORDING_CUT)
        remarks_warn(&r->remarks, "The recording ends abruptly: it was cut, or "
                                  "its collector was killed.");
    if (closed == RECORDING_DAMAGED)
        remarks_warn(
            &r->remarks,
            "The recording is damaged: nothing after the damage was read.");
    if (r->images.kernel == NULL && pipeline_passed_names(r->pipeline))
        remarks_warn(&r->remarks,
                     "The recording's names are at its end, and a pipe is read "
                     "once: name the recording as a file, or name the guest's "
                     "image with --elf.");
}

const char *guest_source_recording(const struct guest_run *r)
{
    const char *input = r->config.input;
    enum recording_end end;

    if (r->config.spec != NULL)
        return r->recording;
    return pipeline_recording(r->pipeline, &end) != NULL && input != NULL &&
                   strcmp(input, "-") != 0
               ? input
               : NULL;
}

static bool is_stopped(int stop_fd)
{
    struct pollfd p = {.fd = stop_fd, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

int guest_run_read(struct guest_run *r, int stop_fd, struct err *e)
{
    static char piece[1u << 16];
    struct err why = {""};
    enum pipeline_end end;
    int more = 1;

    while (more > 0 && !is_stopped(stop_fd))
        more = pipeline_step(r->pipeline, true, piece, sizeof piece, &why);
    if (more > 0)
        return err_set(e, "left without a result");
    if (pipeline_close(r->pipeline, &end, more < 0 ? NULL : &why) < 0)
        more = -1;
    guest_run_ended(r, end, more < 0 ? &why : NULL);
    return r->failed ? err_set(e, "%s", r->e.text) : 0;
}
