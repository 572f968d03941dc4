/* SPDX-License-Identifier: BSD-2-Clause */
/* The sample profile of a guest's kernel, in reports of `collector pgo`. */
#ifndef TPROF_PGO_PGO_PART_H
#define TPROF_PGO_PGO_PART_H

#include "report/render.h"
#include "session/report_part.h"

/* Formats of the profile. They have no --format, because they need
 * report.sample_profile. */
extern const struct render_ops render_pgo;
extern const struct render_ops render_fdata;

extern const struct report_part pgo_part;            /* for compilers */
extern const struct report_part pgo_part_by_address; /* for BOLT */

#endif
