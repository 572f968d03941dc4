/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds units with a red zone, by the flags that compilers record. */
#include "image/names/red_zone.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/dwarf/constants.h"
#include "image/dwarf/dwarf.h"
#include "image/file/image.h"
#include "util/cpu/cpu.h"
#include "util/text.h"

#define NAME_SHOWN 40u

enum unit { UNIT_OTHER, UNIT_ALLOWED };

bool red_zone_is_allowed(bool is_c, const char *producer)
{
    return is_c && producer != NULL && strncmp(producer, "GNU ", 4) == 0 &&
           strstr(producer, "-mno-red-zone") == NULL;
}

void red_zone_add(struct red_zone *z, const char *name)
{
    size_t used = strlen(z->names);
    const char *slash = name != NULL ? strrchr(name, '/') : NULL;
    char text[NAME_SHOWN + 4];

    if (++z->units > RED_ZONE_NAMED + 1)
        return;
    if (z->units == RED_ZONE_NAMED + 1)
        (void)snprintf(z->names + used, sizeof z->names - used, " ...");
    else
        (void)snprintf(z->names + used, sizeof z->names - used, "%s%s",
                       used != 0 ? ", " : "",
                       text_escape(text, sizeof text,
                                   slash != NULL  ? slash + 1
                                   : name != NULL ? name
                                                  : "(nameless)"));
}

void red_zone_join(struct red_zone *z, size_t units, const char *names)
{
    size_t all = z->units + units;

    for (size_t i = 0; i < units && i < RED_ZONE_NAMED && *names != '\0'; i++) {
        size_t length = strcspn(names, ", ");
        char name[NAME_SHOWN + 4];

        (void)snprintf(name, sizeof name, "%.*s", (int)length, names);
        red_zone_add(z, name);
        names += length;
        names += strspn(names, ", ");
    }
    if (z->units < all)
        red_zone_add(z, NULL); /* the dots */
    z->units = all;
}

/* An array that marks the units of (d) that may have a red zone; NULL if none
 * may. */
static uint8_t *allowed_units(const struct dwarf *d, size_t count)
{
    uint8_t *units = NULL;

    for (size_t i = 0; i < count; i++) {
        struct dwarf_about about = dwarf_unit_about(d, i);
        bool is_c =
            dw_lang_is_c(about.language) || dw_lang_is_cxx(about.language);

        if (!red_zone_is_allowed(is_c, about.producer))
            continue;
        if (units == NULL)
            units = calloc(count, sizeof *units);
        if (units == NULL)
            break;
        units[i] = UNIT_ALLOWED;
    }
    return units;
}

/* Add each marked unit of (units) that has code, once. */
static void add_units(struct red_zone *z, const struct dwarf *d, uint8_t *units)
{
    struct span range;
    size_t unit;

    for (size_t i = 0; dwarf_range(d, i, &range, &unit); i++) {
        if (units[unit] == UNIT_ALLOWED && range.low < range.high)
            red_zone_add(z, dwarf_unit_about(d, unit).name);
        units[unit] = UNIT_OTHER;
    }
}

void red_zone_look(struct red_zone *z, struct image *img)
{
    struct dwarf *d = image_is_pe(img) || !image_cpu(img)->has_red_zone
                          ? NULL
                          : dwarf_open(img);
    size_t count = d != NULL ? dwarf_unit_count(d) : 0;
    uint8_t *units = count != 0 ? allowed_units(d, count) : NULL;

    if (units != NULL)
        add_units(z, d, units);
    free(units);
    dwarf_close(d);
}
