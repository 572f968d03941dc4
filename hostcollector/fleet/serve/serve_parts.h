/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct serve_session, for the files of collector serve. */
#ifndef TPROF_FLEET_SERVE_SERVE_PARTS_H
#define TPROF_FLEET_SERVE_SERVE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/messages.h"
#include "fleet/serve/serve_config.h"
#include "fleet/serve/serve_images.h"
#include "fleet/windows/busy.h"
#include "fleet/windows/shares.h"
#include "fleet/windows/socket_folder.h"
#include "fleet/windows/status.h"
#include "fleet/windows/watched.h"
#include "fleet/windows/windows.h"
#include "guest/guest_loop.h"

struct served {
    struct serve_session *serve;
    struct guest_spec spec;    /* of this guest; owns (where) and (labels) */
    struct arena labels;       /* memory of (labels) */
    struct pipeline *pipeline; /* NULL: waiting for the next try */
    struct watched watched;
    struct busy busy;
    struct windows_guest windows; /* its events fill (watched) and (busy) */
    bool wanted, failed;
    bool told;             /* it was shown that the guest is sampled */
    bool told_dropped;     /* it was shown that the guest sends too much */
    unsigned failures;     /* number of failures in a row */
    uint64_t again_ns;     /* time of the next try, if there is no pipeline */
    uint64_t samples_then; /* samples at the last try */
    uint64_t crashed;      /* lost samples, as in struct status_guest */
    uint32_t rate_hz;
    size_t row;
    uint16_t images[STATUS_IMAGES]; /* as in struct status_guest */
    bool image_late; /* one of its images did not exist at the start */
};

struct serve_session {
    const struct serve_config *o;
    struct messages tell;
    struct guest_loop *loop;
    struct served **list;
    size_t count, room;
    struct socket_folder *folder;
    bool folder_gone;
    struct serve_images images;
    struct windows *windows; /* NULL: no windows are kept */
    struct shares shares;    /* of --memory */
    size_t next_cut;         /* guest at which cutting continues */
    bool cut_failed;         /* the last attempt to cut a window failed */
    struct status *status;
    struct status_totals totals; /* include guests that have gone */
    uint64_t gone_samples, gone_lost, gone_dropped;
    bool *rows;      /* rows of the status table that are in use */
    size_t free_row; /* all rows before this one are in use */
    int stop_fd, reload_fd, wake_fd, notify_fd;
    bool list_again;
    uint64_t status_ns, watchdog_ns, fed_ns;
};

/* Serve the guests of (now), and no others. New guests begin at the next tick;
 * missing ones are stopped. */
void serve_change(struct serve_session *s, const struct guests *now);

/* Set the images that the user names for (g). (spec) may be freed
 * afterwards. */
void serve_images_set(struct served *g, const struct guest_spec *spec);

/* Find out which images new guests run. Takes at most a tenth of the time,
 * however much guests send. */
void serve_images_match(struct serve_session *s, uint64_t now);

/* Write the paths of the images that (g) runs, and the kernel's build-id, into
 * (info), for the header of a window. (memory) holds the paths. */
void serve_images_record(const struct served *g, struct arena *memory,
                         struct recording_info *info);

/* Show (line), about (g) if that is not NULL. */
void serve_say(struct serve_session *s, const struct served *g,
               const char *line);

/* Make the table that other processes read, with the losses of an earlier
 * process that was killed. Returns 0; -1 with (e) filled. */
int serve_table(struct serve_session *s, struct err *e);

/* Show the losses of an earlier process that was killed. */
void serve_tell_crashed(struct serve_session *s);

/* Keep the guests' budgets, show guests that came and left, update the status
 * table, and notify systemd. Call this once a second. */
void serve_tell(struct serve_session *s);

#endif
