/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores that take profiles. */
#include "fleet/push/receivers/receiver.h"

#include <stdbool.h>
#include <string.h>

#include "export/formats.h"
#include "fleet/push/receivers/receiver_kinds.h"
#include "util/text.h"

static const struct receiver_kind *const kinds[] = {
    &receiver_folder,         &receiver_clickhouse,
    &receiver_pyroscope,      &receiver_pyroscope_folded,
    &receiver_pyroscope_push, &receiver_parca,
    &receiver_coroot,         &receiver_otlp,
    &receiver_otlp_json,      &receiver_s3,
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static const struct receiver_kind *find(const char *name, size_t length)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strlen(kinds[i]->name) == length &&
            memcmp(kinds[i]->name, name, length) == 0)
            return kinds[i];
    return NULL;
}

const char *receiver_names(void)
{
    static char names[256];
    size_t used = 0;

    for (size_t i = 0; i < KINDS && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i > 0 ? ", " : "", kinds[i]->name);
    return names;
}

/* The kind that (c) names. (*url) becomes the rest of the URL. */
static const struct receiver_kind *kind_of(const struct receiver_config *c,
                                           const char **url)
{
    const char *scheme = strstr(c->to, "://"), *plus = strchr(c->to, '+');
    bool named = scheme != NULL && plus != NULL && plus < scheme;

    *url = named ? plus + 1 : c->to;
    if (c->as != NULL)
        return find(c->as, strlen(c->as));
    if (named)
        return find(c->to, (size_t)(plus - c->to));
    if (scheme == NULL)
        return &receiver_folder;
    if (strncmp(c->to, "file://", 7) == 0) {
        *url = c->to + 7;
        return &receiver_folder;
    }
    return NULL;
}

/* Store (url), with the kind's path if the URL has none. */
static int set_url(struct receiver *r, const char *url, struct err *e)
{
    const char *host = strstr(url, "://");
    const char *path = host != NULL ? host + 3 + strcspn(host + 3, "/?") : "x";
    const char *own = path[0] != '/' || path[1] == '\0' ? r->kind->path : NULL;
    size_t kept = own != NULL ? (size_t)(path - url) : strlen(url);
    const char *query = own != NULL && path[0] == '?' ? path : "";

    if ((size_t)snprintf(r->url, sizeof r->url, "%.*s%s%s", (int)kept, url,
                         own != NULL ? own : "", query) >= sizeof r->url)
        return err_set(e, "--to: the URL is too long");
    return 0;
}

/* (c) names a kind that does not exist, or none where one is needed. */
static int refuse_kind(const struct receiver_config *c, struct err *e)
{
    const char *kind = c->as != NULL ? c->as : c->to;
    char typed[32], near[TEXT_NEAR];
    size_t length = strcspn(kind, c->as != NULL ? "" : "+:");

    (void)snprintf(typed, sizeof typed, "%.*s", (int)length, kind);
    if (c->as == NULL && kind[length] != '+')
        return err_set(e,
                       "--to %s: what is that? Type it as KIND+https://HOST/, "
                       "or say --as KIND; the kinds are %s",
                       c->to, receiver_names());
    return err_set(e, "--%s %s: there is no kind '%s'%s; the kinds are %s",
                   c->as != NULL ? "as" : "to", kind, typed,
                   text_near_guess(near, typed, receiver_names()),
                   receiver_names());
}

int receiver_open(struct receiver *r, const struct receiver_config *c,
                  struct err *e)
{
    const char *url;

    *r = (struct receiver){.kind = kind_of(c, &url)};
    if (r->kind == NULL)
        return refuse_kind(c, e);
    if (c->format != NULL) {
        r->format = format_by_name(c->format);
        if (r->format == NULL || r->kind->parts[0] != NULL)
            return err_set(e, "--format %s: %s", c->format,
                           r->format == NULL ? "there is no such format"
                                             : "only folders take a format");
    }
    if (r->kind == &receiver_folder) {
        (void)snprintf(r->url, sizeof r->url, "%s", url);
        return 0;
    }
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        return err_set(
            e, "--to %s: the URL must begin with http:// or https://", c->to);
    if (set_url(r, url, e) != 0)
        return -1;
    r->http = http_open(&c->http, e);
    return r->http != NULL ? 0 : -1;
}

void receiver_close(struct receiver *r)
{
    http_close(r->http);
    r->http = NULL;
}

const char *receiver_place(const struct receiver *r, char place[RECEIVER_PLACE])
{
    const char *scheme = r->http != NULL ? strstr(r->url, "://") : NULL;

    if (scheme == NULL)
        return text_escape(place, RECEIVER_PLACE, r->url);
    const char *host = scheme + 3, *path = host + strcspn(host, "/?#");
    char bare[RECEIVER_URL];

    for (const char *c = host; c < path; c++)
        if (*c == '@') /* the last '@': a password may contain others */
            host = c + 1;
    (void)snprintf(bare, sizeof bare, "%.*s%.*s", (int)(scheme + 3 - r->url),
                   r->url, (int)strcspn(host, "?#"), host);
    return text_escape(place, RECEIVER_PLACE, bare);
}

const struct render_ops *receiver_part(const struct receiver *r, size_t part)
{
    if (r->kind->parts[0] == NULL)
        return part == 0 ? r->format : NULL;
    return part < RECEIVER_PARTS ? r->kind->parts[part] : NULL;
}

enum receiver_answer receiver_send(struct receiver *r, const struct parcel *p,
                                   struct err *e)
{
    size_t part = 0;
    enum receiver_answer answer;

    do
        answer = r->kind->send(r, p, part, e);
    while (answer == RECEIVER_TOOK && receiver_part(r, ++part) != NULL);
    return answer;
}

void url_query(char *url, size_t size, const char *key, const char *value)
{
    size_t used = strlen(url);

    (void)snprintf(url + used, size - used,
                   "%c%s=", strchr(url, '?') != NULL ? '&' : '?', key);
    (void)http_escape(url, size, value);
}

enum receiver_answer receiver_post(struct receiver *r,
                                   const struct http_request *request,
                                   struct err *e)
{
    struct http_answer a;

    http_send(r->http, request, &a);
    return receiver_judge(r, &a, e);
}

enum receiver_answer receiver_judge(struct receiver *r,
                                    const struct http_answer *a, struct err *e)
{
    char place[RECEIVER_PLACE];

    r->away = a->status == HTTP_NONE;
    r->retry_after_ms = a->retry_after_ms;
    if (a->status >= 200 && a->status < 300)
        return RECEIVER_TOOK;
    switch (a->status) {
    case HTTP_STOPPED:
        return RECEIVER_STOPPED;
    case HTTP_UNABLE:
        (void)err_set(e, "%s", a->text);
        return RECEIVER_WRONG;
    case HTTP_NONE:
        (void)err_set(e, "%s: %s; recordings wait", receiver_place(r, place),
                      a->text);
        return RECEIVER_LATER;
    default:
        break;
    }
    (void)err_set(e, "it says %d%s%s", a->status,
                  a->text[0] != '\0' ? ": " : "", a->text);
    switch (a->status) {
    case 400: /* the window is at fault, and will not change */
    case 409:
    case 413:
    case 415:
    case 422:
        return RECEIVER_REFUSED;
    case 408:
    case 425:
    case 429:
        return RECEIVER_LATER;
    /* path or credentials are wrong: all other windows would fail as well */
    default:
        return a->status >= 500 ? RECEIVER_LATER : RECEIVER_WRONG;
    }
}
