/* SPDX-License-Identifier: BSD-2-Clause */
/* What is remarked on cores that have fallen silent, and when it is not. */
#include "diagnose/diagnose.h"

#include <string.h>

#include "check.h"
#include "diagnose/lateness.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "view/view_build.h"

#define HZ 1000u /* of the guest's clock */

/* A sample a second on two cores, on core 1 up to second (silent) only; is
 * that remarked on? */
static bool is_remarked(uint64_t seconds, uint64_t silent)
{
    static struct remarks remarks;
    const struct guest g = {.cores = 2, .tsc_hz = HZ};
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
    struct image_map *image_map = image_map_new(&(struct mapped_image){0}, 0);
    bool found = false;

    CHECK(a != NULL && image_map != NULL);
    aggregate_hello(a, HELLO_FIRST, &g);
    for (uint64_t i = 0; i < seconds; i++) {
        struct sample s = {.tsc = i * HZ, .leaf = 1, .weight = 1};
        struct sample_batch b = {.period = 1, .samples = &s, .count = 1};

        aggregate_samples(a, &b);
        b.core = 1;
        if (i < silent)
            aggregate_samples(a, &b);
    }
    for (uint32_t i = 0; i < 2; i++)
        aggregate_account(a, i, &(struct account){.samples = seconds});
    const struct profile *p = aggregate_profile(a);
    struct view *v = view_new(p, image_map, 0);

    CHECK(p != NULL && v != NULL);
    remarks = (struct remarks){0};
    diagnose_profile(&remarks, p, v);
    for (size_t i = 0; i < remarks.count; i++) {
        const char *text = remarks.list[i].text;

        CHECK(strstr(text, "Core 0 had no tick") == NULL);
        found |= strstr(text, "Core 1 had no tick in the last") != NULL;
    }
    view_free(v);
    image_map_free(image_map);
    aggregate_free(a);
    return found;
}

TEST(a_core_that_falls_silent_is_told) /* catches: it looks idle */
{
    CHECK(is_remarked(20, 10));
    CHECK(!is_remarked(20, 20));
}

TEST(a_day_is_longer_than_the_time_line) /* catches: all cores called silent */
{
    CHECK(!is_remarked(86400, 86400));
    CHECK(is_remarked(86400, 100));
}

/* Catches: seconds of which there are none */
TEST(loss_is_told_without_a_clock)
{
    static struct remarks remarks;
    const struct guest g = {.cores = 1};
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
    struct image_map *image_map = image_map_new(&(struct mapped_image){0}, 0);

    CHECK(a != NULL && image_map != NULL);
    aggregate_hello(a, HELLO_FIRST, &g);
    aggregate_account(a, 0, &(struct account){.samples = 1, .lost = 1});
    const struct profile *p = aggregate_profile(a);
    struct view *v = view_new(p, image_map, 0);

    CHECK(p != NULL && v != NULL);
    diagnose_profile(&remarks, p, v);
    size_t i = 0;

    while (i < remarks.count &&
           strstr(remarks.list[i].text, "Core 0 lost 50.0 %") == NULL)
        i++;
    CHECK(i < remarks.count);
    view_free(v);
    image_map_free(image_map);
    aggregate_free(a);
}

/* Is (text) said of a guest with (features), whose stacks end behind one
 * caller, where no code is? */
static bool is_said(uint32_t features, const char *text)
{
    static struct remarks remarks;
    static const uint64_t back[] = {100};
    const struct guest g = {.cores = 1, .tsc_hz = HZ, .features = features};
    const struct stack stack = {
        .frames = back, .depth = 1, .end = WIRE_END_TEXT};
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
    struct image_map *image_map = image_map_new(&(struct mapped_image){0}, 0);
    bool found = false;

    CHECK(a != NULL && image_map != NULL);
    aggregate_hello(a, HELLO_FIRST, &g);
    for (uint64_t i = 0; i < 100; i++) {
        struct sample s = {.tsc = i * HZ,
                           .leaf = 1,
                           .weight = 1,
                           .stack = aggregate_stack(a, 0, &stack)};
        struct sample_batch b = {.period = 1, .samples = &s, .count = 1};

        aggregate_samples(a, &b);
    }
    const struct profile *p = aggregate_profile(a);
    struct view *v = view_new(p, image_map, 0);

    CHECK(p != NULL && v != NULL);
    remarks = (struct remarks){0};
    diagnose_profile(&remarks, p, v);
    for (size_t i = 0; i < remarks.count; i++)
        found |= strstr(remarks.list[i].text, text) != NULL;
    view_free(v);
    image_map_free(image_map);
    aggregate_free(a);
    return found;
}

/* Window by window the first may be cut before the guest has told anything.
 * Catches: samples that were overwritten and are said to be counted as full */
TEST(what_boot_lost_is_not_guessed)
{
    CHECK(is_said(WIRE_FEATURE_BOOT, "has not reported"));
    CHECK(!is_said(WIRE_FEATURE_BOOT, "counted as full"));
    CHECK(!is_said(0, "boot"));
}

/* catches: frame pointers asked for where tables do, and the other way */
TEST(what_helps_short_stacks_depends_on_who_walks_them)
{
    const uint32_t outside = WIRE_FEATURE_OUTSIDE,
                   exact = WIRE_FEATURE_OUTSIDE | WIRE_FEATURE_EXACT;

    CHECK(is_said(0, "-fno-omit-frame-pointer"));
    CHECK(!is_said(0, "--unwind"));
    CHECK(is_said(outside,
                  "RBP pointed to no frame: sample it by --unwind auto"));
    CHECK(!is_said(outside, "-fno-omit-frame-pointer"));
    CHECK(is_said(exact, "100 % of the stacks end at [caller?]"));
    CHECK(is_said(exact, "compile the kernel with -g "));
    CHECK(!is_said(exact, "RBP"));
}

/* Catches: interrupts blamed for deadlines at which nobody stopped the guest,
 * and code called late that only its observer was */
TEST(being_late_means_nothing_from_outside)
{
    for (int outside = 0; outside < 2; outside++) {
        static struct remarks remarks;
        const struct guest g = {.cores = 1,
                                .tsc_hz = HZ,
                                .features = outside ? WIRE_FEATURE_OUTSIDE : 0};
        struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
        struct image_map *map = image_map_new(&(struct mapped_image){0}, 0);
        struct sample s = {.leaf = 1, .weight = 100};
        struct sample_batch b = {.period = 1, .samples = &s, .count = 1};
        bool interrupts = false, host = false;

        CHECK(a != NULL && map != NULL);
        aggregate_hello(a, HELLO_FIRST, &g);
        aggregate_samples(a, &b);
        aggregate_account(a, 0, &(struct account){.samples = 1, .missed = 99});
        const struct profile *p = aggregate_profile(a);
        struct view *v = view_new(p, map, 0);

        CHECK(p != NULL && v != NULL);
        remarks = (struct remarks){0};
        diagnose_profile(&remarks, p, v);
        for (size_t i = 0; i < remarks.count; i++) {
            const char *text = remarks.list[i].text;

            interrupts |= strstr(text, "interrupts were off") != NULL;
            host |= strstr(text, "For 99 % of the samples the guest could not "
                                 "be stopped in time") != NULL;
        }
        CHECK_EQ(interrupts, !outside);
        CHECK_EQ(host, outside);
        CHECK_EQ(lateness_least(p, v, false) == LATENESS_NEVER, outside);
        view_free(v);
        image_map_free(map);
        aggregate_free(a);
    }
}

/* Core 0 samples, or not, and core 1 has no tick; is (text) a warning? */
static bool is_asked(const struct guest *g, bool sampled, uint8_t flags,
                     const char *text)
{
    static struct remarks remarks;
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
    struct image_map *map = image_map_new(&(struct mapped_image){0}, 0);
    struct sample s = {.leaf = 1, .weight = 1};
    struct sample_batch b = {.period = 1, .samples = &s, .count = 1};
    bool found = false;

    CHECK(a != NULL && map != NULL);
    aggregate_hello(a, HELLO_FIRST, g);
    aggregate_status(a, &(struct guest_status){.every = 10});
    if (sampled) {
        aggregate_samples(a, &b);
        aggregate_account(a, 0, &(struct account){.samples = 1});
    }
    aggregate_stats(a, &(struct core_stats){
                           .core = 1, .flags = WIRE_STATS_STARTED | flags});
    const struct profile *p = aggregate_profile(a);
    struct view *v = view_new(p, map, 0);

    CHECK(p != NULL && v != NULL);
    remarks = (struct remarks){0};
    diagnose_profile(&remarks, p, v);
    for (size_t i = 0; i < remarks.count; i++)
        found |= remarks.list[i].warning &&
                 strstr(remarks.list[i].text, text) != NULL;
    view_free(v);
    image_map_free(map);
    aggregate_free(a);
    return found;
}

/* catches: the local APIC's timer blamed, which the agent does not use */
TEST(a_core_without_ticks_is_asked_for_by_its_timer)
{
    const struct guest apic = {.cores = 2, .tsc_hz = HZ};
    const struct guest shared = {
        .cores = 2, .tsc_hz = HZ, .features = WIRE_FEATURE_SHARED_TIMER};
    const struct guest kernel = {.cores = 2,
                                 .tsc_hz = HZ,
                                 .kernel_hz = 100,
                                 .intervals = WIRE_INTERVALS_KERNEL,
                                 .features = WIRE_FEATURE_KERNEL_TIMER};

    for (int sampled = 0; sampled < 2; sampled++) {
        CHECK(is_asked(&apic, sampled, 0, "the local APIC's timer"));
        CHECK(!is_asked(&apic, sampled, 0, "tprof_tick()"));
        CHECK(is_asked(&shared, sampled, 0, "tprof_deadline()"));
        CHECK(is_asked(&kernel, sampled, 0, "handler"));
        CHECK(!is_asked(&kernel, sampled, 0, "tprof_deadline()"));
        CHECK(!is_asked(&kernel, sampled, 0, "APIC"));
        CHECK(!is_asked(&shared, sampled, 0, "APIC"));
    }
}

/* catches: a note, or a question, where the answer is known */
TEST(a_timer_that_the_kernel_took_back_is_a_warning)
{
    static const char kept[] = "The kernel has begun to use the local APIC's "
                               "timer of core 1 ";

    for (int lent = 0; lent < 2; lent++) {
        const struct guest g = {.cores = 2,
                                .tsc_hz = HZ,
                                .features = lent ? WIRE_FEATURE_LENDING : 0};

        CHECK(is_asked(&g, true, WIRE_STATS_TIMER_KEPT, kept));
        CHECK(!is_asked(&g, true, WIRE_STATS_TIMER_KEPT, "No tick at all"));
        CHECK(!is_asked(&g, true, 0, kept));
    }
}

/* A guest of one core, and what is remarked on it once it is (told). */
struct told {
    struct aggregate *a;
    struct image_map *map;
    const struct profile *p;
    struct view *v;
    struct remarks remarks;
};

static void begin(struct told *t)
{
    const struct guest g = {.cores = 1, .tsc_hz = 1000000000};

    *t = (struct told){.a = aggregate_new(&(struct aggregate_config){0}),
                       .map = image_map_new(&(struct mapped_image){0}, 0)};
    CHECK(t->a != NULL && t->map != NULL);
    aggregate_hello(t->a, HELLO_FIRST, &g);
}

/* (n) samples at (leaf), of which every (nth) is late. */
static void sample(struct told *t, uint64_t leaf, uint32_t n, uint32_t nth)
{
    for (uint32_t i = 0; i < n; i++) {
        struct sample s = {.tsc = i,
                           .leaf = leaf,
                           .stack = STACK_UNKNOWN,
                           .weight = 1,
                           .late = i % nth == 0 ? 200 : 0};
        struct sample_batch b = {
            .shift = 10, .period = 1000, .samples = &s, .count = 1};

        aggregate_samples(t->a, &b);
    }
}

static void end(struct told *t)
{
    t->p = aggregate_profile(t->a);
    t->v = t->p != NULL ? view_new(t->p, t->map, 0) : NULL;
    CHECK(t->v != NULL);
    diagnose_profile(&t->remarks, t->p, t->v);
}

static bool says(struct told *t, const char *text)
{
    for (size_t i = 0; i < t->remarks.count; i++)
        if (strstr(t->remarks.list[i].text, text) != NULL)
            return true;
    return false;
}

static void forget(struct told *t)
{
    view_free(t->v);
    image_map_free(t->map);
    aggregate_free(t->a);
}

/* An emulator's timers fire late, whatever runs. catches: "late 66 %" at each
 * function, and code behind interrupts-off code that has no mark */
TEST(late_is_what_is_later_than_the_rest)
{
    static struct told t;

    for (uint32_t nth = 1; nth <= 2; nth++) { /* all late, or half of them */
        begin(&t);
        for (uint64_t leaf = 1; leaf <= 3; leaf++)
            sample(&t, leaf * 100, 1000, nth);
        end(&t);
        CHECK(lateness_least(t.p, t.v, false) >= 1);
        forget(&t);
    }
    begin(&t);
    sample(&t, 100, 700, 1); /* most of the time, behind a popf */
    sample(&t, 200, 300, 1000);
    end(&t);
    CHECK(lateness_least(t.p, t.v, false) < .9);
    forget(&t);
}

static void stats(struct told *t, uint64_t strangers, uint64_t stacks)
{
    const struct core_stats s = {.flags = WIRE_STATS_STARTED,
                                 .ticks = 100,
                                 .samples = 100,
                                 .stacks = stacks,
                                 .unknown_cpu = strangers};

    aggregate_stats(t->a, &s);
}

/* catches: a warning until reboot for a tick before tprof_start_cpu() */
TEST(a_tick_before_its_core_joined_is_no_stranger)
{
    static struct told t;
    static const char never[] = "never called tprof_start_cpu(): ";

    for (uint32_t grows = 0; grows < 2; grows++) {
        begin(&t);
        for (uint32_t i = 0; i < 3; i++)
            stats(&t, 1 + grows * i, 5);
        end(&t);
        CHECK_EQ(says(&t, never), grows);
        CHECK_EQ(t.p->cores[0].strangers, 2 * grows);
        forget(&t);
    }
}

/* catches: the transport blamed for what was never sent */
TEST(stacks_that_were_never_described_are_not_lost)
{
    static struct told t;

    for (uint32_t stacks = 0; stacks < 2; stacks++) {
        begin(&t);
        sample(&t, 100, 100, 1000);
        aggregate_account(t.a, 0, &(struct account){.samples = 100});
        stats(&t, 0, stacks);
        end(&t);
        CHECK_EQ(says(&t, "were lost in transport"), stacks);
        CHECK_EQ(says(&t, "never described a stack"), !stacks);
        forget(&t);
    }
}
