/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts that the agent sent about itself. */
#include <inttypes.h>
#include <stdio.h>

#include "report/table.h"
#include "util/cpu/cpu.h"
#include "util/text.h"

static const char *arch_name(uint8_t arch)
{
    const struct cpu *cpu = cpu_of_wire(arch);

    return cpu != NULL ? cpu->name : "an unknown CPU";
}

static void write_agent(FILE *out, const struct report *r)
{
    const struct guest *g = &r->profile->guest;
    char line[160], slots[TEXT_NUMBER], directory[64] = "";

    if (g->directory != 0)
        (void)snprintf(directory, sizeof directory,
                       ", tprof_directory at 0x%" PRIx64, g->directory);
    (void)snprintf(line, sizeof line,
                   "for %s, wire format %u.%u, %s stack ids a core%s.",
                   arch_name(g->arch), (unsigned)(g->wire_version >> 8),
                   (unsigned)(g->wire_version & 0xffu),
                   text_count(slots, g->dict_slots), directory);
    text_wrap(out, "Agent: ", line, table_columns(r));
}

static void write_core(FILE *out, const struct profile_core *c)
{
    const uint64_t columns[] = {c->stats.apic_id, c->stats.stacks,
                                c->stats.by_division, c->stats.foreign};
    char count[TEXT_NUMBER];

    (void)fprintf(out, "%6" PRIu32, c->core);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        (void)fprintf(out, " %12s", text_count(count, columns[i]));
    (void)putc('\n', out);
}

static void write_cores(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    bool begun = false;

    for (size_t i = 0; i < p->core_count; i++) {
        if (!p->cores[i].has_stats || p->cores[i].absent)
            continue;
        if (!begun)
            (void)fputs("Counted by the agent since it began:\n"
                        "  CORE      APIC ID       STACKS      DIVIDED      "
                        "FOREIGN\n",
                        out);
        begun = true;
        write_core(out, &p->cores[i]);
    }
    if (begun)
        text_wrap(out, "  ",
                  "DIVIDED: ticks that covered too many deadlines to draw each "
                  "of them. FOREIGN: interrupts at the agent's vector that "
                  "were neither ticks nor work for it.",
                  table_columns(r));
}

/* Write facts that the agent found out about cores, if they apply to any
 * core. */
static void write_facts(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    uint32_t flags = 0;

    for (size_t i = 0; i < p->core_count; i++)
        flags |= p->cores[i].has_stats ? p->cores[i].stats.flags : 0u;
    if (flags & WIRE_STATS_ON_STACK)
        text_wrap(
            out, "Gate: ",
            "it has no stack of its own (IST), so it would overwrite a red "
            "zone. All code in ring 0 must be compiled with "
            "-mno-red-zone: collector check KERNEL names units that are "
            "not. Or give the gate a stack (agent/porting/gate.md).",
            table_columns(r));
    if (flags & WIRE_STATS_CLOCK_VARIES)
        text_wrap(out, "Clock: ",
                  "the CPU does not guarantee a constant rate of its TSC.",
                  table_columns(r));
}

/* The counters of the whole agent come with core 0's. */
static void write_busy(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    char line[120], count[TEXT_NUMBER];

    if (p->core_count == 0 || !p->cores[0].has_stats)
        return;
    (void)snprintf(line, sizeof line,
                   "%s frames had to wait, because no buffer was free.",
                   text_count(count, p->cores[0].stats.busy));
    text_wrap(out, "Channel: ", line, table_columns(r));
}

/* Say how a kernel reports its threads, if it does not. */
static void write_threads(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;

    if (p->thread_count == 0 && !(p->guest.features & WIRE_FEATURE_OUTSIDE))
        text_wrap(out, "Threads: ",
                  "the kernel reports none. tprof_switch() in its scheduler "
                  "and tprof_wake() would show the samples, the running, ready "
                  "and blocked time, and the waits of each thread.",
                  table_columns(r));
}

void table_details(FILE *out, const struct report *r)
{
    write_agent(out, r);
    write_facts(out, r);
    write_busy(out, r);
    write_cores(out, r);
    write_threads(out, r);
}
