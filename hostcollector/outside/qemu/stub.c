/* SPDX-License-Identifier: BSD-2-Clause */
/* GDB's remote protocol, as a client of a debugger's stub. */
#include "outside/qemu/stub.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/host_clock.h"

#define MONITOR      "{\"QMP\"" /* greeting of QEMU's monitor */
#define INTERRUPT    0x03
#define INTERRUPT_MS 200 /* until an interrupt is sent again */
#define INTERRUPTS   5u  /* limit of interrupts */

/* Time limits. The guest is stopped while answers come, and a stub that sends
 * them byte by byte is never silent. Therefore all answers to one batch have a
 * time limit, and so have all answers between two calls of stub_look(). If this
 * process itself was stopped, LATE_MAX bytes may come too late. */
#define ANSWER_MS 5000u
#define LOOK_MS   30000u
#define LATE_MAX  (512u << 10)

/* Hexadecimal digits */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

long stub_bytes(const struct stub *s, uint8_t *out, size_t size)
{
    size_t n = s->body_size / 2 < size ? s->body_size / 2 : size;
    const char *text = s->body;

    for (size_t i = 0; i < n; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

        if (text[2 * i] == 'x')
            high = low = 0;
        if (high < 0 || low < 0)
            return -1;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return (long)n;
}

/* Packets */

static int lost(struct err *e)
{
    if (errno == ECONNRESET || errno == EPIPE)
        return err_set(e, "the guest has ended");
    return err_set(e, "the debugger's socket: %s", strerror(errno));
}

static uint64_t after_ms(uint64_t ms)
{
    return clock_ns() + ms * 1000000;
}

/* Start the time limit of a question. */
static void limit_answer(struct stub *s)
{
    uint64_t by = after_ms(ANSWER_MS);

    s->answer_by = by < s->look_by ? by : s->look_by;
    s->late = 0;
}

void stub_look(struct stub *s)
{
    s->look_by = after_ms(LOOK_MS);
    limit_answer(s);
}

static int too_slow(struct err *e)
{
    return err_set(e, "the debugger's stub is too slow: the guest stood still "
                      "for seconds. Is the host overloaded? Try again");
}

/* Count (size) received bytes. Returns 0; -1 with (e) filled: they are too
 * late. */
static int in_time(struct stub *s, size_t size, struct err *e)
{
    s->late += clock_ns() > s->answer_by ? size : 0;
    return s->late > LATE_MAX ? too_slow(e) : 0;
}

/* Wait until (events) are possible. Returns 0; -1 with (e) filled. */
static int wait_for(const struct stub *s, short events, struct err *e)
{
    struct pollfd p = {.fd = s->fd, .events = events};
    int ready;

    if (clock_ns() > s->answer_by)
        return too_slow(e);
    do
        ready = poll(&p, 1, OUTSIDE_WAIT_MS);
    while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return err_set(e, "the debugger's stub does not answer: is another "
                          "debugger or collector attached to it?");
    return ready < 0 ? lost(e) : 0;
}

static int send_bytes(struct stub *s, const char *bytes, size_t size,
                      struct err *e)
{
    while (size > 0) {
        ssize_t n = send(s->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            if (wait_for(s, POLLOUT, e) != 0)
                return -1;
        } else if (n == 0 || errno != EINTR) {
            return lost(e);
        }
    }
    return 0;
}

/* Append (body) as a packet to (text), which has room, after an acknowledgement
 * of the packet before. Returns the new length. */
static size_t put_packet(char *text, size_t at, const char *body)
{
    uint8_t sum = 0;

    for (const char *c = body; *c != '\0'; c++)
        sum = (uint8_t)(sum + (uint8_t)*c);
    return at + (size_t)sprintf(text + at, "+$%s#%02x", body, sum);
}

/* Read more bytes. Returns 0; -1 with (e) filled. */
static int hear(struct stub *s, struct err *e)
{
    if (s->in_size >= strlen(MONITOR) &&
        memcmp(s->in, MONITOR, strlen(MONITOR)) == 0)
        return err_set(e, "QEMU's monitor answers there: use --qmp");
    if (s->in_size == sizeof s->in)
        return err_set(e, "the debugger's stub sends more than a packet holds");
    ssize_t n = recv(s->fd, s->in + s->in_size, sizeof s->in - s->in_size,
                     MSG_DONTWAIT);

    if (n > 0) {
        s->in_size += (size_t)n;
        return in_time(s, (size_t)n, e);
    }
    if (n == 0)
        return err_set(e, "the guest has ended");
    if (errno == EAGAIN)
        return wait_for(s, POLLIN, e);
    return errno == EINTR ? 0 : lost(e);
}

/* Decode the (size) bytes of a body: "c*n" repeats c as many times as n is
 * above 28. Bytes beyond the buffer are dropped. */
static void write_out(struct stub *s, const uint8_t *in, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < size; i++) {
        bool repeats = in[i] == '*' && n > 0 && i + 1 < size && in[i + 1] > 29;
        size_t times = repeats ? in[i + 1] - 29u : 1;
        char c = repeats ? s->body[n - 1] : (char)in[i];

        for (; times > 0 && n < STUB_PACKET; times--)
            s->body[n++] = c;
        i += repeats;
    }
    s->body[n] = '\0';
    s->body_size = n;
}

/* Move the first packet from (in) to (body), if it is complete. Returns false
 * if not. */
static bool take_packet(struct stub *s)
{
    const uint8_t *begin = memchr(s->in, '$', s->in_size);
    const uint8_t *end = NULL, *stop = s->in + s->in_size;

    if (begin != NULL)
        end = memchr(begin, '#', (size_t)(stop - begin));
    if (end == NULL || stop - end < 3)
        return false;
    write_out(s, begin + 1, (size_t)(end - begin) - 1);
    s->in_size = (size_t)(stop - end) - 3;
    memmove(s->in, end + 3, s->in_size);
    return true;
}

/* Does the last packet report the guest's end? Returns 0; -1 with (e) filled if
 * it does. */
static int goes_on(const struct stub *s, struct err *e)
{
    return s->body[0] == 'W' || s->body[0] == 'X'
               ? err_set(e, "the guest has ended")
               : 0;
}

/* Read the next packet. Returns 0; -1 with (e) filled. */
static int next_packet(struct stub *s, struct err *e)
{
    while (!take_packet(s))
        if (hear(s, e) != 0)
            return -1;
    return goes_on(s, e);
}

/* Does the last packet report that the guest is stopped? */
static bool says_stopped(const struct stub *s)
{
    return s->body[0] == 'T' || s->body[0] == 'S';
}

/* Read the next packet that answers a question. Returns 0; -1 with (e) filled.
 */
static int next_answer(struct stub *s, struct err *e)
{
    do
        if (next_packet(s, e) != 0)
            return -1;
    while (says_stopped(s));
    return 0;
}

int stub_say(struct stub *s, const char *order, struct err *e)
{
    char text[STUB_QUESTION + 8];

    return send_bytes(s, text, put_packet(text, 0, order), e);
}

int stub_ask(struct stub *s, const char *question, struct err *e)
{
    limit_answer(s);
    return stub_say(s, question, e) == 0 ? next_answer(s, e) : -1;
}

/* Send interrupts until a packet comes; (sent) of them were sent already.
 * Returns 0; -1 with (e) filled. */
static int interrupt(struct stub *s, unsigned *sent, struct err *e)
{
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    const char c = INTERRUPT;

    while (!take_packet(s)) {
        if (*sent == 0 ||
            (*sent < INTERRUPTS && poll(&p, 1, INTERRUPT_MS) == 0)) {
            if (send_bytes(s, &c, 1, e) != 0)
                return -1;
            ++*sent;
        } else if (hear(s, e) != 0) {
            return -1;
        }
    }
    return goes_on(s, e);
}

int stub_stop(struct stub *s, struct err *e)
{
    unsigned sent = 0;

    limit_answer(s);
    do
        if (interrupt(s, &sent, e) != 0)
            return -1;
    while (!says_stopped(s));
    return 0;
}

struct stub_batch stub_begin_batch(const struct stub *s)
{
    return (struct stub_batch){.core = s->core};
}

int stub_send_batch(struct stub *s, struct stub_batch *b, struct err *e)
{
    size_t size = b->size;

    limit_answer(s);
    b->size = 0;
    return send_bytes(s, b->text, size, e);
}

int stub_add(struct stub *s, struct stub_batch *b, uint32_t core,
             const char *question, struct err *e)
{
    char select[STUB_QUESTION];

    if (b->size + (size_t)2 * (STUB_QUESTION + 8) > sizeof b->text &&
        stub_send_batch(s, b, e) != 0)
        return -1;
    if (b->core != core) {
        (void)snprintf(select, sizeof select, "Hg%s", s->cores[core]);
        b->size = put_packet(b->text, b->size, select);
        b->core = core;
    }
    b->size = put_packet(b->text, b->size, question);
    return 0;
}

int stub_answer(struct stub *s, uint32_t core, struct err *e)
{
    if (s->core != core) {
        if (next_answer(s, e) != 0)
            return -1;
        if (strcmp(s->body, "OK") != 0)
            return err_set(e, "the debugger's stub has no core %s any more",
                           s->cores[core]);
        s->core = core;
    }
    return next_answer(s, e);
}

int stub_ask_core(struct stub *s, uint32_t core, const char *question,
                  struct err *e)
{
    struct stub_batch b = stub_begin_batch(s);

    return stub_add(s, &b, core, question, e) == 0 &&
                   stub_send_batch(s, &b, e) == 0
               ? stub_answer(s, core, e)
               : -1;
}

/* Greeting */

/* Read the cores from the last packet: "m" and names separated by commas. */
static void note_cores(struct stub *s)
{
    char *name = s->body + 1;

    while (*name != '\0' && s->core_count < OUTSIDE_CORES_MAX) {
        size_t length = strcspn(name, ",");

        if (length > 0 && length < STUB_CORE) {
            char *core = s->cores[s->core_count++];

            memcpy(core, name, length);
            core[length] = '\0';
        }
        name += length + (name[length] == ',');
    }
}

static int find_cores(struct stub *s, struct err *e)
{
    if (stub_ask(s, "qfThreadInfo", e) != 0)
        return -1;
    /* as many answers as cores, and one more at most */
    for (uint32_t i = 0; i <= OUTSIDE_CORES_MAX && s->body[0] == 'm'; i++) {
        note_cores(s);
        if (stub_ask(s, "qsThreadInfo", e) != 0)
            return -1;
    }
    return s->core_count > 0
               ? 0
               : err_set(e, "the debugger's stub reports no cores");
}

/* Exchange the features of both sides. The first answer shows whether this is a
 * stub. */
static int greet(struct stub *s, struct err *e)
{
    const char *size;

    if (stub_ask(s, "qSupported:multiprocess+;vContSupported+", e) != 0)
        return -1;
    size = strstr(s->body, "PacketSize=");
    if (size != NULL) {
        unsigned long most = strtoul(size + strlen("PacketSize="), NULL, 16);

        if (most >= 64 && most / 2 - 8 < s->read_max)
            s->read_max = most / 2 - 8;
    }
    return 0;
}

int stub_begin(struct stub *s, int fd, struct err *e)
{
    s->fd = fd;
    s->core = OUTSIDE_CORES_MAX;
    s->read_max = STUB_PACKET / 2;
    stub_look(s);
    return greet(s, e) == 0 ? find_cores(s, e) : -1;
}
