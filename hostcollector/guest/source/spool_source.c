/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of a spool as one stream. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard/opener.h"
#include "guest/source/source.h"
#include "model/guest.h"
#include "profile/decode/fields.h"
#include "recording/recording.h"
#include "recording/spool/spool_list.h"
#include "tprof_wire.h"
#include "util/bytes.h"

#define SECOND 1000000000u /* in nanoseconds */

struct spool_source {
    struct source source; /* first member: the callbacks get a pointer to it */
    const struct spool_list *list;
    const char *build;
    struct spool_account *account;
    size_t next; /* index in the list of the window after this one */
    /* Windows that are already open: from (taken) to (opened). */
    char paths[OPENER_WINDOWS][PATH_MAX];
    int fds[OPENER_WINDOWS];
    size_t taken, opened;
    const char *path; /* path of the window that is being read */

    /* The window that is being read; NULL: none. The first window stays open,
     * because the others use its unpacker. */
    struct recording_reader *reader, *first;
    int fd, first_fd;
    /* added to arrival times to get the first window's clock */
    uint64_t offset_ns;
    uint64_t wall_ns; /* wall time of the end of what was read; 0: unknown */
    uint64_t last_ns; /* arrival of the last frame, as it was returned */

    bool unwanted; /* the window that is being read is not wanted */
    bool has_guest;
    struct guest guest; /* the guest of the first window */
    uint8_t frame[WIRE_FRAME_MAX];
    size_t size, given; /* of the frame */
    uint64_t arrival_ns;
};

/* Count the window as unusable, or the rest of it. */
static void refuse(struct spool_source *s, const char *why)
{
    struct spool_account *a = s->account;
    const char *slash = strrchr(s->path, '/');

    if (a->unusable++ == 0)
        (void)snprintf(a->unusable_why, sizeof a->unusable_why, "%.100s: %s",
                       slash != NULL ? slash + 1 : s->path, why);
}

static void close_window(struct spool_source *s)
{
    if (s->reader == NULL)
        return;
    if (s->reader != s->first) {
        if (s->first != NULL)
            recording_reuse(s->first, s->reader);
        recording_reader_free(s->reader);
        (void)close(s->fd);
    }
    s->reader = NULL;
    s->size = s->given = 0;
}

/* Do the (size) bytes at (id) begin with the hexadecimal digits (digits)? */
static bool id_begins(const uint8_t *id, size_t size, const char *digits)
{
    static const char hex[] = "0123456789abcdef";
    size_t length = strlen(digits);

    if (length > 2 * size)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned byte = id[i / 2];

        if ((digits[i] | 0x20) != hex[i % 2 == 0 ? byte >> 4 : byte & 15u])
            return false;
    }
    return true;
}

/* Is the window of the wanted image? Decided by the guest's build-id, or by
 * that of the file which its collector had. */
static bool is_wanted(struct spool_source *s, const struct guest *g)
{
    const struct recording_info *info = recording_get_info(s->reader);

    if (s->build != NULL && !s->has_guest &&
        !id_begins(g->build_id, g->build_id_len, s->build) &&
        !id_begins(info->build_id, info->build_id_len, s->build))
        return false;
    return !s->has_guest || guest_same_image(&s->guest, g);
}

static void leave_out(struct spool_source *s, const struct guest *g)
{
    struct spool_account *a = s->account;

    if (a->others++ != 0)
        return;
    for (size_t i = 0; i < g->build_id_len && 2 * i + 3 < sizeof a->other_build;
         i++)
        (void)snprintf(a->other_build + 2 * i, 3, "%02x", g->build_id[i]);
}

/* Can the frame be read into the report? A HELLO must have a known version, and
 * be of the wanted image. */
static bool is_welcome(struct spool_source *s)
{
    const uint8_t *body = s->frame + WIRE_FRAME_HEADER;
    size_t length = s->size - WIRE_FRAME_HEADER - WIRE_FRAME_TRAILER;
    const char *wrong = NULL;
    struct guest g;

    if (s->frame[WIRE_FRAME_TYPE] != WIRE_HELLO)
        return true;
    unsigned major = fields_hello_version(body, length) >> 8;

    if (major < TPROF_WIRE_VERSION_OLDEST || major > TPROF_WIRE_VERSION_MAJOR)
        wrong = "has a wire version that this collector cannot read";
    else
        wrong = fields_hello(body, length, &g);
    if (wrong != NULL) {
        refuse(s, wrong);
        return false;
    }
    if (!is_wanted(s, &g)) {
        leave_out(s, &g);
        return false;
    }
    s->guest = g;
    s->has_guest = true;
    return true;
}

/* Read a frame of the open file. False at its end. */
static bool take_frame(struct spool_source *s, uint64_t *arrival_ns)
{
    struct err why = {"is damaged"};
    ssize_t n =
        recording_read(s->reader, s->frame, sizeof s->frame, arrival_ns, &why);
    enum recording_end end = recording_end(s->reader);

    s->size = s->given = 0;
    if (n < 0 || (n == 0 && end == RECORDING_DAMAGED))
        refuse(s, why.text);
    else if (n == 0 && end == RECORDING_CUT)
        refuse(s, "is cut");
    else if (n > 0 && !recording_is_packed(s->reader))
        refuse(s, "is a recording, not a window");
    else
        s->size = (size_t)n;
    return s->size != 0;
}

/* In a merged file, does the frame's window begin before or after the wanted
 * span? */
static bool is_outside(const struct spool_source *s)
{
    const struct spool_list *l = s->list;
    uint64_t ms = recording_window(s->reader);

    return ms != 0 &&
           (ms < l->since_ms || (l->until_ms != 0 && ms >= l->until_ms));
}

/* Count a gap if time is missing between the last window, which ended at
 * (ended_ns), and this window, which begins at (begins_ns). */
static void look_for_gap(struct spool_source *s, uint64_t ended_ns,
                         uint64_t begins_ns)
{
    if (ended_ns == 0 || begins_ns < ended_ns || begins_ns - ended_ns < SECOND)
        return;
    s->account->gaps++;
    s->account->gap_s += (double)(begins_ns - ended_ns) / SECOND;
}

/* Read the next frame of the open file that is in a wanted window. False at
 * the end of the file. */
static bool read_frame(struct spool_source *s)
{
    const struct recording_info *info = recording_get_info(s->reader);
    uint64_t arrival_ns = 0;

    do {
        if (!take_frame(s, &arrival_ns))
            return false;
        if (s->frame[WIRE_FRAME_TYPE] == WIRE_HELLO)
            s->unwanted = is_outside(s) || !is_welcome(s);
    } while (s->unwanted);
    if (info->wall_ns != 0) {
        uint64_t wall_ns = info->wall_ns + arrival_ns - info->monotonic_ns;

        if (s->frame[WIRE_FRAME_TYPE] == WIRE_HELLO)
            look_for_gap(s, s->wall_ns, wall_ns);
        s->wall_ns = wall_ns;
    }
    arrival_ns += s->offset_ns;
    /* time may go back, since clocks may be set back */
    if (arrival_ns > s->last_ns)
        s->last_ns = arrival_ns;
    s->arrival_ns = s->last_ns;
    return true;
}

/* Returns the difference between the clock of this window's collector and the
 * clock of the first window's collector. */
static uint64_t clock_offset(const struct spool_source *s)
{
    const struct recording_info *first = recording_get_info(s->first);
    const struct recording_info *now = recording_get_info(s->reader);

    if (first->wall_ns == 0 || now->wall_ns == 0)
        return 0;
    return now->wall_ns - now->monotonic_ns - first->wall_ns +
           first->monotonic_ns;
}

/* Begin with the open file, and read its first frame, which must be a HELLO. */
static bool open_window(struct spool_source *s)
{
    struct err why = {""};

    if (s->fd == -ENOENT)
        s->account->gone++;
    else if (s->fd < 0)
        refuse(s, strerror(-s->fd));
    if (s->fd < 0)
        return false;
    s->reader = recording_open(s->fd, &why);
    if (s->reader == NULL) {
        refuse(s, why.text);
        (void)close(s->fd);
        return false;
    }
    if (s->first != NULL)
        recording_reuse(s->reader, s->first);
    s->offset_ns = s->first != NULL ? clock_offset(s) : 0;
    s->unwanted = false;
    if (!read_frame(s)) {
        close_window(s);
        return false;
    }
    if (s->frame[WIRE_FRAME_TYPE] != WIRE_HELLO) {
        refuse(s, "does not begin with HELLO");
        close_window(s);
        return false;
    }
    s->account->read++;
    if (s->first == NULL) {
        s->first = s->reader;
        s->first_fd = s->fd;
        s->source.recording = s->first;
    }
    return true;
}

/* Open the next files, if there are any. */
static void open_files(struct spool_source *s)
{
    const char *paths[OPENER_WINDOWS];

    for (s->taken = s->opened = 0;
         s->opened < OPENER_WINDOWS && s->next < s->list->count; s->opened++)
        paths[s->opened] = spool_list_path(
            s->list, s->next++, s->paths[s->opened], sizeof s->paths[0]);
    opener_open_windows(paths, s->opened, s->fds);
}

/* Go to the next file. False if there is none. */
static bool take_file(struct spool_source *s)
{
    if (s->taken == s->opened)
        open_files(s);
    if (s->taken == s->opened)
        return false;
    s->path = s->paths[s->taken];
    s->fd = s->fds[s->taken++];
    return true;
}

/* Have a frame to return. False at the end of all windows. */
static bool next_frame(struct spool_source *s)
{
    while (s->given == s->size) {
        if (s->reader != NULL && read_frame(s))
            return true;
        close_window(s);
        if (!take_file(s))
            return false;
        (void)open_window(s);
    }
    return true;
}

static enum source_state spool_open_first(struct source *source, struct err *e)
{
    struct spool_source *s = (struct spool_source *)source;
    const struct spool_account *a = s->account;

    if (next_frame(s))
        return SOURCE_OPEN;
    if (a->unusable != 0)
        (void)err_set(e, "%s: none of %zu windows can be used; %s",
                      source->path, s->list->count, a->unusable_why);
    else if (a->others != 0)
        (void)err_set(e, "%s: no window is of build %s; there is %s",
                      source->path, s->build,
                      a->other_build[0] != '\0' ? a->other_build
                                                : "an image without build-id");
    else
        (void)err_set(e,
                      "%s: no window begins then, or all were removed "
                      "meanwhile",
                      source->path);
    return SOURCE_FAILED;
}

static ssize_t spool_read(struct source *source, void *buf, size_t size,
                          uint64_t *arrival_ns, struct err *e)
{
    struct spool_source *s = (struct spool_source *)source;
    size_t used = 0;

    (void)e;
    while (used < size && next_frame(s)) {
        size_t n = s->size - s->given;

        if (used != 0 && s->arrival_ns != *arrival_ns)
            break;
        *arrival_ns = s->arrival_ns;
        if (n > size - used)
            n = size - used;
        memcpy((uint8_t *)buf + used, s->frame + s->given, n);
        s->given += n;
        used += n;
    }
    return used != 0 ? (ssize_t)used : SOURCE_END;
}

static void spool_close_all(struct source *source)
{
    struct spool_source *s = (struct spool_source *)source;

    close_window(s);
    for (; s->taken < s->opened; s->taken++)
        if (s->fds[s->taken] >= 0)
            (void)close(s->fds[s->taken]);
    recording_reader_free(s->first);
    if (s->first_fd >= 0)
        (void)close(s->first_fd);
    source_free(source);
}

static const struct source_ops spool_ops = {
    .name = "spool",
    .open = spool_open_first,
    .read = spool_read,
    .write = NULL,
    .close = spool_close_all,
};

struct source *source_spool(const struct spool_list *list, const char *build,
                            struct spool_account *account, struct err *e)
{
    struct spool_source *s = source_new(sizeof *s, &spool_ops, list->folder, e);

    if (s == NULL)
        return NULL;
    s->fd = s->first_fd = -1;
    s->source.windows = true;
    s->list = list;
    s->build = build;
    s->account = account;
    return &s->source;
}
