/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out the newest stack of each core, innermost frame first. */
#include "stacks/snapshot.h"

#include <math.h>

#include "image/code/frame_place.h"
#include "image/names/image_map.h"
#include "image/names/symbolize.h"
#include "profile/aggregate/aggregate.h"
#include "util/arena.h"
#include "util/cpu/cpu.h"
#include "view/view_build.h"

/* Is the mark also shown by the state of the core, or by the end of its
 * stack? */
static bool told_elsewhere(uint32_t function)
{
    return function == VIEW_IDLE || function == VIEW_LOST ||
           function == VIEW_DEEPER;
}

/* Find the first address of the function of (step), in its image's file.
 * Returns false if it is unknown. */
static bool find_start(const struct image_map *image_map,
                       const struct view_step *step, uint64_t *start)
{
    const struct mapped_image *image = image_map_image(image_map, step->image);
    const struct symbol *symbol;

    if (image->symbolizer == NULL)
        return false;
    symbol = symbolize(image->symbolizer, step->address);
    *start = symbol->start;
    return symbol->kind != SYMBOL_ADDRESS && symbol->start <= step->address;
}

/* Make the frame of (step), which continues (behind) bytes after its
 * address. */
static struct snapshot_frame frame_of(const struct view *v,
                                      const struct image_map *image_map,
                                      const struct view_step *step,
                                      uint64_t behind)
{
    const struct view_function *f = &v->functions[step->function];
    struct snapshot_frame frame = {.function = f->name,
                                   .mark = step->function < VIEW_MARKS};
    uint64_t start;

    if (frame.mark)
        return frame;
    frame.file = step->file;
    frame.line = step->line;
    frame.image = v->images[step->image].name;
    frame.address = step->address + behind;
    frame.inlined = step->inlined;
    frame.nameless = f->nameless;
    if (!step->inlined && !f->nameless && find_start(image_map, step, &start)) {
        frame.has_offset = true;
        frame.offset = frame.address - start;
    }
    return frame;
}

/* The reason why the stack ends here; NULL: the stack is complete. */
static const char *end_of(uint8_t end)
{
    switch (end) {
    case WIRE_END_DEPTH:
        return "there are more callers: raise --depth to see them";
    case WIRE_END_MEMORY:
        return "the next frame is in memory that may not be read";
    case WIRE_END_NOT_RISING:
        return "the next frame is not above this one";
    case WIRE_END_TEXT:
        return "the next return address is not in code";
    case WIRE_END_REST:
        return "the code before the timer stopped";
    case WIRE_END_REASONS:
        return "the callers were lost in transport";
    default:
        return NULL;
    }
}

/* Lay out the (path) of the newest sample in (core). Returns 0; -1 if there is
 * no memory. */
static int lay_frames(struct snapshot_core *core, const struct view *v,
                      const struct image_map *image_map,
                      const struct view_path *path, struct arena *arena)
{
    struct snapshot_frame *frames =
        arena_alloc(arena, (path->count + 1) * sizeof *frames);
    uint64_t behind = 0; /* the address of a caller is within its call */

    if (frames == NULL)
        return -1;
    for (size_t i = path->count; i-- > 0;) {
        const struct view_step *step = &path->steps[i];

        if (told_elsewhere(step->function))
            continue;
        frames[core->count] = frame_of(v, image_map, step, behind);
        if (!frames[core->count].mark && !step->inlined)
            behind = 1;
        core->count++;
    }
    core->frames = frames;
    return 0;
}

bool snapshot_is_off(const struct profile *p, const struct profile_core *core)
{
    if (core->has_stats)
        return (core->stats.flags & WIRE_STATS_STARTED) == 0;
    /* if other cores have counters, this core has not joined */
    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].has_stats)
            return core->total.samples == 0;
    return false;
}

static bool has_sample(const struct profile_core *core)
{
    return core->selected && core->total.samples != 0 &&
           core->latest.count != 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The time of the newest sample of all cores. */
static uint64_t newest_of(const struct profile *p)
{
    uint64_t newest = 0;

    for (size_t i = 0; i < p->core_count; i++)
        if (has_sample(&p->cores[i]) &&
            p->cores[i].latest.samples[0].tsc > newest)
            newest = p->cores[i].latest.samples[0].tsc;
    return newest;
}

/* Returns the index of the newest sample of (core) that is closest to (moment).
 */
static uint32_t sample_of(const struct profile_core *core, uint64_t moment)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < core->latest.count; i++)
        if (distance(core->latest.samples[i].tsc, moment) <
            distance(core->latest.samples[best].tsc, moment))
            best = i;
    return best;
}

/* Is the sample of (core) at (moment)? Times are rounded; samples are at least
 * half a period apart. */
static bool is_at(const struct profile *p, const struct profile_core *core,
                  uint64_t moment)
{
    uint32_t i = sample_of(core, moment);

    return has_sample(core) &&
           distance(core->latest.samples[i].tsc, moment) <= p->period_tsc / 4;
}

static size_t count_at(const struct profile *p, uint64_t moment)
{
    size_t count = 0;

    for (size_t i = 0; i < p->core_count; i++)
        count += is_at(p, &p->cores[i], moment);
    return count;
}

/* Returns the moment to show: the newest. All cores of a guest sampled from
 * outside are stopped at once, so its moment is the last at which most cores
 * have a sample. The last samples of some cores may be missing. */
static uint64_t moment_of(const struct profile *p, bool outside)
{
    uint64_t moment = newest_of(p);
    size_t most = 0;

    for (size_t i = 0; outside && i < p->core_count; i++) {
        const struct profile_latest *l = &p->cores[i].latest;

        for (uint32_t j = 0; has_sample(&p->cores[i]) && j < l->count; j++) {
            uint64_t tsc = l->samples[j].tsc;
            size_t count = count_at(p, tsc);

            if (count > most || (count == most && tsc > moment)) {
                most = count;
                moment = tsc;
            }
        }
    }
    return moment;
}

/* Returns the age in seconds of the sample of (core) that is closest to
 * (moment), counted back from the newest sample of all. Samples of one moment
 * have the same age. */
static double age_of(const struct profile *p, const struct profile_core *core,
                     uint64_t moment)
{
    uint64_t tsc = core->latest.samples[sample_of(core, moment)].tsc;

    if (is_at(p, core, moment))
        tsc = moment;
    return (double)(int64_t)(newest_of(p) - tsc) / (double)p->tsc_hz;
}

/* Find the registers of (core) among (kept) for the sample at (moment): at the
 * sample's instruction, and closest to its rounded time. NULL if there are
 * none. */
static const struct registers *registers_of(const struct registers_kept *kept,
                                            const struct profile_core *core,
                                            uint64_t moment)
{
    uint32_t sample = sample_of(core, moment);
    uint32_t entry = core->latest.samples[sample].entry;
    uint64_t tsc = core->latest.samples[sample].tsc;
    const struct registers *best = NULL;

    if (kept == NULL || !has_sample(core) || entry >= core->entry_count ||
        core->core >= REGISTERS_CORES)
        return NULL;
    for (size_t i = 0; i < REGISTERS_KEPT; i++) {
        const struct registers *r = &kept->of[core->core][i];

        if (r->time != 0 && r->value[0] == core->entries[entry].leaf &&
            (best == NULL ||
             distance(r->time, tsc) < distance(best->time, tsc)))
            best = r;
    }
    return best;
}

/* Is the idle core with registers (r) dead: asleep until an interrupt, with
 * interrupts off? */
static bool is_dead(const struct cpu *cpu, const struct view_path *path,
                    const struct image_map *image_map,
                    const struct registers *r)
{
    size_t i = path->count;

    if (r == NULL || cpu->interruptible(r->value))
        return false;
    while (i > 0 && path->steps[i - 1].function < VIEW_MARKS)
        i--;
    if (i == 0)
        return false;
    const struct view_step *leaf = &path->steps[i - 1];
    const struct mapped_image *image = image_map_image(image_map, leaf->image);

    return image->frame_places != NULL &&
           frame_place_behind_halt(image->frame_places, leaf->address);
}

/* Fill in cores[i] of (p) at (moment). Returns 0; -1 if there is no memory. */
static int look_at(struct snapshot_core *core, const struct profile *p,
                   size_t i, const struct view *v,
                   const struct image_map *image_map, uint64_t moment,
                   const struct registers_kept *kept, struct arena *arena)
{
    const struct profile_core *c = &p->cores[i];
    uint32_t sample = sample_of(c, moment);
    uint32_t entry = c->latest.samples[sample].entry;
    bool known = entry < c->entry_count;
    struct view_path path;

    core->core = c->core;
    core->off = snapshot_is_off(p, c);
    core->absent = c->absent;
    core->left = core->off && c->has_stats && !c->absent;
    core->state = SNAPSHOT_NONE;
    core->age_s = -1;
    if (!has_sample(c))
        return 0;
    if (!view_path_of(v, i, known ? entry : c->entry_count, &path))
        return -1;
    core->cpu = cpu_of_wire(p->guest.arch);
    if (core->cpu == NULL)
        core->cpu = cpu_at(0);
    core->registers = registers_of(kept, c, moment);
    core->state = !path.idle ? SNAPSHOT_BUSY
                  : is_dead(core->cpu, &path, image_map, core->registers)
                      ? SNAPSHOT_DEAD
                      : SNAPSHOT_IDLE;
    core->end = end_of(
        profile_stack(p, known ? c->entries[entry].stack : STACK_OTHERS).end);
    if (p->tsc_hz != 0)
        core->age_s = fmax(age_of(p, c, moment), 0);
    return lay_frames(core, v, image_map, &path, arena);
}

/* Seconds for which (p) was stopped to be sampled; less than 0: unknown. Each
 * core's counters contain all stops. */
static double stood_of(const struct profile *p)
{
    double stood = -1;

    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].has_stats && p->tsc_hz != 0)
            stood = fmax(stood, (double)p->cores[i].stats.cost_tsc /
                                    (double)p->tsc_hz);
    return stood;
}

struct snapshot *snapshot_new(const struct profile *p, const struct view *v,
                              const struct image_map *image_map, double quiet_s,
                              double wait_s, const struct registers_kept *kept,
                              struct arena *arena)
{
    struct snapshot *s = arena_alloc(arena, sizeof *s);
    bool outside = (p->guest.features & WIRE_FEATURE_OUTSIDE) != 0;
    uint64_t moment = moment_of(p, outside);

    if (s == NULL)
        return NULL;
    s->wait_s = wait_s;
    s->registers = kept != NULL;
    s->outside = outside;
    s->stood_s = outside && wait_s > 0 ? stood_of(p) : -1;
    s->cores = arena_alloc(arena, (p->core_count + 1) * sizeof *s->cores);
    if (s->cores == NULL)
        return NULL;
    for (size_t i = 0; i < p->core_count; i++) {
        struct snapshot_core *core = &s->cores[s->count];

        if (!p->cores[i].selected)
            continue;
        if (look_at(core, p, i, v, image_map, moment, kept, arena) != 0)
            return NULL;
        if (core->age_s >= 0)
            core->age_s += fmax(quiet_s, 0);
        core->apart = outside && core->state != SNAPSHOT_NONE &&
                      !is_at(p, &p->cores[i], moment);
        core->late = wait_s > 0 && core->age_s > wait_s;
        s->count++;
    }
    return s;
}
