/* SPDX-License-Identifier: BSD-2-Clause */
/* What libcurl is told, and what its answers mean. */
#include "push/http.h"

#include <curl/curl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/text.h"

#define CONNECT_S 10L
#define SILENT_S  60L /* a receiver that says nothing for so long is away */
#define LAST_NS   1000000000ull /* for an answer, when the user wants the end */
#define MS_PER_S  1000ull
#define HOUR_S    3600

struct http {
    CURL *curl;
    struct curl_slist *headers; /* of every request */
    int stop_fd;
    uint64_t stop_ns; /* when that was seen to be readable; 0: not yet */
    void (*alive)(void *context);
    void *context;
};

static int read_headers(struct http *h, const char *path, struct err *e)
{
    FILE *file = fopen(path, "re");
    char line[4096];

    if (file == NULL)
        return err_sys(e, path);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        struct curl_slist *more =
            line[0] != '\0' ? curl_slist_append(h->headers, line) : h->headers;

        if (more != NULL)
            h->headers = more;
    }
    (void)fclose(file);
    return 0;
}

/* Is it time to give up? Where (all) is sent, the receiver has it, and what is
 * given up then comes twice: so its answer has a moment. */
static bool gives_up(struct http *h, bool all)
{
    struct pollfd stop = {.fd = h->stop_fd, .events = POLLIN};

    if (poll(&stop, 1, 0) <= 0)
        return false;
    if (h->stop_ns == 0)
        h->stop_ns = clock_ns();
    return !all || clock_ns() - h->stop_ns >= LAST_NS;
}

static int on_progress(void *context, curl_off_t down, curl_off_t has_come,
                       curl_off_t up, curl_off_t has_gone)
{
    struct http *h = context;

    (void)down, (void)has_come;
    h->alive(h->context);
    return gives_up(h, up != 0 && has_gone == up);
}

/* Keep the beginning of what is said. */
static size_t on_text(char *bytes, size_t one, size_t size, void *context)
{
    struct http_answer *a = context;
    size_t used = strlen(a->text), room = sizeof a->text - 1 - used;
    size_t more = sizeof a->body - a->body_size;
    char part[HTTP_TEXT];

    more = size < more ? size : more;
    memcpy(a->body + a->body_size, bytes, more);
    a->body_size += more;
    (void)snprintf(part, sizeof part, "%.*s", (int)(size < room ? size : room),
                   bytes);
    part[strcspn(part, "\r\n")] = '\0';
    if (room > 0)
        (void)text_escape(a->text + used, room, part);
    return one * size;
}

static int on_seek(void *context, curl_off_t offset, int from)
{
    return fseeko(context, offset, from) == 0 ? CURL_SEEKFUNC_OK
                                              : CURL_SEEKFUNC_FAIL;
}

static void set_always(struct http *h, const struct http_config *c)
{
    CURL *curl = h->curl;

    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_POST, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
    (void)curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, SILENT_S);
    (void)curl_easy_setopt(curl, CURLOPT_USERAGENT, "tprof/" COLLECTOR_VERSION);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFODATA, h);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_text);
    (void)curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, on_seek);
    if (c->ca != NULL)
        (void)curl_easy_setopt(curl, CURLOPT_CAINFO, c->ca);
    if (c->cert != NULL)
        (void)curl_easy_setopt(curl, CURLOPT_SSLCERT, c->cert);
    if (c->key != NULL)
        (void)curl_easy_setopt(curl, CURLOPT_SSLKEY, c->key);
}

struct http *http_open(const struct http_config *c, struct err *e)
{
    struct http *h = calloc(1, sizeof *h);

    if (h == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        (h->curl = curl_easy_init()) == NULL) {
        (void)err_set(e, "out of memory");
        http_close(h);
        return NULL;
    }
    h->stop_fd = c->stop_fd;
    h->alive = c->alive;
    h->context = c->context;
    set_always(h, c);
    if (c->headers != NULL && read_headers(h, c->headers, e) != 0) {
        http_close(h);
        return NULL;
    }
    return h;
}

void http_close(struct http *h)
{
    if (h == NULL)
        return;
    curl_slist_free_all(h->headers);
    curl_easy_cleanup(h->curl);
    free(h);
}

/* The headers of (request) and of every request, which the caller frees up to
 * (h->headers). */
static struct curl_slist *headers_of(const struct http_request *request)
{
    /* libcurl would sign the header that this leaves out */
    struct curl_slist *list =
        request->sign == NULL ? curl_slist_append(NULL, "Expect:") : NULL;

    for (size_t i = 0; i < 4 && request->headers[i] != NULL; i++) {
        struct curl_slist *more = curl_slist_append(list, request->headers[i]);

        list = more != NULL ? more : list;
    }
    return list;
}

/* Have (more) behind (list). */
static void join(struct curl_slist *list, struct curl_slist *more)
{
    while (list != NULL && list->next != NULL)
        list = list->next;
    if (list != NULL)
        list->next = more;
}

/* Take (more) away again. */
static void part(struct curl_slist *list, const struct curl_slist *more)
{
    while (list != NULL && list->next != more)
        list = list->next;
    if (list != NULL)
        list->next = NULL;
}

void http_send(struct http *h, const struct http_request *request,
               struct http_answer *a)
{
    struct curl_slist *headers = headers_of(request);
    curl_off_t wait = 0;
    long status = 0;

    *a = (struct http_answer){0};
    join(headers, h->headers);
    (void)fseeko(request->body, 0, SEEK_END);
    (void)curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                           (curl_off_t)ftello(request->body));
    rewind(request->body);
    (void)curl_easy_setopt(h->curl, CURLOPT_URL, request->url);
    (void)curl_easy_setopt(h->curl, CURLOPT_CUSTOMREQUEST, request->method);
    if (request->sign != NULL) {
        (void)curl_easy_setopt(h->curl, CURLOPT_AWS_SIGV4, request->sign);
        (void)curl_easy_setopt(h->curl, CURLOPT_USERPWD, request->user);
    }
    (void)curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers);
    (void)curl_easy_setopt(h->curl, CURLOPT_READDATA, request->body);
    (void)curl_easy_setopt(h->curl, CURLOPT_SEEKDATA, request->body);
    (void)curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, a);
    CURLcode code = curl_easy_perform(h->curl);

    part(headers, h->headers);
    curl_slist_free_all(headers);
    a->stopped = code == CURLE_ABORTED_BY_CALLBACK;
    if (code != CURLE_OK) {
        (void)snprintf(a->text, sizeof a->text, "%s", curl_easy_strerror(code));
        return;
    }
    (void)curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &wait);
    a->status = (int)status;
    a->retry_after_ms = wait <= 0       ? 0
                        : wait < HOUR_S ? (uint64_t)wait * MS_PER_S
                                        : HOUR_S * MS_PER_S;
}

int http_escape(char *url, size_t size, const char *text)
{
    char *escaped = curl_easy_escape(NULL, text, 0);
    size_t used = strlen(url);
    bool fits = escaped != NULL && strlen(escaped) < size - used;

    if (fits)
        memcpy(url + used, escaped, strlen(escaped) + 1);
    curl_free(escaped);
    return fits ? 0 : -1;
}
