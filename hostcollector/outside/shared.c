/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU tells which memory it shares, by name (query-memdev), and where pieces
 * of that name are: around the PC's holes and above 4 GiB (info mtree). */
#include "outside/shared.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "outside/memory_file.h"
#include "outside/monitor_text.h"

#define NAME_MOST 127u

/* Keep where the memory called (name), in the file (fd) of (size) bytes, lies
 * by (text). */
static void find_pieces(struct shared *s, const char *text, const char *name,
                        int fd, uint64_t size)
{
    struct monitor_text_range r;

    while (s->piece_count < SHARED_PIECES_MAX &&
           (text = monitor_text_next_range(text, &r)) != NULL) {
        if (r.name_size != strlen(name) ||
            memcmp(r.name, name, r.name_size) != 0 || r.offset >= size ||
            r.last - r.start >= size - r.offset)
            continue;
        s->piece[s->piece_count++] =
            (struct shared_piece){r.start, r.last - r.start + 1, r.offset, fd};
    }
}

/* May (name) stand in an order as it is? So may all that QEMU lets be given. */
static bool is_plain(const char *name)
{
    return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789._-") == strlen(name) &&
           strlen(name) <= NAME_MOST;
}

/* Open the file of the memory called (name), which is found by its path if QEMU
 * was given one. Returns 0 and the file in (*fd), -1: there is none to be had;
 * -1 with (e) filled: the monitor failed. */
static int open_file(struct monitor *m, const char *name, uint64_t size,
                     int *fd, struct err *e)
{
    char order[NAME_MOST + 32];

    *fd = -1;
    if (!is_plain(name))
        return 0;
    snprintf(order, sizeof order, "qom-get /objects/%s mem-path", name);
    if (monitor_line(m, 0, order, e) != 0)
        return -1;

    json_t *answer = monitor_answer(m, e);
    const char *text = json_string_value(answer);
    /* words, if there is no such property */
    json_t *path =
        text != NULL ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;

    if (answer != NULL)
        *fd = memory_file_open(m->fd, size, json_string_value(path));
    json_decref(path);
    json_decref(answer);
    return answer != NULL ? 0 : -1;
}

/* Open what is shared of (devices), and find it by (text). Returns 0; -1 with
 * (e) filled. */
static int open_files(struct shared *s, struct monitor *m,
                      const json_t *devices, const char *text, struct err *e)
{
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *d = json_array_get(devices, i);
        const char *name = json_string_value(json_object_get(d, "id"));
        json_int_t size = json_integer_value(json_object_get(d, "size"));

        if (name == NULL || size <= 0 || s->file_count == SHARED_FILES_MAX ||
            !json_is_true(json_object_get(d, "share")))
            continue;

        int fd;

        if (open_file(m, name, (uint64_t)size, &fd, e) != 0)
            return -1;
        if (fd < 0)
            continue;
        s->fd[s->file_count++] = fd;
        find_pieces(s, text, name, fd, (uint64_t)size);
    }
    return 0;
}

int shared_init(struct shared *s, struct monitor *m, struct err *e)
{
    *s = (struct shared){0};

    json_t *devices = monitor_ask(m, "query-memdev", e);

    if (devices == NULL)
        return -1;
    if (json_array_size(devices) == 0) {
        json_decref(devices);
        return 0;
    }
    if (monitor_line(m, 0, "info mtree -f", e) != 0) {
        json_decref(devices);
        return -1;
    }

    json_t *tree = monitor_answer(m, e);
    const char *text = monitor_text_ranges(json_string_value(tree));
    int result = tree != NULL ? 0 : -1;

    if (text != NULL)
        result = open_files(s, m, devices, text, e);
    json_decref(devices);
    json_decref(tree);
    return result;
}

void shared_fini(struct shared *s)
{
    while (s->file_count > 0)
        close(s->fd[--s->file_count]);
    s->piece_count = 0;
}

/* The piece that has (address); NULL if none has. */
static const struct shared_piece *find(const struct shared *s, uint64_t address)
{
    for (size_t i = 0; i < s->piece_count; i++) {
        if (address - s->piece[i].start < s->piece[i].size)
            return &s->piece[i];
    }
    return NULL;
}

long shared_read(void *shared, uint64_t address, void *to, size_t size)
{
    struct shared *s = shared;
    size_t done = 0;

    while (done < size) {
        uint64_t at = address + done;
        const struct shared_piece *p = find(s, at);

        if (p == NULL) {
            s->missed = true;
            break;
        }

        uint64_t left = p->size - (at - p->start);
        size_t part = size - done < left ? size - done : (size_t)left;
        ssize_t got = pread(p->fd, (char *)to + done, part,
                            (off_t)(p->offset + (at - p->start)));

        if (got <= 0) /* it was cut */
            break;
        done += (size_t)got;
    }
    return (long)done;
}
