/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a report as a window for stores. */
#include "export/stores/report_window.h"

#include <sha2.h>
#include <stdio.h>
#include <string.h>

#include "export/export.h"
#include "model/origin.h"

static void hash_bytes(SHA2_CTX *c, const void *bytes, size_t size)
{
    uint64_t length = size;

    SHA256Update(c, (const uint8_t *)&length, sizeof length);
    SHA256Update(c, bytes, size);
}

static void hash_text(SHA2_CTX *c, const char *text)
{
    hash_bytes(c, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

char *window_hex(char *buf, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        buf[2 * i] = digits[bytes[i] >> 4];
        buf[2 * i + 1] = digits[bytes[i] & 15];
    }
    buf[2 * size] = '\0';
    return buf;
}

/* Ticks of all cores without a sample. */
static uint64_t lost(const struct profile *p)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        const struct account *a = &p->cores[i].account;

        sum += account_ticks(a) - a->samples;
    }
    return sum;
}

static void set_build(struct window *w, const struct view_image *kernel)
{
    size_t length = kernel->build_id_len < sizeof w->build_id
                        ? kernel->build_id_len
                        : sizeof w->build_id;

    memcpy(w->build_id, kernel->build_id, length);
    w->build_id_len = (uint32_t)length;
}

/* Set labels. A label whose value is too long is left out. */
static void set_labels(struct window *w, const struct origin *o)
{
    size_t at = 0;

    for (unsigned i = 0; i < o->label_count; i++) {
        size_t room = sizeof w->labels - at;
        int length = snprintf(w->labels + at, room, "%s=%s", o->labels[i].key,
                              o->labels[i].value);

        if (length > 0 && (size_t)length < room)
            at += (size_t)length + 1;
        else
            w->labels[at] = '\0';
    }
}

void window_of(struct window *w, const struct report *r)
{
    const struct profile *p = r->profile;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX c;

    memset(w, 0, sizeof *w); /* the padding is written, too */
    w->from_ns = p->wall_start > 0 ? (uint64_t)(p->wall_start * 1e9) : 0;
    w->length_ns = (uint64_t)(p->duration_s * 1e9);
    w->period_ns = export_ns(p, (double)p->period_tsc);
    w->samples = r->view->total.all.samples;
    w->lost = lost(p);
    w->nameless = r->elf == NULL;
    if (r->view->images[0].build_id_len != 0)
        set_build(w, &r->view->images[0]);
    set_labels(w, r->origin);
    SHA256Init(&c);
    hash_text(&c, r->origin->guest);
    hash_text(&c, r->origin->host);
    hash_bytes(&c, p->guest.boot_id, sizeof p->guest.boot_id);
    hash_bytes(&c, &p->guest.nonce, sizeof p->guest.nonce);
    hash_bytes(&c, w->build_id, w->build_id_len);
    hash_bytes(&c, &w->from_ns, sizeof w->from_ns);
    hash_bytes(&c, &p->start_tsc, sizeof p->start_tsc);
    hash_bytes(&c, &w->samples, sizeof w->samples);
    SHA256Final(digest, &c);
    memcpy(w->id, digest, sizeof w->id);
}

static void write_window(struct render *to, const struct report *r)
{
    struct window w;

    window_of(&w, r);
    (void)fwrite(&w, sizeof w, 1, to->out);
}

const struct render_ops render_window = {
    .name = "window",
    .suffix = "window",
    .write = write_window,
};
