/* SPDX-License-Identifier: BSD-2-Clause */
/* only_call: functions by how many ways lead into them, by hand and by objdump.
 * Catches: a way that was not seen, so that a caller is invented. */
#include "image/code/only_call.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "image/file/image.h"
#include "input.h"
#include "util/err.h"
#include "util/pair_map.h"

static struct image *img;

static uint64_t at(const char *name)
{
    uint64_t address;

    if (!image_find_symbol(img, name, &address))
        check_failed(__FILE__, __LINE__, "no %s", name);
    return address;
}

/* Of the functions in calls.S, linked at (address) by (options). */
static void check_all(const char *address, const char *options)
{
    char command[256], back[64];
    const struct image_function *f;
    struct err e = {""};
    unsigned yes = 0, no = 0;

    snprintf(command, sizeof command,
             "cc -nostdlib -static -no-pie -Wl,-e,no_entry,-Ttext=%s%s "
             "$IN/calls.S -o $OUT",
             address, options);
    CHECK(image_open(&img, input_build("cc", "calls", command), &e) == 0);
    struct only_calls *c = only_calls_new(img);

    CHECK(c != NULL);
    for (size_t i = 0; (f = image_function_at(img, i)) != NULL; i++) {
        uint64_t found = only_call_return(c, f->start);

        printf("%s: 0x%llx\n", f->name, (unsigned long long)found);
        if (strncmp(f->name, "yes_", 4) == 0) {
            snprintf(back, sizeof back, "back_%s", f->name);
            CHECK_EQ(found, at(back));
            CHECK_EQ(only_call_return(c, f->start + 1), at(back));
            yes++;
        } else {
            CHECK_EQ(found, 0);
            no += strncmp(f->name, "no_", 3) == 0;
        }
    }
    CHECK_EQ(yes, 3);
    CHECK_EQ(no, 21);
    CHECK_EQ(only_call_return(c, 0), 0);
    only_calls_free(c);
    image_close(img);
}

TEST(calls_that_are_the_only_way)
{
    check_all("0x401000", "");
    check_all("0x10001000", "");
    check_all("0x401000", ",-N"); /* the ELF header, with its entry, apart */
}

TEST(calls_need_functions) /* none at all, and what is no call */
{
    struct err e = {""};

    CHECK(image_open(&img,
                     input_build("cc", "bare",
                                 "echo 'call .+9' | cc -nostdlib -static "
                                 "-no-pie -x assembler - -o $OUT"),
                     &e) == 0);
    struct only_calls *c = only_calls_new(img);

    CHECK(c != NULL);
    CHECK_EQ(only_call_return(c, image_entry(img)), 0);
    only_calls_free(c);
    image_close(img);
}

/* objdump names what an instruction refers to: "ADDRESS <FUNCTION>". */
static bool names(const char *text, uint64_t *target)
{
    const char *open = strstr(text, " <"), *digits = open;

    if (open == NULL || strchr(open, '+') != NULL)
        return false;
    while (digits > text && isxdigit((unsigned char)digits[-1]))
        digits--;
    *target = strtoull(digits, NULL, 16);
    return digits < open;
}

static void count(struct pair_map *m, uint64_t target)
{
    uint32_t *n = map_put(m, target, 0);

    CHECK(n != NULL);
    *n = *n == MAP_NOTHING ? 1 : *n + 1;
}

/* Count in (refs) who is referred to from outside, by calls in (called), too.
 */
static void read_references(struct pair_map *refs, struct pair_map *called)
{
    char *list = input_run("objdump -dw --no-show-raw-insn /proc/%d/exe",
                           (int)getpid()),
         *rest;

    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *text;
        uint64_t from = strtoull(line, &text, 16), target;

        if (line[0] != ' ' || *text != ':' || !names(text, &target) ||
            image_find_function(img, from) == image_find_function(img, target))
            continue;
        count(refs, target);
        if (strncmp(text, ":\tcall", 6) == 0)
            count(called, target);
    }
    free(list);
}

TEST(calls_are_those_of_objdump)
{
    const struct image_function *f;
    struct pair_map refs = {0}, called = {0};
    struct err e = {""};
    unsigned n = 0;

    CHECK(image_open(&img, "/proc/self/exe", &e) == 0);
    struct only_calls *c = only_calls_new(img);

    CHECK(c != NULL);
    read_references(&refs, &called);
    for (size_t i = 0; (f = image_function_at(img, i)) != NULL; i++) {
        if (only_call_return(c, f->start) == 0)
            continue;
        CHECK_EQ(map_get(&refs, f->start, 0), 1);
        CHECK_EQ(map_get(&called, f->start, 0), 1);
        n++;
    }
    printf("%u functions have one call\n", n);
    CHECK(n > 5);
    map_fini(&refs);
    map_fini(&called);
    only_calls_free(c);
    image_close(img);
}
