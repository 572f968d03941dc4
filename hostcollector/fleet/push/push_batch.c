/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects windows that are sent in one request. */

#include <string.h>

#include "fleet/push/push_parcel.h"

static void add_window(struct push_batch *b, struct queue_item *item,
                       const struct window *w)
{
    struct batch_window *own = &b->windows[b->count++];

    *own = (struct batch_window){.item = item,
                                 .samples = w->samples,
                                 .lost = w->lost,
                                 .nameless = w->nameless != 0};
    memcpy(own->id, w->id, sizeof own->id);
}

void batch_set(struct push_batch *b, struct queue_item *item,
               const struct parcel *p)
{
    b->parcel = *p;
    b->joined = false;
    add_window(b, item, &p->window);
}

/* Append all of (from) to (*to), which is created if necessary. Compressed
 * files that are joined are one compressed file. */
static int append(FILE **to, FILE *from, struct err *e)
{
    static char buf[1 << 16];
    size_t n;

    if (*to == NULL)
        *to = tmpfile();
    if (*to == NULL)
        return err_sys(e, "a temporary file");
    rewind(from);
    while ((n = fread(buf, 1, sizeof buf, from)) > 0)
        if (fwrite(buf, 1, n, *to) != n)
            return err_sys(e, "a temporary file");
    /* a full disk must be noticed now */
    return ferror(from) || fflush(*to) != 0 ? err_sys(e, "a temporary file")
                                            : 0;
}

int batch_join(struct push_batch *b, struct queue_item *item,
               const struct parcel *p, struct err *e)
{
    b->joined = true;
    for (size_t i = 0; i < RECEIVER_PARTS; i++)
        if (p->parts[i] != NULL &&
            append(&b->parcel.parts[i], p->parts[i], e) != 0)
            return -1;
    add_window(b, item, &p->window);
    return 0;
}

bool batch_is_full(const struct push_batch *b)
{
    long bytes = 0;

    for (size_t i = 0; i < RECEIVER_PARTS; i++)
        if (b->parcel.parts[i] != NULL)
            bytes += ftell(b->parcel.parts[i]);
    return b->count == BATCH_WINDOWS || bytes >= (long)BATCH_BYTES;
}

void batch_clear(struct push_batch *b)
{
    if (b->joined)
        push_parcel_fini(&b->parcel);
    b->parcel = (struct parcel){0};
    b->joined = false;
    b->count = 0;
}
