/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes to the page of collector serve by the network, through
 * libmicrohttpd as it is. The first byte says whether a token is asked for (1)
 * and whether pages of guests are written (2); the rest of the first line is
 * the name of a guest. Then come the bytes of a client, in which bytes below 8
 * are what else happens, once nothing is left to do:
 *
 *     0  what follows comes later
 *     1  another client comes, and what follows is its
 *     2  the client closes its connection
 *     3  the page that was asked for is written; 4: why it is not
 *     5  six seconds pass
 *     6  the process that writes pages ends
 *
 * In the end all clients say that they have no more to say. Nobody gets a page
 * without a token or the name of this machine, names are no markup, questions
 * have the names and moments that they may have, and no descriptor is left.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fleet/web/reports.h"
#include "fleet/web/web.h"
#include "guard/descriptor.h"
#include "recording/spool/spool_name.h"

#define CLIENTS 80 /* more than have places */
#define ANSWER  (64u << 10)
#define TURNS   100000u
#define TOKEN   "0123456789abcdef"
#define PAGE    "<p>a page of its own"
#define WHY     "collector report: there is none\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    const uint8_t *data;
    size_t size, at;
    struct sockaddr_un address;
    socklen_t address_size;
    int clients[CLIENTS]; /* -1: closed */
    size_t client_count;
    size_t got[CLIENTS];
    int pages;     /* our end of the socket for questions; -1: closed */
    bool asked;    /* there is a question */
    bool begun;    /* the rest of the input is about what happens */
    unsigned ends; /* steps of the end */
    unsigned turns;
    uint64_t ns;
} world;

static char answers[CLIENTS][ANSWER + 1];
static int page_file, why_file;

static void must(bool promise)
{
    if (!promise)
        abort();
}

uint64_t __wrap_clock_ns(void);
uint64_t __wrap_clock_ns(void)
{
    return world.ns;
}

/* --- Clients -------------------------------------------------------------- */

static void connect_client(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    must(fd >= 0 && world.client_count < CLIENTS);
    must(connect(fd, (const struct sockaddr *)&world.address,
                 world.address_size) == 0);
    world.clients[world.client_count++] = fd;
}

/* An answer takes less than a socket has room for: it is read at the end. */
static void close_client(size_t i)
{
    ssize_t n = world.clients[i] >= 0;

    while (n > 0 && world.got[i] < ANSWER) {
        n = read(world.clients[i], answers[i] + world.got[i],
                 ANSWER - world.got[i]);
        world.got[i] += n > 0 ? (size_t)n : 0;
    }
    if (world.clients[i] >= 0)
        (void)close(world.clients[i]);
    world.clients[i] = -1;
}

/* --- The process that writes pages ---------------------------------------- */

/* A question is here, if one was asked: it is as page_process.c takes it. */
static void take_question(void)
{
    struct reports_question q;
    struct pollfd p = {.fd = world.pages, .events = POLLIN};
    int scrap;

    if (world.pages < 0 || world.asked || poll(&p, 1, 0) != 1)
        return;
    must(descriptor_receive(world.pages, &q, sizeof q, &scrap) == sizeof q);
    must(scrap < 0 && memchr(q.guest, '\0', sizeof q.guest) != NULL &&
         memchr(q.since, '\0', sizeof q.since) != NULL &&
         memchr(q.until, '\0', sizeof q.until) != NULL &&
         memchr(q.build, '\0', sizeof q.build) != NULL);
    must(spool_name_is_guest(q.guest));
    world.asked = true;
}

static void answer(bool done)
{
    const struct reports_answer a = {.done = done};

    take_question();
    if (world.pages < 0 || !world.asked)
        return;
    world.asked = false;
    must(descriptor_send(world.pages, &a, sizeof a,
                         done ? page_file : why_file) == 0);
}

static void end_pages(void)
{
    if (world.pages >= 0)
        (void)close(world.pages);
    world.pages = -1;
}

/* --- The world ------------------------------------------------------------ */

static void happen(uint8_t what)
{
    if (what == 1 && world.client_count < CLIENTS)
        connect_client();
    else if (what == 2)
        close_client(world.client_count - 1);
    else if (what == 3 || what == 4)
        answer(what == 3);
    else if (what == 5)
        world.ns += UINT64_C(6000000000);
    else if (what == 6)
        end_pages();
}

/* The next thing of the input. Returns false at its end. */
static bool step(void)
{
    const uint8_t *from = world.data + world.at;
    size_t n = 0;
    int fd = world.clients[world.client_count - 1];

    if (world.at == world.size)
        return false;
    while (world.at + n < world.size && from[n] >= 8)
        n++;
    if (n == 0) {
        world.at++;
        happen(*from);
        return true;
    }
    world.at += n;
    if (fd >= 0) /* whether it is taken or not */
        (void)!send(fd, from, n, MSG_NOSIGNAL);
    return true;
}

/* What happens behind the input, in steps. Returns false when that was all. */
static bool end(void)
{
    switch (world.ends++) {
    case 0:
        answer(true);
        return true;
    case 1:
        for (size_t i = 0; i < world.client_count; i++)
            if (world.clients[i] >= 0)
                (void)shutdown(world.clients[i], SHUT_WR);
        return true;
    default:
        return false;
    }
}

int __real_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
    int n = __real_poll(fds, count, 0);

    if (count != 4) /* our own */
        return n;
    must(world.turns++ < TURNS); /* does it turn in circles? */
    if (n != 0 || ms == 0 || step() || end())
        return n;
    fds[0].revents = POLLIN; /* the collector ends */
    return 1;
}

/* --- What must hold ------------------------------------------------------- */

/* Is (what) anywhere in what the clients have sent, in letters of any case? */
static bool says(const char *what)
{
    size_t n = strlen(what);

    for (size_t i = 0; i < world.size; i++) {
        size_t same = 0;

        for (size_t at = i; at < world.size && same < n; at++)
            if (world.data[at] >= 8 &&
                strncasecmp((const char *)&world.data[at], &what[same++], 1) !=
                    0)
                same = n + 1;
        if (same == n)
            return true;
    }
    return false;
}

static void check_answer(const char *text, bool token, bool pages)
{
    bool ours = strstr(text, "\r\nX-Content-Type-Options: nosniff\r\n") != NULL;
    bool good = strncmp(text, "HTTP/1.1 200 ", 13) == 0 ||
                strncmp(text, "HTTP/1.0 200 ", 13) == 0;
    const char *body = strstr(text, "\r\n\r\n");

    must(text[0] == '\0' || strncmp(text, "HTTP/1.", 7) == 0);
    if (good) {
        must(ours);
        must(token ? says(TOKEN)
                   : says("localhost") || says("127.") || says("[::1]"));
    }
    if (body == NULL)
        return;
    /* what the table has is for those alone that may ask */
    must(good || strstr(body, "tprof_") == NULL);
    must(good || !ours || strchr(body, '<') == NULL);
    const char *script = strstr(text, "script-src 'unsafe-inline'");

    if (strncmp(body + 4, PAGE, sizeof PAGE - 1) == 0)
        must(pages && script != NULL && script < body);
    else
        must(script == NULL || script > body);
}

/* The name is no markup: what is in it that could be is written otherwise. */
static void check_markup(const char *text, const char *name)
{
    char cell[STATUS_NAME_MAX + 8];

    if (strpbrk(name, "<>&\"'") == NULL)
        return;
    (void)snprintf(cell, sizeof cell, "<td>%s<td", name);
    must(strstr(text, cell) == NULL);
}

/* --- A run ---------------------------------------------------------------- */

static int make_file(const char *text)
{
    int fd = memfd_create("page", MFD_CLOEXEC);

    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    return fd;
}

static int listen_unix(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    world.address = (struct sockaddr_un){.sun_family = AF_UNIX};
    world.address_size = sizeof world.address;
    must(fd >= 0 &&
         bind(fd, (const struct sockaddr *)&world.address,
              sizeof(sa_family_t)) == 0 /* the kernel names it */
         && listen(fd, CLIENTS) == 0);
    must(getsockname(fd, (struct sockaddr *)&world.address,
                     &world.address_size) == 0);
    return fd;
}

static int next_descriptor(void)
{
    int fd = dup(page_file);

    must(fd >= 0 && close(fd) == 0);
    return fd;
}

/* Take the first line into (g), whose guest is otherwise well. Returns the
 * options. */
static uint8_t first_line(struct status_guest *g)
{
    uint8_t options = world.size > 0 ? world.data[world.at++] : 0;

    for (size_t n = 0; world.at < world.size; world.at++) {
        if (world.data[world.at] == '\n')
            break;
        if (n < sizeof g->name - 1)
            g->name[n++] = (char)world.data[world.at];
    }
    world.at += world.at < world.size;
    return options;
}

static void run(const struct web_gate *gate, const struct status *s,
                int reports)
{
    struct err e = {""};
    int listener = listen_unix(), stop = eventfd(0, EFD_CLOEXEC);
    struct web *w;

    must(stop >= 0);
    connect_client();
    w = web_open(listener, gate, s, reports, &e);
    must(w != NULL);
    if (web_run(w, stop, &e) != 0)
        must(e.text[0] != '\0' && world.pages < 0 && reports >= 0);
    web_close(w);
    (void)close(stop);
    for (size_t i = 0; i < world.client_count; i++)
        close_client(i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct status *s;
    const struct status_totals totals = {
        .alive_ms = UINT64_MAX, .start_ms = 1, .windows = 1, .guests = 1};
    struct status_guest g = {.state = STATUS_SAMPLING, .windows = 1};
    struct web_gate gate = {.loopback = true};
    struct err e = {""};
    int ends[2] = {-1, -1}, before;

    if (s == NULL) {
        s = status_new(2, 0, &e);
        must(s != NULL);
        status_put_totals(s, &totals);
        page_file = make_file(PAGE);
        why_file = make_file(WHY);
    }
    for (size_t i = 0; i < world.client_count; i++)
        memset(answers[i], 0, world.got[i] + 1);
    memset(&world, 0, sizeof world);
    world.data = data;
    world.size = size;
    world.pages = -1;
    before = next_descriptor();
    uint8_t options = first_line(&g);

    status_put(s, 1, &g);
    if ((options & 1) != 0)
        memcpy(gate.token, TOKEN, sizeof TOKEN);
    if ((options & 2) != 0) {
        must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
        world.pages = ends[0];
    }
    run(&gate, s, ends[1]);
    end_pages();
    if (ends[1] >= 0)
        (void)close(ends[1]);
    must(next_descriptor() == before);
    for (size_t i = 0; i < world.client_count; i++) {
        check_answer(answers[i], (options & 1) != 0, (options & 2) != 0);
        check_markup(answers[i], g.name);
    }
    return 0;
}
