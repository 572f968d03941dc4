/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns the pipe to the tools; see oracle.h. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define LINE_MAX_BYTES 16384

static int by_address(const void *a, const void *b)
{
    const struct oracle_answer *x = a;
    const struct oracle_answer *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* In folded stacks a semicolon ends a frame. */
static void plain(char *name)
{
    char *clone = strstr(name, " [clone");

    if (clone)
        *clone = '\0';
    for (; *name; name++)
        if (*name == ';')
            *name = ':';
}

/* (name) is further out than all before it. */
static void add_function(struct oracle_answer *a, const char *name)
{
    char *chain = NULL;

    CHECK(asprintf(&chain, "%s%s%s", name, a->chain ? ";" : "",
                   a->chain ? a->chain : "") > 0);
    free(a->chain);
    a->chain = chain;
}

static void add_place(struct oracle_answer *a, char *place)
{
    const char *slash = strrchr(place, '/');

    place[strcspn(place, " ")] = '\0'; /* " (discriminator 2)" */
    if (!a->place)
        a->place = strdup(slash ? slash + 1 : place);
    CHECK(a->place != NULL);
}

static char *get_line(FILE *f, char line[LINE_MAX_BYTES])
{
    if (!fgets(line, LINE_MAX_BYTES, f))
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* "0x1234", then a line with a function and one with its place for each that
 * was inlined, innermost first. */
static void read_answers(struct oracle *o, FILE *f)
{
    static char line[LINE_MAX_BYTES];
    struct oracle_answer *a = NULL;

    while (get_line(f, line)) {
        if (strncmp(line, "0x", 2) == 0) {
            a = a ? a + 1 : o->answer;
            CHECK(a < o->answer + o->count);
            CHECK_EQ(strtoull(line, NULL, 16), a->address);
            continue;
        }
        if (*line == '\0')
            continue;
        CHECK(a != NULL);
        plain(line);
        add_function(a, line);
        CHECK(get_line(f, line) != NULL);
        add_place(a, line);
    }
    CHECK(a == o->answer + o->count - 1);
}

struct oracle oracle_ask(const char *tool, const char *elf,
                         const uint64_t *address, size_t count)
{
    struct oracle o = {calloc(count, sizeof *o.answer), 0};
    char list[] = "/tmp/tprof-oracle-XXXXXX", command[1024];
    FILE *f;

    CHECK(o.answer != NULL && count > 0);
    for (size_t i = 0; i < count; i++)
        o.answer[i].address = address[i];
    qsort(o.answer, count, sizeof *o.answer, by_address);
    for (size_t i = 0; i < count; i++) /* each once */
        if (o.count == 0 ||
            o.answer[o.count - 1].address != o.answer[i].address)
            o.answer[o.count++] = o.answer[i];

    f = fdopen(mkstemp(list), "w");
    CHECK(f != NULL);
    for (size_t i = 0; i < o.count; i++)
        fprintf(f, "0x%llx\n", (unsigned long long)o.answer[i].address);
    CHECK(fclose(f) == 0);
    /* both leave names mangled, so that one demangler sees all of them */
    snprintf(command, sizeof command, "%s -a -f -i -e '%s' <%s | c++filt -i",
             strcmp(tool, "addr2line") == 0
                 ? tool
                 : "llvm-symbolizer --no-demangle --output-style=GNU",
             elf, list);
    f = popen(command, "r");
    CHECK(f != NULL);
    read_answers(&o, f);
    CHECK(pclose(f) == 0);
    unlink(list);
    return o;
}

const struct oracle_answer *oracle_of(const struct oracle *o, uint64_t address)
{
    struct oracle_answer key = {.address = address};
    const struct oracle_answer *a =
        bsearch(&key, o->answer, o->count, sizeof key, by_address);

    CHECK(a != NULL);
    return a;
}

void oracle_free(struct oracle *o)
{
    for (size_t i = 0; i < o->count; i++) {
        free(o->answer[i].chain);
        free(o->answer[i].place);
    }
    free(o->answer);
}

int oracle_same_name(const char *ours, const char *theirs)
{
    size_t have = strlen(ours), said = strlen(theirs);

    if (have == said)
        return strcmp(ours, theirs) == 0;
    return said > have && !memchr(theirs, '(', said - have) &&
           theirs[said - have - 1] == ' ' &&
           strcmp(theirs + said - have, ours) == 0;
}
