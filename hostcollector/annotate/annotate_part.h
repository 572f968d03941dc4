/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines and basic blocks in reports: of the function that a command
 * shows, or of the busiest functions of a page. */
#ifndef TPROF_ANNOTATE_ANNOTATE_PART_H
#define TPROF_ANNOTATE_ANNOTATE_PART_H

#include <stdint.h>

#include "annotate/annotate.h"
#include "session/guest_run.h"
#include "session/report_part.h"

/* For `collector annotate`: the function that the user has named, or the
 * busiest one. */
extern const struct report_part annotate_part;

/* For pages: the (page_code) busiest functions; NULL if (o) wants none. They
 * are kept as text, within one limit for all of them, because annotations would
 * take more memory. Functions whose code is not available are skipped. */
const struct report_part *annotate_page_part(const struct options *o);

/*
 * Returns the text that collector annotate prints of function (number) of
 * (look->view), which is the last view of (r). (look) also has the profile and
 * the width. The caller frees the text.
 *
 * Returns NULL with (e) filled if there is no code, or no sample in the
 * code.
 */
char *annotate_lines(const struct guest_run *r, const struct report *look,
                     uint32_t number, struct err *e);

#endif
