/* SPDX-License-Identifier: BSD-2-Clause */
/* Collector serve: the user's choices, and the call that serves. */
#ifndef TPROF_FLEET_SERVE_SERVE_CONFIG_H
#define TPROF_FLEET_SERVE_SERVE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/guest_config.h"

/* A page about a guest, made of the guest's windows. */
struct serve_page {
    const char *spool; /* the folder of the windows */
    const char *guest;
    const char *since; /* as in option --since */
    const char *until; /* NULL: now */
    const char *build; /* NULL: build-id of the first window */
    const char *const *elfs;
    size_t elf_count;
    const struct guest_config *from; /* folders of images, and the sandbox */
    bool has_code;                   /* source lines and code */
};

struct serve_config {
    struct guest_config from;
    const char *watch;      /* a folder of sockets; NULL: none */
    const char *budget;     /* as typed; NULL: any cost */
    double budget_percent;  /* percentage; 0: any cost */
    const char *spool;      /* a folder for windows; NULL: none are kept */
    const char *spool_size; /* as typed; NULL: not given */
    const char *spool_age;  /* as typed; NULL: not given */
    const char *window;     /* as typed; NULL: not given */
    uint64_t spool_bytes;   /* parsed from (spool_size); 0: not yet */
    double spool_age_s;     /* parsed from (spool_age); 0: not yet */
    double window_s;        /* parsed from (window); 0: not yet */
    const char *listen;     /* an address; NULL: no page */
    const char *token_file; /* NULL: no token */
    bool shows_code;        /* show code in pages, also to clients without a
                             * token */
    /* Write (page) to standard output, or the reason of a failure to standard
     * error. Called in a process of its own, which this function confines.
     * Returns 0 on success. */
    int (*write_page)(const struct serve_page *page);
};

/* serve_session.c: serve guests that come and go, until the user stops. Returns
 * an enum exit_code. A line on stderr says what failed. */
int serve_session_run(const struct serve_config *o);

#endif
