/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP by libcurl, in the sending process. */
#include "fleet/push/receivers/http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/host_clock.h"
#include "util/text.h"

#define CONNECT_S 10L
/* a receiver that is silent for so many seconds is away */
#define SILENT_S  60L
/* time left for an answer when the user wants to stop */
#define LAST_NS   1000000000ull
#define MS_PER_S  1000ull
#define HOUR_S    3600
#define HEARD_MAX 65536u /* most bytes of an answer with its headers */

struct http_curl {
    CURL *curl;
    struct curl_slist *headers; /* headers of every request */
    int stop_fd;
    uint64_t stop_ns; /* when stop_fd became readable; 0: not yet */
    size_t heard;     /* bytes of the answer so far */
    uint8_t body[HTTP_BODY];
    size_t body_size;
};

static int read_headers(struct http_curl *h, const char *path, struct err *e)
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

/* Is it time to stop? If (all) was sent, wait a moment for the answer, since
 * the receiver would get the window twice. */
static bool gives_up(struct http_curl *h, bool all)
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
    (void)down, (void)has_come;
    return gives_up(context, up != 0 && has_gone == up);
}

/* Would (size) bytes more make the answer too long? */
static bool is_too_long(struct http_curl *h, size_t size)
{
    h->heard += size < HEARD_MAX ? size : HEARD_MAX + 1;
    return h->heard > HEARD_MAX;
}

static size_t on_header(char *bytes, size_t one, size_t size, void *context)
{
    (void)bytes;
    return is_too_long(context, one * size) ? 0 : one * size;
}

/* Keep the beginning of the answer's text. */
static size_t on_text(char *bytes, size_t one, size_t size, void *context)
{
    struct http_curl *h = context;
    size_t more = sizeof h->body - h->body_size;

    more = size < more ? size : more;
    memcpy(h->body + h->body_size, bytes, more);
    h->body_size += more;
    return is_too_long(h, one * size) ? 0 : one * size;
}

static int on_seek(void *context, curl_off_t offset, int from)
{
    return fseeko(context, offset, from) == 0 ? CURL_SEEKFUNC_OK
                                              : CURL_SEEKFUNC_FAIL;
}

static void set_always(struct http_curl *h, const struct http_config *c)
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
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, h);
    (void)curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl_easy_setopt(curl, CURLOPT_HEADERDATA, h);
    (void)curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, on_seek);
    if (c->ca != NULL)
        (void)curl_easy_setopt(curl, CURLOPT_CAINFO, c->ca);
    if (c->cert != NULL)
        (void)curl_easy_setopt(curl, CURLOPT_SSLCERT, c->cert);
    if (c->key != NULL)
        (void)curl_easy_setopt(curl, CURLOPT_SSLKEY, c->key);
}

struct http_curl *http_curl_open(const struct http_config *c, struct err *e)
{
    struct http_curl *h = calloc(1, sizeof *h);

    if (h == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        (h->curl = curl_easy_init()) == NULL) {
        (void)err_memory(e);
        http_curl_close(h);
        return NULL;
    }
    /* some libcurl end threads, for which the C library loads this file; the
     * confined process could not open it */
    (void)dlopen("libgcc_s.so.1", RTLD_NOW);
    set_always(h, c);
    if (c->headers != NULL && read_headers(h, c->headers, e) != 0) {
        http_curl_close(h);
        return NULL;
    }
    return h;
}

void http_curl_close(struct http_curl *h)
{
    if (h == NULL)
        return;
    curl_slist_free_all(h->headers);
    curl_easy_cleanup(h->curl);
    free(h);
}

const char *http_curl_trusts(unsigned i)
{
    const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);

    return i == 0 ? v->cainfo : i == 1 ? v->capath : NULL;
}

/* List of the headers of (request), which the caller frees. */
static struct curl_slist *headers_of(const struct http_request *request)
{
    /* unsigned requests only: libcurl would sign the removed header */
    struct curl_slist *list =
        request->sign == NULL ? curl_slist_append(NULL, "Expect:") : NULL;

    for (size_t i = 0; i < 4 && request->headers[i] != NULL; i++) {
        struct curl_slist *more = curl_slist_append(list, request->headers[i]);

        list = more != NULL ? more : list;
    }
    return list;
}

/* Append (more) to (list). */
static void join(struct curl_slist *list, struct curl_slist *more)
{
    while (list != NULL && list->next != NULL)
        list = list->next;
    if (list != NULL)
        list->next = more;
}

/* Detach (more) from the end of (list). */
static void part_headers(struct curl_slist *list, const struct curl_slist *more)
{
    while (list != NULL && list->next != more)
        list = list->next;
    if (list != NULL)
        list->next = NULL;
}

static void set_request(struct http_curl *h, const struct http_request *r,
                        long limit_s)
{
    (void)fseeko(r->body, 0, SEEK_END);
    (void)curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                           (curl_off_t)ftello(r->body));
    rewind(r->body);
    (void)curl_easy_setopt(h->curl, CURLOPT_URL, r->url);
    (void)curl_easy_setopt(h->curl, CURLOPT_CUSTOMREQUEST, r->method);
    if (r->sign != NULL) {
        (void)curl_easy_setopt(h->curl, CURLOPT_AWS_SIGV4, r->sign);
        (void)curl_easy_setopt(h->curl, CURLOPT_USERPWD, r->user);
    }
    (void)curl_easy_setopt(h->curl, CURLOPT_READDATA, r->body);
    (void)curl_easy_setopt(h->curl, CURLOPT_SEEKDATA, r->body);
    (void)curl_easy_setopt(h->curl, CURLOPT_TIMEOUT, limit_s);
}

/* Fill (a) with the result of the request. */
static void judge_result(struct http_curl *h, CURLcode code,
                         struct http_answer *a)
{
    curl_off_t wait = 0;
    long status = 0;
    char line[HTTP_TEXT];

    if (code == CURLE_ABORTED_BY_CALLBACK)
        a->status = HTTP_STOPPED;
    if (code != CURLE_OK) {
        (void)snprintf(a->text, sizeof a->text, "%s",
                       h->heard > HEARD_MAX
                           ? "the receiver's answer is too long"
                           : curl_easy_strerror(code));
        return;
    }
    (void)curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &wait);
    a->status = (int)status;
    a->retry_after_ms = wait <= 0       ? 0
                        : wait < HOUR_S ? (uint64_t)wait * MS_PER_S
                                        : HOUR_S * MS_PER_S;
    (void)snprintf(line, sizeof line, "%.*s", (int)h->body_size,
                   (const char *)h->body);
    line[strcspn(line, "\r\n")] = '\0';
    (void)text_escape(a->text, sizeof a->text, line);
}

void http_curl_send(struct http_curl *h, const struct http_request *r,
                    int stop_fd, long limit_s, struct http_answer *a)
{
    struct curl_slist *headers = headers_of(r);

    *a = (struct http_answer){.status = HTTP_NONE};
    h->stop_fd = stop_fd;
    h->stop_ns = 0;
    h->heard = h->body_size = 0;
    join(headers, h->headers);
    set_request(h, r, limit_s);
    (void)curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers);
    judge_result(h, curl_easy_perform(h->curl), a);
    part_headers(headers, h->headers);
    curl_slist_free_all(headers);
    if (r->look != NULL && a->status >= 200 && a->status < 300)
        r->look(a, h->body, h->body_size);
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
