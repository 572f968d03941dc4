/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Confines each command. A helper process (guard/opener.h) may open the files
 * that the options name. The command's own process can open nothing.
 */
#ifndef TPROF_CLI_CONFINE_CONFINE_H
#define TPROF_CLI_CONFINE_CONFINE_H

#include <stddef.h>

#include "cli/output.h"
#include "guest/guest_config.h"
#include "util/err.h"

/*
 * Start the helper before descriptors are watched and before untrusted data is
 * read. The helper may open these files:
 *
 * - sampling: the files that (o) and (out) name for sampling or a report
 * - sampler: the files of a process that samples (spec) from outside
 * - diff: the recordings (inputs), or the windows of (o), and the outputs
 * - check: the images
 * - serve: the guests and images of (o), and guests that appear in the folder
 * (watch) later
 * - bridge: the sockets
 *
 * Return 0, also if (o) wants no sandbox; -1 with (e) filled.
 */
int confine_prepare_sampling(const struct guest_config *o,
                             const struct outputs *out, struct err *e);
int confine_prepare_sampler(const struct guest_config *o,
                            const struct guest_spec *spec, struct err *e);
int confine_prepare_diff(const struct guest_config *o,
                         const struct option_words *inputs,
                         const struct outputs *out, struct err *e);
int confine_prepare_check(enum sandbox_mode mode, const struct elf_path *elfs,
                          struct err *e);
int confine_prepare_serve(const struct guest_config *o, const char *watch,
                          struct err *e);
int confine_prepare_bridge(enum sandbox_mode mode, const char *vhost_user,
                           const char *uds, struct err *e);

/*
 * Start one helper for all processes that push starts. Each of these processes
 * calls confine_prepare_sampling(). Call this function before each process is
 * started, because the helper may have been killed. The helper opens only
 * images. Each process gets its recording by opener_preopen(), and can open no
 * other recording.
 *
 * Return 0; -1 with (e) filled, also if (o) requires all of the sandbox and the
 * helper lacks a part of the sandbox.
 */
int confine_prepare_push(const struct guest_config *o, struct err *e);

/*
 * Enter the sandbox, if one is wanted, before the first byte of a guest, a
 * recording or an image is read.
 *
 * Return 0, with a line for the user in (e) if the process or its helper lacks
 * a part of the sandbox; -1 with (e) filled if all parts are required.
 */
int confine_sampling(const struct guest_config *o, struct err *e);
int confine_top(const struct guest_config *o, struct err *e);
int confine_serve(const struct guest_config *o, const char *spool,
                  struct err *e);
int confine_reader(enum sandbox_mode mode, struct err *e);
int confine_bridge(enum sandbox_mode mode, struct err *e);

/* Confine a process that merges windows in (folder), without a helper. Returns
 * the same values as confine_sampling(). */
int confine_compact(enum sandbox_mode mode, const char *folder, struct err *e);

/*
 * Confine a process that communicates with a server. The process can open only
 * the files that host names and certificates need: the (count) files at
 * (files), some of them NULL, and the system's. (sandbox) is an enum
 * sandbox_mode.
 *
 * Returns 0, also if a part of the sandbox is missing, which other processes
 * report; -1 with (e) filled if all parts are required.
 */
int confine_network(const void *sandbox, const char *const *files, size_t count,
                    struct err *e);

/* Confine the process that sends requests to debuginfod servers. The process
 * keeps the answers in its cache, DEBUGINFOD_CACHE_PATH. Returns the same
 * values as confine_network(). */
int confine_fetcher(const void *sandbox, struct err *e);

/* For the functions above: handle a sandbox that lacks a part, for the reason
 * (why). Returns 0, with (why) in (e) for the user; -1 with (e) filled if all
 * parts are required. */
int confine_lacks(enum sandbox_mode mode, const struct err *why, struct err *e);

/* Enter the sandbox like a report does, and print the active parts of the
 * sandbox: `collector --sandbox-report`. Returns an enum exit_code. */
int confine_report(void);

#endif
