/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is around a guest with vsock: the bridge, connections through it, and
 * collectors. Bridge and collectors are processes that end with the test's.
 * The guest itself is booted by host.h.
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

/* The bridge's two sockets: for QEMU, and for clients. */
extern char bridge_vhost_path[], bridge_uds_path[];

/* Start the bridge, or start it again. Returns when it listens. */
pid_t bridge_start(void);

/*
 * Boot (elf), with its vsock device at the bridge, by tests/guest/boot with
 * (options). Initializes (h), which will attach through the bridge.
 */
void bridge_boot(struct host *h, const char *elf, const char *const *options);

/* A connection to (port) of the guest; -1 if refused, or if there is no guest.
 */
int bridge_try(uint32_t port);

/* The same, tried until there is a guest. Patience has an end: the case fails.
 */
int bridge_connect(uint32_t port);

/* Write, or read, (size) bytes; the case ends where that is not possible. */
void bridge_write(int sock, const void *bytes, size_t size);
void bridge_read(int sock, void *bytes, size_t size);

/* Wait until the peer of (sock) has ended the connection, and close it. */
void bridge_wait_close(int sock);

/* Byte (at) of what client (seed) sends. The bytes do not repeat with a period
 * of a packet, so a lost packet is seen. */
uint8_t bridge_pattern(uint32_t seed, uint64_t at);

/* Send (size) bytes to the echo service at (sock), check what comes back, and
 * close. */
void bridge_echo(int sock, uint32_t seed, size_t size);

/* End the guest of (h) by an order at its port 1, and wait for the end. */
void bridge_end_own(struct host *h);

/* A stream socket connected to (path), or -1. */
int bridge_dial(const char *path);

/* --- Processes ------------------------------------------------------------ */

/* Open descriptors of (pid). */
unsigned process_fds(pid_t pid);

/* Memory that (pid) has in use, KiB. */
uint64_t process_kib(pid_t pid);

/* Is the child (pid) still running? */
bool process_lives(pid_t pid);

/* Kill the child (pid), and wait for its end. */
void process_kill(pid_t pid);

/* Wait for the end of the child (pid), (ms) milliseconds at most, and return
 * its exit status. The case fails if it has not ended, or died by a signal. */
int process_wait(pid_t pid, int ms);

/* The path for a file (name), which is removed at the end; stays valid. */
const char *bridge_path(const char *name);

/*
 * Run `collector record` on the guest behind the bridge with symbols of (elf),
 * plus (options), a list that ends in NULL. The recording is (name).tprof, the
 * output is in (name).log; both are bridge_path()s.
 */
pid_t collector_start(const char *name, const char *elf,
                      const char *const *options);

/* The path of collector (name)'s recording, and the recording's size now. */
const char *collector_recording(const char *name);
long collector_recorded(const char *name);

/* Are (words) in the output of collector (name)? */
bool collector_said(const char *name, const char *words);

/* Wait until they are; until its recording has (size) bytes. */
void collector_until_said(const char *name, const char *words);
void collector_until_recorded(const char *name, long size);

/* Wait for (size) bytes of recording, then end the collector (pid) as Ctrl-C
 * does. By size, not by time, since this host may be busy. */
void collector_end(pid_t pid, const char *name, long size);

/* --- Recordings ----------------------------------------------------------- */

/* What a report would say of a recording. */
struct recorded {
    uint64_t ticks, samples, missed; /* of all cores */
    uint64_t least_samples;          /* of the core with the fewest */
    bool complete;                   /* every core's last STATS is in it */
    uint32_t cores, boots, sessions;
};

/*
 * Replay the recording of collector (name). The case fails unless the recording
 * can be read to its end, no frame is lost, and all accounts add up.
 */
struct recorded recorded_read(const char *name);

#endif
