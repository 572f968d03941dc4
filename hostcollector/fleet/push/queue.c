/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings that wait to be sent. */
#include "fleet/push/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/hash.h"
#include "util/io.h"
#include "util/vec.h"

#define STATE_TEXT 256
#define NS_PER_S   1000000000

static const char *const ends[] = {
    [QUEUE_DELIVERED] = "delivered",
    [QUEUE_REFUSED] = "refused",
    [QUEUE_UNREADABLE] = "unreadable",
    [QUEUE_EMPTY] = "empty",
};

char *queue_tag(char buf[QUEUE_TAG], const char *name)
{
    (void)snprintf(buf, QUEUE_TAG, "%08" PRIx64, hash_text(name) >> 32);
    return buf;
}

/* Returns the path of the mark of (item) for (tag), or with (more) the path of
 * another file beside the mark. NULL if there is no memory. */
static char *state_path(const struct queue_item *item, const char *tag,
                        const char *more)
{
    char *path = NULL;

    return asprintf(&path, "%s.sent-%s%s", item->path, tag, more) < 0 ? NULL
                                                                      : path;
}

/* Write the text by which a mark identifies the current contents of (item)
 * into the STATE_TEXT bytes at (buf). */
static const char *as_it_is(char *buf, const struct queue_item *item)
{
    (void)snprintf(buf, STATE_TEXT, " %" PRIu64 " %" PRId64 " ", item->size,
                   item->changed_ns);
    return buf;
}

/* Count a recording whose mark has the text (text). */
static void count_done(struct queue *q, const char *text)
{
    bool sent = strncmp(text, "delivered ", 10) == 0 ||
                strncmp(text, "merged ", 7) == 0; /* of windows sent before */

    q->sent += sent;
    q->aside += !sent;
}

/* Does (item) have a mark for its current contents? If so, count it. */
static bool is_done(struct queue *q, const struct queue_item *item,
                    const char *tag)
{
    char *path = state_path(item, tag, ""), text[STATE_TEXT], is[STATE_TEXT];
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    bool done = file != NULL && fgets(text, sizeof text, file) != NULL &&
                strstr(text, as_it_is(is, item)) != NULL;

    if (done)
        count_done(q, text);
    if (file != NULL)
        (void)fclose(file);
    free(path);
    return done;
}

/* Is the recording (fd) still being written? Its writer has locked it. */
static bool is_open(int fd)
{
    return flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/* Drop windows that are also in a merged file. */
static int drop_merged(struct queue *q)
{
    size_t kept = 0;
    int result = 0;

    merged_windows_sort(&q->merged);
    for (size_t i = 0; i < q->count; i++) {
        int merged = result == 0
                         ? merged_windows_contain(&q->merged, q->items[i].path)
                         : 0;

        if (merged < 0)
            result = -1;
        if (merged > 0)
            free(q->items[i].path);
        else
            q->items[kept++] = q->items[i];
    }
    q->count = kept;
    return result;
}

/* Count (path) as done, because there is a mark of its name. Returns 0; -1 if
 * there is no memory. Takes (path). */
static int believe(struct queue *q, char *path)
{
    int result = merged_windows_note(&q->merged, path);

    free(path);
    return result;
}

/* Add (path) if it waits. Returns 0, also if it does not wait; -1 if there is
 * no memory. Takes (path). (tag) is NULL if the recording has no mark. */
static int add_recording(struct queue *q, char *path, const char *tag)
{
    struct queue_item item = {.path = path};
    if (merged_windows_note(&q->merged, path) != 0) {
        free(path);
        return -1;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st = {0};
    bool regular = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    bool busy = regular && is_open(fd);

    if (fd >= 0)
        (void)close(fd);
    item.size = (uint64_t)st.st_size;
    item.changed_ns =
        (int64_t)st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
    q->open += busy;
    if (!regular || busy || (tag != NULL && is_done(q, &item, tag))) {
        free(path);
        return 0;
    }
    if (vec_grow(&q->items, &q->room, q->count, sizeof item) != 0) {
        free(path);
        return -1;
    }
    q->items[q->count++] = item;
    return 0;
}

bool queue_is_gone(const char *path)
{
    return access(path, F_OK) != 0 && errno == ENOENT;
}

/* Remove the mark of the recording (name) of (folder), which was removed. */
static void remove_mark(const char *folder, const char *name, const char *tag)
{
    struct queue_item item = {.path = NULL};

    if (asprintf(&item.path, "%s/%s", folder, name) < 0)
        return;
    char *mark = queue_is_gone(item.path) ? state_path(&item, tag, "") : NULL;

    if (mark != NULL)
        (void)unlink(mark);
    free(mark);
    free(item.path);
}

/* Add the recordings of (l), as queue_scan() does. Returns -1 if there is no
 * memory. */
static int add_listed(struct queue *q, const struct listing *l,
                      const char *folder, const char *tag, bool marks)
{
    size_t mark = 0;

    for (size_t i = 0; i < l->recordings.count; i++) {
        const char *name = l->recordings.list[i];
        char *path = NULL;
        int order = 1;

        while (mark < l->marks.count &&
               (order = strcmp(l->marks.list[mark], name)) < 0)
            remove_mark(folder, l->marks.list[mark++], tag);
        bool marked = mark < l->marks.count && order == 0;

        mark += marked;
        if (asprintf(&path, "%s/%s", folder, name) < 0)
            return -1;
        if (marked && !marks ? believe(q, path)
                             : add_recording(q, path, marked ? tag : NULL))
            return -1;
    }
    while (mark < l->marks.count)
        remove_mark(folder, l->marks.list[mark++], tag);
    return 0;
}

static int add_folder(struct queue *q, const char *name, const char *tag,
                      bool marks, struct err *e)
{
    struct listing l = {{0}, {0}};
    int result = listing_read(&l, name, tag) != 0           ? err_sys(e, name)
                 : add_listed(q, &l, name, tag, marks) != 0 ? err_memory(e)
                                                            : 0;

    listing_fini(&l);
    return result;
}

/* Lock the folder (path) against merging, if the file system has locks. */
static int hold(struct queue *q, const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return 0; /* the next reader reports the error */
    if (vec_grow(&q->held, &q->held_room, q->held_count, sizeof fd) != 0) {
        (void)close(fd);
        return -1;
    }
    (void)flock(fd, LOCK_SH);
    q->held[q->held_count++] = fd;
    return 0;
}

/* Lock the folder of the file (path) against merging. */
static int hold_parent(struct queue *q, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int result = folder != NULL ? hold(q, folder) : -1;

    free(folder);
    return result;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int hold_all(struct queue *q, const char *const *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((is_folder(from[i]) ? hold(q, from[i]) : hold_parent(q, from[i])) !=
            0)
            return -1;
    return 0;
}

/* Add all waiting recordings of (from), a folder or a file. */
static int scan(struct queue *q, const char *from, const char *tag, bool marks,
                struct err *e)
{
    if (is_folder(from))
        return add_folder(q, from, tag, marks, e);
    if (access(from, R_OK) != 0)
        return err_sys(e, from);
    char *path = strdup(from);

    return path != NULL && add_recording(q, path, tag) == 0 ? 0 : err_memory(e);
}

/* Returns the number of the (count) items at (items) that are gone. A merged
 * window is not gone. */
static size_t gone_of(const struct queue *q, struct queue_item *items,
                      size_t count)
{
    size_t gone = 0;

    for (size_t i = 0; i < count; i++) {
        bool one = !items[i].done && queue_is_gone(items[i].path) &&
                   merged_windows_contain(&q->merged, items[i].path) == 0;

        items[i].done |= one;
        gone += one;
    }
    return gone;
}

void queue_count_gone(struct queue *q)
{
    q->gone += gone_of(q, q->items, q->count);
}

size_t queue_waiting(const struct queue *q, int64_t *oldest_ns)
{
    size_t waiting = 0;

    for (size_t i = 0; i < q->count; i++) {
        if (!q->items[i].done && waiting++ == 0 && oldest_ns != NULL)
            *oldest_ns = q->items[i].changed_ns;
    }
    return waiting;
}

static int older(const void *a, const void *b)
{
    const struct queue_item *x = a, *y = b;

    return x->changed_ns != y->changed_ns ? (x->changed_ns > y->changed_ns) -
                                                (x->changed_ns < y->changed_ns)
                                          : strcmp(x->path, y->path);
}

void queue_release(struct queue *q)
{
    for (size_t i = 0; i < q->held_count; i++)
        (void)close(q->held[i]);
    q->held_count = 0;
}

static void free_items(struct queue_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(items[i].path);
    free(items);
}

static void forget_items(struct queue *q)
{
    free_items(q->items, q->count);
    q->items = NULL;
    q->count = q->room = q->open = q->sent = q->aside = 0;
}

/* Empty (q), except for the room of items. */
static void empty(struct queue *q)
{
    queue_release(q);
    merged_windows_clear(&q->merged);
    forget_items(q);
}

/* Sort the items, when all are there. */
static int put_in_order(struct queue *q, struct err *e)
{
    if (drop_merged(q) != 0)
        return err_memory(e);
    if (q->count != 0)
        qsort(q->items, q->count, sizeof *q->items, older);
    return 0;
}

static int fill(struct queue *q, const char *const *from, size_t count,
                const char *tag, bool marks, struct err *e)
{
    if (hold_all(q, from, count) != 0)
        return err_memory(e);
    for (size_t i = 0; i < count; i++)
        if (scan(q, from[i], tag, marks, e) != 0)
            return -1;
    return put_in_order(q, e);
}

int queue_hear(struct queue *q, const char *const *from, size_t count,
               const char *tag, const struct listing_names *changed,
               struct err *e)
{
    int result;

    forget_items(q);
    result = hold_all(q, from, count);
    for (size_t i = 0; result == 0 && i < changed->count; i++) {
        char *path = strdup(changed->list[i]);

        result = path != NULL ? add_recording(q, path, tag) : -1;
    }
    return result == 0 ? put_in_order(q, e) : err_memory(e);
}

int queue_scan(struct queue *q, const char *const *from, size_t count,
               const char *tag, bool marks, struct err *e)
{
    struct queue_item *before = q->items;
    size_t before_count = q->count;

    q->items = NULL;
    q->count = 0;
    empty(q);
    int result = fill(q, from, count, tag, marks, e);

    if (result == 0)
        q->gone += gone_of(q, before, before_count);
    free_items(before, before_count);
    return result;
}

/* Write the file. Returns 0; -1 with errno. */
static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), error;
    size_t size = strlen(text);
    bool good = fd >= 0 && write(fd, text, size) == (ssize_t)size;

    error = errno;
    if (fd >= 0)
        (void)close(fd);
    if (fd >= 0 && !good)
        (void)unlink(path);
    errno = error;
    return good ? 0 : -1;
}

/* Fail, since (path) could not be written. Returns as queue_mark(). */
static int no_mark(const char *path, struct err *e)
{
    if (!io_no_room(errno))
        return err_sys(e, path);
    (void)err_set(e, "%s: %s; recordings wait until there is room", path,
                  strerror(errno));
    return QUEUE_NO_ROOM;
}

int queue_mark(struct queue_item *item, const char *tag, enum queue_end end,
               uint64_t samples, const char *id, struct err *e)
{
    char *path = state_path(item, tag, ""), *fresh = state_path(item, tag, "~");
    char text[2 * STATE_TEXT], is[STATE_TEXT];
    int result = -1;

    (void)snprintf(text, sizeof text, "%s%s%" PRIu64 " %s\n", ends[end],
                   as_it_is(is, item), samples, id);
    if (path == NULL || fresh == NULL)
        (void)err_memory(e);
    else if (write_file(fresh, text) != 0 || rename(fresh, path) != 0)
        result = no_mark(path, e);
    else
        result = 0;
    item->done = result == 0;
    if (result == 0 && queue_is_gone(item->path))
        (void)unlink(path); /* no other process would remove it */
    free(path);
    free(fresh);
    return result;
}

void queue_fini(struct queue *q)
{
    empty(q);
    free(q->held);
    merged_windows_fini(&q->merged);
    *q = (struct queue){0};
}
