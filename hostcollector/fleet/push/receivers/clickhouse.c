/* SPDX-License-Identifier: BSD-2-Clause */
/* ClickHouse by HTTP: rows for the tables of clickhouse.sql. */
#include <stdio.h>

#include "export/stores/store_formats.h"
#include "fleet/push/receivers/receiver_kinds.h"

static const char *const inserts[] = {
    "INSERT INTO tprof_stacks (stack, functions, files, lines, images, builds) "
    "FORMAT TabSeparated",
    "INSERT INTO tprof_samples (time, ns, core, stack, samples, duration, row, "
    "guest, host, build, label.name, label.value, window) FORMAT TabSeparated",
};

static enum receiver_answer send_rows(struct receiver *r,
                                      const struct parcel *p, size_t part,
                                      struct err *e)
{
    char url[URL_ROOM];
    struct http_request request = {
        .url = url,
        .headers = {"Content-Type: text/tab-separated-values",
                    "Content-Encoding: gzip"},
        .body = p->parts[part]};

    (void)snprintf(url, sizeof url, "%s", r->url);
    url_query(url, sizeof url, "query", inserts[part]);
    return receiver_post(r, &request, e);
}

const struct receiver_kind receiver_clickhouse = {
    .name = "clickhouse",
    .path = "/",
    /* stacks first, so that no sample is there without its stack */
    .parts = {&render_clickhouse_stacks, &render_clickhouse_samples},
    .joins = true, /* each row names its window */
    .send = send_rows,
};
