/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line, kept from PVH's start info and read as options. */
#include "guest.h"
#include "kit.h"

#define START_INFO_CMDLINE 24 /* u64  physical address of a string, or 0 */

static char line[4096];

void opt_init(void)
{
    uintptr_t info = GUEST_DIRECT_MAP + boot_info;
    uint64_t line_at = *(const uint64_t *)(info + START_INFO_CMDLINE);
    const char *text = (const char *)(GUEST_DIRECT_MAP + (uintptr_t)line_at);

    for (size_t i = 0; line_at != 0 && i < sizeof line - 1 && text[i]; i++)
        line[i] = text[i];
}

const char *opt_line(void)
{
    return line;
}

static bool is_end(char c)
{
    return c == '\0' || c == ' ';
}

/* What stands behind "name=", or NULL. */
static const char *opt_find(const char *name)
{
    const char *at = line;

    while (*at != '\0') {
        const char *want = name;

        while (*want != '\0' && *at == *want) {
            at++;
            want++;
        }
        if (*want == '\0' && *at == '=')
            return at + 1;
        while (!is_end(*at))
            at++;
        while (*at == ' ')
            at++;
    }
    return NULL;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return 16;
}

static uint64_t number(const char *text)
{
    int radix = 10;
    uint64_t val = 0;

    if (text[0] == '0' && text[1] == 'x') {
        radix = 16;
        text += 2;
    }
    for (; digit(*text) < radix; text++)
        val = val * (unsigned)radix + (unsigned)digit(*text);
    return val;
}

uint64_t opt_u64(const char *name, uint64_t absent)
{
    const char *text = opt_find(name);

    return text != NULL ? number(text) : absent;
}

const char *opt_str(const char *name, const char *absent, char *buf,
                    size_t size)
{
    const char *text = opt_find(name);
    size_t len = 0;

    if (text == NULL)
        text = absent;
    for (; len + 1 < size && !is_end(text[len]); len++)
        buf[len] = text[len];
    buf[len] = '\0';
    return buf;
}
