/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callers ELF [CALLER;CALLEE...] <FOLDED: is each caller in the folded stacks
 * of a report one that calls? Truth is the code: the direct calls that objdump
 * finds. A pair given as an argument is a call, too, by a pointer.
 *
 * Prints what no code does, how many pairs were looked at, and for how many
 * samples the direct caller is not known: one in twenty is too much. Most of
 * those are at the beginning and the end of tprof_pump(); on a busy host 0.5 to
 * 2.4 % of a run were, where the kernel's loop calls that.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/file/image.h"
#include "image/names/symbolize.h"

#define CALLS_MAX 4096
#define MARK      "[caller?]"

struct call {
    const char *from, *to;
};

static struct call calls[CALLS_MAX];
static size_t call_count;
static uint64_t samples, marked; /* all, and those without a direct caller */

static void fail(const char *what, const char *about)
{
    fprintf(stderr, "callers: %s: %s\n", what, about);
    exit(1);
}

static void add_call(const char *from, const char *to)
{
    if (call_count == CALLS_MAX)
        fail("too many calls", from);
    calls[call_count++] = (struct call){from, to};
}

static bool is_call(const char *from, const char *to)
{
    for (size_t i = 0; i < call_count; i++) {
        if (!strcmp(calls[i].from, from) && !strcmp(calls[i].to, to))
            return true;
    }
    return false;
}

/* Lines such as "  401af8: call   401a60 <NAME>". */
static void read_calls(const char *elf, struct symbolizer *s)
{
    char command[4096], line[4096];

    snprintf(command, sizeof command, "objdump -d --no-show-raw-insn '%s'",
             elf);
    FILE *f = popen(command, "r");

    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        uint64_t at, to;

        if (sscanf(line, " %" SCNx64 ": call%*[ q]%" SCNx64 " <", &at, &to) ==
            2)
            add_call(symbolize(s, at)->function, symbolize(s, to)->function);
    }
    if (f == NULL || pclose(f) != 0 || call_count == 0)
        fail("no calls", elf);
}

static void add_pointer(char *pair)
{
    char *semicolon = strchr(pair, ';');

    if (semicolon == NULL)
        fail("no pair", pair);
    *semicolon = '\0';
    add_call(pair, semicolon + 1);
}

/* Has it a unit? The agent is C, part of which is inlined, and marks are no
 * frames. */
static bool is_pascal(const char *name)
{
    return *name != '[' && strchr(name, '.') != NULL;
}

/* "core0;a;b;c 17": a and b, b and c. */
static unsigned check_stack(char *line, unsigned *pairs)
{
    char *rest, *count = strrchr(line, ' ');
    const char *caller = NULL;
    unsigned wrong = 0;
    bool is_marked = false;

    if (count == NULL)
        fail("no stack", line);
    *count = '\0';
    (void)strtok_r(line, ";", &rest);
    for (char *frame = strtok_r(NULL, ";", &rest); frame != NULL;
         frame = strtok_r(NULL, ";", &rest)) {
        if (strcmp(frame, "[idle]") != 0)
            is_marked = caller != NULL && strcmp(caller, MARK) == 0;
        if (caller != NULL && is_pascal(caller) && is_pascal(frame)) {
            ++*pairs;
            if (!is_call(caller, frame)) {
                printf("%s does not call %s, %s", caller, frame, count + 1);
                wrong++;
            }
        }
        caller = frame;
    }
    samples += strtoull(count + 1, NULL, 10);
    marked += is_marked ? strtoull(count + 1, NULL, 10) : 0;
    return wrong;
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    struct err e = {0};
    struct image *img;
    unsigned wrong = 0, pairs = 0, stacks = 0;

    if (argc < 2)
        fail("usage", "callers ELF [CALLER;CALLEE...] <FOLDED");
    if (image_open(&img, argv[1], &e) != 0)
        fail("no image", argv[1]);
    struct symbolizer *s = symbolizer_new(img, 0);

    if (s == NULL)
        fail("no memory", argv[1]);
    read_calls(argv[1], s);
    for (int i = 2; i < argc; i++)
        add_pointer(argv[i]);
    for (; fgets(line, sizeof line, stdin) != NULL; stacks++)
        wrong += check_stack(line, &pairs);
    printf("%u stacks, %u pairs of caller and callee, %u of them wrong\n",
           stacks, pairs, wrong);
    printf("%" PRIu64 " of %" PRIu64 " samples without a direct caller\n",
           marked, samples);
    symbolizer_free(s);
    image_close(img);
    return wrong != 0 || stacks == 0 || 20 * marked > samples;
}
