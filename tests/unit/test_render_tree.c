/* SPDX-License-Identifier: BSD-2-Clause */
/* Call trees as text: which numbers stand beside which names. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "report/render.h"
#include "report/table.h"
#include "util/text.h"

#define LONG_A "kernel::first_of_a_chain_of_functions_that_do_not_fit"
#define LONG_B "kernel::second_of_a_chain_of_functions_that_do_not_fit"

static const struct view_function functions[VIEW_MARKS + 4] = {
    [VIEW_MARKS] = {.name = LONG_A},
    {.name = LONG_B},
    {.name = "leaf"},
    {.name = "other"}};

/* Of 100 samples, one in the first function, (self) in the second, the rest in
 * what it calls. */
static void check_tree(double self, const char *want)
{
    struct view_node nodes[] = {
        {.child = 1, .total = {100, 100, 100, 0}},
        {.function = VIEW_MARKS,
         .child = 2,
         .total = {100, 100, 100, 0},
         .self = {1, 1, 1, 0}},
        {.function = VIEW_MARKS + 1,
         .child = 3,
         .total = {99, 99, 99, 0},
         .self = {1, 1, self, 0}},
        {.function = VIEW_MARKS + 2,
         .inlined = true,
         .child = 4,
         .total = {99, 99, 99 - self, 0}},
        {.function = VIEW_MARKS + 3,
         .total = {99, 99, 99 - self, 0},
         .self = {99, 99, 99 - self, 0}},
    };
    struct view view = {.functions = functions};
    struct view_scope scope = {.busy = {100, 100, 100, 0}, .tree = {nodes, 5}};
    struct report report = {.view = &view, .all = true};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    CHECK(out != NULL);
    table_tree(out, &report, &scope, "core 0", 100);
    CHECK(fclose(out) == 0);
    CHECK_STR(text, want);
    free(text);
}

/* (left), then (numbers) up to column TEXT_COLUMNS. */
static const char *line(const char *left, const char *numbers)
{
    static char lines[4][2 * TEXT_COLUMNS];
    static unsigned n;
    char *text = lines[n++ % 4];

    (void)snprintf(text, sizeof lines[0], "%-*s%s\n", TEXT_COLUMNS - 14, left,
                   numbers);
    return text;
}

static void check_lines(double self, const char *a, const char *b,
                        const char *c)
{
    char want[800];

    (void)snprintf(want, sizeof want, "\n%s%s%s%s",
                   line("TREE of core 0, % of busy time", "  TOTAL   SELF"), a,
                   b, c);
    check_tree(self, want);
}

TEST(own_time_is_that_of_the_last_name_on_the_line) /* catches: of the chain */
{
    check_lines(
        0, line("  " LONG_A, "  100.0    1.0"),
        line("    " LONG_B " > leaf (inlined) > other", "   99.0   99.0"), "");
}

TEST(a_function_with_time_of_its_own_ends_a_line)
{
    check_lines(40, line("  " LONG_A, "  100.0    1.0"),
                line("    " LONG_B, "   99.0   40.0"),
                line("      leaf (inlined) > other", "   59.0   59.0"));
}

/* The tree of a function that calls another, with names of these lengths, and
 * of a third beside them. */
static char *tree_of(size_t outer, size_t inner, bool inlined)
{
    static char names[2][500];
    const struct view_function three[VIEW_MARKS + 3] = {
        [VIEW_MARKS] = {.name = names[0]}, {.name = names[1]}, {.name = "x"}};
    struct view_node nodes[] = {
        {.child = 1, .total = {10, 10, 10, 0}},
        {.function = VIEW_MARKS, .child = 2, .next = 3, .total = {9, 9, 9, 0}},
        {.function = VIEW_MARKS + 1,
         .inlined = inlined,
         .total = {9, 9, 9, 0},
         .self = {9, 9, 9, 0}},
        {.function = VIEW_MARKS + 2,
         .total = {1, 1, 1, 0},
         .self = {1, 1, 1, 0}},
    };
    struct view view = {.functions = three, .function_count = 2};
    struct view_scope scope = {.busy = {10, 10, 10, 0}, .tree = {nodes, 4}};
    struct report report = {.view = &view, .all = true};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    memset(names, 0, sizeof names);
    memset(names[0], 'o', outer);
    memset(names[1], 'i', inner);
    CHECK(out != NULL);
    table_tree(out, &report, &scope, "core 0", 100);
    CHECK(fclose(out) == 0);
    return text;
}

TEST(lines_are_filled_and_not_one_column_more)
{
    size_t room = TEXT_COLUMNS - strlen("    100.0  100.0") - strlen(" > ");

    for (size_t more = 0; more < 300; more += more < 2 ? 1 : 99) {
        for (int inlined = 0; inlined < 2; inlined++) {
            size_t inner = room - 20 - (inlined ? strlen(" (inlined)") : 0);
            char *text = tree_of(20, inner + more, inlined);
            unsigned lines = 0;

            for (char *at = text; *at != '\0'; lines++) {
                size_t n = strcspn(at, "\n");

                CHECK(n <= TEXT_COLUMNS);
                at += n + 1;
            }
            /* two of the head, and that of the third function */
            CHECK_EQ(lines, more == 0 ? 4 : 5);
            free(text);
        }
    }
}
