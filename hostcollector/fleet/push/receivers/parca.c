/* SPDX-License-Identifier: BSD-2-Clause */
/* Parca: the message of its gRPC interface, as JSON by HTTP. */
#include "export/stores/store_formats.h"
#include "fleet/push/receivers/receiver_kinds.h"

static enum receiver_answer send_raw(struct receiver *r, const struct parcel *p,
                                     size_t part, struct err *e)
{
    struct http_request request = {
        .url = r->url,
        .headers = {"Content-Type: application/json"},
        .body = p->parts[part]};

    return receiver_post(r, &request, e);
}

const struct receiver_kind receiver_parca = {
    .name = "parca",
    .path = "/api/profiles/writeraw",
    .parts = {&render_parca},
    .send = send_raw,
};
