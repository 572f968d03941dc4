/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests image/code/holdup.c: which instruction is before a sample. */
#include "image/code/holdup.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/file/image.h"
#include "input.h"
#include "util/err.h"

/* Each label after_WHAT_... says what is before it. */
TEST(instructions_before_labels) /* catches: bytes within other instructions */
{
    const char *path = input_build(
        "cc", "holdups", "cc -nostdlib -static -no-pie $IN/holdups.S -o $OUT");
    char *list = input_run("nm %s | grep ' after_'", path), *rest;
    struct image *img;
    struct err e = {""};
    unsigned n = 0;

    CHECK_EQ(image_open(&img, path, &e), 0);
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest), n++) {
        const char *label = strstr(line, "after_") + 6;
        const char *name =
            holdup_name(holdup_before(img, strtoull(line, NULL, 16)));
        const char *due = strncmp(label, "none", 4) == 0 ? "" : label;

        if (strncmp(due, name, strlen(name)) != 0 ||
            (*due != '\0') != (*name != '\0'))
            check_failed(__FILE__, __LINE__, "after_%s: '%s'", label, name);
    }
    CHECK_EQ(n, 20);
    image_close(img);
    free(list);
}

TEST(loops_to_the_first_instruction) /* catches: a jump within the function */
{
    const char *path = input_build(
        "cc", "holdups", "cc -nostdlib -static -no-pie $IN/holdups.S -o $OUT");
    char *looped = input_run("nm %s | grep ' looped'", path);
    char *other = input_run("nm %s | grep ' other'", path);
    struct image *img;
    struct err e = {""};

    CHECK_EQ(image_open(&img, path, &e), 0);
    CHECK(holdup_loops_to(img, strtoull(looped, NULL, 16)));
    CHECK(!holdup_loops_to(img, strtoull(looped, NULL, 16) + 2));
    CHECK(!holdup_loops_to(img, strtoull(other, NULL, 16)));
    image_close(img);
    free(looped);
    free(other);
}
