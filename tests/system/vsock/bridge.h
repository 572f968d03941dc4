/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands around a guest with vsock, in the hands of a test: the bridge,
 * connections through it, and collectors, each a process that ends with the
 * test's. The guest itself is host.h's.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "host.h"
#include "model/profile.h"

#define BRIDGE_GUEST_CID 3
#define AGENT_PORT       7077u

/* The sockets: QEMU's, and everybody else's. */
extern char bridge_vhost_path[], bridge_uds_path[];

/* Start the bridge, or start it again. Returns when it listens. */
pid_t bridge_start(void);

/*
 * Boot (elf), with its vsock device at the bridge, by tests/guest/boot with
 * (options). (h) is begun, and attaches through the bridge.
 */
void bridge_boot(struct host *h, const char *elf, const char *const *options);

/* A connection to (port) of the guest, or -1: refused, or nobody there. */
int bridge_try(uint32_t port);

/* The same, tried until the guest is there; else the case ends. */
int bridge_connect(uint32_t port);

/* Write, or read, (size) bytes; the case ends where that is not possible. */
void bridge_write(int sock, const void *bytes, size_t size);
void bridge_read(int sock, void *bytes, size_t size);

/* Wait until the peer of (sock) has ended the connection, and close it. */
void bridge_wait_close(int sock);

/* Byte (at) of what client (seed) says: no period that a lost packet fits. */
uint8_t bridge_pattern(uint32_t seed, uint64_t at);

/* Send (size) bytes to the echo service at (sock), check what comes back, and
 * close. */
void bridge_echo(int sock, uint32_t seed, size_t size);

/* End the guest that (h) has booted, by its port 1, and wait for that. */
void bridge_end_own(struct host *h);

/* A stream socket connected to (path), or -1. */
int bridge_dial(const char *path);

/* --- Processes ------------------------------------------------------------ */

/* Open descriptors of (pid). */
unsigned process_fds(pid_t pid);

/* Memory that (pid) has in use, KiB. */
uint64_t process_kib(pid_t pid);

/* Has (pid), a child, not ended yet? */
bool process_lives(pid_t pid);

/* Kill (pid), a child, at once, and wait for that. */
void process_kill(pid_t pid);

/* The exit status of (pid), a child, for which is waited (ms) at most; the
 * case ends if that is too little, or it died by a signal. */
int process_wait(pid_t pid, int ms);

/* A file's path, which is removed at the end of all; valid for good. */
const char *bridge_path(const char *name);

/*
 * Run `collector record` on the guest behind the bridge with symbols of (elf),
 * plus (options), a list that ends in NULL. It records to (name).tprof, and
 * what it says goes to (name).log, both of them bridge_path()s.
 */
pid_t collector_start(const char *name, const char *elf,
                      const char *const *options);

/* The path of its recording, and how large that is now. */
const char *collector_recording(const char *name);
long collector_recorded(const char *name);

/* Has collector (name) said (words)? */
bool collector_said(const char *name, const char *words);

/* Wait until it has; until it has recorded (size) bytes. */
void collector_until_said(const char *name, const char *words);
void collector_until_recorded(const char *name, long size);

/* Wait for that, and end it, as Ctrl-C does: (pid) by collector_start(). Not by
 * time, since who knows how busy this host is. */
void collector_end(pid_t pid, const char *name, long size);

/* --- Recordings ----------------------------------------------------------- */

/* What a recording says, as a report would have it. */
struct recorded {
    uint64_t ticks, samples, missed; /* of all cores */
    uint64_t least_samples;          /* of the core with the fewest */
    bool complete;                   /* every core's last STATS is in it */
    uint32_t cores, boots, sessions;
};

/*
 * Replay what collector (name) has recorded. Ends the case unless it can be
 * read to its end, nothing was lost on the way, and all accounts add up.
 */
struct recorded recorded_read(const char *name);

#endif
