/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user's choice of guests to sample, or of a recording to read instead.
 * Also the settings for both: images, source files, connections, memory,
 * sandbox.
 */
#ifndef TPROF_GUEST_GUEST_CONFIG_H
#define TPROF_GUEST_GUEST_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "guard/peer.h"
#include "guard/sandbox.h"
#include "guest/guests.h"

#define GUEST_SYMBOLS 16 /* folders */

struct spool_list;

/* Values as typed by the user. Strings point into argv. */
struct guest_config {
    struct guests guests;
    const char *input;    /* a recording, "-": standard input; NULL: none */
    bool input_is_memory; /* (input) is a dead guest's memory */
    const struct spool_list *listed; /* windows to read; NULL: none */
    const char *build; /* beginning of a build-id: windows of (listed) whose
                          kernel has another build-id are skipped; or NULL */
    const char *symbols[GUEST_SYMBOLS]; /* folders with images by build-id */
    unsigned symbols_count;
    const char *sources; /* a folder with source files; NULL: none */
    bool reads_sources;  /* open source files by the names in debug
                          * information */
    double wait_s;       /* time to wait for a guest; below 0: not given */
    /* without (wait_s), time to wait for the first connection; 0: no limit */
    double first_wait_s;
    struct peer_rule peers; /* users whose sockets are trusted */
    bool force_vsock;       /* connect also without /dev/vhost-vsock */
    bool privileged;        /* connect by vsock from a port below 1024 */
    uint32_t rate_hz;       /* on each core; 0: the guest's choice */
    uint32_t depth;         /* callers; 0: the guest's choice */
    uint32_t unwind;        /* enum outside_unwind */
    bool keep_registers;    /* keep registers of guests without an agent */
    uint64_t memory;        /* bytes, for guests and reports */
    enum sandbox_mode sandbox;
};

#define GUEST_CONFIG_DEFAULT                                                   \
    {                                                                          \
        .wait_s = -1, .memory = 1ull << 30                                     \
    }

#endif
