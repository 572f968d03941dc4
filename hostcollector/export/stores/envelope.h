/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file for pprof inside of what a store takes, which has its labels: the
 * service, guest, host and build, and those of the origin.
 */
#ifndef TPROF_EXPORT_STORES_ENVELOPE_H
#define TPROF_EXPORT_STORES_ENVELOPE_H

#include "report/render.h"

/* Pyroscope's message push.v1.PushRequest, with the window's id. */
extern const struct render_ops render_pyroscope_push;

/* Parca's message parca.profilestore.v1alpha1.WriteRawRequest, as JSON. */
extern const struct render_ops render_parca;

#endif
