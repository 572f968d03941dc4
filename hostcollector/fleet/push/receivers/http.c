/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends POST and PUT requests from a separate process. */
#include "fleet/push/receivers/http.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guard/descriptor.h"
#include "guard/side_process.h"
#include "util/host_clock.h"

#define ANSWER_S   60L
#define BYTES_A_S  65536L
#define GRACE_S    10 /* further time for the process itself */
#define OFTEN_MS   500
#define HOUR_MS    3600000u
#define NS_PER_S   1000000000ull
#define TEXTS      8u
#define TEXTS_ROOM 65536u

struct http {
    struct http_config config;
    struct http_curl *curl; /* used by the sending process only */
    int socket;             /* to that process; -1: there is none */
    pid_t child;
};

/* A request, or its answer, as sent between the two processes. Both run the
 * same program. */
struct http_message {
    void (*look)(struct http_answer *a, const uint8_t *body, size_t size);
    long limit_s;
    char texts[TEXTS_ROOM]; /* each text ends in a NUL; "" stands for NULL */
};

/* The process that sends */

static void unpack_request(struct http_request *r, const struct http_message *m)
{
    const char *list[TEXTS], *at = m->texts;

    for (size_t i = 0; i < TEXTS; i++) {
        list[i] = *at != '\0' ? at : NULL;
        at += strlen(at) + 1;
    }
    *r = (struct http_request){.url = list[0],
                               .method = list[1],
                               .sign = list[2],
                               .user = list[3],
                               .headers = {list[4], list[5], list[6], list[7]},
                               .look = m->look};
}

static void answer(struct http *h, const struct http_message *m, int body,
                   struct http_answer *a)
{
    struct http_request r;

    unpack_request(&r, m);
    r.body = body >= 0 ? fdopen(body, "re") : NULL;
    if (r.body == NULL) {
        (void)snprintf(a->text, sizeof a->text, "%s",
                       strerror(body >= 0 ? errno : EMFILE));
        return;
    }
    http_curl_send(h->curl, &r, h->socket, m->limit_s, a);
    (void)fclose(r.body);
}

static bool confine(const struct http_config *c, struct err *e)
{
    const char *const files[] = {c->ca, c->cert, c->key, http_curl_trusts(0),
                                 http_curl_trusts(1)};

    return c->confine(c->limits, files, sizeof files / sizeof *files, e) == 0;
}

/* Serve requests until the other process has exited. A message of one byte
 * stops a request. Here such a message came too late, when the request was
 * done. */
static _Noreturn void serve(struct http *h)
{
    static struct http_message m;
    struct err why = {""};
    bool able = confine(&h->config, &why);
    ssize_t size;
    int body;

    while ((size = descriptor_receive(h->socket, &m, sizeof m, &body)) > 0) {
        struct http_answer a = {.status = HTTP_UNABLE};

        if (size == 1)
            continue;
        if (able)
            answer(h, &m, body, &a);
        else
            (void)snprintf(a.text, sizeof a.text, "%s", why.text);
        if (descriptor_send(h->socket, &a, sizeof a, -1) != 0)
            break;
    }
    _exit(0);
}

/* The process that asks */

static int start_sender(struct http *h)
{
    int ends[2];

    if (h->socket >= 0)
        return 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    h->child = side_process_fork();
    h->socket = ends[h->child == 0];
    if (h->child == 0) {
        /* libcurl must not send again after the other process has exited */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        side_process_keep(h->socket);
        serve(h);
    }
    (void)close(ends[1]);
    if (h->child > 0)
        return 0;
    (void)close(ends[0]);
    h->socket = -1;
    return -1;
}

static void end(struct http *h)
{
    if (h->socket < 0)
        return;
    (void)close(h->socket);
    side_process_end(h->child);
    h->socket = -1;
}

/* Pack (r) into (m). Returns the message's size; 0 if there is no room. */
static size_t pack_request(struct http_message *m, const struct http_request *r)
{
    const char *const list[TEXTS] = {
        r->url,        r->method,     r->sign,       r->user,
        r->headers[0], r->headers[1], r->headers[2], r->headers[3]};
    size_t used = 0;

    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = list[i] != NULL ? list[i] : "";
        size_t size = strlen(text) + 1;

        if (size > sizeof m->texts - used)
            return 0;
        memcpy(m->texts + used, text, size);
        used += size;
    }
    m->look = r->look;
    return offsetof(struct http_message, texts) + used;
}

/* Open the file (body) again, for reading only. */
static int reopen(FILE *body)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(body));
    return fflush(body) == 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* Wait for the answer (a). False if that process has exited or does not
 * answer. */
static bool hears(const struct http *h, long limit_s, struct http_answer *a)
{
    struct pollfd ends[] = {{.fd = h->socket, .events = POLLIN},
                            {.fd = h->config.stop_fd, .events = POLLIN}};
    uint64_t until_ns = clock_ns() + (uint64_t)(limit_s + GRACE_S) * NS_PER_S;
    int none;

    while (clock_ns() < until_ns) {
        h->config.alive(h->config.context);
        (void)poll(ends, 2, OFTEN_MS);
        if (ends[0].revents != 0)
            return descriptor_receive(h->socket, a, sizeof *a, &none) ==
                   sizeof *a;
        if (ends[1].revents != 0) {
            (void)send(h->socket, "", 1, MSG_NOSIGNAL);
            ends[1].fd = -1;
        }
    }
    return false;
}

/* Let the sending process send (r). Returns NULL, or the reason why that is
 * impossible. */
static const char *ask(struct http *h, const struct http_request *r,
                       struct http_answer *a)
{
    static struct http_message m;
    size_t size = pack_request(&m, r);
    int body = size != 0 ? reopen(r->body) : -1;
    const char *why = NULL;

    if (size == 0)
        return "the data to send has a name that is too long";
    if (body < 0 || start_sender(h) != 0) {
        why = strerror(errno);
    } else {
        m.limit_s = ANSWER_S + (long)(lseek(body, 0, SEEK_END) / BYTES_A_S);
        if (descriptor_send(h->socket, &m, size, body) != 0 ||
            !hears(h, m.limit_s, a))
            why = "the process that sends has ended";
    }
    if (body >= 0)
        (void)close(body);
    return why;
}

void http_send(struct http *h, const struct http_request *request,
               struct http_answer *a)
{
    *a = (struct http_answer){.status = HTTP_NONE};
    const char *why = ask(h, request, a);

    if (why != NULL) {
        *a = (struct http_answer){.status = HTTP_NONE};
        (void)snprintf(a->text, sizeof a->text, "%s", why);
    }
    a->text[sizeof a->text - 1] = '\0'; /* the text is not trusted */
    if (a->retry_after_ms > HOUR_MS)
        a->retry_after_ms = HOUR_MS;
    if (a->status <= 0)
        end(h);
}

struct http *http_open(const struct http_config *c, struct err *e)
{
    struct http *h = calloc(1, sizeof *h);

    if (h == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    h->config = *c;
    h->socket = -1;
    h->curl = http_curl_open(c, e);
    if (h->curl != NULL)
        return h;
    http_close(h);
    return NULL;
}

void http_close(struct http *h)
{
    if (h == NULL)
        return;
    end(h);
    http_curl_close(h->curl);
    free(h);
}
