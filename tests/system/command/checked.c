/* SPDX-License-Identifier: BSD-2-Clause */
#include "checked.h"

#include <string.h>

#include "command.h"
#include "input.h"

char *check(const char *words)
{
    char *text =
        input_run(COLLECTOR " check %s 2>&1; echo exit status $?", words);
    bool blank = false;
    size_t n = 0;

    for (const char *p = text; *p != '\0'; p++) {
        bool space = *p == ' ' || *p == '\n';

        if (!space || !blank)
            text[n++] = space ? ' ' : *p;
        blank = space;
    }
    text[n] = '\0';
    return text;
}

void says(const char *text, const char *what, bool should)
{
    if ((strstr(text, what) != NULL) != should)
        check_failed(__FILE__, __LINE__, "\"%s\" is %s in: %s", what,
                     should ? "not" : "", text);
}
