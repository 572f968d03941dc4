/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenTelemetry's profiles: a gzipped ExportProfilesServiceRequest of
 * opentelemetry-proto 1.11.0. Other releases have other fields. Each report is
 * a resource with two profiles: time, and numbers of samples.
 */
#ifndef TPROF_EXPORT_STORES_OTLP_REQUEST_H
#define TPROF_EXPORT_STORES_OTLP_REQUEST_H

#include "report/render.h"

/* Formats for reports with an origin. */
extern const struct render_ops render_otlp;
extern const struct render_ops render_otlp_json;

#endif
