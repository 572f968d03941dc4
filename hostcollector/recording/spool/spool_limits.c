/* SPDX-License-Identifier: BSD-2-Clause */
/* Removes windows of a spool that exceed its limits. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "recording/spool/each_name.h"
#include "recording/spool/spool_marks.h"
#include "recording/spool/spool_parts.h"

/* longest time between two searches for windows that are too old */
#define LOOK_MS 60000u
#define HOUR_MS 3600000u
#define DAY_MS  ((uint64_t)24 * HOUR_MS)
/* remove 1/PART of the bytes at once, if there are too many */
#define PART    16u

static void say(const struct spool *s, const char *line)
{
    if (s->limits.say != NULL)
        s->limits.say(s->limits.context, line);
}

/* Result of looking for receivers. */
struct receivers {
    int fd; /* the folder */
    struct spool_tags tags;
};

static int take_tag(void *context, const char *name, struct err *e)
{
    struct receivers *r = context;

    return spool_tags_take(&r->tags, r->fd, name, e);
}

/* Remove (file). The marks of push go first, so that none is left without its
 * window. */
static void remove_file(struct spool *s, struct spool_file *file,
                        const struct spool_tags *tags)
{
    if (!spool_marks_remove(s->fd, file->name, tags)) {
        s->sums.unsent++;
        s->sums.unsent_samples += file->samples;
    }
    (void)unlinkat(s->fd, file->name, 0);
    s->sums.files--;
    s->sums.bytes -= file->bytes;
    s->sums.removed++;
    s->sums.removed_bytes += file->bytes;
    free(file->name);
}

/* Remove the chosen files. */
static void remove_chosen(struct spool *s)
{
    struct receivers now = {.fd = s->fd};
    struct err ignored;
    size_t kept = 0;

    /* with too many receivers, some marks stay */
    (void)each_name(s->fd, take_tag, &now, &ignored);
    for (size_t i = 0; i < s->count; i++) {
        if (s->files[i].goes)
            remove_file(s, &s->files[i], &now.tags);
        else
            s->files[kept++] = s->files[i];
    }
    s->count = kept;
}

/* Choose (file) to be removed, and subtract it from its guest's bytes. */
static void choose_file(struct spool_file *file)
{
    file->goes = true;
    file->guest->bytes -= file->bytes;
}

/* Does (file) begin later than a window can begin now? If so, the clock was
 * wrong when the file was written, or is wrong now. */
static bool is_of_the_future(const struct spool *s,
                             const struct spool_file *file,
                             const struct spool_now *now)
{
    return file->n.start_ms > now->wall_ms + s->limits.window_ms;
}

/* Choose files until the others have at most (bytes). Files with a start in the
 * future go first, because they would stay longest. Then go the oldest files of
 * guests that exceed their share. */
static void choose_down_to(struct spool *s, uint64_t bytes,
                           const struct spool_now *now)
{
    uint64_t share = spool_guests_share(&s->guests, bytes);
    uint64_t left = s->sums.bytes;

    for (unsigned future = 2; future-- > 0;)
        for (size_t i = 0; i < s->count && left > bytes; i++) {
            struct spool_file *file = &s->files[i];

            if (file->goes || file->guest->bytes <= share ||
                is_of_the_future(s, file, now) != future)
                continue;
            choose_file(file);
            left -= file->bytes;
        }
}

/* Removes more than the excess, so that the folder is not read for each
 * window. */
void spool_keep_size(struct spool *s, const struct spool_now *now)
{
    uint64_t limit = s->limits.bytes;

    if (limit == 0 || s->sums.bytes <= limit)
        return;
    choose_down_to(s, limit - limit / PART, now);
    remove_chosen(s);
}

bool spool_make_room(struct spool *s, size_t bytes, const struct spool_now *now)
{
    uint64_t had = s->sums.removed, less = s->sums.bytes / PART;

    if (less < bytes)
        less = bytes;
    if (less > s->sums.bytes) /* would removing all of them be too little? */
        return false;
    choose_down_to(s, s->sums.bytes - less, now);
    remove_chosen(s);
    if (s->sums.removed == had)
        return false;
    if (!s->told_full || now->up_ms - s->full_up_ms > HOUR_MS)
        say(s, "the disk is full: to make room for new windows, the oldest "
               "windows of the guests that have most are removed");
    s->told_full = true;
    s->full_up_ms = now->up_ms;
    return true;
}

bool spool_is_steady(struct spool *s, const struct spool_now *now)
{
    uint64_t age_ms = s->limits.age_s * 1000;
    bool day = age_ms > DAY_MS;
    enum steady_found found = steady_look(&s->steady, now->wall_ms, now->up_ms,
                                          day ? DAY_MS : age_ms);
    char line[192], text[STEADY_TEXT];

    if (found == STEADY_SET) {
        (void)snprintf(line, sizeof line,
                       "the clock was set %s: no window is removed for its age "
                       "until the clock is set back, or until %s have passed",
                       steady_step(&s->steady, text),
                       day ? "a day" : "as long as windows are kept");
        say(s, line);
    }
    if (found == STEADY_BACK)
        say(s, "the clock was set back to where it was: old windows are "
               "removed again");
    return found == STEADY_RIGHT || found == STEADY_BACK;
}

void spool_expire(struct spool *s, const struct spool_now *now)
{
    uint64_t age_ms = s->limits.age_s * 1000, pause_ms = age_ms / 16;
    bool some = false, steady = spool_is_steady(s, now);

    if (s->looked && now->up_ms - s->looked_up_ms <
                         (pause_ms < LOOK_MS ? pause_ms : LOOK_MS))
        return;
    s->looked = true;
    s->looked_up_ms = now->up_ms;
    spool_look_again(s);
    if (age_ms == 0 || !steady)
        return;
    for (size_t i = 0; i < s->count && s->files[i].n.start_ms < now->wall_ms &&
                       now->wall_ms - s->files[i].n.start_ms > age_ms;
         i++) {
        choose_file(&s->files[i]);
        some = true;
    }
    if (some)
        remove_chosen(s);
}
