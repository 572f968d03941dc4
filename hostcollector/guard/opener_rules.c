/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of files that the helper may open. */
#include "guard/opener.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "util/arena.h"
#include "util/vec.h"

#define DIGITS_MAX 10u /* digits of a number in a name */

/* A rule for one name (prefix); for names of (prefix), a number and (suffix),
 * if (suffix) is not NULL; for (images) below the folder (prefix); or for names
 * directly (inside) the folder (prefix). */
struct name_rule {
    enum opener_how how;
    const char *prefix, *suffix;
    bool images, inside;
};

static struct {
    struct name_rule *rules;
    size_t count, room;
    struct arena names; /* of the rules */
    bool images, sources;
    const char *list; /* text file of opener_allow_listed(); NULL: none */
} allowed;

static const char *copy_name(const char *name)
{
    return arena_strndup(&allowed.names, name, strlen(name));
}

static int add_rule(enum opener_how how, const char *prefix, const char *suffix,
                    bool images)
{
    struct name_rule rule = {how, copy_name(prefix), NULL, images, false};

    if (suffix != NULL)
        rule.suffix = copy_name(suffix);
    if (rule.prefix == NULL || (suffix != NULL && rule.suffix == NULL) ||
        vec_grow(&allowed.rules, &allowed.room, allowed.count, sizeof rule) !=
            0)
        return -1;
    allowed.rules[allowed.count++] = rule;
    return 0;
}

int opener_allow(enum opener_how how, const char *path)
{
    return add_rule(how, path, NULL, false);
}

int opener_allow_numbered(enum opener_how how, const char *prefix,
                          const char *suffix)
{
    return add_rule(how, prefix, suffix, false);
}

int opener_allow_images_below(const char *folder)
{
    return add_rule(OPENER_READ, folder, NULL, true);
}

int opener_allow_images(void)
{
    allowed.images = true;
    return 0;
}

static int allow_inside(enum opener_how how, const char *folder)
{
    if (add_rule(how, folder, NULL, false) != 0)
        return -1;
    allowed.rules[allowed.count - 1].inside = true;
    return 0;
}

int opener_allow_sockets_in(const char *folder)
{
    return allow_inside(OPENER_CONNECT, folder);
}

int opener_allow_windows_in(const char *folder)
{
    return allow_inside(OPENER_WINDOW, folder);
}

int opener_allow_listed(const char *path)
{
    allowed.list = copy_name(path);
    return allowed.list != NULL ? 0 : -1;
}

void opener_allow_sources(void)
{
    allowed.sources = true;
}

static bool fits(const struct name_rule *rule, const char *path)
{
    size_t length = strlen(rule->prefix);

    if (rule->images)
        return strncmp(path, rule->prefix, length) == 0 &&
               strstr(path + length, "..") == NULL;
    if (rule->inside)
        return strncmp(path, rule->prefix, length) == 0 &&
               path[length] != '\0' && path[length] != '.' &&
               strchr(path + length, '/') == NULL;
    if (rule->suffix == NULL)
        return strcmp(path, rule->prefix) == 0;
    if (strncmp(path, rule->prefix, length) != 0)
        return false;
    size_t digits = strspn(path + length, "0123456789");

    return digits > 0 && digits <= DIGITS_MAX &&
           strcmp(path + length + digits, rule->suffix) == 0;
}

/* Is there a rule for (how) and (path), among those for (images) or the others?
 */
static bool is_ruled(enum opener_how how, const char *path, bool images)
{
    for (size_t i = 0; i < allowed.count; i++) {
        const struct name_rule *rule = &allowed.rules[i];

        bool same = rule->how == how ||
                    (rule->how == OPENER_RECORDING && how == OPENER_UNDO);

        if (same && rule->images == images && fits(rule, path))
            return true;
    }
    return false;
}

/* Is (what) a word of (line)? Modifies (line). */
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

/* Is (what) a word of the text file (path)? A word may follow a =, and end
 * before a colon. # begins a comment. False if (path) is NULL or cannot be
 * read. */
static bool word_in_file(const char *path, const char *what)
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

bool opener_rules_name(enum opener_how how, const char *path)
{
    return is_ruled(how, path, false) ||
           (how == OPENER_CONNECT && word_in_file(allowed.list, path));
}

bool opener_rules_image(enum opener_how how, const char *path)
{
    return how == OPENER_READ && (allowed.images || is_ruled(how, path, true));
}

bool opener_rules_source(enum opener_how how)
{
    return how == OPENER_SOURCE && allowed.sources;
}

bool opener_rules_source_name(const char *path)
{
    static const char *const suffixes[] = {
        "c",   "h",   "cc",  "hh",  "cpp", "hpp", "cxx", "hxx",  "c++",
        "h++", "C",   "H",   "inc", "inl", "ipp", "tpp", "s",    "S",
        "asm", "sx",  "rs",  "pas", "pp",  "p",   "lpr", "go",   "zig",
        "d",   "adb", "ads", "f90", "nim", "m",   "mm",  "swift"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && i < sizeof suffixes / sizeof *suffixes;
         i++)
        if (strcmp(dot + 1, suffixes[i]) == 0)
            return true;
    return false;
}
