/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files in folders and object stores. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "export/stores/report_window.h"
#include "fleet/push/receivers/receiver_kinds.h"

#define NS_PER_S 1000000000u

/* Write (name) into (buf) as a folder's name, which has no slash and begins
 * with no period. */
static void plain(char *buf, size_t size, const char *name)
{
    size_t i = 0;

    for (; name[i] != '\0' && i + 1 < size; i++)
        buf[i] = name[i] == '/' || (name[i] == '.' && i == 0) ? '_' : name[i];
    buf[i] = '\0';
}

char *parcel_name(char buf[PARCEL_NAME], const struct parcel *p)
{
    time_t seconds = (time_t)(p->window.from_ns / NS_PER_S);
    char guest[96], when[32] = "", id[WINDOW_HEX];
    struct tm tm;

    plain(guest, sizeof guest, p->origin->guest);
    if (gmtime_r(&seconds, &tm) != NULL)
        (void)strftime(when, sizeof when, "%Y-%m-%d/%H%M%S", &tm);
    (void)snprintf(buf, PARCEL_NAME, "%s/%s-%s.%s", guest, when,
                   window_hex(id, p->window.id, sizeof p->window.id),
                   p->suffix);
    return buf;
}
