/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and trees of a hostile guest in what people paste into issues. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "report/markdown_text.h"
#include "report/render.h"

/* A tree of (n) nodes below the root, of functions with the name (name): a
 * chain, or siblings. */
static struct view_node *tree_of(size_t n, bool chain)
{
    struct view_node *nodes = calloc(n + 1, sizeof *nodes);
    double time = chain ? 1000 : 1000.0 / (double)n;

    CHECK(nodes != NULL);
    nodes[0] =
        (struct view_node){.child = 1, .total = {1000, 1000, 1000, 1000}};
    for (uint32_t i = 1; i <= n; i++)
        nodes[i] = (struct view_node){.function = VIEW_MARKS,
                                      .parent = chain ? i - 1 : 0,
                                      .child = chain && i < n ? i + 1 : 0,
                                      .next = !chain && i < n ? i + 1 : 0,
                                      .total = {1000, 1000, time, 0}};
    return nodes;
}

/* What (format) writes of a tree of functions with this name, for free(). */
static char *written(const struct render_ops *format, const char *name,
                     size_t n, bool chain)
{
    const struct view_function functions[VIEW_MARKS + 1] = {
        [VIEW_MARKS] = {.name = name, .file = name, .line = 7}};
    struct view_image image = {.name = name};
    struct view_row row = {.function = VIEW_MARKS,
                           .self = {1000, 1000, 1000, 1000},
                           .total = {1000, 1000, 1000, 1000}};
    struct view view = {.functions = functions,
                        .function_count = VIEW_MARKS + 1,
                        .images = &image,
                        .image_count = 1,
                        .total = {.core = VIEW_ALL_CORES,
                                  .all = {1000, 1000, 1000, 1000},
                                  .busy = {1000, 1000, 1000, 1000},
                                  .rows = &row,
                                  .row_count = 1,
                                  .tree = {tree_of(n, chain), n + 1}}};
    static struct remarks remarks;
    static struct profile profile;
    struct report report = {.view = &view,
                            .remarks = &remarks,
                            .profile = &profile,
                            .elf = name,
                            .only = name};
    struct render to = {0};
    char *text;
    size_t size;

    CHECK((to.out = open_memstream(&text, &size)) != NULL);
    if (format->begin != NULL)
        format->begin(&to);
    format->write(&to, &report);
    if (format->end != NULL)
        format->end(&to);
    CHECK(fclose(to.out) == 0 && !to.no_memory);
    free(view.total.tree.nodes);
    return text;
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;

    while ((text = strstr(text, word)) != NULL) {
        n++;
        text += strlen(word);
    }
    return n;
}

TEST(a_picture_shows_names_as_text) /* catches: elements that a guest writes */
{
    char *text = written(&render_svg, "<script>&\"'x</title>", 1, true);

    CHECK(strstr(text, "<script") == NULL);
    CHECK(strstr(text, "<title>&lt;script&gt;&amp;\"'x&lt;/title&gt;\n") !=
          NULL);
    CHECK(
        strstr(text, ">&lt;script&gt;&amp;\"'x&lt;/title&gt; 100.0 %</text>") !=
        NULL);
    free(text);
}

TEST(a_picture_of_a_deep_tree_has_an_end) /* catches: rows without end */
{
    char *text = written(&render_svg, "f", 5000, true);

    CHECK_EQ(count(text, "<title>"), 200);
    CHECK(strstr(text, "viewBox=\"0 0 1200 3651\"") != NULL);
    free(text);
}

TEST(a_picture_of_a_wide_tree_has_an_end) /* catches: boxes without end */
{
    char *text = written(&render_svg, "f", 2000, false);

    CHECK_EQ(count(text, "<title>"), 2000); /* of .6 pixels each */
    free(text);
    text = written(&render_svg, "f", 3000, false); /* of .4 */
    CHECK_EQ(count(text, "<title>"), 0);
    free(text);
}

/* What (write) writes of (name) is (want). */
static void check_written(void (*write)(FILE *, const char *), const char *name,
                          const char *want)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    CHECK(out != NULL);
    write(out, name);
    CHECK(fclose(out) == 0);
    CHECK_STR(text, want);
    free(text);
}

/* Expected texts are by GitHub's specification: 6.3 code spans, 4.10 tables,
 * 4.5 fenced code blocks. */
TEST(markdown_keeps_a_name_in_its_code_and_its_cell)
/* catches: mentions, links and columns that a guest writes */
{
    check_written(markdown_text_code, "@all <b>#1", "`@all <b>#1`");
    check_written(markdown_text_code, "operator|", "`operator\\|`");
    check_written(markdown_text_code, "a\\|b", "`a\\\u00a6b`");
    check_written(markdown_text_code, "`", "`` ` ``");
    check_written(markdown_text_code, "a``b`", "``` a``b` ```");
}

TEST(markdown_keeps_lines_in_their_block) /* catches: a fence in a name */
{
    check_written(markdown_text_block, "a\n", "\n```text\na\n```\n");
    check_written(markdown_text_block, "\n````\n# b",
                  "\n`````text\n````\n# b\n`````\n");
}

TEST(markdown_of_a_hostile_name_is_one_row)
{
    char *text = written(&render_markdown, "a|b`@c", 1, true);

    CHECK(strstr(text, "| 100.0 | 0.4 | 100.0 | `` a\\|b`@c `` | "
                       "`` a\\|b`@c:7 `` |\n") != NULL);
    free(text);
}
