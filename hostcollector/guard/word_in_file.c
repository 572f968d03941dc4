/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for one word in a file. */
#include "guard/word_in_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Is (what) a word of (line), which is cut into words? */
static bool has_word(char *line, const char *what)
{
    size_t length = strlen(what);
    char *rest = NULL;

    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, " \t\r\n=", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n=", &rest))
        if (strncmp(word, what, length) == 0 &&
            (word[length] == '\0' || word[length] == ':'))
            return true;
    return false;
}

bool word_in_file(const char *path, const char *what)
{
    FILE *f = path != NULL ? fopen(path, "re") : NULL;
    char line[2 * PATH_MAX];
    bool found = false;

    if (f == NULL)
        return false;
    while (!found && fgets(line, sizeof line, f) != NULL)
        found = has_word(line, what);
    (void)fclose(f);
    return found;
}
