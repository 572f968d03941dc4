/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of collector push. */
#include "fleet/push/push_tell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "fleet/notify.h"
#include "util/host_clock.h"
#include "util/text.h"

#define NS_PER_MS 1000000u
#define NS_PER_S  1000000000u
/* if no watchdog asks for a shorter interval */
#define OFTEN_NS  (10ull * NS_PER_S)
#define HOUR_NS   (3600ull * NS_PER_S)
#define STATUS    1024

void push_tell_begin(struct push_tell *t, bool follow)
{
    uint64_t watchdog_ns = notify_watchdog_ns();

    t->follow = follow;
    t->notify_fd = notify_open();
    t->often_ns =
        watchdog_ns != 0 && watchdog_ns < OFTEN_NS ? watchdog_ns : OFTEN_NS;
}

void push_tell_end(struct push_tell *t)
{
    notify_tell(t->notify_fd, "STOPPING=1");
    if (t->notify_fd >= 0)
        (void)close(t->notify_fd);
    t->notify_fd = -1;
}

void push_tell_places(const struct push_tell *t, const char *from, bool more,
                      const char *to)
{
    char safe[PUSH_TELL_ERROR];

    if (!t->follow || t->notify_fd >= 0) /* systemd gets the state instead */
        return;
    (void)fprintf(
        stderr,
        "collector push: sending new recordings in %s%s to %s, until Ctrl-C\n",
        text_escape(safe, sizeof safe, from), more ? " and other places" : "",
        to);
}

/* Keep the beginning of an error line. */
static void keep_error(char error[PUSH_TELL_ERROR], const char *path,
                       const struct err *e)
{
    char safe[PUSH_TELL_ERROR / 2];

    (void)snprintf(error, PUSH_TELL_ERROR, "%s: %s",
                   text_escape(safe, sizeof safe, path), e->text);
}

void push_tell_error(struct push_tell *t, const char *path, struct err *e)
{
    (void)fprintf(stderr, "collector push: %s: %s\n", path, e->text);
    keep_error(t->error, path, e);
    e->text[0] = '\0';
}

void push_tell_change(struct push_tell *t, const char *path, struct err *e)
{
    char error[PUSH_TELL_ERROR];

    keep_error(error, path, e);
    if (strcmp(error, t->error) != 0)
        push_tell_error(t, path, e);
    e->text[0] = '\0';
}

void push_tell_given_up(double seconds)
{
    (void)fprintf(stderr,
                  "collector push: gave up after %.3g s. To send the rest, "
                  "type the same command again, or add --follow to wait\n",
                  seconds);
}

void push_tell_taken(struct push_tell *t)
{
    bool over = t->outage;

    t->outage = false;
    t->error[0] = '\0';
    if (over && t->follow)
        (void)push_tell_sums(t);
}

void push_tell_nameless(struct push_tell *t)
{
    if (t->nameless == 0 || t->nameless_told)
        return;
    t->nameless_told = true;
    (void)fprintf(stderr,
                  "collector push: %zu recording%s no names: give --symbols "
                  "DIR or --elf FILE\n",
                  t->nameless, t->nameless == 1 ? " has" : "s have");
}

/* Write the sums to (out). */
static void write_sums(struct push_tell *t, FILE *out)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER];

    queue_count_gone(&t->queue);
    size_t left = queue_waiting(&t->queue, NULL);

    (void)fprintf(out, "%s samples in %zu recording%s delivered",
                  text_count(a, t->delivered.samples), t->delivered.recordings,
                  text_plural(t->delivered.recordings));
    if (t->lost != 0)
        (void)fprintf(out, "; %s lost before", text_count(b, t->lost));
    if (t->refused.recordings != 0)
        (void)fprintf(out,
                      "; %s samples in %zu recording%s refused and set aside",
                      text_count(b, t->refused.samples), t->refused.recordings,
                      text_plural(t->refused.recordings));
    if (t->unreadable != 0)
        (void)fprintf(out, "; %zu recording%s unreadable, set aside",
                      t->unreadable, text_plural(t->unreadable));
    if (t->empty != 0)
        (void)fprintf(out, "; %zu without samples", t->empty);
    if (t->queue.gone != 0)
        (void)fprintf(out, "; %zu removed before they were sent",
                      t->queue.gone);
    if (t->queue.open != 0)
        (void)fprintf(out, "; %zu still being written", t->queue.open);
    if (left != 0)
        (void)fprintf(out, "; %zu left in the queue", left);
}

/* If all recordings were sent before, say so, because an empty queue would look
 * the same. Returns whether they were. */
static bool tell_done_before(const struct push_tell *t)
{
    const struct queue *q = &t->queue;

    if (t->follow || q->count + q->open != 0 || q->sent + q->aside == 0)
        return false;
    (void)printf("nothing to send: %zu recording%s sent before", q->sent,
                 q->sent == 1 ? " was" : "s were");
    if (q->aside != 0)
        (void)printf(", and %zu set aside", q->aside);
    (void)putchar('\n');
    return true;
}

int push_tell_sums(struct push_tell *t)
{
    if (!tell_done_before(t)) {
        write_sums(t, stdout);
        (void)putchar('\n');
    }
    (void)fflush(stdout); /* a service's stdout is a pipe */
    return t->refused.recordings + t->unreadable +
                       queue_waiting(&t->queue, NULL) !=
                   0
               ? EXIT_FAILED
               : EXIT_DONE;
}

static void tell_manager(struct push_tell *t)
{
    char text[STATUS] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    int64_t oldest_ns = 0;

    if (out == NULL)
        return;
    (void)fputs("READY=1\nWATCHDOG=1\nSTATUS=", out);
    write_sums(t, out);
    if (queue_waiting(&t->queue, &oldest_ns) != 0)
        (void)fprintf(out, ", the oldest of %" PRId64 " s ago",
                      ((int64_t)clock_wall_ns() - oldest_ns) / NS_PER_S);
    if (t->error[0] != '\0')
        (void)fprintf(out, "; %s", t->error);
    (void)fclose(out);
    notify_tell(t->notify_fd, text);
}

void push_tell_at(struct push_tell *t, uint64_t now_ns)
{
    if (t->notify_fd >= 0 && now_ns - t->told_ns >= t->often_ns) {
        t->told_ns = now_ns;
        tell_manager(t);
    }
    if (t->summed_ns == 0)
        t->summed_ns = now_ns;
    if (t->follow && now_ns - t->summed_ns >= HOUR_NS) {
        t->summed_ns = now_ns;
        (void)push_tell_sums(t);
    }
}

void push_tell_alive(void *tell)
{
    push_tell_at(tell, clock_ns());
}

int push_tell_rest_ms(const struct push_tell *t)
{
    return (int)(t->often_ns / NS_PER_MS);
}
