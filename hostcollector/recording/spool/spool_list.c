/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the windows of a spool that are to be read. */
#include "recording/spool/spool_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "util/vec.h"

#define TOLD 8u /* most guests that an error names */

/* Summary of all names, including those of windows that are not listed. */
struct seen {
    /* Guests with windows in the span; if a guest was picked, the other
     * guests. */
    char guests[TOLD][SPOOL_GUEST_MAX + 1];
    size_t count;            /* number of guests; TOLD + 1: there are more */
    bool any;                /* the picked guest has windows, at any time */
    uint64_t oldest, newest; /* first and last start of these windows */
};

/* Is (guest) the guest of the file (name), whose length is (n)? */
static bool is_of(const char *name, const struct spool_name *n,
                  const char *guest)
{
    return strlen(guest) == n->guest_length &&
           memcmp(name, guest, n->guest_length) == 0;
}

static void see_guest(struct seen *s, const char *name,
                      const struct spool_name *n)
{
    for (size_t i = 0; i < s->count && i < TOLD; i++)
        if (is_of(name, n, s->guests[i]))
            return;
    if (s->count < TOLD)
        memcpy(s->guests[s->count], name, n->guest_length);
    if (s->count <= TOLD)
        s->count++;
}

static int keep(struct spool_list *list, const char *name,
                const struct spool_name *n, struct err *e)
{
    struct spool_window w = {n->start_ms, n->last_ms,
                             (uint32_t)(strlen(name) - n->guest_length - 1 -
                                        (sizeof SPOOL_SUFFIX - 1))};

    if (list->count == SPOOL_LIST_MAX)
        return err_set(e,
                       "%s: more than %u windows: ask for a shorter time by "
                       "--since and --until",
                       list->folder, SPOOL_LIST_MAX);
    if (vec_grow(&list->windows, &list->room, list->count, sizeof w) != 0)
        return err_memory(e);
    list->windows[list->count++] = w;
    return 0;
}

static int take_name(struct spool_list *list, const struct spool_pick *pick,
                     struct seen *s, const char *name, struct err *e)
{
    struct spool_name n;

    if (!spool_name_parse(name, &n) || n.guest_length > SPOOL_GUEST_MAX)
        return 0;
    if (pick->guest != NULL && !is_of(name, &n, pick->guest)) {
        see_guest(s, name, &n);
        return 0;
    }
    if (!s->any || n.start_ms < s->oldest)
        s->oldest = n.start_ms;
    if (!s->any || n.start_ms > s->newest)
        s->newest = n.start_ms;
    s->any = true;
    if ((n.last_ms != 0 ? n.last_ms : n.start_ms) < pick->since_ms ||
        (pick->until_ms != 0 && n.start_ms >= pick->until_ms))
        return 0;
    if (pick->guest == NULL)
        see_guest(s, name, &n);
    if (list->guest[0] == '\0')
        memcpy(list->guest, name, n.guest_length);
    return is_of(name, &n, list->guest) ? keep(list, name, &n, e) : 0;
}

static int take_folder(struct spool_list *list, const struct spool_pick *pick,
                       struct seen *s, struct err *e)
{
    int copy = -1, result = 0;
    const struct dirent *entry;

    list->fd = open(pick->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (list->fd >= 0) {
        /* some file systems have no locks: read without one */
        (void)flock(list->fd, LOCK_SH);
        copy = dup(list->fd);
    }
    DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;

    if (folder == NULL) {
        result = err_sys(e, pick->folder);
        if (copy >= 0)
            (void)close(copy);
        return result;
    }
    while (result == 0 && (entry = readdir(folder)) != NULL)
        result = take_name(list, pick, s, entry->d_name, e);
    (void)closedir(folder);
    return result;
}

/* "a, b and more" */
static int compare_names(const void *a, const void *b)
{
    return strverscmp(a, b);
}

static const char *seen_names(struct seen *s, char *text, size_t size)
{
    size_t used = 0;

    qsort(s->guests, s->count < TOLD ? s->count : TOLD, sizeof s->guests[0],
          compare_names);
    text[0] = '\0';
    for (size_t i = 0; i < s->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0      ? ""
                                 : i == TOLD ? " and more"
                                             : ", ",
                                 i == TOLD ? "" : s->guests[i]);
    return text;
}

/* (ms) as text in the form of --since, --until and headings of reports. */
static const char *utc_time(uint64_t ms, char text[32])
{
    time_t t = (time_t)(ms / 1000);
    struct tm utc;

    text[0] = '\0';
    if (gmtime_r(&t, &utc) != NULL)
        (void)strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

/* Fail unless exactly one guest has windows to be read. */
static int check_choice(const struct spool_list *list,
                        const struct spool_pick *pick, struct seen *s,
                        struct err *e)
{
    char text[512], oldest[32], newest[32];

    if (pick->guest == NULL && s->count > 1)
        return err_set(e,
                       "%s: has windows of more than one guest: choose with "
                       "--guest NAME: %s",
                       pick->folder, seen_names(s, text, sizeof text));
    if (list->count != 0)
        return 0;
    if (s->any)
        return err_set(e,
                       "%s: no window begins in that time; the oldest begins "
                       "at %s, the newest at %s",
                       pick->folder, utc_time(s->oldest, oldest),
                       utc_time(s->newest, newest));
    if (s->count != 0)
        return err_set(e, "%s: has no window of %.128s, but of %s",
                       pick->folder, pick->guest,
                       seen_names(s, text, sizeof text));
    return err_set(e, "%s: has no windows", pick->folder);
}

static int older(const void *a, const void *b)
{
    const struct spool_window *x = a, *y = b;

    return x->start_ms != y->start_ms
               ? (x->start_ms > y->start_ms) - (x->start_ms < y->start_ms)
               : (x->last_ms < y->last_ms) - (x->last_ms > y->last_ms);
}

/* Drop windows that are also in a merged file: it is read instead. */
static void drop_merged(struct spool_list *list)
{
    struct spool_name several = {0};
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct spool_window *w = &list->windows[i];

        if (w->last_ms == 0 && spool_name_covers(&several, w->start_ms))
            continue;
        if (w->last_ms != 0)
            several = (struct spool_name){.start_ms = w->start_ms,
                                          .last_ms = w->last_ms};
        list->windows[kept++] = *w;
    }
    list->count = kept;
}

int spool_list_open(struct spool_list *list, const struct spool_pick *pick,
                    struct err *e)
{
    struct seen *s = calloc(1, sizeof *s);

    *list = (struct spool_list){.folder = strdup(pick->folder),
                                .fd = -1,
                                .since_ms = pick->since_ms,
                                .until_ms = pick->until_ms};
    if (s == NULL || list->folder == NULL)
        (void)err_memory(e);
    else if (take_folder(list, pick, s, e) == 0 &&
             check_choice(list, pick, s, e) == 0) {
        qsort(list->windows, list->count, sizeof *list->windows, older);
        drop_merged(list);
        free(s);
        return 0;
    }
    free(s);
    spool_list_fini(list);
    return -1;
}

char *spool_list_path(const struct spool_list *list, size_t i, char *path,
                      size_t size)
{
    const struct spool_window *w = &list->windows[i];

    if (w->last_ms != 0)
        (void)snprintf(path, size,
                       "%s/%s.%013" PRIu64 "-%013" PRIu64 SPOOL_SUFFIX,
                       list->folder, list->guest, w->start_ms, w->last_ms);
    else
        (void)snprintf(path, size, "%s/%s.%0*" PRIu64 SPOOL_SUFFIX,
                       list->folder, list->guest, (int)w->digits, w->start_ms);
    return path;
}

void spool_list_fini(struct spool_list *list)
{
    if (list->folder != NULL && list->fd >= 0)
        (void)close(list->fd);
    free(list->folder);
    free(list->windows);
    *list = (struct spool_list){0};
}
