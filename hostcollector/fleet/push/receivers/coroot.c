/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroot: a file for pprof, with labels in the URL. */
#include <stdio.h>

#include "export/stores/report_window.h"
#include "fleet/push/receivers/receiver_kinds.h"

static enum receiver_answer send_profile(struct receiver *r,
                                         const struct parcel *p, size_t part,
                                         struct err *e)
{
    const struct origin *o = p->origin;
    char url[URL_ROOM], build[2 * GUEST_BUILD_ID_MAX + 1];
    struct http_request request = {
        .url = url,
        .headers = {"Content-Type: application/octet-stream"},
        .body = p->parts[part]};

    (void)snprintf(url, sizeof url, "%s", r->url);
    url_query(url, sizeof url, "service.name", origin_service(o));
    url_query(url, sizeof url, "guest", o->guest);
    url_query(url, sizeof url, "host.name", o->host);
    url_query(url, sizeof url, "build",
              window_hex(build, p->window.build_id, p->window.build_id_len));
    for (unsigned i = 0; i < o->label_count; i++)
        url_query(url, sizeof url, o->labels[i].key, o->labels[i].value);
    return receiver_post(r, &request, e);
}

const struct receiver_kind receiver_coroot = {
    .name = "coroot",
    .path = "/v1/profiles",
    .parts = {&render_pprof},
    .send = send_profile,
};
