/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit costs, and by how much that changed, against drawn runs. */
#include "diff/compare/unit_cost.h"

#include <math.h>
#include <stdint.h>

#include "check.h"

static int near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

TEST(one_run_a_side_is_as_sure_as_its_samples)
{
    struct unit_cost before = {0}, after = {0};

    unit_cost_add(&before, 200e-6, .03);
    unit_cost_add(&after, 150e-6, .04);
    struct unit_change c = unit_change_of(&before, &after);

    CHECK(near(c.before, 200e-6) && near(c.after, 150e-6));
    CHECK(near(c.change, -.25));
    /* of a quotient the squares of the parts' errors add up: 0.05 */
    CHECK(near(c.margin, .75 * .05 * 1.959963984540054));
}

/* xorshift64*; any would do */
static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

/* About a standard normal: a sum of twelve. */
static double normal(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += draw(state);
    return sum;
}

/* In how many of 4,000 comparisons of (runs) a side, which differ by (differ)
 * beside an error of 1 % each, does the interval hold the truth, 0.8? */
static unsigned held(unsigned runs, double differ)
{
    uint64_t state = 88172645463325252u;
    unsigned n = 0;

    for (unsigned i = 0; i < 4000; i++) {
        struct unit_cost side[2] = {{0}, {0}};

        for (unsigned run = 0; run < 2 * runs; run++) {
            double truth = run < runs ? 1e-3 : 800e-6;

            truth *= 1 + differ * normal(&state);
            unit_cost_add(&side[run >= runs],
                          truth * (1 + .01 * normal(&state)), .01);
        }
        struct unit_change c = unit_change_of(&side[0], &side[1]);

        n += fabs(c.change + .2) <= c.margin;
    }
    return n;
}

/* Binomial: 0.95 +- 4 sigma = 0.95 +- 0.014; no narrower than the samples say,
 * so that the interval holds the truth more often where runs are alike. */
#define LEAST 3744

TEST(interval_holds_the_truth) /* catches: runs that differ taken for one */
{
    CHECK(held(1, 0) > LEAST);
    CHECK(held(3, 0) > LEAST);
    CHECK(held(3, .03) > LEAST);
    CHECK(held(5, .1) > LEAST);
    CHECK(held(5, .1) < 4000 * .975);
}
