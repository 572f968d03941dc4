/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves the pages by HTTP, with libmicrohttpd. */
#include "fleet/web/web.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "fleet/web/reports.h"
#include "fleet/web/room.h"
#include "fleet/web/web_pages.h"
#include "guard/descriptor.h"
#include "recording/spool/spool_name.h"
#include "util/host_clock.h"

#define NS_PER_MS 1000000u

struct web {
    const struct web_gate *gate;
    const struct status *status;
    int reports; /* socket; -1: no process writes pages of guests */
    /* The connection that waits for a guest's page, and the page. Only one
     * connection waits at a time. */
    struct MHD_Connection *waiting;
    int page;
    bool written;
    struct MHD_Daemon *daemon;
    int epoll;
    struct room *room;
};

static uint64_t now_ms(void)
{
    return clock_ns() / NS_PER_MS;
}

static int descriptor_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

    return info != NULL ? info->connect_fd : -1;
}

/* The answer to a request. */
struct web_answer {
    unsigned code;
    const char *type;
    char *text;
    size_t size;
    bool has_script;
};

static const char text_type[] = "text/plain; charset=utf-8";
static const char html_type[] = "text/html; charset=utf-8";
static const char guest_path[] = "/guest/";

/* Write the page at (url) to (out). */
static void write_answer(const struct web *w, const char *url, FILE *out,
                         struct web_answer *a)
{
    uint64_t now = status_now_ms();

    a->code = MHD_HTTP_OK;
    a->type = text_type;
    if (strcmp(url, "/") == 0 || strcmp(url, "/still") == 0) {
        a->type = html_type;
        pages_overview(out, w->status, now, strcmp(url, "/") != 0);
    } else if (strcmp(url, "/metrics") == 0) {
        a->type = "text/plain; version=0.0.4; charset=utf-8";
        pages_metrics(out, w->status, now);
    } else if (strcmp(url, "/healthz") == 0) {
        if (!pages_health(out, w->status, now))
            a->code = MHD_HTTP_SERVICE_UNAVAILABLE;
    } else {
        a->code = MHD_HTTP_NOT_FOUND;
        (void)fputs(
            "not found: the pages are /, /still, /metrics, /healthz and "
            "/guest/NAME\n",
            out);
    }
}

/* A header to be found in a request. */
struct sought {
    const char *name, *value;
    unsigned count;
};

static enum MHD_Result on_header(void *sought, enum MHD_ValueKind kind,
                                 const char *name, const char *value)
{
    struct sought *s = sought;

    (void)kind;
    if (strcasecmp(name, s->name) == 0) {
        s->value = value;
        s->count++;
    }
    return MHD_YES;
}

/* The value of the header (name); NULL unless there is exactly one. */
static const char *only_header(struct MHD_Connection *c, const char *name)
{
    struct sought s = {.name = name};

    (void)MHD_get_connection_values(c, MHD_HEADER_KIND, on_header, &s);
    return s.count == 1 ? s.value : NULL;
}

/* Write the reason if the request is refused. Returns whether it is. */
static bool refused(const struct web *w, struct MHD_Connection *c,
                    const char *method, FILE *out, struct web_answer *a)
{
    const struct web_request r = {only_header(c, MHD_HTTP_HEADER_HOST),
                                  only_header(c, MHD_HTTP_HEADER_AUTHORIZATION),
                                  room_user(w->room, descriptor_of(c))};
    enum web_gate_answer may = web_gate_judge(w->gate, &r);

    a->type = text_type;
    if (may == WEB_GATE_BAD_HOST) {
        a->code = MHD_HTTP_BAD_REQUEST;
        (void)fputs("the request needs one header 'Host': a name, with or "
                    "without a colon and a port\n",
                    out);
    } else if (may == WEB_GATE_WRONG_HOST) {
        a->code = MHD_HTTP_FORBIDDEN;
        (void)fputs("the header 'Host' names another machine: use "
                    "http://127.0.0.1 or localhost\n",
                    out);
    } else if (may == WEB_GATE_WRONG_USER) {
        a->code = MHD_HTTP_FORBIDDEN;
        (void)fputs("only root and the user of collector serve may read this: "
                    "other users need the token of --token-file\n",
                    out);
    } else if (may == WEB_GATE_NO_TOKEN) {
        a->code = MHD_HTTP_UNAUTHORIZED;
        (void)fputs("the token is missing or wrong: send the header "
                    "'Authorization: Bearer TOKEN'\n",
                    out);
    } else if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
               strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        a->code = MHD_HTTP_METHOD_NOT_ALLOWED;
        (void)fputs("this page cannot be changed: use GET or HEAD\n", out);
    } else {
        return false;
    }
    return true;
}

/* Add the headers of a page. Pages load nothing and run no script, except the
 * page of a guest, which has its own script. No foreign page may show, read or
 * keep them. */
#define POLICY                                                                 \
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "           \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
#define SCRIPT "; script-src 'unsafe-inline'"

static const char *const headers[][2] = {
    {"Connection", "close"},
    {"Cache-Control", "no-store"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
};

static enum MHD_Result send_response(struct MHD_Connection *c,
                                     const struct web_answer *a,
                                     struct MHD_Response *r)
{
    enum MHD_Result result;

    if (r == NULL)
        return MHD_NO;
    (void)MHD_add_response_header(r, "Content-Security-Policy",
                                  a->has_script ? POLICY SCRIPT : POLICY);
    (void)MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        (void)MHD_add_response_header(r, headers[i][0], headers[i][1]);
    if (a->code == MHD_HTTP_UNAUTHORIZED)
        (void)MHD_add_response_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
                                      "Bearer");
    if (a->code == MHD_HTTP_SERVICE_UNAVAILABLE)
        (void)MHD_add_response_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (a->code == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    result = MHD_queue_response(c, a->code, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result send_answer(struct MHD_Connection *c,
                                   const struct web_answer *a)
{
    return send_response(c, a,
                         MHD_create_response_from_buffer(
                             a->size, a->text, MHD_RESPMEM_MUST_COPY));
}

/* Copy the parameter (key) of the request, if any, into the (size) bytes at
 * (text). Returns false if it does not fit. */
static bool take(struct MHD_Connection *c, const char *key, char *text,
                 size_t size)
{
    const char *said =
        MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, key);

    return said == NULL || (size_t)snprintf(text, size, "%s", said) < size;
}

/* Ask for the page of the guest (name). Returns whether (c) waits for it; if
 * not, (out) has the reason. */
static bool ask_for_page(struct web *w, struct MHD_Connection *c,
                         const char *name, FILE *out, struct web_answer *a)
{
    struct reports_question q = {.since = "-10m"};

    a->type = text_type;
    a->code = MHD_HTTP_NOT_FOUND;
    if (w->reports < 0 || !spool_name_is_guest(name) ||
        !take(c, "since", q.since, sizeof q.since) ||
        !take(c, "until", q.until, sizeof q.until) ||
        !take(c, "build", q.build, sizeof q.build)) {
        (void)fputs(w->reports < 0 ? "collector serve keeps no windows: start "
                                     "it with --spool DIR\n"
                                   : "unknown guest, time or build\n",
                    out);
        return false;
    }
    (void)snprintf(q.guest, sizeof q.guest, "%s", name);
    a->code = MHD_HTTP_SERVICE_UNAVAILABLE;
    if (w->waiting != NULL ||
        descriptor_send(w->reports, &q, sizeof q, -1) != 0) {
        (void)fputs("another page is being written: try again\n", out);
        return false;
    }
    w->waiting = c;
    room_hold(w->room, descriptor_of(c), true, now_ms());
    MHD_suspend_connection(c);
    return true;
}

/* Receive the page, or the reason why there is none, and resume the waiting
 * connection. Returns 0; -1 with (e) filled if the process that writes pages
 * has exited. */
static int hear_reports(struct web *w, struct err *e)
{
    struct reports_answer a = {0};

    if (descriptor_receive(w->reports, &a, sizeof a, &w->page) <= 0)
        return err_set(e, "web: the process that writes pages has ended");
    w->written = a.done;
    if (w->waiting != NULL) {
        room_hold(w->room, descriptor_of(w->waiting), false, now_ms());
        MHD_resume_connection(w->waiting);
    }
    return 0;
}

/* End waiting. Returns the page, if it has come. */
static int forget_page(struct web *w)
{
    int page = w->page;

    w->waiting = NULL;
    w->page = -1;
    return page;
}

/* Send the received page to (c), which has waited. */
static enum MHD_Result send_page(struct web *w, struct MHD_Connection *c)
{
    struct web_answer a = {.code =
                               w->written ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND,
                           .type = w->written ? html_type : text_type,
                           .has_script = w->written};
    off_t size = w->page >= 0 ? lseek(w->page, 0, SEEK_END) : -1;
    int page = forget_page(w);

    if (size >= 0) /* closes the page */
        return send_response(c, &a,
                             MHD_create_response_from_fd((size_t)size, page));
    if (page >= 0)
        (void)close(page);
    return MHD_NO;
}

/* Answer a request when its headers are complete. Its body is not read. */
static enum MHD_Result on_request(void *web, struct MHD_Connection *c,
                                  const char *url, const char *method,
                                  const char *version, const char *upload,
                                  size_t *upload_size, void **request)
{
    struct web *w = web;
    struct web_answer a = {.text = NULL};
    enum MHD_Result result = MHD_NO;
    FILE *out;
    bool waits = false;

    (void)version, (void)upload, (void)upload_size, (void)request;
    if (w->waiting == c)
        return send_page(w, c);
    out = open_memstream(&a.text, &a.size);
    if (out == NULL)
        return MHD_NO;
    if (!refused(w, c, method, out, &a)) {
        if (strncmp(url, guest_path, sizeof guest_path - 1) == 0)
            waits = ask_for_page(w, c, url + sizeof guest_path - 1, out, &a);
        else
            write_answer(w, url, out, &a);
    }
    if (fclose(out) == 0)
        result = waits ? MHD_YES : send_answer(c, &a);
    free(a.text);
    return result;
}

/* Note that the connection (c) begins or ends. */
static void on_connection(void *web, struct MHD_Connection *c, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct web *w = web;

    (void)context;
    if (what != MHD_CONNECTION_NOTIFY_CLOSED)
        return;
    room_left(w->room, descriptor_of(c));
    if (w->waiting == c) {
        int page = forget_page(w);

        if (page >= 0)
            (void)close(page);
    }
}

/* Answer a client whose request is complete: call of room_turn(). A connection
 * has one request and a deadline. */
static void serve(void *web, int fd)
{
    /* the address is not used */
    const struct sockaddr from = {.sa_family = AF_UNSPEC};
    struct web *w = web;

    if (MHD_add_connection(w->daemon, fd, &from, sizeof from) != MHD_YES)
        room_left(w->room, fd); /* libmicrohttpd has closed it */
}

struct web *web_open(int fd, const struct web_gate *g, const struct status *s,
                     int reports, struct err *e)
{
    struct web *w = calloc(1, sizeof *w);
    const union MHD_DaemonInfo *info;

    if (w == NULL) {
        (void)err_set(e, "web: no memory");
        return NULL;
    }
    w->gate = g;
    w->status = s;
    w->reports = reports;
    w->page = -1;
    w->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0,
        NULL, NULL, on_request, w, MHD_OPTION_CONNECTION_LIMIT, ROOM_SERVED,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)ROOM_REQUEST,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, w, MHD_OPTION_END);
    w->room = w->daemon != NULL ? room_open(fd, e) : NULL;
    if (w->room == NULL) {
        if (w->daemon == NULL)
            (void)err_set(e, "web: libmicrohttpd does not start");
        else
            MHD_stop_daemon(w->daemon);
        free(w);
        return NULL;
    }
    info = MHD_get_daemon_info(w->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    w->epoll = info != NULL ? info->epoll_fd : -1;
    return w;
}

/* Returns the milliseconds until the next time limit. */
static int next_turn(struct web *w)
{
    int ms = room_turn(w->room, now_ms(), serve, w);
    MHD_UNSIGNED_LONG_LONG wait;

    return MHD_get_timeout(w->daemon, &wait) == MHD_YES && wait < (unsigned)ms
               ? (int)wait
               : ms;
}

int web_run(struct web *w, int stop_fd, struct err *e)
{
    struct pollfd fds[] = {{.fd = stop_fd, .events = POLLIN},
                           {.fd = w->epoll, .events = POLLIN},
                           {.fd = room_fd(w->room), .events = POLLIN},
                           {.fd = w->reports, .events = POLLIN}};

    while (fds[0].revents == 0) {
        if (poll(fds, 4, next_turn(w)) < 0 && errno != EINTR)
            return err_sys(e, "web: poll");
        if (fds[0].revents == 0 && fds[3].revents != 0 &&
            hear_reports(w, e) != 0)
            return -1;
        if (MHD_run(w->daemon) != MHD_YES)
            return err_set(e, "web: libmicrohttpd ends");
    }
    return 0;
}

void web_close(struct web *w)
{
    if (w == NULL)
        return;
    if (w->waiting != NULL)
        MHD_resume_connection(w->waiting);
    MHD_stop_daemon(w->daemon);
    room_close(w->room);
    free(w);
}
