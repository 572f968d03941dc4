/* SPDX-License-Identifier: BSD-2-Clause */
/* Remarks for the reader of a report: one function for each kind of trouble. */
#include "diagnose/diagnose.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "diagnose/core_list.h"
#include "diagnose/diagnose_parts.h"
#include "diagnose/selected.h"
#include "util/text.h"

/* A core with fewer samples has rough shares. */
#define FEW_SAMPLES    100
/* Seconds, and periods, without a tick that make a core silent. */
#define SILENT_WARNED  3.0
#define SILENT_PERIODS 30

static bool started(const struct profile_core *core)
{
    return core->has_stats && (core->stats.flags & WIRE_STATS_STARTED) != 0;
}

static bool ticks(const struct profile_core *core)
{
    return account_ticks(&core->account) != 0 ||
           (core->has_stats && core->stats.ticks != 0);
}

static bool never_ticked(const struct profile_core *core)
{
    return started(core) && !ticks(core) && !timer_is_kept(core);
}

static bool only_full(const struct profile_core *core)
{
    const struct account *a = &core->account;
    uint64_t full = a->ring_full;

    if (full == 0 && core->has_stats)
        full = core->stats.ring_full;
    return a->samples == 0 && full != 0;
}

static bool has_stats(const struct profile_core *core)
{
    return core->has_stats;
}

/* Name the first step of a sample's way at which all samples were lost. */
static void why_nothing_came(struct remarks *r, const struct profile *p)
{
    if (p->has_status && p->status.refusal == WIRE_REFUSED_NO_CLOCK)
        remarks_warn(
            r, "No samples: the guest does not know the rate of its clock, and "
               "refused to start. Set config.tsc_hz, or sample for more than a "
               "second so that the rate can be measured.");
    else if (p->has_status && p->status.refusal == WIRE_REFUSED_NO_CORE)
        remarks_warn(r, "No samples: no core of the guest takes part. Call "
                        "tprof_start_cpu() on each core, and check the value "
                        "that it returns.");
    else if (core_list_any(p, only_full))
        remarks_warn(r,
                     "No samples: the guest took samples, but its rings filled "
                     "up before they were drained. The guest's cores must "
                     "enable interrupts, or call tprof_poll(); the guest's "
                     "device must be the one that is connected here.");
    else if (core_list_any(p, has_stats) && !core_list_any(p, started))
        remarks_warn(r, "No samples: no core has called tprof_start_cpu().");
    else if (!p->has_status && (p->guest.features & WIRE_FEATURE_ONE_WAY) == 0)
        remarks_warn(
            r,
            "No samples: the guest waits for a request to start, and has not "
            "confirmed one. A busy host needs more time: sample for longer. A "
            "port that QEMU writes to a file carries no requests: attach to a "
            "socket with --serial, or give the guest a one-way channel.");
    else if (core_list_any(p, never_ticked) && !core_list_any(p, ticks))
        remarks_warn(r, "No samples: %s", timer_why_none(p));
    else if (p->from_memory && p->has_status && p->status.rate_hz == 0)
        remarks_warn(r, "No samples: no collector had asked the guest for "
                        "samples before the dump was taken. Set config.always "
                        "to have the last samples in every dump.");
    else if (p->from_memory)
        remarks_warn(r,
                     "No samples: the rings in the dump are empty. Were "
                     "interrupts off on all cores, or %s?",
                     timer_question(p));
    else
        remarks_warn(
            r, "No samples: the stream ends before the first sample. Sample "
               "for longer, or find the whole file if this one was cut.");
}

/* Warn that samples came, but none of them is in the selection. */
static void say_selection(struct remarks *r, const struct profile *p)
{
    char list[CORE_LIST_SIZE];
    size_t cores = core_list_find(p, core_delivered, list);

    if (core_list_any(p, selected_has_less)) {
        remarks_warn(r, "No samples are left: --exclude, --thread or --request "
                        "leaves out all of them.");
        return;
    }
    remarks_warn(r,
                 "No samples of the selected cores in the selected time. There "
                 "are samples of core%s %s, from 0 s to %.1f s.",
                 text_plural(cores), list, p->duration_s);
}

static void look_for_samples(struct remarks *r, const struct profile *p,
                             const struct view *v)
{
    char list[CORE_LIST_SIZE];

    if (!core_list_any(p, core_delivered)) {
        why_nothing_came(r, p);
        return;
    }
    if (v->total.all.samples == 0)
        say_selection(r, p);
    else if (v->total.busy.samples == 0)
        remarks_warn(
            r, "Every sample found its core idle (in hlt or mwait): there was "
               "no work to profile. Sample while the guest is busy.");
    if (core_list_find(p, never_ticked, list) != 0)
        remarks_warn(r,
                     "No tick at all on core %s: are interrupts off there, or "
                     "%s?",
                     list, timer_question(p));
}

static void look_for_few(struct remarks *r, const struct view *v)
{
    char list[CORE_LIST_SIZE] = "";

    for (size_t i = 0; i < v->core_count; i++) {
        uint64_t n = v->cores[i].busy.samples;

        if (n != 0 && n < FEW_SAMPLES)
            core_list_span(list, v->cores[i].core, v->cores[i].core);
    }
    if (list[0] != '\0')
        remarks_warn(r,
                     "Fewer than %d busy samples on core %s: the ranges are "
                     "wide. Sample for longer, or at a higher --rate.",
                     FEW_SAMPLES, list);
}

/* End of the time line of (p) in seconds; 0 without a time line. A very long
 * profile is longer than its time line. */
static double silence_end(const struct profile *p)
{
    size_t longest = 0;

    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].second_count > longest)
            longest = p->cores[i].second_count;
    return fmin(p->duration_s, (double)longest);
}

/* Seconds from the last tick of (core) to (end). */
static double silence_of(const struct profile_core *core, double end)
{
    size_t last = core->second_count;

    while (last > 0 && core->seconds[last - 1].samples == 0 &&
           core->seconds[last - 1].lost == 0)
        last--;
    return fmax(end - (double)last, 0);
}

/* Find cores that had ticks and did not leave, but have no more ticks while
 * other cores do. */
static void look_for_silence(struct remarks *r, const struct profile *p)
{
    double end = silence_end(p);

    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *core = &p->cores[i];
        double s = silence_of(core, end);
        bool left =
            core->has_stats && (core->stats.flags & WIRE_STATS_STARTED) == 0;

        if (!core->selected || !core_delivered(core) || left ||
            timer_is_kept(core) || p->tsc_hz == 0 || s < SILENT_WARNED ||
            s * (double)p->tsc_hz < SILENT_PERIODS * (double)p->period_tsc)
            continue;
        remarks_warn(r,
                     "Core %" PRIu32
                     " had no tick in the last %.0f s, while other cores had "
                     "ticks: are interrupts off there since then, or %s?",
                     core->core, s, timer_question(p));
    }
}

static void look_for_fixed_tick(struct remarks *r, const struct profile *p)
{
    if (p->guest.intervals != WIRE_INTERVALS_KERNEL || !p->has_status ||
        p->status.every > 2)
        return;
    remarks_warn(r,
                 "Samples follow the kernel's own fixed tick of %" PRIu32
                 " Hz, so work in step with that tick is over- or "
                 "underrepresented. Use --rate %" PRIu32
                 " or less, so that the agent can choose ticks at random.",
                 p->guest.kernel_hz,
                 p->guest.kernel_hz >= 4 ? p->guest.kernel_hz / 4 : 1);
}

static void look_at_core(struct remarks *r, const struct profile *p,
                         const struct profile_core *core)
{
    const struct core_stats *stats = &core->stats;

    if (core->account.violations != 0)
        remarks_warn(r,
                     "Core %" PRIu32 ": in %" PRIu64 " frames records and "
                     "counters contradict each other. This is a defect of "
                     "the agent or the collector, or the guest lies.",
                     core->core, core->account.violations);
    if (core->jumps != 0 && p->tsc_hz != 0 && p->period_tsc != 0) {
        double s = (double)core->jump_weight * (double)p->period_tsc /
                   (double)p->tsc_hz;
        char seconds[32] = "years";

        if (s < PROFILE_SECONDS_MAX)
            (void)snprintf(seconds, sizeof seconds, "%.1f s", s);
        remarks_note_first(r,
                           "Jumps of the clock on core %" PRIu32 ": %" PRIu64
                           ", of %s together (a pause, a migration). That time "
                           "is not counted.",
                           core->core, core->jumps, seconds);
    }
    if (core->has_stats && stats->faults != 0)
        remarks_note(r,
                     "Core %" PRIu32 ": %" PRIu64 " words of stacks were not "
                     "mapped, and their callers are missing: config.readable "
                     "names memory that has holes.",
                     core->core, stats->faults);
    if (core->strangers != 0)
        remarks_warn(r,
                     "Ticks on cores that never called tprof_start_cpu(): "
                     "%" PRIu64 ". Is config.cpu_source right?",
                     core->strangers);
    if (core->has_stats && stats->device_errors != 0)
        remarks_note(
            r, "Errors of the device that the agent counted: %" PRIu64 ".",
            stats->device_errors);
}

/* Number of times that the guest was set back to an earlier state. */
static uint64_t restored(const struct profile *p)
{
    uint64_t most = 0;

    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].account.restored > most)
            most = p->cores[i].account.restored;
    return most;
}

static void look_at_boot(struct remarks *r, const struct profile *p)
{
    uint64_t overwritten = 0;
    bool told = false;

    if (!p->from_boot)
        return;
    for (size_t i = 0; i < p->core_count; i++) {
        overwritten += p->cores[i].overwritten;
        told |= p->cores[i].has_stats;
    }
    if (overwritten != 0)
        remarks_note_first(r,
                           "This profile begins during boot: the guest sampled "
                           "before a collector connected, and its rings kept "
                           "the newest samples. %" PRIu64
                           " older samples were overwritten.",
                           overwritten);
    else if (!told)
        remarks_note_first(
            r, "This profile begins at boot or during it: the guest sampled "
               "before a collector connected, and has not reported how many "
               "samples its rings could not keep.");
    else
        remarks_note_first(r, "This profile begins at boot: the guest sampled "
                              "before a collector connected. Samples that its "
                              "rings could not keep are counted as full.");
}

static void look_at_stream(struct remarks *r, const struct profile *p)
{
    const struct stream_health *h = &p->health;

    look_at_boot(r, p);

    if (restored(p) != 0)
        remarks_note_first(r,
                           "The guest was set back to an earlier state, such "
                           "as a snapshot, %" PRIu64
                           " times. Time before and after is added up; nothing "
                           "is counted twice.",
                           restored(p));
    if (p->has_status && p->status.turned_away != 0)
        remarks_note(
            r,
            "Vsock connections that the guest refused since it booted: %" PRIu64
            ".",
            p->status.turned_away);
    if (p->boots > 1)
        remarks_note_first(
            r, "The guest booted %" PRIu32 " times; all boots are added up.",
            p->boots);
    if (h->damaged != 0)
        remarks_note(r,
                     "Damaged stretches in the stream: %" PRIu64 ", of %" PRIu64
                     " bytes together; they were skipped.",
                     h->damaged, h->skipped);
    if (h->lost_frames != 0)
        remarks_note(r, "Frames lost on the way: %" PRIu64 ".", h->lost_frames);
    if (h->left_out != 0)
        remarks_note(r,
                     "Frames that arrived a second time or too late, and were "
                     "left out: %" PRIu64 ".",
                     h->left_out);
    if (h->malformed != 0)
        remarks_warn(r,
                     "Frames that were intact but made no sense: %" PRIu64
                     ", the first: %s.",
                     h->malformed, h->first_malformed);
    if (h->unknown_frames != 0 || h->unknown_records != 0)
        remarks_note(r,
                     "Frames of kinds that this collector does not know: "
                     "%" PRIu64 ", records: %" PRIu64
                     ". The guest's agent is newer.",
                     h->unknown_frames, h->unknown_records);
    if (p->tsc_hz == 0 && core_list_any(p, core_delivered))
        remarks_note(r, "The rate of the guest's clock is unknown: there are "
                        "shares, but no seconds. Set config.tsc_hz.");
    else if (p->tsc_measured)
        remarks_note(r,
                     "The guest's clock was measured over the channel: "
                     "%.1f MHz.",
                     (double)p->tsc_hz / 1e6);
}

/* The mistake of a core whose tprof_start_cpu() failed. */
static const char *why_refused(uint32_t error)
{
    switch (error) {
    case WIRE_START_NOT_INIT:
        return "the core called it before tprof_init() had succeeded";
    case WIRE_START_CPU:
        return "there are more cores than config.cpus, or config.memory, "
               "allows";
    case WIRE_START_APIC:
        return "the core has no local APIC";
    case WIRE_START_APIC_OFF:
        return "the core's local APIC was disabled";
    case WIRE_START_APIC_UNMAPPED:
        return "the local APIC was not mapped";
    case WIRE_START_VECTOR_TAKEN:
        return "config.vector has another handler on that core";
    case WIRE_START_TIMER_TAKEN:
        return "the kernel uses that core's local APIC timer for its ticks: "
               "set config.timer (PORTING.md, \"The timer\")";
    case WIRE_START_IDT:
        return "the core had no IDT yet, or one that is too short or "
               "read-only";
    default:
        return NULL;
    }
}

static void look_for_refused(struct remarks *r, const struct profile *p)
{
    const struct guest_status *s = &p->status;
    const char *why = why_refused(s->refused_error);
    char number[32] = "";

    if (!p->has_status || s->refused == 0)
        return;
    if (why == NULL)
        (void)snprintf(number, sizeof number, "it returned -%" PRIu32,
                       s->refused_error);
    remarks_warn(r,
                 "The core with APIC id %" PRIu32 " is missing: its "
                 "tprof_start_cpu() failed, since %s. Calls that failed on "
                 "all cores: %" PRIu32 ".",
                 s->refused_core, why != NULL ? why : number, s->refused);
}

static bool never_seen(const struct profile_core *core)
{
    return core->selected && !core_delivered(core);
}

/* Add the notes that hold for every guest sampled from outside. */
static void look_at_outside(struct remarks *r, const struct profile *p)
{
    char list[CORE_LIST_SIZE];

    if ((p->guest.features & WIRE_FEATURE_OUTSIDE) == 0 ||
        !core_list_any(p, core_delivered))
        return;
    remarks_note_first(
        r, "Without an agent, code that accesses devices is overcounted, "
           "because a core stops only after the access. An agent counts such "
           "code correctly, and costs a thousandth of a stop.");
    if (core_list_find(p, never_seen, list) != 0)
        remarks_note_first(r, "Core %s ran no 64-bit code and was not sampled.",
                           list);
}

void diagnose_profile(struct remarks *r, const struct profile *p,
                      const struct view *v)
{
    look_for_refused(r, p);
    look_for_samples(r, p, v);
    loss_diagnose(r, p, v);
    look_for_silence(r, p);
    look_for_fixed_tick(r, p);
    look_for_few(r, v);
    stacks_diagnose(r, p, v);
    for (size_t i = 0; i < p->core_count; i++)
        look_at_core(r, p, &p->cores[i]);
    implausible_diagnose(r, p);
    timer_diagnose(r, p, v);
    look_at_stream(r, p);
    look_at_outside(r, p);
}

/* "12 small branches", "3 samples", or both. */
static void list_folded(char *list, size_t size, uint64_t branches,
                        uint64_t samples)
{
    char some[TEXT_NUMBER], more[TEXT_NUMBER];

    (void)snprintf(list, size, "%s%s%s%s%s",
                   branches != 0 ? text_count(some, branches) : "",
                   branches != 0 ? " small branches" : "",
                   branches != 0 && samples != 0 ? " and the stacks of " : "",
                   samples != 0 ? text_count(more, samples) : "",
                   samples != 0 ? " samples" : "");
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * (part < whole ? part / whole : 1) : 0;
}

#define MIB 1048576.0

/* The --memory, in whole MiB, with which nothing would be folded. */
static uint64_t enough(const struct profile *p, const struct view *v,
                       uint64_t memory, bool alone)
{
    double given = (double)memory;
    /* the profile's share must grow by (share); the view then takes (view) */
    double share = fmax((double)p->wanted / (double)p->memory, 1);
    double view = (double)v->wanted * share;
    double bytes = given * fmax(share, view / (double)v->memory);

    /* a view takes all that the profile of the only guest has left, less an
     * eighth for code in pages */
    if (alone)
        bytes = fmax(given * share, given + (view - (double)v->memory) * 8 / 7 +
                                        (share - 1) * (double)p->memory);
    return ((uint64_t)(bytes / MIB) + 1) * (uint64_t)MIB;
}

void diagnose_memory(struct remarks *r, const struct profile *p,
                     const struct view *v, uint64_t memory, bool alone)
{
    uint64_t samples = 0;
    char list[2 * TEXT_NUMBER + 64], given[TEXT_SIZE], more[TEXT_SIZE];

    if (p->refused_threads != 0 || p->refused_waits != 0)
        remarks_warn(r,
                     "Some threads, or their waits, had no room and are not "
                     "shown: at most 65,536 of each are kept, in --memory %s. "
                     "If there are fewer, give more --memory.",
                     text_size(given, memory));
    for (size_t i = 0; i < p->core_count; i++)
        samples += p->cores[i].folded;
    if (samples == 0 && v->folded == 0)
        return;
    list_folded(list, sizeof list, v->folded, samples);
    remarks_warn(r,
                 "%s were folded into [others], because %s--memory %s was used "
                 "up. [others] has %.1f %% of the busy time. For more give "
                 "--memory %s, or report a part of the time with --time.",
                 list, alone ? "" : "this guest's share of ",
                 text_size(given, memory),
                 percent(v->others.time, v->total.busy.time),
                 text_size(more, enough(p, v, memory, alone)));
}
