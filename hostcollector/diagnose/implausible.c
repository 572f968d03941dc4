/* SPDX-License-Identifier: BSD-2-Clause */
/* Warns of figures that no guest can have. */
#include "diagnose/diagnose_parts.h"

#include "diagnose/cost.h"

/* Intervals are at most one and a half periods. */
#define LATE_MAX    1.5
/* Factor by which a clock may be faster than the host's. CLOCK_SLACK allows for
 * a jump of some seconds that was not flagged. */
#define CLOCK_FAST  100.0
#define CLOCK_SLACK 60.0

static void look_at_clock(struct remarks *r, const struct profile *p)
{
    double longest = 0;

    if (p->clock_senseless) {
        remarks_warn(
            r,
            "The guest's clock is wrong: by this clock the samples span years. "
            "There are shares, but no seconds. Is config.tsc_hz right?");
        return;
    }
    for (size_t i = 0; i < p->core_count && p->tsc_hz != 0; i++) {
        double jumped = (double)p->cores[i].jump_weight *
                        (double)p->period_tsc / (double)p->tsc_hz;

        longest = jumped > longest ? jumped : longest;
    }
    if (p->arrival_s > 0 &&
        p->duration_s - longest > CLOCK_FAST * p->arrival_s + CLOCK_SLACK)
        remarks_warn(
            r,
            "The guest's clock is wrong: by this clock the samples span %.1f "
            "s, but they arrived within %.1f s. Is config.tsc_hz right?",
            p->duration_s, p->arrival_s);
}

static void look_at_lateness(struct remarks *r, const struct profile *p)
{
    double late = 0, time = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        late += p->cores[i].total.late;
        time += p->cores[i].total.time;
    }
    if (late > LATE_MAX * time)
        remarks_warn(r, "The lateness that the guest reports is wrong: samples "
                        "came later than the time that they stand for. Shares "
                        "do not depend on lateness.");
}

void implausible_diagnose(struct remarks *r, const struct profile *p)
{
    look_at_clock(r, p);
    look_at_lateness(r, p);
    if (cost_of(p).senseless)
        remarks_warn(
            r, "The cost of the profiler that the guest reports is wrong, and "
               "is left out: it exceeds all of the cores' time.");
    if (cost_steal_of(p).senseless)
        remarks_warn(r, "The stolen time that the guest reports is wrong: it "
                        "exceeds all of a core's time.");
}
