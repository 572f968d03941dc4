/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host of one guest, played by a test. The test boots the guest, attaches
 * and detaches, sends any bytes, and reads as slowly as it likes. The
 * collector's own decoder reads what the guest sends, over all attachments, as
 * one stream; the accounts are those that a report would print.
 *
 * A wait of more than HOST_PATIENCE_MS ends the test case (check.h). The guest
 * ends with the test's process, whatever ends that.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "model/account.h"
#include "model/guest.h"
#include "model/profile.h"

#define HOST_CORES_MAX   16
#define HOST_PATIENCE_MS 60000

/* One core, as the stream describes it. */
struct host_core {
    struct account account;
    struct account before; /* when this session began */
    struct core_stats stats;
    uint64_t stats_count;
    bool final;           /* (stats) are the last ones before a stop */
    uint64_t samples;     /* samples that came */
    uint64_t jumps;       /* those of them with the flag WIRE_SAMPLE_JUMP */
    uint64_t weight;      /* sum of the weights of all but jumps */
    uint64_t jump_weight; /* sum of the weights of jumps */
    uint64_t last_tsc;    /* of the last sample */
};

/* Called for each sample, if set. */
typedef void (*host_sample_fn)(void *context, uint32_t core,
                               const struct sample *s, uint32_t shift,
                               uint32_t period);

struct host {
    struct host_core core[HOST_CORES_MAX];
    bool has_guest;
    struct guest guest; /* the last HELLO */
    uint64_t hellos, sessions, boots;
    uint64_t status_count;
    struct guest_status status; /* the last one */
    uint64_t pongs;
    struct guest_pong pong;
    uint64_t gaps;
    uint64_t maps;
    uint64_t stacks, deepest;
    uint64_t bytes;
    uint32_t cores; /* of the machine, as given by --cpus */
    host_sample_fn sample;
    void *context; /* for (sample) */
    /* Connects for host_attach(): returns a socket, or -1 while the guest is
     * not there. NULL: to QEMU's socket of the port tprof.0. */
    int (*connect)(void);

    /* for host.c alone */
    struct decode *decode;
    int sock;
    uint16_t seq;
    pid_t boot;
    bool is_icount;
    uint64_t hellos_answered; /* HELLOs for which a START was sent */
    int record;
    const char *socket_path, *pid_path, *console_path, *record_path;
};

/* Initialize (h). No guest is booted. */
void host_init(struct host *h);

/* Boot (elf) by tests/guest/boot with (options), a list that ends in NULL. The
 * guest's port tprof.0 is a socket, for host_attach(); without port, it is what
 * the options say. */
void host_boot(struct host *h, const char *elf, const char *const *options);
void host_boot_without_port(struct host *h, const char *elf,
                            const char *const *options);

/* Connect to the guest, which may take until its machine is there; and
 * disconnect. */
void host_attach(struct host *h);
void host_detach(struct host *h);

/* Send an order. A (rate_hz), (depth) or (period) of 0 is left out. */
void host_start(struct host *h, uint32_t rate_hz, uint32_t depth,
                uint64_t period);
void host_stop(struct host *h);
void host_reset(struct host *h);
void host_ping(struct host *h, uint64_t cookie);
/* Send any bytes. Returns false if the guest takes none now. */
bool host_send_bytes(struct host *h, const void *bytes, size_t size);
/* Send a START, PING or RESET with a correct CRC, whose body is random. */
void host_send_junk_frame(struct host *h, uint64_t *random);

/* Read and decode what comes within (ms) milliseconds, at most (max) bytes; 0:
 * all of it. Returns how many. */
size_t host_hear(struct host *h, int ms, size_t max);

/* Do so until (is_true)(h, value). */
typedef bool (*host_condition)(const struct host *h, uint64_t value);
void host_until(struct host *h, host_condition is_true, uint64_t value);

bool host_has_hellos(const struct host *h, uint64_t n);
bool host_has_statuses(const struct host *h, uint64_t n);
bool host_has_pongs(const struct host *h, uint64_t n);
/* At least (n) samples of each of the guest's cores. */
bool host_has_samples(const struct host *h, uint64_t n);
/* The last STATS of every core, and STATUS. */
bool host_has_finals(const struct host *h, uint64_t unused);

/* Attach, and wait for the guest's HELLO. */
void host_meet(struct host *h);

/* host_start(), and wait for the guest's STATUS. */
void host_begin(struct host *h, uint32_t rate_hz, uint32_t depth,
                uint64_t period);

/* host_stop(), and wait for the last STATS of all cores. */
void host_finish(struct host *h);

/* Read for (seconds) of the guest's time, which its samples and STATS tell. */
void host_hear_guest_time(struct host *h, double seconds);

/*
 * Check every core's account, after host_finish(): deadlines = ticks + missed,
 * ticks = samples + all losses, and both as the guest itself has counted since
 * this session began.
 */
void host_check_accounts(const struct host *h);

/* The same, as far as the middle of a session tells. */
void host_check_identity(const struct host *h);

/* Check that the collector's report on all received bytes, with the symbols of
 * (elf), prints the same accounts. */
void host_check_report(const struct host *h, const char *elf);

/* Run `collector (arguments)`. Its output is to be read, then pclose()d. */
FILE *host_collector(const char *arguments);

/* What was wrong with the stream: bytes skipped, frames lost and so on; and a
 * check that nothing was. */
const struct stream_health *host_health(const struct host *h);
void host_check_clean(const struct host *h);

/* End the stream: frames that the decoder has held back are decoded. */
void host_end(struct host *h);

/* Decode the file (path) from byte (from) on. */
void host_read_file(struct host *h, const char *path, size_t from);

/* QEMU's process id; kill QEMU; wait until it has ended by itself. */
pid_t host_qemu(const struct host *h);
void host_kill(struct host *h);
void host_wait_end(struct host *h);

/* The number behind "(word) " in the line of the guest's console that begins
 * with (start). Call it after the guest's end. No such line ends the case. */
uint64_t host_console(const struct host *h, const char *start,
                      const char *word);

/* The path for a file (name), "extra", which is removed at the end. */
const char *host_path(const char *name);

/* A number below (below) from (*state), which is the seed at first. The same
 * seed gives the same numbers. */
uint32_t host_draw(uint64_t *state, uint32_t below);

/* Milliseconds on a clock that only grows. */
uint64_t host_now_ms(void);
void host_sleep_ms(int ms);

#endif
