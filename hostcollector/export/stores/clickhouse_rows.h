/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the two tables of fleet/push/receivers/clickhouse.sql: stacks by their
 * numbers, and samples by time. Each is gzipped TabSeparated, in the order of
 * its columns; rows that come twice are the same, so that the tables drop them.
 */
#ifndef TPROF_EXPORT_STORES_CLICKHOUSE_ROWS_H
#define TPROF_EXPORT_STORES_CLICKHOUSE_ROWS_H

#include "report/render.h"

/* Of reports with an origin. */
extern const struct render_ops render_clickhouse_stacks;
extern const struct render_ops render_clickhouse_samples;

#endif
