/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims output files: one process writes each file. */
#ifndef TPROF_GUARD_CLAIM_H
#define TPROF_GUARD_CLAIM_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

enum claim {
    /* may replace a file that tprof wrote, except a recording */
    CLAIM_REPORT,
    CLAIM_RECORDING, /* renames an existing recording to PATH.old */
};

/* From now on allow that files which tprof did not write are replaced: a report
 * overwrites them, a recording renames them to PATH.old. Images are never
 * replaced. A report never replaces a recording. */
void claim_force(void);

/*
 * Open (path) for writing, created with (mode) if it does not exist, and lock
 * it until the descriptor is closed. The contents are kept.
 *
 * With CLAIM_RECORDING, a file that is not empty is renamed to PATH.old, which
 * replaces an earlier PATH.old, and a new file is opened. If (path) is a link,
 * this happens to the target of the link. If the file is too small to have many
 * samples, and PATH.old may have more, PATH.old stays: the file is removed, and
 * copied for claim_undo(). An empty file gets (mode).
 *
 * A path that is not a regular file, for example a terminal, is opened
 * unchanged. A confined process calls opener_claim() instead.
 *
 * Returns the descriptor; -1 with (e) filled: the file cannot be opened or
 * renamed, another process has claimed it, or it must not be replaced.
 */
int claim_file(const char *path, mode_t mode, enum claim how, struct err *e);

/* If claim_file() has renamed or removed a file for the recording at (path),
 * remove the recording and restore the file. Returns 0; -1 with errno set:
 * ENOENT if there was no file. */
int claim_undo(const char *path);

/*
 * Create a file that will replace (path), which is claimed. Until
 * claim_settle(), the file has another name in the same folder. If no file can
 * be created in this folder, (path) itself is emptied and opened.
 *
 * Returns the descriptor; -1 with (e) filled.
 */
int claim_fresh(const char *path, struct err *e);

/* End a claim. With (keep), the file of claim_fresh(), if there is one,
 * replaces (path). Without (keep), that file is removed and (path) stays as it
 * was before the claim: if claim_file() created it for a report, it is removed.
 * Returns 0; -1 with errno set. */
int claim_settle(const char *path, bool keep);

/* Do (a) and (b) name the same existing file? NULL names no file. */
bool claim_same(const char *a, const char *b);

#endif
