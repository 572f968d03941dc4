/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer that causes ticks, and kernels that use this timer themselves. */
#include "diagnose/diagnose_parts.h"

#include <inttypes.h>

#include "diagnose/core_list.h"
#include "util/text.h"

bool timer_is_kept(const struct profile_core *core)
{
    return core->has_stats && (core->stats.flags & WIRE_STATS_TIMER_KEPT) != 0;
}

const char *timer_question(const struct profile *p)
{
    if (p->guest.intervals == WIRE_INTERVALS_KERNEL)
        return "does the kernel not tick there, or the tick's handler not call "
               "tprof_tick()";
    if (p->guest.features & WIRE_FEATURE_SHARED_TIMER)
        return "does the timer's handler not call tprof_tick(), or the kernel "
               "not program its timer for tprof_deadline()";
    return "does the kernel use the local APIC's timer";
}

const char *timer_why_none(const struct profile *p)
{
    if (p->guest.intervals == WIRE_INTERVALS_KERNEL)
        return "tprof_tick() was never called. Does the kernel tick, and does "
               "the tick's handler call tprof_tick()?";
    if (p->guest.features & WIRE_FEATURE_SHARED_TIMER)
        return "tprof_tick() was never called. Does the handler of the "
               "kernel's timer call it, and does the kernel program that timer "
               "for tprof_deadline(), on each core after tprof_start_cpu()?";
    return "the timer never fired. Are interrupts enabled on the guest's "
           "cores, and does the kernel leave the local APIC's timer alone?";
}

/* Warn that the kernel began to use a timer that the agent had. */
static void look_at_kept(struct remarks *r, const struct profile *p)
{
    char list[CORE_LIST_SIZE];
    size_t cores = core_list_find(p, timer_is_kept, list);

    if (cores == 0)
        return;
    remarks_warn(r,
                 "The kernel has begun to use the local APIC's timer of core%s "
                 "%s for its own interrupts. The agent left the timer%s to the "
                 "kernel, so there are few samples or none since then. Set "
                 "config.timer (PORTING.md, \"The timer\").",
                 text_plural(cores), list, text_plural(cores));
}

/* Note that the kernel used a lent timer so many (times). */
static void look_at_lent(struct remarks *r, const struct view *v,
                         uint64_t times, size_t cores, size_t sampled)
{
    const struct view_scope *all = &v->total;

    if (all->unseen.samples == 0)
        remarks_note(
            r,
            "The kernel used the local APIC's timer %" PRIu64
            " times, on %zu of %zu cores. A tick that was due meanwhile came "
            "afterwards, and counts for the code that ran then.",
            times, cores, sampled);
    else
        remarks_note_first(
            r,
            "The kernel used the local APIC's timer %" PRIu64
            " times, on %zu of %zu cores, so %.1f %% of the busy time had no "
            "ticks. [timer lent] is time in which the kernel waited by the "
            "timer; the stack below is the place where the agent noticed the "
            "end of the wait. [timer at rest] is the time from then until "
            "another core or tprof_poll() started the timer again.",
            times, cores, sampled, 100 * all->unseen.time / all->busy.time);
}

static void look_at_repairs(struct remarks *r, const struct profile *p,
                            const struct view *v)
{
    uint64_t times = 0;
    size_t cores = 0, sampled = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        times += p->cores[i].repaired;
        cores += p->cores[i].repaired != 0;
        sampled += account_deadlines(&p->cores[i].account) != 0;
    }
    if (times == 0)
        return;
    if (p->guest.features & WIRE_FEATURE_LENDING)
        look_at_lent(r, v, times, cores, sampled);
    else
        remarks_note(
            r,
            "Timers were taken back %" PRIu64
            " time%s, on %zu of %zu cores: the kernel had re-programmed them, "
            "or a busy host had kept ticks away for long. A kernel that waits "
            "by the local APIC's timer needs config.lending.",
            times, text_plural(times), cores, sampled);
}

void timer_diagnose(struct remarks *r, const struct profile *p,
                    const struct view *v)
{
    look_at_kept(r, p);
    look_at_repairs(r, p, v);
}
