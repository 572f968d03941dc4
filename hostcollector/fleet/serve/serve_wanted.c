/* SPDX-License-Identifier: BSD-2-Clause */
/* The guests that collector serve is to attach to. */
#include "fleet/serve/serve_wanted.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* end of a socket's name if the guest is behind vsock */
#define VSOCK_END ".vsock"

#define CID_MAX 32u /* size of a text with a CID and a port */

/* Guests by virtio-vsock: "3..200", or with a port "3..200:7078". */
struct range {
    unsigned long first, last;
    const char *port; /* with its colon; or "" */
};

/* Parse (where) as a range. False if it is not one. */
static bool is_range(const char *where, struct range *r)
{
    char *end;

    r->first = strtoul(where, &end, 10);
    if (where[0] < '0' || where[0] > '9' || strncmp(end, "..", 2) != 0 ||
        end[2] < '0' || end[2] > '9')
        return false;
    r->last = strtoul(end + 2, &end, 10);
    r->port = end;
    return (end[0] == '\0' || end[0] == ':') && r->first <= r->last &&
           r->last < UINT32_MAX;
}

/* Parse (spec) as a range of guests. False if it is one guest, as is every
 * guest with a name. */
static bool is_many(const struct guest_spec *spec, struct range *r)
{
    return strcmp(spec->kind, "vsock") == 0 && !spec->named &&
           is_range(spec->where, r);
}

/* Write (cid) and the port of the range into (text). */
static int range_member(const struct range *r, unsigned long cid,
                        char text[CID_MAX], struct err *e)
{
    return snprintf(text, CID_MAX, "%lu%s", cid, r->port) < (int)CID_MAX
               ? 0
               : err_set(e, "--vsock %lu..%lu%s: too long", r->first, r->last,
                         r->port);
}

/* Check that the guest has an agent, which serve needs. */
static int check_agent(const struct guest_spec *spec, struct err *e)
{
    return source_kind_find(spec->kind)->need != SOURCE_NEEDS_SAMPLER
               ? 0
               : err_set(e,
                         "--%s: collector serve cannot sample guests without "
                         "an agent: use collector record",
                         spec->kind);
}

int serve_check(const struct guest_spec *spec, struct err *e)
{
    const struct source_kind *kind = source_kind_find(spec->kind);
    struct range range;
    char text[CID_MAX];

    if (check_agent(spec, e) != 0)
        return -1;
    if (kind->check == NULL)
        return 0;
    if (is_many(spec, &range))
        return range_member(&range, range.first, text, e) != 0
                   ? -1
                   : kind->check(text, e);
    if (!spec->named && strstr(spec->where, "..") != NULL)
        return err_set(
            e,
            "--vsock: '%s' is neither a CID nor a range: type FIRST..LAST, the "
            "lower CID first, with or without :PORT",
            spec->where);
    return kind->check(spec->where, e);
}

/* Add the guests from (r->first) to (r->last), up to SERVE_GUESTS. */
static int add_range(struct guests *now, const struct range *r, struct err *e)
{
    if (r->last - r->first >= SERVE_GUESTS)
        return err_set(e, "--vsock %lu..%lu: more than %u guests", r->first,
                       r->last, SERVE_GUESTS);
    for (unsigned long cid = r->first; cid <= r->last; cid++) {
        char text[CID_MAX], *where;

        if (range_member(r, cid, text, e) != 0)
            return -1;
        where = arena_strndup(&now->arena, text, strlen(text));
        if (where == NULL)
            return err_memory(e);
        if (guests_option(now, "vsock", where, e) != 0)
            return -1;
    }
    return 0;
}

/* Add a guest for each socket of the folder. */
static int add_folder(const struct serve_config *o, struct socket_folder *f,
                      struct guests *now, struct err *e)
{
    const size_t tail = sizeof VSOCK_END - 1;
    const char *name;

    socket_folder_begin(f);
    while ((name = socket_folder_next(f)) != NULL) {
        size_t length = strlen(name);
        bool vsock =
            length > tail && strcmp(name + length - tail, VSOCK_END) == 0;
        size_t size = strlen(o->watch) + length + 2;
        char *where = arena_alloc(&now->arena, size);

        if (where == NULL)
            return err_memory(e);
        (void)snprintf(where, size, "%s/%s", o->watch, name);
        if (guests_option(now, vsock ? "vsock-uds" : "serial", where, e) != 0)
            return -1;
    }
    return 0;
}

/* Add a guest for each line of the file (path). guests_read() has checked
 * them. */
static int add_file(const char *path, struct guests *now, struct err *e)
{
    size_t from = now->count;
    struct err why;

    if (guests_read(now, path, e) != 0)
        return -1;
    for (size_t i = from; i < now->count; i++)
        if (check_agent(&now->list[i], &why) != 0)
            return err_set(e, "%s: %s", path, why.text);
    return 0;
}

int serve_wanted(const struct serve_config *o, struct socket_folder *f,
                 struct guests *now, struct err *e)
{
    const struct guests *given = &o->from.guests;
    struct range range;

    for (size_t i = 0; i < given->count; i++) {
        const struct guest_spec *spec = &given->list[i];
        size_t from = now->count;

        if (spec->listed)
            continue;
        if (is_many(spec, &range)
                ? add_range(now, &range, e) != 0
                : guests_option(now, spec->kind, spec->where, e) != 0 ||
                      guests_option(now, "name", spec->name, e) != 0)
            return -1;
        for (; from < now->count; from++)
            now->list[from].elfs = spec->elfs;
    }
    now->elfs = given->elfs;
    if (given->path != NULL && add_file(given->path, now, e) != 0)
        return -1;
    if (f != NULL && add_folder(o, f, now, e) != 0)
        return -1;
    return guests_finish(now, e);
}
