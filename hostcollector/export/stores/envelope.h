/* SPDX-License-Identifier: BSD-2-Clause */
/* A pprof file in the message of a store, with labels: service, guest, host,
 * build, and the labels of the origin. */
#ifndef TPROF_EXPORT_STORES_ENVELOPE_H
#define TPROF_EXPORT_STORES_ENVELOPE_H

#include "report/render.h"

/* Pyroscope's message push.v1.PushRequest, with the window's id. */
extern const struct render_ops render_pyroscope_push;

/* Parca's message parca.profilestore.v1alpha1.WriteRawRequest, as JSON. */
extern const struct render_ops render_parca;

#endif
