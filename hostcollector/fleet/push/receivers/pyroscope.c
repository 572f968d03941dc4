/* SPDX-License-Identifier: BSD-2-Clause */
/* Pyroscope: its older interface, /ingest, and its newer one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/stores/report_window.h"
#include "export/stores/store_formats.h"
#include "fleet/push/receivers/receiver_kinds.h"

#define NS_PER_S 1000000000u
#define NAME     4096

/* Append "KEY=VALUE" to the NAME bytes at (name), without characters that end
 * a key or value. */
static void add_label(char *name, const char *key, const char *value)
{
    size_t used = strlen(name), from;

    (void)snprintf(name + used, NAME - used,
                   "%s%s=", name[used - 1] == '{' ? "" : ",", key);
    from = strlen(name);
    (void)snprintf(name + from, NAME - from, "%s", value);
    for (char *at = name + from; *at != '\0'; at++)
        if (strchr("{}=,\"", *at) != NULL)
            *at = '_';
}

/* Write SERVICE{guest=...,...} into (name). */
static const char *name_of(char name[NAME], const struct parcel *p)
{
    const struct origin *o = p->origin;
    char build[2 * GUEST_BUILD_ID_MAX + 1];

    (void)snprintf(name, NAME, "%.*s{", (int)strcspn(origin_service(o), "{}"),
                   origin_service(o));
    add_label(name, "guest", o->guest);
    add_label(name, "host", o->host);
    if (p->window.build_id_len != 0)
        add_label(
            name, "build",
            window_hex(build, p->window.build_id, p->window.build_id_len));
    for (unsigned i = 0; i < o->label_count; i++)
        add_label(name, o->labels[i].key, o->labels[i].value);
    (void)snprintf(name + strlen(name), NAME - strlen(name), "}");
    return name;
}

static void add_number(char *url, const char *key, uint64_t n)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRIu64, n);
    url_query(url, URL_ROOM, key, text);
}

/* Send to /ingest, in (format), with labels in the URL. A window that is sent
 * twice is stored twice. */
static enum receiver_answer ingest(struct receiver *r, const struct parcel *p,
                                   const char *format, struct err *e)
{
    const struct window *w = &p->window;
    char url[URL_ROOM], name[NAME];
    struct http_request request = {
        .url = url,
        .headers = {"Content-Type: application/octet-stream"},
        .body = p->parts[0]};

    (void)snprintf(url, sizeof url, "%s", r->url);
    url_query(url, sizeof url, "name", name_of(name, p));
    url_query(url, sizeof url, "format", format);
    url_query(url, sizeof url, "spyName", "tprof");
    url_query(url, sizeof url, "units", "samples");
    url_query(url, sizeof url, "aggregationType", "sum");
    if (w->period_ns != 0)
        add_number(url, "sampleRate",
                   (NS_PER_S + w->period_ns / 2) / w->period_ns);
    if (w->from_ns != 0) {
        add_number(url, "from", w->from_ns / NS_PER_S);
        add_number(url, "until", (w->from_ns + w->length_ns) / NS_PER_S + 1);
    }
    return receiver_post(r, &request, e);
}

static enum receiver_answer send_pprof(struct receiver *r,
                                       const struct parcel *p, size_t part,
                                       struct err *e)
{
    (void)part;
    return ingest(r, p, "pprof", e);
}

static enum receiver_answer send_folded(struct receiver *r,
                                        const struct parcel *p, size_t part,
                                        struct err *e)
{
    (void)part;
    return ingest(r, p, "folded", e);
}

static enum receiver_answer send_push(struct receiver *r,
                                      const struct parcel *p, size_t part,
                                      struct err *e)
{
    struct http_request request = {
        .url = r->url,
        .headers = {"Content-Type: application/proto",
                    "Connect-Protocol-Version: 1"},
        .body = p->parts[part]};

    return receiver_post(r, &request, e);
}

const struct receiver_kind receiver_pyroscope = {
    .name = "pyroscope",
    .path = "/ingest",
    .parts = {&render_pprof},
    .send = send_pprof,
};

const struct receiver_kind receiver_pyroscope_folded = {
    .name = "pyroscope-folded",
    .path = "/ingest",
    .parts = {&render_folded},
    .send = send_folded,
};

const struct receiver_kind receiver_pyroscope_push = {
    .name = "pyroscope-push",
    .path = "/push.v1.PusherService/Push",
    .parts = {&render_pyroscope_push},
    .send = send_push,
};
