/* SPDX-License-Identifier: BSD-2-Clause */
#include "diagnose/diagnose_parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "diagnose/core_list.h"
#include "diagnose/cost.h"
#include "diagnose/selected.h"

/* A larger loss, as a share of the ticks, gets a warning. */
#define LOSS_WARNED   0.01
/* A core misses deadlines if more than this share of them had no tick. */
#define MISSED_WARNED 0.10

static uint64_t lost(const struct account *a)
{
    return account_ticks(a) - a->samples;
}

static bool loses(const struct account *a)
{
    return (double)lost(a) > LOSS_WARNED * (double)account_ticks(a);
}

static bool is_hit(const struct profile_second *s)
{
    return s->lost != 0 &&
           s->lost > LOSS_WARNED * ((double)s->samples + s->lost);
}

/* List the seconds of (core) that lost more than LOSS_WARNED. */
static void list_seconds(const struct profile_core *core, char *list)
{
    size_t first = 0;
    bool inside = false;

    list[0] = '\0';
    for (size_t i = 0; i <= core->second_count; i++) {
        bool hit = i < core->second_count && is_hit(&core->seconds[i]);

        if (hit && !inside)
            first = i;
        if (!hit && inside)
            core_list_span(list, first, i - 1);
        inside = hit;
    }
}

static const char *main_reason(const struct account *a)
{
    if (a->ring_full >= a->lost && a->ring_full >= a->reentered)
        return "the guest's ring was full: drain faster, or raise "
               "config.ring_bytes";
    if (a->lost >= a->reentered)
        return "frames were lost or damaged on the way";
    return "ticks came inside ticks: the rate is too high";
}

static void look_for_loss(struct remarks *r, const struct profile *p)
{
    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *core = &p->cores[i];
        const struct account a = selected_account(p, core);
        char list[CORE_LIST_SIZE];

        if (!loses(&a))
            continue;
        list_seconds(core, list);
        remarks_warn(r,
                     "Core %" PRIu32 " lost %.1f %% of its samples%s%s (%s). "
                     "Loss comes in bursts: what ran then is "
                     "underrepresented.",
                     core->core,
                     100.0 * (double)lost(&a) / (double)account_ticks(&a),
                     list[0] != '\0' ? ", in second " : "", list,
                     main_reason(&core->account));
    }
}

/* Missed deadlines, without those during a pause of the whole guest or while
 * the kernel used the timer. */
static uint64_t missed(const struct profile_core *core, const struct account *a,
                       const struct view_scope *scope)
{
    const struct amount *unseen = &scope->unseen;
    uint64_t explained =
        core->jump_weight - core->jumps + unseen->weight - unseen->samples;

    return a->missed > explained ? a->missed - explained : 0;
}

/* Context of misses() and is_told(). */
struct shown {
    const struct profile *profile;
    const struct view *view;
};

/* A core_test_of: does (core) miss too many deadlines? */
static bool misses(const struct profile_core *core, const void *shown)
{
    const struct shown *s = shown;
    const struct account a = core->selected ? selected_rest(s->profile, core)
                                            /* a core that is not selected
                                             * counts as a whole, because the
                                             * same host ran it */
                                            : core->account;
    uint64_t n = missed(core, &a, &s->view->cores[core->core]);

    return (double)n > MISSED_WARNED * (double)(account_ticks(&a) + n);
}

static bool is_told(const struct profile_core *core, const void *shown)
{
    return core->selected && misses(core, shown);
}

/*
 * Is the host the reason for the (share) of deadlines that were missed? It is
 * if the guest reports stolen time. It also is if half of the cores missed
 * deadlines at once: no lock of a kernel does that.
 */
static bool is_by_host(const struct steal *steal, double share, bool is_half)
{
    return is_half || steal->mean > share / 2;
}

static void look_for_missed(struct remarks *r, const struct profile *p,
                            const struct view *v)
{
    struct steal steal = cost_steal_of(p);
    char list[CORE_LIST_SIZE], account[96] = "";
    const struct shown shown = {p, v};
    size_t active = core_list_find(p, core_delivered, list);
    size_t found = core_list_find_of(p, misses, &shown, list);
    size_t told = core_list_find_of(p, is_told, &shown, list);
    double sum = 0, deadlines = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        const struct account a = selected_account(p, &p->cores[i]);

        sum += (double)missed(&p->cores[i], &a, &v->cores[i]);
        deadlines += (double)account_ticks(&a);
    }
    deadlines += sum;
    if (told == 0)
        return;
    if (p->guest.features & WIRE_FEATURE_OUTSIDE) {
        remarks_warn(
            r,
            "For %.0f %% of the samples the guest could not be stopped in "
            "time. Shares are still right, but their ranges are wider: ask for "
            "a lower --rate, or give QEMU and the collector priority by chrt "
            "(man collector) if they have none yet.",
            100 * sum / deadlines);
        return;
    }
    if (p->guest.features & WIRE_FEATURE_NMI) {
        remarks_warn(
            r,
            "%.0f %% of the NMIs were merged with others, because the cores "
            "that send NMIs had interrupts off, or did not run. Shares are "
            "still right, but their ranges are wider.",
            100 * sum / deadlines);
        return;
    }
    if (steal.cores != 0)
        (void)snprintf(
            account, sizeof account,
            " The host reports that it took %.1f %% of the cores' time away.",
            100 * steal.mean);
    r->host_short =
        is_by_host(&steal, sum / deadlines, active > 1 && found * 2 >= active);
    if (r->host_short)
        remarks_warn(
            r,
            "The host was too busy to run the guest at %.0f %% of the sample "
            "times. Shares are still right, but their ranges are wider.%s",
            100 * sum / deadlines, account);
    else
        remarks_warn(
            r,
            "Core %s had no sample of its own at more than a tenth of the "
            "sample times: the host did not run the core, or interrupts were "
            "off for long. If it was the host, shares are still right, but "
            "their ranges are wider. Time with interrupts off is counted "
            "where they come on again: at functions marked late or irqs off.%s",
            list, account);
}

void loss_diagnose(struct remarks *r, const struct profile *p,
                   const struct view *v)
{
    look_for_loss(r, p);
    look_for_missed(r, p, v);
}
