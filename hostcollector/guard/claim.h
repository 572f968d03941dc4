/* SPDX-License-Identifier: BSD-2-Clause */
/* Output files that one process has for itself, and that destroy nothing. */
#ifndef TPROF_GUARD_CLAIM_H
#define TPROF_GUARD_CLAIM_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

enum claim {
    CLAIM_REPORT,    /* not over a recording, but over what tprof wrote */
    CLAIM_RECORDING, /* a recording that is there becomes PATH.old */
};

/* From here on what tprof has not written may be overwritten, too: by a report,
 * or renamed to PATH.old by a recording. Never images, nor recordings by
 * reports. */
void claim_force(void);

/*
 * Open (path) for writing, with (mode) where it is created, and lock it until
 * the descriptor is closed. What is in it stays.
 *
 * CLAIM_RECORDING: a file that holds something is renamed to PATH.old, in place
 * of an earlier one, and a new file is opened; of a link, that to which it
 * points. What is too small to have samples is removed instead where PATH.old
 * may have some. A file without a byte gets (mode), then.
 *
 * A process that is confined has this done by opener_claim().
 *
 * What is no regular file, a terminal for example, is opened as it is.
 *
 * Returns the descriptor; -1 with (e) filled: it cannot be opened or renamed,
 * another process has claimed it, or it holds what is not to be overwritten.
 */
int claim_file(const char *path, mode_t mode, enum claim how, struct err *e);

/*
 * A new file, to be written in place of (path), which is claimed. It lies in
 * the same folder under another name until claim_settle(). Where that folder
 * takes no new file, (path) itself, cut to nothing.
 *
 * Returns the descriptor; -1 with (e) filled.
 */
int claim_fresh(const char *path, struct err *e);

/* The file of claim_fresh(), if there is one, takes the place of (path); or,
 * without (keep), is removed, and (path) is as it was before it was claimed: a
 * file that claim_file() made for a report is removed, too. Returns 0; -1 with
 * errno set. */
int claim_settle(const char *path, bool keep);

/* Do (a) and (b) name the same file, which exists? NULL names none. */
bool claim_same(const char *a, const char *b);

#endif
