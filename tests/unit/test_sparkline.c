/* SPDX-License-Identifier: BSD-2-Clause */
/* Time lines of a character a slice. */
#include <stdlib.h>

#include "check.h"
#include "report/table.h"

static void check_strip(const struct timeline_slice *slices, size_t count,
                        const char *want)
{
    struct timeline_slice copy[8];
    const struct timeline t = {.count = count, .core_count = 1, .slices = copy};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; i < count; i++)
        copy[i] = slices[i];
    CHECK(out != NULL);
    table_strip(out, &t, 0);
    CHECK_EQ(fclose(out), 0);
    CHECK_STR(text, want);
    free(text);
}

TEST(more_ink_is_more_work)
{
    const struct timeline_slice slices[] = {
        {.idle = 1},
        {.busy = .2, .idle = .8},
        {.busy = .5, .idle = .5},
        {.busy = .8, .idle = .2},
        {.unseen = 1},
    };

    check_strip(slices, 5, ".-+##");
}

TEST(nothing_known_is_not_idle) /* catches: a core that had left looks idle */
{
    const struct timeline_slice slices[] = {
        {.busy = 1}, {.busy = 0}, {.lost = 3}, {.busy = .8, .lost = .2}};

    check_strip(slices, 4, "# !!");
}
