/* SPDX-License-Identifier: BSD-2-Clause */
/* Files for ui.perfetto.dev: a trace of StackSample packets. */
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/export_rows.h"
#include "export/export_stacks.h"
#include "export/proto.h"
#include "view/view_build.h"

/*
 * Perfetto reads StackSample since its version 58. Its sources describe the
 * format: protos/perfetto/trace/profiling/stack_sample.proto, and in trace/
 * trace_packet.proto, interned_data/, generic_kernel/ and track_event/.
 *
 * A guest is a process. A core is a thread on the CPU with the core's number. A
 * sample belongs to the thread that the kernel reported, or else to the thread
 * of its core. A trace is a list of packets. Names, frames and stacks have
 * numbers, which are defined in the packet that uses them first. All packets
 * are of one sequence. The first packet of a core clears the numbers. Where
 * busy samples follow idle samples, or the reverse, a packet says that the
 * core's thread runs or sleeps. Slow requests are slices. Each has a track of
 * its own, because slow requests overlap; Perfetto joins tracks of one name.
 */

/* Field numbers, by message. */
enum trace_field { PACKET = 1 };
enum packet_field {
    PROCESS_TREE = 2,
    CLOCK_SNAPSHOT = 6,
    TIMESTAMP = 8,
    SEQUENCE = 10,
    TRACK_EVENT = 11,
    INTERNED = 12,
    SEQUENCE_FLAGS = 13,
    DEFAULTS = 59,
    TRACK = 60,
    TASK_STATE = 117,
    STACK_SAMPLE = 135
};
enum sequence_flag { CLEARED = 1, NEEDS_NUMBERS = 2 };
enum process_tree_field { PROCESSES = 1, THREAD = 2 };
enum process_field { PID = 1, CMDLINE = 3 };
enum thread_field { TID = 1, TID_NAME = 2, TID_PID = 3 };
enum clocks_field { CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIME = 2 };
enum clock { REALTIME = 1, BOOTTIME = 6 };
enum interned_field {
    FUNCTION_NAMES = 5,
    FRAMES = 6,
    CALLSTACKS = 7,
    SOURCE_PATHS = 18
};
enum string_field { STRING_ID = 1, STRING = 2 };
enum frame_field {
    FRAME_ID = 1,
    FRAME_NAME = 2,
    FRAME_PATH = 5,
    FRAME_LINE = 6
};
enum callstack_field { CALLSTACK_ID = 1, FRAME_IDS = 2 };
enum defaults_field { SAMPLE_DEFAULTS = 100, SOURCE = 1, DESCRIPTOR = 2 };
enum descriptor_field { NAME = 2, UNIT = 3, UNIT_TEXT = 4, SCOPE = 7 };
enum descriptor_value { NANOSECONDS = 1, SCOPE_CPU = 2 };
enum sample_field { TASK = 1, EXECUTION = 3, CALLSTACK = 6, WEIGHT = 11 };
enum task_field { TASK_PID = 2, TASK_TID = 3 };
enum execution_field { CPU = 2, MODE = 3 };
enum mode { GUEST_KERNEL = 5 };
enum track_field { UUID = 1, TRACK_NAME = 2, PROCESS = 3, PARENT = 5 };
enum event_field { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23 };
enum event_type { SLICE_BEGIN = 1, SLICE_END = 2 };
enum state_field { STATE_CPU = 1, STATE_NAME = 2, STATE_TID = 3, STATE = 4 };
enum state { RUNNING = 3, SLEEPING = 4 };

struct perfetto {
    uint32_t next_pid;
    struct proto packet, message, inner; /* under construction */
    struct proto numbers;                /* INTERNED of the next packet */
};

/* A core that is being written. */
struct lane {
    const struct report *report;
    size_t core;
    uint32_t pid, tid; /* of the core */
    bool has_threads;  /* samples may have threads of their own */
    const char *name;
    struct export_stacks tables;
    /* numbers that are defined, by function, frame and stack */
    bool *function, *frame, *stack;
    uint32_t *path;   /* room for the frames of a stack */
    enum state state; /* 0: not written yet */
};

static void write_packet(struct render *to, uint64_t flags)
{
    struct perfetto *p = to->state;
    struct proto *whole = &p->message;

    proto_uint(&p->packet, SEQUENCE, 1);
    proto_uint(&p->packet, SEQUENCE_FLAGS, flags);
    proto_message(whole, PACKET, &p->packet);
    (void)fwrite(whole->bytes, 1, whole->size, to->out);
    whole->size = 0;
}

static void put_text(struct proto *p, uint32_t field, const char *text)
{
    proto_bytes(p, field, text, strlen(text));
}

/* Add (value), even 0: for Perfetto a missing CPU or time is unknown. */
static void put_number(struct proto *p, uint32_t field, uint64_t value)
{
    proto_packed(p, (uint64_t)field << 3);
    proto_packed(p, value);
}

/* The first packet of a file is always the same, and guard/claim.c knows it. */
static void begin(struct render *to)
{
    struct perfetto *p = calloc(1, sizeof *p);

    to->state = p;
    to->no_memory = p == NULL;
    if (p == NULL)
        return;
    put_text(&p->inner, SOURCE, "tprof");
    proto_message(&p->message, SAMPLE_DEFAULTS, &p->inner);
    proto_message(&p->packet, DEFAULTS, &p->message);
    write_packet(to, CLEARED);
}

static void end(struct render *to)
{
    struct perfetto *p = to->state;

    if (p == NULL)
        return;
    to->no_memory |= p->packet.no_memory || p->message.no_memory ||
                     p->inner.no_memory || p->numbers.no_memory;
    proto_fini(&p->packet);
    proto_fini(&p->message);
    proto_fini(&p->inner);
    proto_fini(&p->numbers);
    free(p);
}

/* Write the first packet of a core, which clears the numbers of the previous
 * core. */
static void write_defaults(struct render *to, const struct profile *profile)
{
    struct perfetto *p = to->state;

    put_text(&p->inner, NAME, "cpu");
    if (profile->tsc_hz != 0)
        proto_uint(&p->inner, UNIT, NANOSECONDS);
    else
        put_text(&p->inner, UNIT_TEXT, export_unit(profile));
    proto_uint(&p->inner, SCOPE, SCOPE_CPU);
    put_text(&p->numbers, SOURCE, "tprof");
    proto_message(&p->numbers, DESCRIPTOR, &p->inner);
    proto_message(&p->message, SAMPLE_DEFAULTS, &p->numbers);
    proto_message(&p->packet, DEFAULTS, &p->message);
    write_packet(to, CLEARED);
}

/* Add thread (number) of process (pid) to the message. */
static void put_thread(struct perfetto *p, uint32_t pid, size_t number,
                       const char *name)
{
    proto_uint(&p->inner, TID, export_tid(pid, number));
    put_text(&p->inner, TID_NAME, name);
    proto_uint(&p->inner, TID_PID, pid);
    proto_message(&p->message, THREAD, &p->inner);
}

/* The guest as a process, with its cores and threads. */
static void write_process(struct render *to, const struct report *r,
                          uint32_t pid)
{
    const struct profile *profile = r->profile;
    struct perfetto *p = to->state;
    char name[NAME_PLAIN];

    proto_uint(&p->inner, PID, pid);
    put_text(&p->inner, CMDLINE, name_of_guest(name, r));
    proto_message(&p->message, PROCESSES, &p->inner);
    for (size_t i = 0; i < profile->core_count; i++)
        if (profile->cores[i].total.samples != 0)
            put_thread(p, pid, i, name_of_core(name, r, i));
    for (uint32_t i = 1; i <= profile->thread_count; i++)
        if (profile->threads[i - 1].sampled > 0)
            put_thread(p, pid, export_thread(profile, 0, i),
                       name_of_thread(name, profile, i));
    proto_message(&p->packet, PROCESS_TREE, &p->message);
    write_packet(to, 0);
}

static void write_event(struct render *to, uint64_t track, enum event_type type,
                        uint64_t ns, const char *name)
{
    struct perfetto *p = to->state;

    proto_uint(&p->message, EVENT_TYPE, type);
    proto_uint(&p->message, EVENT_TRACK, track);
    if (name != NULL)
        put_text(&p->message, EVENT_NAME, name);
    proto_message(&p->packet, TRACK_EVENT, &p->message);
    put_number(&p->packet, TIMESTAMP, ns);
    write_packet(to, 0);
}

/* Write slow request (i) as a slice: "page 107". */
static void write_slow(struct render *to, const struct report *r, size_t i,
                       uint32_t pid)
{
    const struct profile_slow *s = &r->profile->slow[i];
    uint64_t process = (uint64_t)pid << 32, track = process + 1 + i;
    struct perfetto *p = to->state;
    char kind[NAME_PLAIN], name[NAME_PLAIN + 32];
    uint64_t begun = export_ns(r->profile, (double)s->began);

    name_of_request(kind, r->profile, s->kind);
    proto_uint(&p->message, UUID, track);
    (void)snprintf(name, sizeof name, "Slow %s", kind);
    put_text(&p->message, TRACK_NAME, name);
    proto_uint(&p->message, PARENT, process);
    proto_message(&p->packet, TRACK, &p->message);
    write_packet(to, 0);
    (void)snprintf(name, sizeof name, "%s %" PRIu64, kind, s->number);
    write_event(to, track, SLICE_BEGIN, begun, name);
    write_event(to, track, SLICE_END,
                begun + export_ns(r->profile, (double)s->times.time), NULL);
}

/* The slow requests, below the process. */
static void write_requests(struct render *to, const struct report *r,
                           uint32_t pid)
{
    struct perfetto *p = to->state;

    if (r->profile->slow_count == 0 || r->profile->tsc_hz == 0)
        return;
    proto_uint(&p->message, UUID, (uint64_t)pid << 32);
    proto_uint(&p->inner, PID, pid);
    proto_message(&p->message, PROCESS, &p->inner);
    proto_message(&p->packet, TRACK, &p->message);
    write_packet(to, 0);
    for (size_t i = 0; i < r->profile->slow_count; i++)
        write_slow(to, r, i, pid);
}

static void put_clock(struct perfetto *p, uint64_t clock, uint64_t ns)
{
    proto_uint(&p->inner, CLOCK_ID, clock);
    put_number(&p->inner, CLOCK_TIME, ns);
    proto_message(&p->message, CLOCKS, &p->inner);
}

/* The time of day of the profile's start. */
static void write_clocks(struct render *to, const struct profile *profile)
{
    struct perfetto *p = to->state;

    if (!(profile->wall_start > 0))
        return;
    put_clock(p, BOOTTIME, 0);
    put_clock(p, REALTIME, (uint64_t)(profile->wall_start * 1e9));
    proto_message(&p->packet, CLOCK_SNAPSHOT, &p->message);
    write_packet(to, 0);
}

/* --- Numbers. A number in the trace is an index + 1. -----------------------
 */

static void define_text(struct perfetto *p, uint32_t field, uint64_t index,
                        const char *text)
{
    proto_uint(&p->inner, STRING_ID, index + 1);
    put_text(&p->inner, STRING, text);
    proto_message(&p->numbers, field, &p->inner);
}

static void define_function(struct perfetto *p, struct lane *l,
                            uint32_t function)
{
    const struct view_function *f = &l->report->view->functions[function];

    if (l->function[function])
        return;
    l->function[function] = true;
    define_text(p, FUNCTION_NAMES, function, f->name);
    if (f->file != NULL)
        define_text(p, SOURCE_PATHS, function, f->file);
}

static void define_frame(struct perfetto *p, struct lane *l, uint32_t frame)
{
    const struct export_frame *f = &l->tables.frames[frame];

    if (l->frame[frame])
        return;
    l->frame[frame] = true;
    define_function(p, l, f->function);
    proto_uint(&p->inner, FRAME_ID, (uint64_t)frame + 1);
    proto_uint(&p->inner, FRAME_NAME, (uint64_t)f->function + 1);
    if (l->report->view->functions[f->function].file != NULL)
        proto_uint(&p->inner, FRAME_PATH, (uint64_t)f->function + 1);
    proto_uint(&p->inner, FRAME_LINE, f->line);
    proto_message(&p->numbers, FRAMES, &p->inner);
}

static void define_stack(struct perfetto *p, struct lane *l, uint32_t stack)
{
    size_t depth = 0;

    if (l->stack[stack])
        return;
    l->stack[stack] = true;
    for (uint32_t at = stack; at != EXPORT_NO_STACK;
         at = l->tables.stacks[at].prefix)
        l->path[depth++] = l->tables.stacks[at].frame;
    for (size_t i = 0; i < depth; i++)
        define_frame(p, l, l->path[i]);
    proto_uint(&p->inner, CALLSTACK_ID, (uint64_t)stack + 1);
    while (depth-- > 0)
        proto_uint(&p->inner, FRAME_IDS, (uint64_t)l->path[depth] + 1);
    proto_message(&p->numbers, CALLSTACKS, &p->inner);
}

/* --- Samples -------------------------------------------------------------- */

static uint32_t cpu_of(const struct lane *l)
{
    return l->report->profile->cores[l->core].core;
}

/* Write whether the core runs or sleeps from (ns) on, if that has changed. */
static void write_state(struct render *to, struct lane *l, uint64_t ns,
                        uint32_t stack)
{
    struct perfetto *p = to->state;
    uint32_t frame = l->tables.stacks[stack].frame;
    bool is_idle = l->tables.frames[frame].function == VIEW_IDLE;
    enum state state = is_idle ? SLEEPING : RUNNING;

    if (state == l->state)
        return;
    l->state = state;
    put_number(&p->message, STATE_CPU, cpu_of(l));
    put_text(&p->message, STATE_NAME, l->name);
    proto_uint(&p->message, STATE_TID, l->tid);
    proto_uint(&p->message, STATE, state);
    put_number(&p->packet, TIMESTAMP, ns);
    proto_message(&p->packet, TASK_STATE, &p->message);
    write_packet(to, 0);
}

/* The thread of the samples of (entry). */
static uint32_t tid_of(const struct lane *l, size_t entry)
{
    uint32_t thread = view_thread_of(l->report->view, l->core, entry);

    return export_tid(l->pid,
                      export_thread(l->report->profile, l->core, thread));
}

static void write_sample(struct render *to, struct lane *l,
                         const struct export_rows *row)
{
    struct perfetto *p = to->state;
    uint32_t stack = l->tables.entries[row->entry];
    uint32_t tid = l->has_threads ? tid_of(l, row->entry) : l->tid;
    uint64_t begun = row->ns > row->length_ns ? row->ns - row->length_ns : 0;

    if (row->timed)
        write_state(to, l, begun, stack);
    define_stack(p, l, stack);
    if (p->numbers.size != 0)
        proto_message(&p->packet, INTERNED, &p->numbers);
    proto_uint(&p->inner, TASK_PID, l->pid);
    proto_uint(&p->inner, TASK_TID, tid);
    proto_message(&p->message, TASK, &p->inner);
    put_number(&p->inner, CPU, cpu_of(l));
    proto_uint(&p->inner, MODE, GUEST_KERNEL);
    proto_message(&p->message, EXECUTION, &p->inner);
    proto_uint(&p->message, CALLSTACK, (uint64_t)stack + 1);
    proto_uint(&p->message, WEIGHT, row->length_ns);
    put_number(&p->packet, TIMESTAMP, row->ns);
    proto_message(&p->packet, STACK_SAMPLE, &p->message);
    write_packet(to, NEEDS_NUMBERS);
}

/* Allocate what depends on the tables. Returns 0; -1 if there is no memory. */
static int lane_init(struct lane *l)
{
    l->function = calloc(l->report->view->function_count + 1, 1);
    l->frame = calloc(l->tables.frame_count + 1, 1);
    l->stack = calloc(l->tables.stack_count + 1, 1);
    l->path = calloc(l->tables.stack_count + 1, sizeof *l->path);
    return l->function != NULL && l->frame != NULL && l->stack != NULL &&
                   l->path != NULL
               ? 0
               : -1;
}

static void lane_fini(struct lane *l)
{
    export_stacks_fini(&l->tables);
    free(l->function);
    free(l->frame);
    free(l->stack);
    free(l->path);
}

static void write_core(struct render *to, const struct report *r, size_t core,
                       uint32_t pid)
{
    char name[NAME_PLAIN];
    struct lane l = {.report = r,
                     .core = core,
                     .pid = pid,
                     .tid = export_tid(pid, core),
                     .has_threads = r->profile->thread_count != 0,
                     .name = name_of_core(name, r, core)};
    struct export_rows rows;

    export_stacks_init(&l.tables, to, r, core);
    to->no_memory |= lane_init(&l) != 0;
    export_rows_init(&rows, to, r, core);
    if (!to->no_memory)
        write_defaults(to, r->profile);
    while (!to->no_memory && export_rows_next(&rows))
        write_sample(to, &l, &rows);
    export_rows_fini(&rows);
    lane_fini(&l);
}

static void write_perfetto(struct render *to, const struct report *r)
{
    struct perfetto *p = to->state;

    if (to->no_memory)
        return;
    uint32_t pid = export_pid(&p->next_pid, r->profile->core_count +
                                                r->profile->thread_count);

    write_clocks(to, r->profile);
    write_process(to, r, pid);
    write_requests(to, r, pid);
    for (size_t i = 0; i < r->profile->core_count; i++)
        if (r->profile->cores[i].total.samples != 0)
            write_core(to, r, i, pid);
}

const struct render_ops render_perfetto = {
    .name = "perfetto",
    .suffix = "pftrace",
    .begin = begin,
    .write = write_perfetto,
    .end = end,
};
