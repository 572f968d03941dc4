/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T11 and T12: what `collector annotate` says of lines and basic blocks,
 * against the instructions that a plugin counts one by one. Another symbolizer
 * tells their lines; that blocks are blocks, unit.blocks compares with objdump.
 *
 * The build defines LAB_GUEST, LAB_OPTIONS, LAB_ISR (or "") and LAB_FUNCTIONS,
 * the names of functions.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "oracle.h"
#include "stats.h"

#define SAMPLES_MIN 10000
#define P_MIN       0.001
#define ROWS_MAX    4096
#define RARE        10   /* expected samples; rows below this are one */
#define ROUNDED     0.1  /* %: of a share and of its error */
#define DEVIATIONS  5    /* see tv_max() */
#define COLUMN      14   /* behind share and error */
#define Z_RATIO     1.32 /* 99 % intervals of 95 % ones */

static const char *const functions[] = {LAB_FUNCTIONS};
#define FUNCTIONS (sizeof functions / sizeof *functions)

static const struct lab_run run = {.elf = LAB_GUEST,
                                   .options = LAB_OPTIONS,
                                   .seed = "1",
                                   .isr = LAB_ISR[0] != '\0' ? LAB_ISR : NULL,
                                   .truth = ",stacks=2"};

/* A line or a block. */
struct row {
    char place[64];        /* "file.c:12", or "block at 0x1234" */
    double share, error;   /* as printed, in % of the function; 0: no samples */
    uint64_t count, truth; /* samples, and instructions */
    size_t whole;          /* its function, of (wholes) */
};

struct rows {
    struct row list[ROWS_MAX];
    size_t count;
};

static struct rows lines, blocks, wholes;
static struct oracle oracle;

/* --- What the plugin saw ---------------------------------------------------
 */

/* By address. */
static struct {
    uint64_t address, count;
} * places;
static size_t place_count;

static void read_places(void)
{
    struct lab_stacks s = lab_true_places(0);
    uint64_t *list = calloc(s.count, sizeof *list);

    places = calloc(s.count, sizeof *places);
    CHECK(list != NULL && places != NULL);
    place_count = s.count;
    for (size_t i = 0; i < s.count; i++) {
        places[i].address = list[i] = strtoull(s.stack[i].text, NULL, 16);
        places[i].count = s.stack[i].count;
    }
    oracle = oracle_ask("addr2line", LAB_GUEST, list, s.count);
    free(list);
    lab_free(&s);
}

/* --- What annotate says ----------------------------------------------------
 */

/* The row of (place) from row (from) on; it is added if there is none. */
static struct row *row_of(struct rows *r, size_t from, const char *place)
{
    for (size_t i = from; i < r->count; i++)
        if (strcmp(r->list[i].place, place) == 0)
            return &r->list[i];
    CHECK(r->count < ROWS_MAX);
    struct row *row = &r->list[r->count++];

    *row = (struct row){.whole = wholes.count - 1};
    snprintf(row->place, sizeof row->place, "%s", place);
    return row;
}

/* The share and error that (line) begins with, of (samples), go into (row). A
 * line that has several rows, since it is inlined in several functions, has the
 * sum of both. */
static void take_share(struct row *row, const char *line, double samples)
{
    double share, error;

    if (sscanf(line, "%6lf %5lf", &share, &error) != 2 || line[5] == ' ')
        return;
    row->share += share;
    row->error += error;
    row->count += (uint64_t)llround(share / 100 * samples);
}

/* Add the executions of the instruction at (address) to (block) and its line,
 * which is one of those from (first_line) on. */
static uint64_t take_insn(uint64_t address, struct row *block,
                          size_t first_line)
{
    for (size_t i = 0; i < place_count; i++) {
        if (places[i].address != address)
            continue;
        block->truth += places[i].count;
        row_of(&lines, first_line, oracle_of(&oracle, address)->place)->truth +=
            places[i].count;
        return places[i].count;
    }
    return 0;
}

static bool is_insn(const char *line)
{
    return strlen(line) > COLUMN + 10 && strspn(line, " ") >= COLUMN - 2 &&
           strchr(" *L", line[COLUMN - 2]) != NULL &&
           strchr("0123456789abcdef", line[COLUMN + 7]) != NULL &&
           line[COLUMN + 8] == ' ' && line[COLUMN + 9] == ' ';
}

/* A source line: its number, or a question mark, is in a column of 5. */
static bool is_line(const char *line)
{
    return strlen(line) >= COLUMN + 5 && line[COLUMN - 1] == ' ' &&
           strchr("0123456789?", line[COLUMN + 4]) != NULL;
}

/* "kernel.c", or "mix of kernel.c, inlined". */
static void take_file(char file[64], const char *line)
{
    const char *of = strstr(line, " of ");

    line = of != NULL ? of + 4 : strstr(line, "LINE ") + 5;
    snprintf(file, 64, "%.*s", (int)strcspn(line, ",\n"), line);
}

/* The rows of (function), and what the plugin says of it. */
static void take_function(const char *function)
{
    char *text = lab_annotation(&run, function), *rest;
    struct row *block = NULL, *whole = row_of(&wholes, wholes.count, function);
    size_t first_line = lines.count;
    double samples = 0;
    char file[64] = "", place[80];
    bool code = false;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *in = strstr(line, " in its code, ");

        if (in != NULL && samples == 0) {
            unsigned high = 0, low = 0;
            int n = sscanf(in, " in its code, %u,%u", &high, &low);

            samples = n == 2 ? high * 1000.0 + low : high;
            whole->count = (uint64_t)samples;
        } else if (strstr(line, "+-   LINE ") != NULL) {
            take_file(file, line);
        } else if (strstr(line, "+-  CODE at ") != NULL) {
            code = true;
        } else if (code && strncmp(line + COLUMN, "block ", 6) == 0 &&
                   strlen(line) > COLUMN) {
            snprintf(place, sizeof place, "%.40s %.16s", function,
                     line + COLUMN);
            block = row_of(&blocks, blocks.count, place);
            take_share(block, line, samples);
        } else if (code && is_insn(line)) {
            /* no claim of an instruction: nothing stands before the mark */
            CHECK(block != NULL);
            whole->truth += take_insn(strtoull(line + COLUMN - 1, NULL, 16),
                                      block, first_line);
        } else if (!code && is_line(line)) {
            size_t blanks = strspn(line + COLUMN, " ");

            snprintf(place, sizeof place, "%s:%.*s", file,
                     (int)strcspn(line + COLUMN + blanks, " "),
                     line + COLUMN + blanks);
            take_share(row_of(&lines, first_line, place), line, samples);
        }
    }
    CHECK(samples > 0 && whole->truth > 0);
    free(text);
}

/* --- The judgement ---------------------------------------------------------
 */

/*
 * Total variation that an ideal sampler stays below but for one run of 10,000:
 * its mean and DEVIATIONS standard deviations, each of the rows by itself. For
 * the eight functions of T2 and 10,000 samples that gives 0.0216, and
 * simulation 0.0225.
 */
static double tv_max(const uint64_t *truth, size_t k, double n)
{
    double all = 0, mean = 0, variance = 0;

    for (size_t i = 0; i < k; i++)
        all += (double)truth[i];
    for (size_t i = 0; i < k; i++) {
        double p = (double)truth[i] / all, v = p * (1 - p) / n;

        mean += sqrt(2 * v / M_PI) / 2;
        variance += v * (1 - 2 / M_PI) / 4;
    }
    return mean + DEVIATIONS * sqrt(variance);
}

/* T11: are the rows those that the instructions lead to expect? */
static void check_shares(const char *what, const struct rows *r)
{
    static uint64_t truth[ROWS_MAX + 1], count[ROWS_MAX + 1];
    double all = 0, n = 0;
    size_t k = 1; /* 0: the rare ones */

    memset(truth, 0, sizeof truth);
    memset(count, 0, sizeof count);
    for (size_t i = 0; i < r->count; i++) {
        all += (double)r->list[i].truth;
        n += (double)r->list[i].count;
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct row *row = &r->list[i];
        size_t to = (double)row->truth * n / all < RARE ? 0 : k++;

        CHECK(row->truth > 0 || row->count == 0); /* never executed */
        truth[to] += row->truth;
        count[to] += row->count;
    }
    size_t first = truth[0] == 0;
    double p = 1, tv = 0, most = tv_max(truth + first, k - first, n);

    if (k - first >= 2) {
        p = stats_pearson_p(count + first, truth + first, k - first);
        tv = stats_total_variation(count + first, truth + first, k - first);
    }
    printf("%s: %zu rows of %.0f samples: p = %.4f, total variation %.4f of "
           "%.4f\n",
           what, r->count, n, p, tv, most);
    CHECK(n >= SAMPLES_MIN);
    CHECK(p >= P_MIN);
    CHECK(tv <= most);
}

/* How many of the (*all) rows that have samples lie (ratio) times their error
 * or more from the truth. */
static size_t misses(const struct rows *r, double ratio, size_t *all)
{
    size_t n = 0;

    *all = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct row *row = &r->list[i];
        double truth =
            100 * (double)row->truth / (double)wholes.list[row->whole].truth;

        if (row->count == 0)
            continue;
        *all += 1;
        if (fabs(truth - row->share) > ratio * row->error + ROUNDED) {
            printf("%s: %.1f +- %.1f, is %.1f\n", row->place, row->share,
                   row->error, truth);
            n++;
        }
    }
    return n;
}

/* T12: does what is stated hold? */
static void check_errors(const char *what, const struct rows *r)
{
    size_t all, out = misses(r, 1, &all), far = misses(r, Z_RATIO, &all);

    printf("%s: %zu rows, the truth is outside of %zu, and outside of 99 %% of "
           "%zu\n",
           what, all, out, far);
    CHECK(all > 0);
    /* too many of one kind, not too few: samples of periodic work vary less */
    CHECK(out <= all / 20 || stats_binomial_p(out, all, .05) >= P_MIN);
    CHECK(far <= all / 100 || stats_binomial_p(far, all, .01) >= P_MIN);
}

TEST(t11_t12_lines_and_blocks_are_those_of_the_instructions)
{
    lab_boot(&run);
    read_places();
    for (size_t i = 0; i < FUNCTIONS; i++)
        take_function(functions[i]);
    if (FUNCTIONS > 1)
        check_shares("functions", &wholes);
    check_shares("blocks", &blocks);
    check_shares("lines", &lines);
    check_errors("blocks", &blocks);
    check_errors("lines", &lines);
    oracle_free(&oracle);
    free(places);
}
