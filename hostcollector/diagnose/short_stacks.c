/* SPDX-License-Identifier: BSD-2-Clause */
/* Remarks about stacks that are short or lack callers. */
#include "diagnose/diagnose_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/cpu/cpu.h"
#include "util/text.h"

/* Shares of the busy samples above which there is a warning. */
#define UNREADABLE_WARNED 0.20
#define ASTRAY_WARNED     0.30
#define HIDDEN_WARNED     0.20
#define UNTOLD_WARNED     0.20
#define LOST_WARNED       0.05

/* Advice for a guest that was sampled from outside. */
#define BY_TABLES "sample it by --unwind auto, which needs no frame pointers"

static double part(uint64_t n, uint64_t of)
{
    return of == 0 ? 0 : (double)n / (double)of;
}

static const struct cpu *cpu_of(const struct profile *p)
{
    const struct cpu *cpu = cpu_of_wire(p->guest.arch);

    return cpu != NULL ? cpu : cpu_at(0);
}

/* Advice that gives the function (f) a frame. */
static const char *frame_remedy(const struct cpu *cpu,
                                const struct view_function *f, bool outside)
{
    static const struct {
        const char *suffix, *remedy; /* of a file's name */
    } languages[] = {
        {".c", "compile it with -fno-omit-frame-pointer"},
        {".cc", "compile it with -fno-omit-frame-pointer"},
        {".cpp", "compile it with -fno-omit-frame-pointer"},
        {".rs", "compile it with -C force-frame-pointers=yes"},
        {".pas", "compile it with -OoNOSTACKFRAME"},
        {".pp", "compile it with -OoNOSTACKFRAME"},
        {".S", NULL}, /* depends on the CPU */
        {".s", NULL},
        {".asm", NULL},
    };
    const char *suffix = f->file != NULL ? strrchr(f->file, '.') : NULL;

    if (outside)
        return BY_TABLES;
    /* Free Pascal's unit System, and helpers of the compiler */
    if (strncmp(f->name, "System.", 7) == 0 ||
        strncmp(f->name + (f->name[0] == '$'), "fpc_", 4) == 0)
        return "rebuild the Free Pascal RTL with -OoNOSTACKFRAME";
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++)
        if (suffix != NULL && strcmp(suffix, languages[i].suffix) == 0)
            return languages[i].remedy != NULL ? languages[i].remedy
                                               : cpu->frame_advice;
    return cpu->any_frame_advice;
}

/* Find functions without a frame, which hide their callers. */
static void look_for_hidden_callers(struct remarks *r, const struct cpu *cpu,
                                    const struct view *v, bool outside)
{
    const struct view_function *most = NULL;
    uint64_t busy = v->total.busy.samples, sum = 0;

    for (size_t i = 0; i < v->function_count; i++) {
        const struct view_function *f = &v->functions[i];

        sum += f->hides;
        if (f->hides != 0 && (most == NULL || f->hides > most->hides))
            most = f;
    }
    if (most == NULL || part(sum, busy) < HIDDEN_WARNED)
        return;
    if (sum == most->hides)
        remarks_warn(r,
                     "%.0f %% of the stacks lack the caller of %s, which calls "
                     "others but has no frame: %s.",
                     100 * part(sum, busy), most->name,
                     frame_remedy(cpu, most, outside));
    else
        remarks_warn(r,
                     "%.0f %% of the stacks lack the caller of a function that "
                     "calls others but has no frame, %.0f %% that of %s: %s. "
                     "'collector check' counts such functions.",
                     100 * part(sum, busy), 100 * part(most->hides, busy),
                     most->name, frame_remedy(cpu, most, outside));
}

/* Find stacks that were not read at all, or not to their end. */
static void look_for_unreadable(struct remarks *r, const struct profile *p,
                                const struct view *v)
{
    double share = part(v->unreadable, v->total.busy.samples);
    uint8_t ranges = p->guest.readable;
    char sp[40] = "", count[24] = "";

    if (share < UNREADABLE_WARNED)
        return;
    if (v->unreadable_sp != 0)
        (void)snprintf(sp, sizeof sp, ", for example at %s 0x%" PRIx64,
                       cpu_of(p)->sp_name, v->unreadable_sp);
    if (ranges != 0)
        (void)snprintf(count, sizeof count, " (%u range%s)", ranges,
                       text_plural(ranges));
    remarks_warn(r,
                 "%.0f %% of the stacks lie outside readable memory%s: "
                 "config.readable%s does not cover this kernel's stacks%s.",
                 100 * share, sp, count,
                 p->guest.has_readable && ranges == 0
                     ? " (it is empty, so only the image may be read)"
                     : "");
}

/* Find stacks that end because FP did not point to a frame. */
static void look_for_astray(struct remarks *r, const struct cpu *cpu,
                            const struct view *v, bool outside)
{
    double share = part(v->astray, v->total.busy.samples);

    if (share > ASTRAY_WARNED)
        remarks_warn(r,
                     "%.0f %% of the stacks end after a frame or less, because "
                     "%s pointed to no frame: %s.",
                     100 * share, cpu->fp_name,
                     outside
                         ? BY_TABLES
                         : "compile the kernel with -fno-omit-frame-pointer "
                           "(Free Pascal: -OoNOSTACKFRAME); 'collector check' "
                           "shows where frames are missing");
}

/* Find stacks, walked by unwind tables and instructions, that end too early. */
static void look_for_untold(struct remarks *r, const struct view *v)
{
    double share = part(v->ends[WIRE_END_TEXT], v->total.busy.samples);

    if (share > UNTOLD_WARNED)
        remarks_warn(
            r,
            "%.0f %% of the stacks end at [caller?], where the next caller is "
            "not certain. Unwind tables make more callers certain: compile the "
            "kernel with -g (assembler: .cfi_startproc and the like), and "
            "sample it with --unwind auto. 'collector check' shows how much of "
            "the code has tables.",
            100 * share);
}

/* Has every core with counters and samples sent no stack at all? */
static bool none_was_described(const struct profile *p)
{
    bool told = false;

    for (size_t i = 0; i < p->core_count; i++) {
        told |= p->cores[i].has_stats && p->cores[i].account.samples != 0;
        if (p->cores[i].has_stats && p->cores[i].stats.stacks != 0)
            return false;
    }
    return told;
}

/* Find samples whose stack was lost. They count for no caller. */
static void look_for_lost(struct remarks *r, const struct profile *p,
                          const struct view *v)
{
    double share = part(v->ends[WIRE_END_REASONS], v->total.busy.samples);

    if (share > 0 && none_was_described(p)) {
        remarks_warn(
            r, "The agent never described a stack: a part of the agent is not "
               "loaded, or the kernel writes to the agent's memory. SELF %% is "
               "right, but there are no callers. 'collector check' lists "
               "sections that a loader does not load.");
        return;
    }
    if (share > LOST_WARNED)
        remarks_warn(r,
                     "The stacks of %.1f %% of the samples were lost in "
                     "transport; these samples are under [stack-lost]. SELF %% "
                     "is right, TOTAL %% of callers is too small.",
                     100 * share);
    else if (share > 0)
        remarks_note(r,
                     "The stacks of %.1f %% of the samples were lost in "
                     "transport; these samples are under [stack-lost].",
                     100 * share);
}

void stacks_diagnose(struct remarks *r, const struct profile *p,
                     const struct view *v)
{
    uint64_t busy = v->total.busy.samples;
    bool outside = (p->guest.features & WIRE_FEATURE_OUTSIDE) != 0;

    if ((p->guest.features & WIRE_FEATURE_EXACT) != 0) {
        look_for_untold(r, v);
    } else {
        look_for_unreadable(r, p, v);
        look_for_astray(r, cpu_of(p), v, outside);
        look_for_hidden_callers(r, cpu_of(p), v, outside);
    }
    if (part(v->ends[WIRE_END_DEPTH], busy) > .05)
        remarks_note_first(
            r,
            "%.0f %% of the stacks had more frames than were recorded; they "
            "begin at [deeper]. A higher --depth shows more.",
            100 * part(v->ends[WIRE_END_DEPTH], busy));
    look_for_lost(r, p, v);
}
