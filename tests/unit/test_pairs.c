/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions of two builds are the same. */
#include "diff/compare/pairs.h"

#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "check.h"

static const struct amount one = {1, 1, 1, 1};

/* Run 0 is before, run 1 after. */
static int add(struct pairs *p, unsigned side, const char *name,
               const char *file)
{
    return pairs_add(p, side, side, name, file, &one);
}

static const struct pair *find(const struct pairs *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->functions[i].name, name) == 0)
            return &p->functions[i];
    check_failed(__FILE__, __LINE__, "no function %s", name);
}

static double time_of(const struct pairs *p, unsigned run, const char *name)
{
    return p
        ->amounts[run * (p->count + 1) + (size_t)(find(p, name) - p->functions)]
        .time;
}

TEST(stems_are_without_what_compilers_add)
{
    static const char *const rows[][2] = {
        {"f", "f"},
        {"f.part.0", "f"},
        {"f.isra.0.part.12", "f"},
        {"f.cold", "f"},
        {"f.constprop.0 [app]", "f [app]"},
        {"f [app]", "f [app]"},
        {"ns::g(int) [clone .part.0]", "ns::g(int)"},
        {"ns::g(int) [clone .cold] [app]", "ns::g(int) [app]"},
        {"System.Move", "System.Move"},
        {"f.0", "f.0"},
        {".part.0", ".part.0"},
        {"operator[]", "operator[]"},
        {"[timer lent]", "[timer lent]"},
        {"f.particle.0", "f.particle.0"},
        {"", ""},
    };
    struct arena arena = {0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_STR(without_compiler_suffix(&arena, rows[i][0]), rows[i][1]);
    arena_fini(&arena);
}

TEST(names_and_files_make_a_function)
{
    struct pairs p = {0};

    for (unsigned side = 0; side < 2; side++) {
        CHECK_EQ(add(&p, side, "init", "/src/net/a.c"), 0);
        CHECK_EQ(add(&p, side, "init", "/src/fs/a.c"), 0);
        CHECK_EQ(add(&p, side, "f", NULL), 0);
        CHECK_EQ(add(&p, side, NULL, NULL), 0);
    }
    CHECK_EQ(add(&p, 1, "f", NULL), 0); /* another of this name */
    CHECK_EQ(pairs_finish(&p, 2), 0);
    CHECK_EQ(p.count, 3);
    CHECK(time_of(&p, 0, "f") == 1 && time_of(&p, 1, "f") == 2);
    CHECK(p.amounts[3].time == 1 && p.amounts[7].time == 1); /* no function */
    pairs_fini(&p);
}

TEST(a_folder_may_be_called_otherwise)
{
    struct pairs p = {0};

    CHECK_EQ(add(&p, 0, "f", "/build/1/a.c"), 0);
    CHECK_EQ(add(&p, 1, "f", "/build/2/a.c"), 0);
    CHECK_EQ(add(&p, 0, "g", NULL), 0);
    CHECK_EQ(add(&p, 1, "g", "/build/2/a.c"), 0);
    CHECK_EQ(pairs_finish(&p, 2), 0);
    CHECK_EQ(p.count, 2);
    CHECK(time_of(&p, 0, "f") == 1 && time_of(&p, 1, "f") == 1);
    CHECK_STR(find(&p, "g")->file, "/build/2/a.c");
    CHECK(!find(&p, "f")->unsure);
    pairs_fini(&p);
}

TEST(a_file_may_be_renamed) /* catches: each function gone, and new */
{
    struct pairs p = {0};

    CHECK_EQ(add(&p, 0, "enqueue", "/src/queue.c"), 0);
    CHECK_EQ(add(&p, 1, "enqueue", "/src/ring.c"), 0);
    CHECK_EQ(add(&p, 0, "f.part.0", "/src/queue.c"), 0);
    CHECK_EQ(add(&p, 0, "f", "/src/queue.c"), 0);
    CHECK_EQ(add(&p, 1, "f", "/src/ring.c"), 0);
    CHECK_EQ(pairs_finish(&p, 2), 0);
    CHECK_EQ(p.count, 2);
    CHECK(time_of(&p, 0, "enqueue") == 1 && time_of(&p, 1, "enqueue") == 1);
    CHECK_STR(find(&p, "enqueue")->file, "/src/ring.c");
    CHECK_STR(find(&p, "enqueue")->file_before, "/src/queue.c");
    CHECK(!find(&p, "enqueue")->unsure);
    CHECK(time_of(&p, 0, "f") == 2 && time_of(&p, 1, "f") == 1);
    CHECK_STR(find(&p, "f")->file_before, "/src/queue.c");
    pairs_fini(&p);
}

TEST(what_may_be_another_function_stays_apart)
{
    struct pairs p = {0};

    CHECK_EQ(add(&p, 0, "init", "/src/a.c"), 0); /* a static function each */
    CHECK_EQ(add(&p, 0, "init", "/src/b.c"), 0);
    CHECK_EQ(add(&p, 1, "init", "/src/b.c"), 0);
    CHECK_EQ(add(&p, 1, "init", "/src/c.c"), 0);
    CHECK_EQ(add(&p, 0, "exit", "/1/a.c"), 0);
    CHECK_EQ(add(&p, 1, "exit", "/2/a.c"), 0);
    CHECK_EQ(add(&p, 1, "exit", "/3/a.c"), 0);
    CHECK_EQ(pairs_finish(&p, 2), 0);
    CHECK_EQ(p.count, 6);
    for (size_t i = 0; i < p.count; i++)
        CHECK_EQ(p.functions[i].unsure,
                 strcmp(p.functions[i].file, "/src/b.c") != 0);
    pairs_fini(&p);
}

TEST(parts_of_a_function_are_that_function)
{
    struct pairs p = {0};

    CHECK_EQ(add(&p, 0, "f", "/src/a.c"), 0);
    CHECK_EQ(add(&p, 1, "f", "/src/a.c"), 0);
    CHECK_EQ(add(&p, 1, "f.part.0", "/src/a.c"), 0);
    CHECK_EQ(add(&p, 0, "g.constprop.0", NULL), 0);
    CHECK_EQ(add(&p, 1, "g.isra.0", NULL), 0);
    CHECK_EQ(add(&p, 0, "h.cold", NULL), 0); /* nothing to pair it with */
    CHECK_EQ(pairs_finish(&p, 2), 0);
    CHECK_EQ(p.count, 3);
    CHECK(time_of(&p, 0, "f") == 1 && time_of(&p, 1, "f") == 2);
    CHECK_STR(find(&p, "f")->joined, "f.part.0");
    CHECK(time_of(&p, 0, "g") == 1 && time_of(&p, 1, "g") == 1);
    CHECK_STR(find(&p, "g")->joined, "g.constprop.0, g.isra.0");
    CHECK(find(&p, "h.cold")->joined == NULL);
    pairs_fini(&p);
}

TEST(parts_that_both_sides_have_are_compared_each)
{
    struct pairs p = {0};

    for (unsigned side = 0; side < 2; side++) {
        CHECK_EQ(add(&p, side, "f", "/src/a.c"), 0);
        CHECK_EQ(add(&p, side, "f.cold", "/src/a.c"), 0);
    }
    CHECK_EQ(pairs_finish(&p, 2), 0);
    CHECK_EQ(p.count, 2);
    CHECK(find(&p, "f.cold")->joined == NULL);
    pairs_fini(&p);
}

TEST(parts_and_another_folder_are_one_function)
{
    struct pairs p = {0};

    CHECK_EQ(add(&p, 0, "f", "/1/a.c"), 0);
    CHECK_EQ(add(&p, 1, "f.part.0", "/2/a.c"), 0);
    CHECK_EQ(add(&p, 1, "f", "/2/a.c"), 0);
    CHECK_EQ(pairs_finish(&p, 2), 0);
    CHECK_EQ(p.count, 1);
    CHECK(time_of(&p, 0, "f") == 1 && time_of(&p, 1, "f") == 2);
    CHECK_STR(p.functions[0].joined, "f.part.0");
    pairs_fini(&p);
}

TEST(bytes_are_known_beforehand)
{
    struct pairs p = {0};
    char name[32];

    for (unsigned i = 0; i < 10000; i++) {
        (void)snprintf(name, sizeof name, "function_%u", i);
        CHECK_EQ(add(&p, i % 2, name, NULL), 0);
    }
    /* the amounts alone, and twice as many of them */
    CHECK(pairs_bytes(&p, 64) > 64 * 10000 * sizeof(struct amount));
    CHECK(pairs_bytes(&p, 64) - pairs_bytes(&p, 32) ==
          32 * 10001 * sizeof(struct amount));
    CHECK(pairs_bytes(&p, 64) < 64 * 10001 * sizeof(struct amount) + (8 << 20));
    pairs_fini(&p);
}

TEST(memory_may_lack)
{
    for (unsigned n = 1;; n++) {
        struct pairs p = {0};

        alloc_fail_at(n);
        int status = add(&p, 0, "f.part.0", "/src/a.c") |
                     add(&p, 1, "f", "/src/a.c") | pairs_finish(&p, 2);
        bool failed = alloc_failed();

        pairs_fini(&p);
        if (!failed)
            break;
        CHECK_EQ(status, -1);
    }
}
