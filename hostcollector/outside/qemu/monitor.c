/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's monitor protocol (QMP). */
#include "outside/qemu/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "outside/outside_guest.h"
#include "util/host_clock.h"

#define LINE_MAX_BYTES (1u << 20) /* for a list of hundreds of devices */
#define FIRST_BYTES    (16u << 10)
#define ORDER_MAX      256u

#define HUMAN_GREETING "QEMU "

#define GREETING_MS 1500       /* less than the smallest --wait */
#define STUB_MS     250        /* time limit for a debugger's stub */
#define STUB_DETACH "+$D#44\n" /* ends in a newline, as everything sent */

static int64_t now_ms(void)
{
    return (int64_t)(clock_ns() / 1000000);
}

/* --- Lines ---------------------------------------------------------------- */

/* Make room for more bytes. Returns 0; -1 with (e) filled. */
static int make_room(struct monitor *m, struct err *e)
{
    if (m->begin > 0) {
        memmove(m->bytes, m->bytes + m->begin, m->end - m->begin);
        m->end -= m->begin;
        m->searched -= m->begin;
        m->begin = 0;
    }
    if (m->end < m->size)
        return 0;
    if (m->size >= LINE_MAX_BYTES)
        return err_set(e, "qmp: a line of more than %u bytes", LINE_MAX_BYTES);

    size_t size = 2 * m->size;
    char *bytes = realloc(m->bytes, size);

    if (bytes == NULL)
        return err_set(e, "qmp: no memory for a line of %zu bytes", size);
    m->bytes = bytes;
    m->size = size;
    return 0;
}

/* Read available bytes. Returns their number; 0: none now; -1 with (e) filled.
 */
static long receive(struct monitor *m, struct err *e)
{
    if (make_room(m, e) != 0)
        return -1;

    ssize_t got =
        recv(m->fd, m->bytes + m->end, m->size - m->end, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got < 0)
        return err_sys(e, "qmp: receive");
    if (got == 0)
        return err_set(e, "qmp: QEMU has ended, or closed its monitor");
    m->end += (size_t)got;
    return got;
}

/* The next whole line, without its end; NULL if there is none. */
static const char *next_line(struct monitor *m, size_t *size)
{
    const char *end =
        memchr(m->bytes + m->searched, '\n', m->end - m->searched);

    if (end == NULL) {
        m->searched = m->end;
        return NULL;
    }

    const char *line = m->bytes + m->begin;

    *size = (size_t)(end - line);
    m->begin += *size + 1;
    m->searched = m->begin;
    return line;
}

/* Wait until the socket can be read (POLLIN) or written (POLLOUT), until
 * (deadline). Returns 1; 0: the time is up; -1 with (e) filled. */
static int wait_for(const struct monitor *m, short events, int64_t deadline,
                    struct err *e)
{
    struct pollfd p = {m->fd, events, 0};
    int64_t left = deadline - now_ms();
    int ready = poll(&p, 1, left > 0 ? (int)left : 0);

    if (ready < 0 && errno == EINTR)
        return 1;
    return ready < 0 ? err_sys(e, "qmp: poll") : ready;
}

/* --- Contents of lines --------------------------------------------------- */

static void note_event(struct monitor *m, const char *event)
{
    if (strcmp(event, "STOP") == 0) {
        m->stands = true;
    } else if (strcmp(event, "RESUME") == 0) {
        m->stands = false;
        m->resumes++;
    }
}

/*
 * The next available line that is not an event, decoded. NULL if there is none.
 * NULL with (e) filled if a line is not of this protocol. QEMU sends an event
 * before the answer to the order that caused it.
 */
static json_t *next_object(struct monitor *m, struct err *e)
{
    const char *line;
    size_t size = 0;

    while ((line = next_line(m, &size)) != NULL) {
        json_error_t why;
        json_t *o = json_loadb(line, size, 0, &why);

        if (!json_is_object(o)) {
            json_decref(o);
            err_set(e, "qmp: a line that is no JSON object: %s",
                    o == NULL ? why.text : "it is something else");
            return NULL;
        }

        const char *event = json_string_value(json_object_get(o, "event"));

        if (event == NULL)
            return o;
        note_event(m, event);
        json_decref(o);
    }
    return NULL;
}

/* Wait up to (ms) for the next line that is not an event. NULL with (e) filled,
 * or with an empty (e) if the time is up. */
static json_t *await_object(struct monitor *m, int ms, struct err *e)
{
    int64_t deadline = now_ms() + ms;

    e->text[0] = '\0';
    /* read bytes before checking the time, because this process may have been
     * stopped, too; but endless events must not use up all time */
    for (bool late = false;; late = now_ms() > deadline) {
        json_t *o = next_object(m, e);

        if (o != NULL || e->text[0] != '\0' || late)
            return o;

        long got = receive(m, e);

        if (got == 0) {
            if (wait_for(m, POLLIN, deadline, e) <= 0)
                return NULL;
            got = receive(m, e);
        }
        if (got < 0)
            return NULL;
    }
}

/* --- Orders and answers --------------------------------------------------- */

static int send_all(struct monitor *m, const char *bytes, size_t size,
                    struct err *e)
{
    int64_t deadline = now_ms() + OUTSIDE_WAIT_MS;

    while (size > 0) {
        ssize_t sent = send(m->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent > 0) {
            bytes += sent;
            size -= (size_t)sent;
            continue;
        }
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return err_sys(e, "qmp: send");

        int ready = wait_for(m, POLLOUT, deadline, e);

        if (ready < 0)
            return -1;
        if (ready == 0)
            return err_set(e, "qmp: QEMU does not accept commands");
    }
    return 0;
}

/* Wait for the next answer. Returns as monitor_ask(). */
static json_t *next_answer(struct monitor *m, struct err *e)
{
    struct err why;
    json_t *o = await_object(m, OUTSIDE_WAIT_MS, &why);

    if (o == NULL) {
        err_set(e, "%s",
                why.text[0] != '\0' ? why.text : "qmp: QEMU does not answer");
        return NULL;
    }

    uint64_t id = (uint64_t)json_integer_value(json_object_get(o, "id"));
    json_t *answer = json_incref(json_object_get(o, "return"));
    json_t *error = json_object_get(o, "error");

    if (id != ++m->answers) {
        err_set(e, "qmp: an answer to command %" PRIu64 ", not %" PRIu64, id,
                m->answers);
    } else if (answer == NULL) {
        const char *text = json_string_value(json_object_get(error, "desc"));

        err_set(e, "qmp: QEMU says: %s", text != NULL ? text : "nothing");
    } else {
        json_decref(o);
        return answer;
    }
    json_decref(answer);
    json_decref(o);
    return NULL;
}

json_t *monitor_ask(struct monitor *m, const char *name, const char *arguments,
                    struct err *e)
{
    char order[ORDER_MAX];
    int size = snprintf(order, sizeof order,
                        "{\"execute\":\"%s\"%s%s,\"id\":%" PRIu64 "}\n", name,
                        arguments != NULL ? ",\"arguments\":" : "",
                        arguments != NULL ? arguments : "", m->orders + 1);

    if (size >= (int)sizeof order) {
        err_set(e, "qmp: a command of %d bytes is too long", size);
        return NULL;
    }
    m->orders++;
    return send_all(m, order, (size_t)size, e) == 0 ? next_answer(m, e) : NULL;
}

/* Handle events that have come. Returns 0; -1 with (e) filled: an unexpected
 * answer, or a line that is not of this protocol. */
static int note_events(struct monitor *m, struct err *e)
{
    struct err why = {""};
    json_t *o = next_object(m, &why);

    if (o == NULL && why.text[0] == '\0')
        return 0;
    json_decref(o);
    return err_set(e, "%s",
                   o == NULL ? why.text : "qmp: an answer without a command");
}

int monitor_events(struct monitor *m, uint64_t resumes, struct err *e)
{
    int64_t deadline = now_ms() + OUTSIDE_WAIT_MS;

    for (;;) {
        long got = receive(m, e);

        if (got < 0 || note_events(m, e) != 0)
            return -1;
        if (m->resumes >= resumes && (got == 0 || now_ms() > deadline))
            return 0; /* endless events must not use up all time */
        if (now_ms() > deadline)
            return err_set(e, "qmp: QEMU does not resume the guest: type "
                              "'cont' in its monitor if the guest is stopped");
        if (got == 0 && wait_for(m, POLLIN, deadline, e) < 0)
            return -1;
    }
}

void monitor_finish(struct monitor *m, const char *orders)
{
    uint64_t due = m->orders - m->answers;
    struct err e;

    for (const char *c = orders; *c != '\0'; c++)
        due += *c == '\n';
    if (send_all(m, orders, strlen(orders), &e) != 0)
        return;
    for (; due > 0; due--) {
        json_t *o = await_object(m, OUTSIDE_WAIT_MS, &e);

        if (o == NULL)
            return;
        json_decref(o);
    }
}

/* --- Greeting ----------------------------------------------------------- */

static bool speaks_as_stub(const struct monitor *m)
{
    char first = m->end > m->begin ? m->bytes[m->begin] : '\0';

    return first == '+' || first == '-' || first == '$';
}

/* Is the peer a debugger's stub? A stub sends no greeting, and stops its guest
 * when a program connects. It answers an order to let the guest run. */
static bool is_stub(struct monitor *m)
{
    bool silent = m->end == m->begin;
    struct err ignored;

    if (!silent && !speaks_as_stub(m))
        return false;
    if (send_all(m, STUB_DETACH, strlen(STUB_DETACH), &ignored) == 0 &&
        silent && wait_for(m, POLLIN, now_ms() + STUB_MS, &ignored) > 0)
        (void)receive(m, &ignored);
    return speaks_as_stub(m);
}

/* The reason why there is no greeting. */
static int no_greeting(struct monitor *m, bool is_object, const struct err *why,
                       struct err *e)
{
    size_t size = m->end - m->begin;

    if (size >= sizeof HUMAN_GREETING - 1 &&
        memcmp(m->bytes, HUMAN_GREETING, sizeof HUMAN_GREETING - 1) == 0)
        return err_set(e, "qmp: this is QEMU's human monitor (-monitor): use "
                          "the socket of -qmp");
    if (!is_object && is_stub(m))
        return err_set(e, "qmp: a debugger's stub answers there: use --gdb");
    if (why->text[0] != '\0')
        return err_set(e, "%s", why->text);
    if (is_object || size > 0)
        return err_set(e, "qmp: this is not a monitor of QEMU");
    return err_set(e, "qmp: QEMU does not answer: a monitor serves one program "
                      "at a time, and another program uses this one. Start "
                      "QEMU with a second -qmp option");
}

int monitor_greet(int fd, int pass, struct err *e)
{
    static char orders[] = "{\"execute\":\"qmp_capabilities\",\"id\":1}\n"
                           "{\"execute\":\"getfd\",\"arguments\":"
                           "{\"fdname\":\"" MONITOR_PASSED "\"},\"id\":2}\n";
    size_t first = strcspn(orders, "\n") + 1;
    struct iovec bytes = {orders, pass < 0 ? first : strlen(orders)};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof pass)];
    } control = {0};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

    if (pass >= 0) {
        control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof pass),
                                        .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), &pass, sizeof pass);
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    /* the first write to this socket, so all of it fits */
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
                   (ssize_t)bytes.iov_len
               ? 0
               : err_sys(e, "qmp: send");
}

/* Read the answer to an order of monitor_greet(). Returns 0; -1 with (e)
 * filled. */
static int take_consent(struct monitor *m, struct err *e)
{
    m->orders++;

    json_t *answer = next_answer(m, e);

    json_decref(answer);
    return answer != NULL ? 0 : -1;
}

int monitor_init(struct monitor *m, int fd, bool passed, struct err *e)
{
    struct err why;

    *m = (struct monitor){.fd = fd, .size = FIRST_BYTES};
    m->bytes = malloc(m->size);
    if (m->bytes == NULL)
        return err_sys(e, "qmp: memory");

    json_t *greeting = await_object(m, GREETING_MS, &why);

    bool is_object = greeting != NULL;
    bool is_qmp = json_object_get(greeting, "QMP") != NULL;

    json_decref(greeting);
    if (!is_qmp)
        return no_greeting(m, is_object, &why, e);
    if (take_consent(m, e) != 0)
        return -1;
    if (passed && take_consent(m, &why) != 0)
        return err_set(e,
                       "qmp: no descriptor can be passed through this socket, "
                       "because another program forwards it: use QEMU's own "
                       "socket, or its stub with --gdb (%s)",
                       why.text);
    return 0;
}

void monitor_fini(struct monitor *m)
{
    free(m->bytes);
    m->bytes = NULL;
}
