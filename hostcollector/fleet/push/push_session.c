/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push: sends the waiting recordings of its folders. */
#include "fleet/push/push_session.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/signals.h"
#include "export/stores/report_window.h"
#include "fleet/backoff.h"
#include "fleet/push/push_parcel.h"
#include "fleet/push/push_reader.h"
#include "fleet/push/push_scan.h"
#include "fleet/push/push_tell.h"
#include "fleet/push/queue.h"
#include "util/hash.h"
#include "util/host_clock.h"

#define PUSH_FAILED_PLACES 64u

/* Zeroed: empty. */
struct push_failed {
    struct {
        uint64_t path; /* a hash of the path */
        uint64_t next_ns;
        unsigned times;
    } list[PUSH_FAILED_PLACES];
};

#define TIMES   3u /* after this many failures a recording is set aside */
/* rest after the first failure; n times as long after n */
#define REST_NS 5000000000u

/* Has reading (path) failed so recently that it is too early to try again? */
static bool push_failed_rests(const struct push_failed *f, const char *path)
{
    uint64_t hash = hash_text(path), place = hash % PUSH_FAILED_PLACES;

    return f->list[place].path == hash && f->list[place].next_ns > clock_ns();
}

/* Note that reading (path) has failed. Returns whether to try again after a
 * rest: 5 seconds after the first failure, 10 after the second. */
static bool push_failed_note(struct push_failed *f, const char *path)
{
    uint64_t hash = hash_text(path), place = hash % PUSH_FAILED_PLACES;
    unsigned times = f->list[place].path == hash ? f->list[place].times + 1 : 1;

    f->list[place].path = hash;
    f->list[place].times = times;
    f->list[place].next_ns = clock_ns() + (uint64_t)REST_NS * times;
    return times < TIMES;
}

#define DEFAULT_WAIT_S 60.0
/* recordings that come within this time are sent together */
#define SOON_MS        1000u
#define IMAGE_REST_MS  5000u /* a linker may be writing the image */
#define NS_PER_S       1e9
#define NS_PER_MS      1000000u

struct push {
    const struct push_config *o;
    struct receiver receiver;
    struct push_reader reader; /* for one round */
    struct push_batch batch;   /* windows of (tell.queue) */
    struct queue_item *suspects[BATCH_WINDOWS];
    size_t suspect_count;
    struct push_origin origin;
    char tag[QUEUE_TAG];
    /* time when the receiver last took something, or when the round began */
    uint64_t taken_ns;
    int stop_fd;
    struct push_scan look;
    bool stopped;
    /* The round is over: the receiver was away for too long, or an image is
     * missing. */
    bool over;
    uint64_t rest_ms; /* shortest time until the next round */
    struct push_tell tell;
    struct push_failed failed;
};

/* Does the user want to stop? */
static bool stop_asked(struct push *p)
{
    struct pollfd stop = {.fd = p->stop_fd, .events = POLLIN};

    push_tell_alive(&p->tell);
    p->stopped |= poll(&stop, 1, 0) > 0;
    return p->stopped;
}

/* Wait (ms), or until the user wants to stop, or until (fd) is readable,
 * unless it is -1. */
static void rest(struct push *p, uint64_t ms, int fd)
{
    struct pollfd ends[] = {{.fd = p->stop_fd, .events = POLLIN},
                            {.fd = fd, .events = POLLIN}};
    uint64_t until_ns = clock_ns() + ms * NS_PER_MS, now_ns;

    push_tell_alive(&p->tell);
    while (!p->stopped && (now_ns = clock_ns()) < until_ns) {
        uint64_t left_ms = (until_ns - now_ns) / NS_PER_MS + 1;
        int often_ms = push_tell_rest_ms(&p->tell);

        int ready = poll(
            ends, 2, left_ms < (uint64_t)often_ms ? (int)left_ms : often_ms);
        push_tell_alive(&p->tell);
        p->stopped = ready > 0 && ends[0].revents != 0;
        if (ready > 0)
            return;
    }
}

/* Returns the time to wait for a receiver that takes nothing. */
static double wait_s(const struct push *p)
{
    return p->o->from.wait_s < 0 ? DEFAULT_WAIT_S : p->o->from.wait_s;
}

/* Has push waited for the receiver long enough? */
static bool waited_long(const struct push *p)
{
    return (double)(clock_ns() - p->taken_ns) / NS_PER_S > wait_s(p);
}

/* Wait before the next try, which is number (*failures + 1): (path) could not
 * be sent because of (e). Returns false if push has waited long enough, or if
 * the user wants to stop. */
static bool try_again(struct push *p, unsigned *failures, const char *path,
                      uint64_t asked_ms, struct err *e)
{
    uint32_t chance = (uint32_t)clock_ns() ^ (uint32_t)getpid();

    if (p->stopped || waited_long(p))
        return false;
    p->tell.outage = true;
    if (++*failures == 1)
        push_tell_error(&p->tell, path, e);
    e->text[0] = '\0';
    /* only spreads the senders: need not be secret */
    chance = chance * 1664525u + 1013904223u;
    rest(p, backoff_ms(*failures, chance >> 8, asked_ms), -1);
    return !p->stopped;
}

/* Send (parcel) until the receiver answers. */
static enum receiver_answer send_on(struct push *p, const struct parcel *parcel,
                                    const char *path, struct err *e)
{
    unsigned failures = 0;
    enum receiver_answer answer;

    do
        answer = receiver_send(&p->receiver, parcel, e);
    while (answer == RECEIVER_LATER &&
           try_again(p, &failures, path, p->receiver.retry_after_ms, e));
    return answer == RECEIVER_LATER && p->stopped ? RECEIVER_STOPPED : answer;
}

/* Mark window (w) as done. Returns 0; -1 with (e) filled. If the disk is full,
 * --follow waits: otherwise the receiver would get the window again from each
 * new push. */
static int mark(struct push *p, const struct batch_window *w,
                enum queue_end end, struct err *e)
{
    char id[WINDOW_HEX];
    unsigned failures = 0;
    int result;

    window_hex(id, w->id, WINDOW_ID);
    do {
        if (p->o->follow)
            p->taken_ns = clock_ns();
        result = queue_mark(w->item, p->tag, end, w->samples, id, e);
    } while (result == QUEUE_NO_ROOM &&
             try_again(p, &failures, w->item->path, 0, e));
    return result == 0 ? 0 : -1;
}

static int took(struct push *p, struct err *e)
{
    bool as_it_is = receiver_part(&p->receiver, 0) == NULL;

    p->taken_ns = clock_ns();
    for (size_t i = 0; i < p->batch.count; i++) {
        const struct batch_window *w = &p->batch.windows[i];

        p->tell.delivered.recordings++;
        p->tell.delivered.samples += w->samples;
        p->tell.lost += w->lost;
        p->tell.nameless += w->nameless && !as_it_is;
        if (mark(p, w, QUEUE_DELIVERED, e) != 0)
            return -1;
    }
    push_tell_taken(&p->tell);
    return 0;
}

/* Send each window of the batch once more by itself, because the receiver did
 * not say which window is wrong. */
static int suspect_all(struct push *p, struct err *e)
{
    for (size_t i = 0; i < p->batch.count; i++)
        p->suspects[i] = p->batch.windows[i].item;
    p->suspect_count = p->batch.count;
    e->text[0] = '\0';
    return 0;
}

static int refused(struct push *p, struct err *e)
{
    const struct batch_window *w = p->batch.windows;

    if (p->batch.count > 1)
        return suspect_all(p, e);
    p->tell.refused.recordings++;
    p->tell.refused.samples += w->samples;
    push_tell_error(&p->tell, w->item->path, e);
    return mark(p, w, QUEUE_REFUSED, e);
}

/* Give up the receiver. Another push may have more success with others. */
static int leave(struct push *p, struct err *e)
{
    p->over = p->receiver.away;
    if (p->batch.count > 1 && !p->over)
        return suspect_all(p, e);
    push_tell_change(&p->tell, p->batch.windows[0].item->path, e);
    if (p->over && !p->o->follow)
        push_tell_given_up(wait_s(p));
    return 0;
}

/* Send the batch, and handle the receiver's answer. Returns 0; -1 with (e)
 * filled if push must end. */
static int settle_batch(struct push *p, struct err *e)
{
    struct push_batch *b = &p->batch;
    const char *path = b->count != 0 ? b->windows[0].item->path : NULL;
    int result = 0;

    if (path == NULL)
        return 0;
    switch (send_on(p, &b->parcel, path, e)) {
    case RECEIVER_TOOK:
        result = took(p, e);
        break;
    case RECEIVER_REFUSED:
        result = refused(p, e);
        break;
    case RECEIVER_LATER:
        result = leave(p, e);
        break;
    case RECEIVER_STOPPED:
        p->stopped = true;
        break;
    case RECEIVER_WRONG:
        result = -1;
        break;
    }
    batch_clear(b);
    return result;
}

/* Send the parcel at once, or add it to the batch. */
static int send_off(struct push *p, struct queue_item *item,
                    const struct parcel *parcel, bool alone, struct err *e)
{
    if (alone || !p->receiver.kind->joins) {
        batch_set(&p->batch, item, parcel);
        return settle_batch(p, e);
    }
    if (batch_join(&p->batch, item, parcel, e) != 0)
        return -1;
    return batch_is_full(&p->batch) ? settle_batch(p, e) : 0;
}

/* Handle a failure to read a recording. The reason may pass: no memory, no
 * process, no file or a missing image. With --follow, the recording is read
 * again some times. Otherwise it is set aside, unless (e) shows that the reason
 * (passes): then the next push reads it. Returns as settle_batch(). */
static int reader_failed(struct push *p, const struct batch_window *w,
                         bool passes, struct err *e)
{
    bool again = push_failed_note(&p->failed, w->item->path);

    if (passes)
        push_tell_error(&p->tell, w->item->path, e);
    if (again && (passes || p->o->follow))
        return 0;
    p->tell.unreadable++;
    (void)err_set(e, "it cannot be read, and is set aside");
    push_tell_error(&p->tell, w->item->path, e);
    return mark(p, w, QUEUE_UNREADABLE, e);
}

/* Make (parcel) from (path). While there is no room, wait and try again. */
static enum push_made make_on(struct push *p, struct parcel *parcel,
                              const char *path, struct err *e)
{
    unsigned failures = 0;
    enum push_made made;

    push_origin_name(&p->origin, path);
    do {
        push_parcel_fini(parcel);
        *parcel = (struct parcel){.origin = &p->origin.is};
        made = push_parcel_make(parcel, path, &p->reader, e);
    } while (made == PUSH_NO_ROOM && try_again(p, &failures, path, 0, e));
    return made;
}

/* End the round, since the image is missing for all recordings. Returns as
 * settle_batch(). */
static int no_image(struct push *p, const char *path, struct err *e)
{
    p->over = true;
    p->rest_ms = IMAGE_REST_MS;
    if (!p->o->follow)
        return err_set(e, "nothing is sent until that image can be read");
    (void)err_set(e, "it waits: an image of --elf cannot be read");
    push_tell_change(&p->tell, path, e);
    return 0;
}

/* Read, send and mark (item). With (alone), not in a batch. Returns as
 * settle_batch(). */
static int push_item(struct push *p, struct queue_item *item, bool alone,
                     struct err *e)
{
    struct parcel parcel = {.origin = NULL};
    struct batch_window nothing = {.item = item};
    int result = -1;

    if (push_failed_rests(&p->failed, item->path))
        return 0;
    switch (make_on(p, &parcel, item->path, e)) {
    case PUSH_MADE:
        result = send_off(p, item, &parcel, alone, e);
        break;
    case PUSH_UNREADABLE:
        result = reader_failed(p, &nothing, false, e);
        break;
    case PUSH_NO_SAMPLES:
        p->tell.empty++;
        result = mark(p, &nothing, QUEUE_EMPTY, e);
        break;
    case PUSH_GONE: /* the queue will count it */
        result = 0;
        break;
    case PUSH_NO_IMAGE:
        result = no_image(p, item->path, e);
        break;
    case PUSH_OTHER_IMAGE:
    case PUSH_KILLED:
        result = reader_failed(p, &nothing, true, e);
        break;
    case PUSH_NO_ROOM: /* all other recordings would fail as well */
        p->over = true;
        if (!p->stopped)
            push_tell_change(&p->tell, item->path, e);
        result = 0;
        break;
    case PUSH_FAILED:
        break;
    }
    push_parcel_fini(&parcel);
    return result;
}

/* Send the suspects, each by itself. Returns as settle_batch(). */
static int push_suspects(struct push *p, struct err *e)
{
    size_t count = p->suspect_count;
    int result = 0;

    p->suspect_count = 0;
    for (size_t i = 0; i < count && result == 0 && !p->stopped && !p->over; i++)
        result = push_item(p, p->suspects[i], true, e);
    return result;
}

/* Send all that waits now. Returns 0; -1 with (e) filled. */
static int push_round(struct push *p, struct err *e)
{
    int result = 0;

    p->over = false;
    p->rest_ms = SOON_MS;
    p->taken_ns = clock_ns();
    if (push_scan_collect(&p->look, &p->tell.queue, e) != 0)
        return -1;
    for (size_t i = 0; i < p->tell.queue.count && result == 0; i++) {
        if (stop_asked(p) || p->over)
            break;
        result = push_item(p, &p->tell.queue.items[i], false, e);
        if (result == 0)
            result = push_suspects(p, e);
    }
    if (result == 0 && !p->stopped && !p->over)
        result = settle_batch(p, e);
    if (result == 0)
        result = push_suspects(p, e);
    batch_clear(&p->batch);
    push_reader_end(&p->reader);
    return result;
}

/* Wait until there may be more recordings. */
static void await(struct push *p)
{
    int fd;
    uint64_t ms = push_scan_ms(&p->look, &p->tell.queue, &fd);

    rest(p, ms, fd);
    if (!p->stopped)
        rest(p, p->rest_ms, -1);
    push_scan_next(&p->look, &p->tell.queue);
}

static int push_rounds(struct push *p, struct err *e)
{
    char place[RECEIVER_PLACE];

    push_tell_places(&p->tell, p->o->inputs.list[0], p->o->inputs.count > 1,
                     receiver_place(&p->receiver, place));
    push_scan_begin(&p->look, p->o, p->tag);
    while (push_round(p, e) == 0) {
        queue_release(&p->tell.queue);
        push_tell_nameless(&p->tell);
        if (p->o->follow && !p->stopped)
            await(p);
        if (!p->o->follow || p->stopped)
            return 0;
    }
    return -1;
}

int push_session_run(const struct push_config *o, struct err *e)
{
    struct receiver_config config = {.to = o->to,
                                     .as = o->as,
                                     .format = o->format,
                                     .http = {.ca = o->ca,
                                              .cert = o->cert,
                                              .key = o->key,
                                              .headers = o->headers,
                                              .confine = confine_network,
                                              .limits = &o->from.sandbox}};
    struct push p = {.o = o, .stop_fd = -1};
    int result = EXIT_FAILED;

    if (push_parcel_check_names(o, e) != 0)
        return EXIT_USAGE;
    if (push_parcel_check(o, e) != 0)
        return EXIT_FAILED;
    config.http.alive = push_tell_alive;
    config.http.context = &p.tell;
    p.reader = (struct push_reader){
        .options = o, .receiver = &p.receiver, .tell = &p.tell};
    push_tell_begin(&p.tell, o->follow);
    push_origin_begin(&p.origin, o);
    p.stop_fd = config.http.stop_fd = signals_catch(e);
    if (p.stop_fd >= 0) {
        result = receiver_open(&p.receiver, &config, e) == 0 ? EXIT_DONE
                                                             : EXIT_USAGE;
        queue_tag(p.tag, p.receiver.url);
    }
    if (result == EXIT_DONE && push_rounds(&p, e) != 0)
        result = EXIT_FAILED;
    if (result != EXIT_USAGE && p.stop_fd >= 0 &&
        push_tell_sums(&p.tell) != EXIT_DONE)
        result = EXIT_FAILED;
    push_tell_end(&p.tell);
    receiver_close(&p.receiver);
    queue_fini(&p.tell.queue);
    push_scan_end(&p.look);
    signals_release(p.stop_fd, UINT64_MAX);
    return result;
}
