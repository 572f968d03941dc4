/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects that the wall clock was set. */
#include "recording/spool/spool_parts.h"

#include <stdio.h>

#define HOUR_MS 3600000.

static bool is_step(int64_t ms)
{
    return ms > STEADY_STEP_MS || ms < -STEADY_STEP_MS;
}

enum steady_found steady_look(struct steady *s, uint64_t wall_ms,
                              uint64_t up_ms, uint64_t trust_ms)
{
    int64_t apart =
        (int64_t)(wall_ms - s->wall_ms) - (int64_t)(up_ms - s->up_ms);
    bool was_set = s->step_ms != 0;

    if (s->begun && is_step(apart)) {
        if (!was_set || is_step(apart - s->step_ms)) {
            s->step_ms = apart;
            s->since_ms = up_ms;
            return STEADY_SET;
        }
        if (up_ms - s->since_ms < trust_ms)
            return STEADY_WAIT;
        was_set = false;
    }
    *s = (struct steady){.begun = true, .wall_ms = wall_ms, .up_ms = up_ms};
    return was_set ? STEADY_BACK : STEADY_RIGHT;
}

const char *steady_step(const struct steady *s, char text[STEADY_TEXT])
{
    int64_t ms = s->step_ms;
    double hours = (double)(ms < 0 ? -ms : ms) / HOUR_MS;
    const char *unit = hours >= 48 ? "days" : hours >= 1 ? "hours" : "minutes";

    (void)snprintf(text, STEADY_TEXT, "%.1f %s %s",
                   hours >= 48  ? hours / 24
                   : hours >= 1 ? hours
                                : hours * 60,
                   unit, ms < 0 ? "back" : "forward");
    return text;
}
