/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "image/file/image.h"
#include "image/names/red_zone.h"
#include "input.h"

static struct red_zone zone;

/* What is found in an image by (command). */
static void look(const char *name, const char *command)
{
    struct image *img;
    struct err e;

    CHECK_EQ(image_open(&img, input_build("cc", name, command), &e), 0);
    zone = (struct red_zone){0};
    red_zone_look(&zone, img);
    image_close(img);
}

#define LINK                                                                   \
    " -mno-red-zone -nostdlib -static -no-pie -g $IN/mix_main.c $OUT.*.o -o "  \
    "$OUT"

/* mix.c without -mno-red-zone, its name (leafy), and with (flags); beside it
 * mix.c with that option. */
static void look_at_mix(const char *name, const char *flags)
{
    char command[512];

    (void)snprintf(command, sizeof command,
                   "cp $IN/mix.c $OUT.zone.c && cc -O2 -g -fno-pie "
                   "-DPART=bare -c %s $OUT.zone.c -o $OUT.bare.o && cc -O2 -g "
                   "-fno-pie -mno-red-zone -DPART=framed -c $IN/mix.c -o "
                   "$OUT.framed.o && cc" LINK,
                   flags);
    look(name, command);
}

/* catches: registers and variables that ticks destroy, in silence */
TEST(a_unit_with_a_red_zone_is_named)
{
    look_at_mix("leafy", "");
    CHECK_EQ(zone.units, 1);
    CHECK(strstr(zone.names, "zone.c") != NULL);
    CHECK(strchr(zone.names, '/') == NULL);
}

/* catches: functions with a frame and values below RSP, as gcc makes them */
TEST(code_with_frames_has_a_red_zone_too)
{
    look_at_mix("framed", "-O0 -fno-omit-frame-pointer");
    CHECK_EQ(zone.units, 1);
}

/* catches: false alarms, which would stand above every report */
TEST(units_that_keep_nothing_below_rsp_are_none)
{
    look_at_mix("told", "-mno-red-zone");
    CHECK_EQ(zone.units, 0);
    CHECK(zone.names[0] == '\0');
    /* nobody tells */
    look_at_mix("bare", "-g0");
    CHECK_EQ(zone.units, 0);
}

/* catches: a line of names without an end, or one that draws on a terminal */
TEST(three_names_are_enough)
{
    static const char *const names[] = {"/a/one.c", "two.c", "\033[2J.c",
                                        "four.c", "five.c"};

    zone = (struct red_zone){0};
    for (size_t i = 0; i < 3; i++)
        red_zone_add(&zone, names[i]);
    CHECK(strcmp(zone.names, "one.c, two.c, \\x1b[2J.c") == 0);
    for (size_t i = 3; i < 5; i++)
        red_zone_add(&zone, names[i]);
    CHECK(strcmp(zone.names, "one.c, two.c, \\x1b[2J.c ...") == 0);
    CHECK_EQ(zone.units, 5);
}

/* catches: names that do not fit, and what is written behind them */
TEST(long_names_are_cut)
{
    char name[400];

    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    zone = (struct red_zone){0};
    for (size_t i = 0; i < 9; i++)
        red_zone_add(&zone, name);
    CHECK_EQ(zone.units, 9);
    CHECK(strlen(zone.names) < sizeof zone.names);
    CHECK(strstr(zone.names, " ...") != NULL);
}
