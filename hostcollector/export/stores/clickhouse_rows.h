/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows for the two tables of fleet/push/receivers/clickhouse.sql: stacks by
 * their numbers, and samples by time. Files are gzipped TabSeparated, with
 * columns in the order of the table. A row that is pushed twice is identical,
 * so the tables drop it.
 */
#ifndef TPROF_EXPORT_STORES_CLICKHOUSE_ROWS_H
#define TPROF_EXPORT_STORES_CLICKHOUSE_ROWS_H

#include "report/render.h"

/* Formats for reports with an origin. */
extern const struct render_ops render_clickhouse_stacks;
extern const struct render_ops render_clickhouse_samples;

#endif
