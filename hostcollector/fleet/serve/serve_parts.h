/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of collector serve share: the guests, and all about them. */
#ifndef TPROF_FLEET_SERVE_SERVE_PARTS_H
#define TPROF_FLEET_SERVE_SERVE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/messages.h"
#include "cli/options.h"
#include "fleet/serve/serve_images.h"
#include "fleet/windows/socket_folder.h"
#include "fleet/windows/status.h"
#include "fleet/windows/windows.h"
#include "guest/guest_loop.h"

struct served {
    struct serve_session *serve;
    struct guest_spec spec;    /* (where) and (labels) are its own */
    struct arena labels;       /* the latter */
    struct pipeline *pipeline; /* NULL: between two tries */
    struct windows_guest windows;
    bool wanted, failed;
    bool told;             /* that it is sampled */
    bool told_dropped;     /* that it sends too much */
    unsigned failures;     /* in a row */
    uint64_t again_ns;     /* when to try, where there is no pipeline */
    uint64_t samples_then; /* when it was tried last */
    uint64_t crashed;      /* samples: see struct status_guest */
    uint32_t rate_hz;
    size_t row;
    uint16_t images[STATUS_IMAGES]; /* as in struct status_guest */
    bool image_late; /* an image of its was not there at the beginning */
};

struct serve_session {
    const struct options *o;
    struct messages tell;
    struct guest_loop *loop;
    struct served **list;
    size_t count, room;
    struct socket_folder *folder;
    bool folder_gone;
    struct serve_images images;
    struct windows *windows; /* NULL: none are kept */
    struct shares shares;    /* of --memory */
    size_t next_cut;         /* where in the list cutting goes on */
    bool cut_failed;         /* the last time */
    struct status *status;
    struct status_totals totals; /* of guests that have gone, too */
    uint64_t gone_samples, gone_lost, gone_dropped;
    bool *rows;      /* in use */
    size_t free_row; /* none before is free */
    int stop_fd, reload_fd, wake_fd, notify_fd;
    bool list_again;
    uint64_t status_ns, watchdog_ns, fed_ns;
};

/* Serve the guests of (now), and no others: those that are new begin at the
 * next tick, those that are missing are told to stop. */
void serve_change(struct serve_session *s, const struct guests *now);

/* What the user says that (g) may run now; nothing of (spec) is needed
 * afterwards. */
void serve_images_set(struct served *g, const struct guest_spec *spec);

/* Find out which images guests run that have come since. At most a tenth of the
 * time goes there, whatever guests say. */
void serve_images_match(struct serve_session *s, uint64_t now);

/* Say (line), on (g) if that is not NULL. */
void serve_say(struct serve_session *s, const struct served *g,
               const char *line);

/* Make the table that others read, with what a process that was killed took
 * with it. Returns 0; -1 with (e) filled. */
int serve_table(struct serve_session *s, struct err *e);

/* Say what it took. */
void serve_tell_crashed(struct serve_session *s);

/* Once a second: keep the guests' budgets, say which came and left, and tell
 * the table of guests and whoever supervises the service how things are. */
void serve_tell(struct serve_session *s);

#endif
