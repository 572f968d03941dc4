/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The picture of collector top, as rows: what keys show and hide, and that it
 * has its place on every screen. Addresses are names, as without an image.
 */
#include "top/top.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "top/draw.h"
#include "view/view_build.h"

#define PERIOD 1000u

static struct aggregate *aggregate;
static struct image_map *image_map;
static struct view *view;
static struct top top;
static struct screen s;
static struct top_facts facts = {.source = "serial:port",
                                 .image = "/k/app.elf",
                                 .rate_hz = 997,
                                 .depth = 64};
static uint64_t clock_tsc = 1000;

static void begin_cores(uint32_t cores)
{
    const struct aggregate_config config = {0};
    const struct guest guest = {.wire_version = TPROF_WIRE_VERSION,
                                .arch = WIRE_ARCH_X86_64,
                                .cores = cores,
                                .tsc_hz = 1000000,
                                .text_start = 0x1000,
                                .text_size = 0x1000};

    aggregate = aggregate_new(&config);
    image_map = image_map_new(&(struct mapped_image){0}, 0);
    CHECK(aggregate != NULL && image_map != NULL);
    aggregate_hello(aggregate, HELLO_FIRST, &guest);
    top_init(&top, false);
}

static void begin(void)
{
    begin_cores(2);
}

static void end(void)
{
    top_fini(&top);
    screen_fini(&s);
    view_free(view);
    image_map_free(image_map);
    aggregate_free(aggregate);
}

/* A stack from the call sites in (calls), innermost first. */
static uint32_t stack(const uint64_t *calls, uint32_t depth)
{
    uint64_t frames[8];

    for (uint32_t i = 0; i < depth; i++)
        frames[i] = calls[i] + 1;
    return aggregate_stack(aggregate, 0,
                           &(struct stack){.frames = frames,
                                           .depth = depth,
                                           .end = WIRE_END_ZERO});
}

static void samples(uint32_t core, uint32_t on_stack, uint64_t leaf, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        clock_tsc += PERIOD;
        struct sample one = {
            .tsc = clock_tsc, .leaf = leaf, .stack = on_stack, .weight = 1};
        struct sample_batch batch = {
            .core = core, .period = PERIOD, .samples = &one, .count = 1};

        aggregate_samples(aggregate, &batch);
    }
}

/* Show all that came. */
static void show(void)
{
    const struct profile *p = aggregate_profile(aggregate);
    struct view *before = view;

    view = view_new(p, image_map, 0);
    CHECK(view != NULL);
    top_news(&top, p, view);
    view_free(before);
}

static void draw(unsigned width, unsigned height)
{
    top_draw(&top, &facts, &s, width, height);
}

static void press(const char *keys)
{
    for (; *keys != '\0'; keys++)
        CHECK_EQ(top_key(&top, (unsigned char)*keys), TOP_NOTHING);
}

/* The row that has (text); the case fails without it. */
static const char *row(const char *text)
{
    for (size_t i = 0; i < s.count; i++)
        if (strstr(s.rows[i].text, text) != NULL)
            return s.rows[i].text;
    for (size_t i = 0; i < s.count; i++)
        printf("|%s\n", s.rows[i].text);
    check_failed(__FILE__, __LINE__, "no row '%s'", text);
}

static bool has(const char *text)
{
    for (size_t i = 0; i < s.count; i++)
        if (strstr(s.rows[i].text, text) != NULL)
            return true;
    return false;
}

/* How many rows come before the one that has (text)? */
static size_t rows_before(const char *text)
{
    size_t i = 0;

    while (i < s.count && strstr(s.rows[i].text, text) == NULL)
        i++;
    return i;
}

TEST(functions_have_shares_intervals_and_cores)
{
    begin();
    samples(0, stack((uint64_t[]){0x1050}, 1), 0x1100, 300);
    samples(1, stack((uint64_t[]){0x1050}, 1), 0x1200, 100);
    show();
    draw(130, 24);
    /* Wilson's interval of 300 in 400 is 0.7053 to 0.7899 */
    CHECK(strstr(row("  0x1100"), "  75.0  4.5 ") != NULL);
    CHECK(strstr(row("  0x1200"), "  25.0  4.5 ") != NULL);
    CHECK(strstr(row("  0x1050"), "   0.0 <1.0         100.0") != NULL);
    CHECK(strstr(row("  0x1100"), "  100      ") != NULL); /* of core 0 */
    press("1");
    draw(80, 24);
    CHECK(strstr(row("  0x1200"), " 100.0 ") != NULL);
    CHECK(has("of core 1's time") && !has("   0x1100"));
    press("a");
    draw(80, 24);
    CHECK(strstr(row("  0x1100"), "  75.0 ") != NULL);
    end();
}

/* (on_stack) in thread (serial), which has (name). */
static uint32_t in_thread(uint32_t on_stack, uint64_t serial, const char *name)
{
    struct guest_thread t = {.serial = serial, .id = 0x100 + serial};

    (void)snprintf(t.name, sizeof t.name, "%s", name);
    aggregate_events.thread(aggregate, &t);
    return aggregate_events.stack_of(
        aggregate, on_stack,
        aggregate_events.runs(aggregate, serial, 0x100 + serial), 0);
}

TEST(columns_are_cores_or_threads) /* catches: shares of another thread */
{
    uint32_t outer;

    begin();
    outer = stack((uint64_t[]){0x1050}, 1);
    samples(0, in_thread(outer, 1, "Ping"), 0x1100, 300);
    samples(1, in_thread(outer, 2, "a thread with a long name"), 0x1200, 100);
    samples(1, in_thread(outer, 1, "Ping"), 0x1200, 100);
    show();
    draw(80, 24);
    CHECK(!has("Ping"));
    press("t");
    draw(80, 24);
    /* of all cores 60 %, of Ping 300 of 400, of the other none */
    CHECK(strstr(row("change"), "     Ping a thre..") != NULL);
    CHECK(strstr(row("  0x1100"), "       75          ") != NULL);
    CHECK(strstr(row("  0x1200"), "       25      100 ") != NULL);
    draw(60, 24); /* too narrow */
    CHECK(!has("Ping") && has("0x1100"));
    press("tt");
    draw(80, 24);
    CHECK(!has("Ping") && top.by == VIEW_BY_CORE);
    CHECK_EQ(top_key(&top, 'T'), TOP_THREADS);
    CHECK_EQ(top_key(&top, 'R'), TOP_REQUESTS);
    CHECK_EQ(top_key(&top, 'L'), TOP_LOCKS);
    end();
}

TEST(change_is_since_the_last_picture)
{
    begin();
    samples(0, stack(NULL, 0), 0x1100, 100);
    show();
    draw(80, 24);
    CHECK(strstr(row("   0x1100"), "100.0  3.7         100.0") != NULL);
    samples(0, stack(NULL, 0), 0x1200, 100);
    show();
    draw(80, 24);
    CHECK(strstr(row("   0x1100"), " -50.0 ") != NULL);
    CHECK(strstr(row("   0x1200"), " +50.0 ") != NULL);
    show();
    draw(80, 24);
    CHECK(strstr(row("   0x1200"), "     0 ") != NULL);
    CHECK_EQ(top_key(&top, 'w'), TOP_WINDOW); /* has other shares */
    show();
    draw(80, 24);
    CHECK(strstr(row("   0x1200"), " 50.0  6.9         50.0") == NULL);
    CHECK(strstr(row("   0x1200"), "     0 ") == NULL);
    end();
}

TEST(lists_are_sorted_by_what_was_chosen)
{
    begin();
    samples(0, stack((uint64_t[]){0x1300}, 1), 0x1200, 20);
    samples(0, stack(NULL, 0), 0x1100, 30);
    show();
    draw(80, 24);
    CHECK(rows_before("  0x1100") < rows_before("  0x1200"));
    CHECK(rows_before("  0x1200") < rows_before("  0x1300"));
    samples(0, stack((uint64_t[]){0x1300}, 1), 0x1200, 15);
    show();
    press("s"); /* total: 0x1300 has 35 of 65 */
    draw(80, 24);
    CHECK(rows_before("  0x1300") < rows_before("  0x1100"));
    press("sss"); /* name */
    draw(80, 24);
    CHECK(has("sort: name"));
    CHECK(rows_before("  0x1100") < rows_before("  0x1200"));
    CHECK(rows_before("  0x1200") < rows_before("  0x1300"));
    end();
}

TEST(filter_takes_letters_of_the_name)
{
    begin();
    samples(0, stack(NULL, 0), 0x1abc, 10);
    samples(0, stack(NULL, 0), 0x1200, 10);
    show();
    press("/ABq");
    draw(80, 24);
    CHECK(has("filter: ABq_") && has("No function has"));
    (void)top_key(&top, TOP_KEY_BACKSPACE);
    draw(80, 24);
    CHECK(has("0x1abc") && !has("   0x1200"));
    (void)top_key(&top, TOP_KEY_ENTER);
    draw(80, 24);
    CHECK(has("/ AB") && !has("   0x1200"));
    press("/");
    for (unsigned i = 0; i < 2 * TOP_FILTER; i++)
        (void)top_key(&top, i % 2 ? 0x6f22 : 0x1f600);
    CHECK(strlen(top.typed) < TOP_FILTER);
    (void)top_key(&top, TOP_KEY_ESCAPE); /* not this one */
    draw(80, 24);
    CHECK(has("/ AB"));
    (void)top_key(&top, TOP_KEY_ESCAPE);
    draw(80, 24);
    CHECK(has("0x1abc") && has("0x1200"));
    end();
}

TEST(callers_open_below_their_function)
{
    begin();
    samples(0, stack((uint64_t[]){0x1100, 0x1010}, 2), 0x1500, 30);
    samples(0, stack((uint64_t[]){0x1100, 0x1020}, 2), 0x1500, 20);
    samples(0, stack((uint64_t[]){0x1200}, 1), 0x1500, 40);
    samples(0, stack(NULL, 0), 0x1500, 10); /* without one */
    show();
    (void)top_key(&top, TOP_KEY_ENTER);
    draw(80, 24);
    size_t at = rows_before(" - 0x1500");

    CHECK(at < s.count);
    CHECK(strstr(s.rows[at + 1].text, "50.0") != NULL);
    CHECK(strstr(s.rows[at + 1].text, "^ 0x1100") != NULL);
    CHECK(strstr(s.rows[at + 2].text, "40.0") != NULL);
    CHECK(strstr(s.rows[at + 2].text, "^ 0x1200") != NULL);
    press("je"); /* the callers of 0x1100, as the caller of 0x1500 */
    draw(80, 24);
    CHECK(strstr(s.rows[at + 2].text, "30.0") != NULL);
    CHECK(strstr(s.rows[at + 2].text, "  ^ 0x1010") != NULL);
    CHECK(strstr(s.rows[at + 3].text, "  ^ 0x1020") != NULL);
    show(); /* the next picture has them, too */
    draw(80, 24);
    CHECK(strstr(s.rows[at + 3].text, "  ^ 0x1020") != NULL);
    CHECK_EQ(top.at, 1);
    press("ke");
    draw(80, 24);
    CHECK(!has("^ 0x"));
    end();
}

TEST(recursion_counts_a_sample_once) /* catches: callers of more than 100 % */
{
    begin();
    samples(0, stack((uint64_t[]){0x1500, 0x1500, 0x1100}, 3), 0x1500, 10);
    show();
    press("e");
    draw(80, 24);
    CHECK(strstr(row("^ "), " 100.0") != NULL);
    CHECK(strstr(row("^ "), "^ 0x1100") != NULL);
    end();
}

TEST(selected_function_stays_selected)
{
    begin();
    samples(0, stack(NULL, 0), 0x1100, 30);
    samples(0, stack(NULL, 0), 0x1200, 20);
    show();
    press("j");
    CHECK_EQ(top.at, 1);
    samples(0, stack(NULL, 0), 0x1200, 20);
    top_news(&top, NULL, NULL); /* as between two pictures */
    show();
    draw(80, 24);
    CHECK_EQ(top.at, 0);
    CHECK_EQ(s.rows[rows_before("   0x1200")].all, SCREEN_SELECTED);
    press("g"); /* the first line, whatever that is */
    samples(0, stack(NULL, 0), 0x1100, 20);
    show();
    CHECK_EQ(top.at, 0);
    end();
}

TEST(long_lists_scroll)
{
    char name[16];

    begin();
    for (unsigned i = 0; i < 100; i++)
        samples(0, stack(NULL, 0), 0x1100 + i, 200 - i);
    show();
    draw(80, 24);
    CHECK(has("   0x1100"));
    (void)top_key(&top, TOP_KEY_PAGE_DOWN);
    (void)top_key(&top, TOP_KEY_PAGE_DOWN);
    draw(80, 24);
    CHECK(!has("   0x1100"));
    snprintf(name, sizeof name, "   0x%zx", 0x1100 + top.at);
    CHECK_EQ(s.rows[rows_before(name)].all, SCREEN_SELECTED);
    press("G");
    draw(80, 24);
    CHECK(has("   0x1163"));
    CHECK_EQ(top.at, 99);
    end();
}

TEST(many_cores_leave_room_for_functions)
{
    begin_cores(64);
    for (uint32_t i = 0; i < 64; i++)
        samples(i, stack(NULL, 0), 0x1100, 10 + i);
    show();
    draw(80, 24);
    CHECK(has("self%") && has("0x1100") && has("the busiest 8 of 64"));
    CHECK(has("  63 100.0") && !has("   0 100.0"));
    press("0");
    draw(80, 24);
    CHECK(has(">  0 100.0")); /* the chosen one is there */
    draw(200, 50);
    CHECK(!has("the busiest"));
    CHECK(has("   1 100.0") && has("  62 100.0"));
    end();
}

TEST(losses_are_told_where_they_happened)
{
    begin();
    samples(0, stack(NULL, 0), 0x1100, 75);
    aggregate_account(aggregate, 0,
                      &(struct account){.samples = 75, .ring_full = 25});
    show();
    draw(80, 24);
    CHECK(has("75 samples, 25 lost (25.00 %)"));
    CHECK(strstr(row("   0 100.0"), " 25.0 ") != NULL);
    CHECK(has("busy or idle is not known")); /* without an image */
    end();
}

TEST(limits_of_the_guest_are_shown)
{
    begin();
    facts.asked_rate_hz = 5000;
    facts.asked_depth = 64;
    draw(80, 24);
    CHECK(strstr(row("app.elf"), "  997 Hz (asked for 5000)  64 callers  ") !=
          NULL);
    facts.asked_rate_hz = 0;
    CHECK(has("Waiting for the guest"));
    end();
}

TEST(wishes_are_for_a_guest_or_for_a_player)
{
    begin();
    CHECK_EQ(top_key(&top, 'q'), TOP_QUIT);
    CHECK_EQ(top_key(&top, 'r'), TOP_RECORD);
    CHECK_EQ(top_key(&top, '+'), TOP_RATE_UP);
    CHECK_EQ(top_key(&top, '<'), TOP_DEPTH_DOWN);
    CHECK_EQ(top_key(&top, TOP_KEY_LEFT), TOP_NOTHING);
    top.player = true;
    CHECK_EQ(top_key(&top, 'r'), TOP_NOTHING);
    CHECK_EQ(top_key(&top, '+'), TOP_NOTHING);
    CHECK_EQ(top_key(&top, TOP_KEY_LEFT), TOP_BACK);
    CHECK_EQ(top_key(&top, ']'), TOP_FASTER);
    press("?q"); /* leaves the help alone */
    CHECK(!top.help);
    CHECK_EQ(top_key(&top, 'q'), TOP_QUIT);
    end();
}

TEST(every_size_of_screen_is_kept_to) /* catches: rows that wrap, and crashes */
{
    begin_cores(5);
    for (uint32_t i = 0; i < 5; i++)
        samples(i, stack((uint64_t[]){0x1100, 0x1010}, 2), 0x1500 + i, 10);
    show();
    press("e");
    facts.note = "a note that is longer than many a screen is wide, and yet "
                 "shall stay in one row, as all others do";
    facts.recording = "tprof.tprof";
    for (unsigned width = 1; width < 210; width += 3)
        for (unsigned height = 1; height < 60; height += 7) {
            draw(width, height);
            CHECK(s.count <= height + 1);
            for (size_t i = 0; i < s.count; i++)
                CHECK(s.rows[i].columns <= width);
        }
    facts.note = facts.recording = NULL;
    end();
}
