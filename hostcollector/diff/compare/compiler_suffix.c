/* SPDX-License-Identifier: BSD-2-Clause */
/* Suffixes of gcc and clang. */
#include "diff/compare/compiler_suffix.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CLONE " [clone "

static const char *const words[] = {"part", "constprop", "isra",      "cold",
                                    "llvm", "lto_priv",  "localalias"};

/* Is the text at (s), which ends at (end), one of the words? */
static bool is_word(const char *s, const char *end)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == (size_t)(end - s) &&
            memcmp(s, words[i], (size_t)(end - s)) == 0)
            return true;
    return false;
}

/* The last dot before (end), behind the first byte of (name); NULL: none. */
static const char *last_dot(const char *name, const char *end)
{
    for (const char *c = end; c-- > name + 1;)
        if (*c == '.')
            return c;
    return NULL;
}

/* The end of (name), which ends at (end), without a suffix; (end) if it has
 * none. */
static const char *without_suffix(const char *name, const char *end)
{
    const char *dot = last_dot(name, end), *word_end = end;

    if (dot == NULL)
        return end;
    if (strspn(dot + 1, "0123456789") >= (size_t)(end - dot - 1)) {
        word_end = dot; /* the number behind the word */
        dot = last_dot(name, word_end);
    }
    return dot != NULL && is_word(dot + 1, word_end) ? dot : end;
}

const char *without_compiler_suffix(struct arena *arena, const char *name)
{
    const char *clone = strstr(name, CLONE);
    const char *all = name + strlen(name);
    const char *image = all; /* " [app]" behind the name */

    if (all > name && all[-1] == ']')
        while (image > name && *image != '[')
            image--;
    if (image > name && image[-1] == ' ' && *image == '[' &&
        strncmp(image - 1, CLONE, strlen(CLONE)) != 0)
        image--;
    else
        image = all;
    const char *end = clone != NULL && clone < image ? clone : image;

    for (const char *shorter = without_suffix(name, end); shorter != end;
         shorter = without_suffix(name, end))
        end = shorter;
    size_t size = (size_t)(end - name) + strlen(image) + 1;
    char *stem = arena_alloc(arena, size);

    if (stem != NULL)
        (void)snprintf(stem, size, "%.*s%s", (int)(end - name), name, image);
    return stem;
}
