/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of many cores a report shows. */
#include "check.h"
#include "report/table.h"

#define CORES 20u

static struct view_row rows[CORES][2], all_rows[2];
static struct view_scope cores[CORES];
static struct view view;

/* All cores are half busy with function 0, but core 3, which is busier, and
 * core 17, which is busy with function 1. */
static void begin(void)
{
    view =
        (struct view){.function_count = 2, .cores = cores, .core_count = CORES};
    view.total = (struct view_scope){
        .all = {.time = 100 * CORES}, .rows = all_rows, .row_count = 2};
    all_rows[1].function = 1;
    for (uint32_t i = 0; i < CORES; i++) {
        double busy = i == 3 ? 60 : 50;

        rows[i][0] =
            (struct view_row){.function = i == 17, .self = {.time = busy}};
        cores[i] = (struct view_scope){.core = i,
                                       .all = {.samples = 1, .time = 100},
                                       .busy = {.time = busy},
                                       .idle = {.time = 100 - busy},
                                       .rows = rows[i],
                                       .row_count = 1};
        all_rows[i == 17].self.time += busy;
        view.total.idle.time += 100 - busy;
    }
}

TEST(few_cores_are_all_shown)
{
    size_t list[CORES];

    begin();
    CHECK_EQ(table_choose_cores(&view, CORES, list), CORES);
    cores[5].all.samples = 0;
    CHECK_EQ(table_choose_cores(&view, CORES, list), CORES - 1);
    CHECK_EQ(list[5], 6);
}

/* Catches: the first cores, whatever the others do */
TEST(of_many_the_busiest_and_the_most_different_are_shown)
{
    size_t list[2];

    begin();
    CHECK_EQ(table_choose_cores(&view, 2, list), 2);
    CHECK_EQ(list[0], 3);
    CHECK_EQ(list[1], 17);
}
