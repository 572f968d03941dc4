/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests in other languages than C. Names, inlined functions, callers, lines
 * and shares of the collector's report are compared, address by address, with
 * what the plugin saw executed, interrupted and called. Another symbolizer
 * names the plugin's addresses.
 *
 * The build defines LAB_GUEST, LAB_TOOL (see oracle.h), LAB_OPTIONS of the
 * guest, LAB_CORES, LAB_WORK, a function that is in all stacks to be compared,
 * and LAB_CALLS, a file with lines "CALLER > CALLEE" for calls in the source,
 * "NAME @ SYMBOL" for a function whose hottest line is the symbol's value, and
 * comments that begin with '#'.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "oracle.h"
#include "stats.h"

#define MARK        "[caller?]"
#define SAMPLES_MIN 2000
#define KINDS_MAX   256
#define SHOWN_MAX   6      /* of what is wrong */
#define P_MIN       0.0001 /* wrong names are off by far more */

/* Functions of a profile that belong to setting the profiler up. */
static const char *const set_up[] = {"truth_begin", "truth_end", "opt_",
                                     "profiler::Session", "[idle]"};

static const struct lab_run run = {.elf = LAB_GUEST,
                                   .options = LAB_OPTIONS,
                                   .seed = "1",
                                   .cores = LAB_CORES,
                                   .truth = ",stacks=2"};

static int is_set_up(const char *stack)
{
    for (size_t i = 0; i < sizeof set_up / sizeof *set_up; i++)
        if (strstr(stack, set_up[i]))
            return 1;
    return 0;
}

static int is_work(const char *stack)
{
    return !is_set_up(stack) && strstr(stack, LAB_WORK) != NULL;
}

/* --- what the plugin saw, in words --- */

static void add_addresses(const struct lab_stacks *s, uint64_t **list,
                          size_t *count)
{
    for (size_t i = 0; i < s->count; i++) {
        for (const char *at = s->stack[i].text; at; at = strchr(at, ';')) {
            at += *at == ';';
            *list = realloc(*list, (*count + 1) * sizeof **list);
            CHECK(*list != NULL);
            (*list)[(*count)++] = strtoull(at, NULL, 16);
        }
    }
}

/* The stacks that were interrupted, as the collector writes them: those whose
 * innermost function had set up its frame, those where it had not, and the
 * latter as they may also be shown. */
struct truth {
    struct lab_stacks framed, bare, marked;
};

/* "0x1;0x2;0x3" becomes the functions there; with (marked) the direct caller
 * of the innermost one is not known, and a mark stands in its place. */
static char *in_words(const struct oracle *o, const char *addresses, int marked)
{
    char *text = NULL;

    CHECK(asprintf(&text, "%s", "") == 0);
    for (const char *at = addresses; at;) {
        const char *next = strchr(at, ';');
        const char *said = oracle_of(o, strtoull(at, NULL, 16))->chain;
        char *more = NULL;

        if (marked && next && !strchr(next + 1, ';'))
            said = MARK;
        CHECK(asprintf(&more, "%s%s%s", text, *text ? ";" : "", said) > 0);
        free(text);
        text = more;
        at = next ? next + 1 : NULL;
    }
    return text;
}

static void add(struct lab_stacks *s, char *text, uint64_t count)
{
    s->stack = realloc(s->stack, (s->count + 1) * sizeof *s->stack);
    CHECK(s->stack != NULL);
    s->stack[s->count++] = (struct lab_stack){text, count};
}

static void translate(struct truth *t, const struct oracle *o,
                      const struct lab_stacks *s, int framed)
{
    for (size_t i = 0; i < s->count; i++) {
        char *text = in_words(o, s->stack[i].text, 0);
        uint64_t count = s->stack[i].count;

        if (!is_work(text)) {
            free(text);
            continue;
        }
        add(framed ? &t->framed : &t->bare, text, count);
        if (!framed)
            add(&t->marked, in_words(o, s->stack[i].text, 1), count);
    }
}

static struct truth truth_of(unsigned core)
{
    struct lab_stacks framed = lab_true_stacks(core, 1);
    struct lab_stacks bare = lab_true_stacks(core, 0);
    struct truth t = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    uint64_t *list = NULL;
    size_t count = 0;

    add_addresses(&framed, &list, &count);
    add_addresses(&bare, &list, &count);
    struct oracle o = oracle_ask(LAB_TOOL, LAB_GUEST, list, count);

    translate(&t, &o, &framed, 1);
    translate(&t, &o, &bare, 0);
    lab_free(&framed);
    lab_free(&bare);
    oracle_free(&o);
    free(list);
    return t;
}

/* --- stacks --- */

static int same_frame(const char *ours, const char *theirs)
{
    char a[4096], b[4096];

    snprintf(a, sizeof a, "%.*s", (int)strcspn(ours, ";"), ours);
    snprintf(b, sizeof b, "%.*s", (int)strcspn(theirs, ";"), theirs);
    return oracle_same_name(a, b);
}

static int same_stack(const char *ours, const char *theirs)
{
    while (ours && theirs && same_frame(ours, theirs)) {
        ours = strchr(ours, ';');
        theirs = strchr(theirs, ';');
        ours += ours != NULL;
        theirs += theirs != NULL;
    }
    return !ours && !theirs;
}

static uint64_t count_of(const struct lab_stacks *truth, const char *ours)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < truth->count; i++)
        if (same_stack(ours, truth->stack[i].text))
            sum += truth->stack[i].count;
    return sum;
}

/* Those of the guest's work. The same stack comes twice where a function is
 * inlined here and called there. */
static struct lab_stacks measured(unsigned core, const struct truth *t)
{
    struct lab_stacks all = lab_measured(&run, core), s = {NULL, 0};

    for (size_t i = 0; i < all.count; i++) {
        struct lab_stack *from = &all.stack[i];
        size_t j = 0;

        if (!is_work(from->text) && (!t || !count_of(&t->marked, from->text)))
            continue;
        while (j < s.count && strcmp(s.stack[j].text, from->text) != 0)
            j++;
        if (j == s.count)
            add(&s, strdup(from->text), 0);
        s.stack[j].count += from->count;
    }
    lab_free(&all);
    return s;
}

static void say(unsigned *wrong, const char *what, uint64_t seen,
                const char *stack)
{
    if (++*wrong <= SHOWN_MAX)
        printf("%s, seen %llu times: %s\n", what, (unsigned long long)seen,
               stack);
}

/*
 * Each stack must have been interrupted as often as it is shown; with a frame
 * it is shown just so, without one the caller may be known all the same. A core
 * that waited for its turn has samples that cover more than one interval: the
 * collector shows time, the plugin counts.
 */
static void compare(const struct truth *t, const struct lab_stacks *seen)
{
    uint64_t slack = LAB_CORES == 1 ? 1 : 2;
    unsigned wrong = 0;

    for (size_t i = 0; i < seen->count; i++) {
        const struct lab_stack *s = &seen->stack[i];
        uint64_t sure = count_of(&t->framed, s->text);
        uint64_t most =
            sure + count_of(&t->bare, s->text) + count_of(&t->marked, s->text);

        if (s->count < sure || s->count > slack * most)
            say(&wrong, most ? "too few or many" : "invented", s->count,
                s->text);
    }
    for (size_t i = 0; i < t->framed.count; i++) {
        size_t j = 0;

        while (j < seen->count &&
               !same_stack(seen->stack[j].text, t->framed.stack[i].text))
            j++;
        if (j == seen->count)
            say(&wrong, "lost", 0, t->framed.stack[i].text);
    }
    CHECK_EQ(wrong, 0);
    if (LAB_CORES == 1)
        CHECK_EQ(lab_total(seen), lab_total(&t->framed) + lab_total(&t->bare));
}

static uint64_t marked_of(const struct lab_stacks *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->count; i++)
        sum += strstr(s->stack[i].text, MARK) ? s->stack[i].count : 0;
    return sum;
}

TEST(stacks_are_those_of_the_code) /* catches: names, inlines, callers */
{
    lab_boot(&run);
    for (unsigned core = 0; core < LAB_CORES; core++) {
        struct truth t = truth_of(core);
        struct lab_stacks seen = measured(core, &t);

        printf("core %u: %llu samples, %zu different stacks; without a frame "
               "%llu, caller uncertain %llu\n",
               core, (unsigned long long)lab_total(&seen), seen.count,
               (unsigned long long)lab_total(&t.bare),
               (unsigned long long)marked_of(&seen));
        CHECK(lab_total(&seen) >= SAMPLES_MIN);
        compare(&t, &seen);
        CHECK(marked_of(&seen) <= lab_total(&seen) / 100);
        lab_free(&t.framed);
        lab_free(&t.bare);
        lab_free(&t.marked);
        lab_free(&seen);
    }
}

/* --- shares: where no core waits for another, and is sampled where it waits
 * --- */
#if LAB_CORES == 1

struct kind {
    const char *name;
    uint64_t truth, count;
};

/* The kind called (name), which is the last function of (name) as a stack. */
static struct kind *kind_of(struct kind *kinds, size_t *k, const char *name)
{
    for (size_t i = 0; i < *k; i++)
        if (oracle_same_name(name, kinds[i].name) ||
            oracle_same_name(kinds[i].name, name))
            return &kinds[i];
    CHECK(*k < KINDS_MAX);
    kinds[*k] = (struct kind){name, 0, 0};
    return &kinds[(*k)++];
}

static int by_truth(const void *a, const void *b)
{
    const struct kind *x = a;
    const struct kind *y = b;

    return x->truth < y->truth ? 1 : x->truth > y->truth ? -1 : 0;
}

/* Pearson's test, with what is expected to be rare taken together. */
static void check_shares(struct kind *kinds, size_t k)
{
    uint64_t truth[KINDS_MAX] = {0}, count[KINDS_MAX] = {0}, all = 0, n = 0;
    size_t used = 0;

    qsort(kinds, k, sizeof *kinds, by_truth);
    for (size_t i = 0; i < k; i++) {
        all += kinds[i].truth;
        n += kinds[i].count;
    }
    CHECK(n >= SAMPLES_MIN);
    for (size_t i = 0; i < k; i++) {
        if (i > 0 && (double)kinds[i].truth * (double)n / (double)all >= 10)
            used++;
        truth[used] += kinds[i].truth;
        count[used] += kinds[i].count;
    }
    for (size_t i = 0; i <= used; i++)
        printf("%6.2f %% of instructions, %6.2f %% of samples: %s\n",
               100 * (double)truth[i] / (double)all,
               100 * (double)count[i] / (double)n, kinds[i].name);
    double p = stats_pearson_p(count, truth, used + 1);
    printf("%llu samples, %zu functions: p = %.4f\n", (unsigned long long)n,
           used + 1, p);
    CHECK(used >= 8);
    CHECK(p >= P_MIN);
}

/* Adds instructions to the functions that they are of. */
static void count_places(struct kind *kinds, size_t *k, const struct oracle *o,
                         const struct lab_stacks *places)
{
    for (size_t i = 0; i < places->count; i++) {
        const char *chain =
            oracle_of(o, strtoull(places->stack[i].text, NULL, 16))->chain;

        if (!is_set_up(chain))
            kind_of(kinds, k, lab_leaf(chain))->truth += places->stack[i].count;
    }
}

TEST(shares_are_those_of_the_instructions) /* catches: time in other names */
{
    struct kind kinds[KINDS_MAX];
    uint64_t *list = NULL;
    size_t count = 0, k = 0;

    lab_boot(&run);
    struct lab_stacks places = lab_true_places(0);
    struct lab_stacks seen = measured(0, NULL);

    add_addresses(&places, &list, &count);
    struct oracle o = oracle_ask(LAB_TOOL, LAB_GUEST, list, count);

    count_places(kinds, &k, &o, &places);
    for (size_t i = 0; i < seen.count; i++)
        kind_of(kinds, &k, lab_leaf(seen.stack[i].text))->count +=
            seen.stack[i].count;
    check_shares(kinds, k);
    oracle_free(&o);
    lab_free(&places);
    lab_free(&seen);
    free(list);
}

#endif

/* --- what the source says --- */

static int has_pair(const struct lab_stacks *s, const char *caller,
                    const char *callee)
{
    char pair[8192];
    size_t len = (size_t)snprintf(pair, sizeof pair, ";%s;%s", caller, callee);

    for (size_t i = 0; i < s->count; i++) {
        const char *at = s->stack[i].text;

        while ((at = strstr(at, pair)) && at[len] && at[len] != ';')
            at++;
        if (at)
            return 1;
    }
    return 0;
}

static unsigned long value_of(const char *symbol)
{
    char command[1024], line[64] = "";
    FILE *f;

    snprintf(command, sizeof command, "nm '%s' | sed -n 's/ [aA] %s$//p'",
             LAB_GUEST, symbol);
    f = popen(command, "r");
    CHECK(f != NULL && fgets(line, sizeof line, f) != NULL);
    pclose(f);
    return strtoul(line, NULL, 16);
}

/* A function must not be two because its lines are of two files. */
static void check_once(const char *report, const char *name)
{
    const char *table = strstr(report, "HOTTEST LINE");
    const char *end = table ? strstr(table, "\n\n") : NULL;
    char row[64];
    unsigned rows = 0;

    CHECK(end != NULL);
    if (strlen(name) > 35) /* the column */
        return;
    snprintf(row, sizeof row, "  %-35s ", name);
    for (const char *at = table; (at = strstr(at, row)) && at < end; at++)
        rows++;
    if (rows > 1)
        check_failed(__FILE__, __LINE__, "%s: %u rows", name, rows);
}

/*
 * The row of the first table that is of (name) ends in ":LINE". Not optimized
 * (LAB_UNOPTIMIZED), a loop's own line, the one before, takes about as long as
 * its body: which of both is the hotter is chance.
 */
static void check_line(const char *report, const char *name, const char *symbol)
{
    const char *table = strstr(report, "HOTTEST LINE"), *row, *end;
    unsigned long line = value_of(symbol);

    printf("%s: line %s, is %lu\n", name, symbol, line);
    CHECK(table != NULL && (row = strstr(table, name)) != NULL);
    end = row + strcspn(row, "\n");
    while (end > row && end[-1] != ':')
        end--;
    CHECK(line > 0);
    unsigned long told = strtoul(end, NULL, 10);

    if (!LAB_UNOPTIMIZED || told != line - 1)
        CHECK_EQ(told, line);
}

TEST(callers_and_lines_are_those_of_the_source) /* catches: wrong debug data */
{
    FILE *f = fopen(LAB_CALLS, "r");
    char line[4096];
    unsigned missing = 0, pairs = 0, lines = 0;

    CHECK(f != NULL);
    lab_boot(&run);
    struct lab_stacks seen = measured(0, NULL);
    char *report = lab_report(&run);

    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *to = strstr(line, " > "), *at = strstr(line, " @ ");

        if (*line == '#')
            continue;
        if (at) {
            *at = '\0';
            check_line(report, line, at + 3);
            lines++;
            continue;
        }
        CHECK(to != NULL);
        *to = '\0';
        pairs++;
        check_once(report, line);
        check_once(report, to + 3);
        if (!has_pair(&seen, line, to + 3)) {
            printf("nowhere: %s > %s\n", line, to + 3);
            missing++;
        }
    }
    fclose(f);
    CHECK_EQ(missing, 0);
    CHECK(pairs >= 5 && lines >= 1);
    lab_free(&seen);
    free(report);
}
