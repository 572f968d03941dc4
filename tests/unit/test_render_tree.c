/* SPDX-License-Identifier: BSD-2-Clause */
/* Call trees as text: which numbers stand beside which names. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "render/render.h"
#include "render/table.h"
#include "util/text.h"

#define LONG_A "kernel::first_of_a_chain_of_functions_that_do_not_fit"
#define LONG_B "kernel::second_of_a_chain_of_functions_that_do_not_fit"

static const struct view_function functions[] = {
    {.name = LONG_A}, {.name = LONG_B}, {.name = "leaf"}, {.name = "other"}};

/* Of 100 samples, (self) in the second, the rest in what it calls. */
static void check_tree(double self, const char *want)
{
    struct view_node nodes[] = {
        {.child = 1, .total = {100, 100, 100, 0}},
        {.function = 0, .child = 2, .total = {100, 100, 100, 0}},
        {.function = 1,
         .child = 3,
         .total = {100, 100, 100, 0},
         .self = {1, 1, self, 0}},
        {.function = 2,
         .inlined = true,
         .child = 4,
         .total = {99, 99, 100 - self, 0}},
        {.function = 3,
         .total = {99, 99, 100 - self, 0},
         .self = {99, 99, 100 - self, 0}},
    };
    struct view view = {.functions = functions, .function_count = 4};
    struct view_scope scope = {.busy = {100, 100, 100, 0}, .tree = {nodes, 5}};
    struct report report = {.view = &view, .all = true};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    CHECK(out != NULL);
    table_tree(out, &report, &scope);
    CHECK(fclose(out) == 0);
    CHECK_STR(text, want);
    free(text);
}

#define HEAD                                                                   \
    "\nCall tree of core 0, from the outermost caller; % of busy time\n"       \
    " TOTAL   SELF\n"

TEST(own_time_is_that_of_the_last_name_on_the_line) /* catches: of the chain */
{
    check_tree(0,
               HEAD " 100.0         " LONG_A "\n"
                    " 100.0  100.0  `- " LONG_B " > leaf (inlined) > other\n");
}

TEST(a_function_with_time_of_its_own_ends_a_line)
{
    check_tree(40, HEAD " 100.0         " LONG_A "\n"
                        " 100.0   40.0  `- " LONG_B "\n"
                        "  60.0   60.0     `- leaf (inlined) > other\n");
}

/* The tree of a function that calls another, with names of these lengths. */
static char *tree_of(size_t outer, size_t inner, bool inlined)
{
    static char names[2][500];
    const struct view_function pair[] = {{.name = names[0]},
                                         {.name = names[1]}};
    struct view_node nodes[] = {
        {.child = 1, .total = {9, 9, 9, 0}},
        {.function = 0, .child = 2, .total = {9, 9, 9, 0}},
        {.function = 1,
         .inlined = inlined,
         .total = {9, 9, 9, 0},
         .self = {9, 9, 9, 0}},
    };
    struct view view = {.functions = pair, .function_count = 2};
    struct view_scope scope = {.busy = {9, 9, 9, 0}, .tree = {nodes, 3}};
    struct report report = {.view = &view, .all = true};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    memset(names, 0, sizeof names);
    memset(names[0], 'o', outer);
    memset(names[1], 'i', inner);
    CHECK(out != NULL);
    table_tree(out, &report, &scope);
    CHECK(fclose(out) == 0);
    return text;
}

TEST(lines_are_filled_and_not_one_column_more)
{
    size_t room = TEXT_COLUMNS - strlen(" 100.0  100.0  ") - strlen(" > ");

    for (size_t more = 0; more < 300; more += more < 2 ? 1 : 99) {
        for (int inlined = 0; inlined < 2; inlined++) {
            size_t inner = room - 20 - (inlined ? strlen(" (inlined)") : 0);
            char *text = tree_of(20, inner + more, inlined);
            unsigned lines = 0;

            for (char *line = text + strlen(HEAD); *line != '\0'; lines++) {
                size_t n = strcspn(line, "\n");

                CHECK(n <= TEXT_COLUMNS);
                line += n + 1;
            }
            CHECK_EQ(lines, more == 0 ? 1 : 2);
            free(text);
        }
    }
}
