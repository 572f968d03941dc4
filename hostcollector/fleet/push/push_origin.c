/* SPDX-License-Identifier: BSD-2-Clause */
/* The origin of recordings: their guest, host and labels. */
#include "fleet/push/push_origin.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/text.h"

void push_origin_begin(struct push_origin *p, const struct push_config *o)
{
    if (gethostname(p->host, sizeof p->host - 1) != 0)
        p->host[0] = '\0';
    p->is = (struct origin){
        .guest = p->guest,
        .host = o->host != NULL ? o->host : p->host,
        .label_count = o->label_count,
    };
    memcpy(p->is.labels, o->labels, sizeof o->labels);
}

void push_origin_name(struct push_origin *p, const char *path)
{
    const char *name = text_base_name(path), *end = strrchr(name, '.');
    size_t length =
        end != NULL && end != name ? (size_t)(end - name) : strlen(name);
    size_t digits = 0;

    while (digits < length &&
           strchr("0123456789TZ-", name[length - digits - 1]))
        digits++;
    if (digits > 0 && digits + 1 < length && name[length - digits - 1] == '.')
        length -= digits + 1;
    (void)snprintf(p->guest, sizeof p->guest, "%.*s", (int)length, name);
}
