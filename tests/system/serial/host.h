/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector's side of one guest, in the hands of a test: boots the guest,
 * comes and goes, says what it likes, and reads as slowly as it likes. What
 * comes is understood by the collector's own decoder, for all attachments as
 * one stream; its accounts are what a report would print.
 *
 * Whatever takes longer than HOST_PATIENCE_MS ends the test case (check.h).
 * The guest ends with the test's process, however that ends.
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
    struct core_stats stats;
    uint64_t stats_count;
    bool final;           /* (stats) are the last ones before a stop */
    uint64_t samples;     /* delivered, counted one by one */
    uint64_t jumps;       /* of those, flagged WIRE_SAMPLE_JUMP */
    uint64_t weight;      /* summed, jumps left out */
    uint64_t jump_weight; /* of the jumps */
    uint64_t last_tsc;    /* of a sample */
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
    uint32_t cores; /* that the machine has, and the guest uses: --cpus */
    host_sample_fn sample;
    void *context;
    /* How host_attach() comes: a socket, or -1, nobody is there yet. NULL: to
     * QEMU's socket of the port tprof.0. */
    int (*connect)(void);

    /* the rest is host.c's */
    struct decode *decode;
    int sock;
    uint16_t seq;
    pid_t boot;
    bool is_icount;
    uint64_t hellos_answered; /* by a START */
    int record;
    const char *socket_path, *pid_path, *console_path, *record_path;
};

/* Begin (h), with nothing booted. */
void host_init(struct host *h);

/* Boot (elf) by tests/guest/boot with (options), a list that ends in NULL; its
 * port tprof.0 is on a socket for host_attach(), unless (is_file): then it is
 * whatever the options say. */
void host_boot(struct host *h, const char *elf, const char *const *options);
void host_boot_without_port(struct host *h, const char *elf,
                            const char *const *options);

/* Come, which waits until the guest's machine is there, and go. */
void host_attach(struct host *h);
void host_detach(struct host *h);

/* Say something. (rate_hz), (depth), (period): 0 is not told. */
void host_start(struct host *h, uint32_t rate_hz, uint32_t depth,
                uint64_t period);
void host_stop(struct host *h);
void host_reset(struct host *h);
void host_ping(struct host *h, uint64_t cookie);
/* Any bytes. False: the guest does not take them for now. */
bool host_send_bytes(struct host *h, const void *bytes, size_t size);
/* A START, PING or RESET with a correct CRC whose body is any bytes. */
void host_send_junk_frame(struct host *h, uint64_t *random);

/* Hear what comes within (ms) milliseconds; at most (max) bytes, 0: all. */
size_t host_hear(struct host *h, int ms, size_t max);

/* Hear until (is_true)(h, value). */
typedef bool (*host_condition)(const struct host *h, uint64_t value);
void host_until(struct host *h, host_condition is_true, uint64_t value);

bool host_has_hellos(const struct host *h, uint64_t n);
bool host_has_statuses(const struct host *h, uint64_t n);
bool host_has_pongs(const struct host *h, uint64_t n);
/* (n) samples of each core that the guest has. */
bool host_has_samples(const struct host *h, uint64_t n);
/* The last STATS of every core, and STATUS. */
bool host_has_finals(const struct host *h, uint64_t unused);

/* Attach, and wait for its HELLO. */
void host_meet(struct host *h);

/* host_start(), and wait for the answer. */
void host_begin(struct host *h, uint32_t rate_hz, uint32_t depth,
                uint64_t period);

/* host_stop(), and wait for the end. */
void host_finish(struct host *h);

/* Hear for (seconds) of the guest's time, by its samples and STATS. */
void host_hear_guest_time(struct host *h, double seconds);

/*
 * Is every core's account an identity, to the last unit, and does it agree
 * with what the guest counted? After host_finish().
 */
void host_check_accounts(const struct host *h);

/* The same as far as it can be known in the middle of a session. */
void host_check_identity(const struct host *h);

/* Does the collector's report of all that was received, with the symbols of
 * (elf), print these same accounts? */
void host_check_report(const struct host *h, const char *elf);

/* What `collector (arguments)` prints, until pclose(). */
FILE *host_collector(const char *arguments);

/* The decoder's complaints: bytes skipped, frames lost and so on. */
const struct stream_health *host_health(const struct host *h);
void host_check_clean(const struct host *h);

/* The stream has ended: whatever was held back is decoded. */
void host_end(struct host *h);

/* Decode the stream that is in file (path), from byte (from) on. */
void host_read_file(struct host *h, const char *path, size_t from);

/* QEMU itself: its process, and its end by force or by itself. */
pid_t host_qemu(const struct host *h);
void host_kill(struct host *h);
void host_wait_end(struct host *h);

/* The number behind "(word) " in the line of the console that begins with
 * (start); ends the test if there is none. After the guest's end. */
uint64_t host_console(const struct host *h, const char *start,
                      const char *word);

/* The path of a file that is removed at the end: "extra". */
const char *host_path(const char *name);

/* Milliseconds on a clock that only grows. */
uint64_t host_now_ms(void);
void host_sleep_ms(int ms);

#endif
