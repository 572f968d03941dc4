/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a symbol: demangled, escaped, and made short. The first byte is
 * the width, less 8; or above TEXT_COLUMNS, the rest is no symbol but a name as
 * it is shown, since no fuzzer makes long ones of mangled ones.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/names/names.h"
#include "report/name.h"
#include "shown.h"
#include "util/text.h"

#define WIDTH_MIN 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const char *name, size_t width)
{
    char buf[NAME_SHORT];
    const char *brief = name_short(buf, name, width);

    if (strchr(name, '\n') != NULL || text_width(brief) > width)
        abort();
    shown_is_harmless(name, strlen(name), NULL);
    shown_is_harmless(brief, strlen(brief), NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char raw[4200];
    struct names names = {0};

    if (size < 2 || size >= sizeof raw)
        return 0;
    memcpy(raw, data + 1, size - 1);
    raw[size - 1] = '\0';
    size_t width = WIDTH_MIN + data[0] % (TEXT_COLUMNS - WIDTH_MIN + 1);

    if (data[0] > TEXT_COLUMNS)
        raw[0] = raw[0] == '_' ? '-' : raw[0];
    const char *name = names_get(&names, raw);

    if (name == NULL || name != names_get(&names, raw))
        abort();
    check_name(name, width);
    names_fini(&names);
    return 0;
}
