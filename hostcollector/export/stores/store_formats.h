/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats of stores, for reports with an origin. */
#ifndef TPROF_EXPORT_STORES_STORE_FORMATS_H
#define TPROF_EXPORT_STORES_STORE_FORMATS_H

#include "report/render.h"

/* envelope.c: a pprof file in the message of a store, with labels: service,
 * guest, host, build, and the labels of the origin. */

/* Pyroscope's message push.v1.PushRequest, with the window's id. */
extern const struct render_ops render_pyroscope_push;

/* Parca's message parca.profilestore.v1alpha1.WriteRawRequest, as JSON. */
extern const struct render_ops render_parca;

/* clickhouse_rows.c: rows for the two tables of
 * fleet/push/receivers/clickhouse.sql: stacks by their numbers, and samples by
 * time. Files are gzipped TabSeparated, with columns in the order of the table.
 * A row that is pushed twice is identical, so the tables drop it. */
extern const struct render_ops render_clickhouse_stacks;
extern const struct render_ops render_clickhouse_samples;

/* otlp_request.c: OpenTelemetry's profiles: a gzipped
 * ExportProfilesServiceRequest of opentelemetry-proto 1.11.0. Other releases
 * have other fields. Each report is a resource with two profiles: time, and
 * numbers of samples. */
extern const struct render_ops render_otlp;
extern const struct render_ops render_otlp_json;

#endif
