/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of collector top: a guest, or a recording that is played, and its
 * pictures. The session does everything but the terminal.
 */
#ifndef TPROF_TOP_TOP_SESSION_H
#define TPROF_TOP_TOP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "image/match/images.h"
#include "session/guest_report.h"
#include "top/draw.h"
#include "top/top.h"
#include "top/top_window.h"
#include "util/err.h"

/* Returns the text of source lines and blocks of function (number) of
 * (look->view), which the caller frees; NULL with (e) filled. */
typedef char *top_lines_of(const struct guest_run *run,
                           const struct report *look, uint32_t number,
                           struct err *e);

struct top_session {
    const struct options *options;
    top_lines_of *lines;   /* set after top_session_init() */
    const char *recording; /* recording to write; only written on request */
    bool record;           /* record from the beginning */

    struct images images;
    struct guest_run *run;
    struct top_window *window;
    struct entry_limit limit;
    struct view *view;
    struct top top;
    bool usage; /* the failure is a mistake in the command line */
    bool over;  /* the guest or the file has ended */

    char note[512]; /* "": none */
    uint64_t note_ns;
    bool recording_now;
    uint32_t rate_hz, depth; /* requested settings; 0: none */

    uint64_t refresh_ns; /* when the next picture is due */
    bool stale;          /* the next picture is due now */

    /* For a player: the time of the picture. The file is played up to this
     * time. */
    double target_s;
    uint64_t played_ns; /* time of clock_ns() at which (target_s) was reached */
    double speed;
    double looked_s; /* time in the file at the last look */
    bool seeking;
};

/* Begin the session that (o) describes. Returns 0; -1 with (e) filled. In both
 * cases top_session_fini() must follow. */
int top_session_init(struct top_session *s, const struct options *o,
                     const char *recording, bool record, struct err *e);
void top_session_fini(struct top_session *s);

/* The descriptor to poll, and the longest wait in milliseconds. */
struct top_wait {
    int fd; /* -1: none */
    bool to_write;
    int ms;
};
struct top_wait top_session_wait(const struct top_session *s);

/* Do the due work. Returns 1 if the picture changed; 0 if not; -1 with (e)
 * filled if the session cannot go on. */
int top_session_step(struct top_session *s, bool readable, struct err *e);

/* Handle a key. Returns 1 to go on; 0 to leave; -1 with (e) filled. */
int top_session_key(struct top_session *s, uint32_t key, struct err *e);

/* End the recording when the user leaves. Returns 0; -1 with (e) filled. */
int top_session_end(struct top_session *s, struct err *e);

/* Return the facts that top_draw() shows beside the view. */
struct top_facts top_session_facts(const struct top_session *s);

/* Show (line) to the user for a while. */
void top_session_note(struct top_session *s, const char *line);

/* top_lines.c: show the source lines and basic blocks of the selected function,
 * with the samples of the current picture. If the function has no code or no
 * samples, show the reason instead. The text does not change until the user
 * presses the key again. */
void top_lines_show(struct top_session *s);

/* top_tables.c: show the tables of threads, requests or locks since the start,
 * for TOP_THREADS, TOP_REQUESTS or TOP_LOCKS. If the kernel reports none, say
 * so. The text does not change until the user presses the key again. */
void top_tables_show(struct top_session *s, enum top_wish wish);

#endif
