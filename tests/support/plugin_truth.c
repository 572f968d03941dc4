/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TCG plugin that knows the truth: what each core really executed. It counts
 * by callbacks, one instruction at a time: blocks are begun again after a
 * device access, and inline counters cannot tell cores apart. QEMU must run all
 * cores in one thread (-icount, or thread=single), but for functions' counts
 * and times.
 *
 * Arguments, each key=value:
 *   elf    the guest
 *   out    where the result goes, when QEMU exits
 *   begin  function whose execution starts the counts of its core; without it
 *          they run from the first instruction
 *   end    ... and stops them
 *   isr    first instruction of the profiler's interrupt; what follows, to the
 *          iretq, is the profiler's, and no function's
 *   aside  function of the profiler that runs in interrupts that are no ticks
 *   thread where functions THREADn are executed, the core begins to run thread
 * n stacks 1: the call stack of each tick, too; 2: by addresses instead of
 *          names, and the instructions by address, too
 *   time   1: host time by function, too, for those who sample by that; where a
 *          core waits (hlt, a stop, the host has others to run) is nobody's
 *   io     1: accesses of the profiler's interrupt to devices, and its stack
 *
 * Lines of the result, for each core C:
 *   core C function NAME INSTRUCTIONS
 *   core C thread N INSTRUCTIONS           with thread=, see plugin_threads.h
 *   core C time NAME NS                    with time=1
 *   core C total INSTRUCTIONS              with those of interrupts
 *   core C interrupts N INSTRUCTIONS LONGEST
 *   core C ticks N                         of these
 *   core C length INSTRUCTIONS N           so many interrupts took so many
 *   core C apic N                          accesses to the local APIC
 *   core C lvt_timer N                     those of its timer's LVT entry
 *   core C kicks N                         writes of virtio-mmio QueueNotify
 *   core C devices N                       accesses to local and I/O APIC and
 *                                          virtio-mmio, in interrupts or not
 *   core C isr_stack BYTES                 below what the CPU pushes
 *   core C stack STATE OUTERMOST;...;INNERMOST N      see plugin_shadow.h
 *   core C place ADDRESS INSTRUCTIONS      with stacks=2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plugin_shadow.h"
#include "plugin_symbols.h"
#include "plugin_threads.h"
#include "qemu_plugin.h"

#define CORES      16
#define BUCKETS    65536
#define LENGTH_MAX 65536 /* longer interrupts count as this */

#define LAPIC_START        0xfee00000u
#define LAPIC_END          0xfee01000u
#define LAPIC_LVT_TIMER    0x320u
#define IOAPIC_START       0xfec00000u
#define IOAPIC_END         0xfec20000u
#define VIRTIO_MMIO_START  0xfeb00000u /* QEMU's microvm */
#define VIRTIO_MMIO_END    0xfeb03000u
#define VIRTIO_MMIO_SIZE   0x200u
#define VIRTIO_MMIO_NOTIFY 0x050u

#define WAIT_NS 20000 /* no instruction takes so long */

#define ISR_STACK_LIMIT 1024 /* further down is somebody else's stack */

enum insn_kind {
    INSN_BEGIN = 1 << 0,
    INSN_END = 1 << 1,
    INSN_ISR = 1 << 2,
    INSN_IRET = 1 << 3,
    INSN_CALL = 1 << 4,
    INSN_RET = 1 << 5,
    INSN_PUSH_FP = 1 << 6,
    INSN_SET_FP = 1 << 7,
    INSN_POP_FP = 1 << 8,
    INSN_ASIDE = 1 << 9,
    INSN_PLACES = INSN_BEGIN | INSN_END | INSN_ISR | INSN_ASIDE,
};

/* One instruction of the guest; lives until QEMU exits. */
struct insn {
    struct insn *next; /* in its hash bucket */
    uint64_t address;
    size_t size;
    size_t function;
    unsigned kinds;
    uint32_t thread;          /* begins here; see plugin_threads.h */
    uint64_t executed[CORES]; /* where options.places */
};

struct core {
    bool seen;
    bool counting;
    uint64_t *executed; /* by function; the last is for none */
    uint64_t total;

    uint64_t *time_ns; /* by function, likewise */
    uint64_t last_ns;  /* when it began the instruction that it executes */

    bool in_interrupt;
    bool interrupt_counts; /* it came while counting */
    bool aside;            /* it is no tick */
    uint64_t length;
    uint64_t returned; /* ticks whose interrupted address comes next */
    uint64_t interrupts, interrupt_total, longest, ticks;
    uint64_t lengths[LENGTH_MAX + 1];

    uint64_t entry_rsp; /* of the interrupt, known from its first push */
    uint64_t apic, lvt_timer, kicks, devices, isr_stack;

    struct shadow shadow;
    struct threads threads;
};

static struct {
    const char *elf, *out, *begin, *end, *isr, *aside, *thread;
    bool stacks, places, io, time;
} options;

static struct symbols symbols;
static struct core cores[CORES];
static struct insn *buckets[BUCKETS];

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* The iretq was executed, this is what the ticks had interrupted. */
static void interrupted_at(struct core *c, const struct insn *insn)
{
    if (options.stacks && c->counting)
        shadow_count(&c->shadow, options.places ? NULL : &symbols,
                     insn->address, c->returned);
    c->returned = 0;
}

static void enter_interrupt(struct core *c)
{
    c->in_interrupt = true;
    c->interrupt_counts = c->counting;
    c->aside = false;
    c->length = 0;
    c->entry_rsp = 0;
}

static void leave_interrupt(struct core *c)
{
    c->in_interrupt = false;
    if (!c->interrupt_counts)
        return;
    c->returned += !c->aside;
    c->ticks += !c->aside;
    c->interrupts++;
    c->interrupt_total += c->length;
    if (c->length > c->longest)
        c->longest = c->length;
    c->lengths[c->length < LENGTH_MAX ? c->length : LENGTH_MAX]++;
}

static void follow_stack(struct core *c, const struct insn *insn)
{
    switch (insn->kinds & ~(unsigned)INSN_PLACES) {
    case INSN_CALL:
        shadow_call(&c->shadow, insn->address + insn->size);
        break;
    case INSN_RET:
        shadow_return(&c->shadow);
        break;
    case INSN_PUSH_FP:
        shadow_set_state(&c->shadow, SHADOW_PUSHED);
        break;
    case INSN_SET_FP:
        shadow_set_state(&c->shadow, SHADOW_READY);
        break;
    case INSN_POP_FP:
        shadow_set_state(&c->shadow, SHADOW_GONE);
        break;
    default:
        break;
    }
}

/* The block of (insn) has just begun. The time since another one began is this
 * one's: whoever stops QEMU then finds the core here, since blocks look at
 * their beginning whether they are to stop. So the clock is read first: that
 * (insn) is not in a cache costs time that belongs to the next block. */
static void pass_time(struct core *c, const struct insn *insn)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;

    if (c->counting && now - c->last_ns < WAIT_NS)
        c->time_ns[insn->function] += now - c->last_ns;
    c->last_ns = now;
}

static void on_insn(unsigned vcpu, void *context)
{
    struct core *c = &cores[vcpu % CORES];
    struct insn *insn = context;

    if (options.time)
        pass_time(c, insn);
    if (insn->kinds & INSN_ISR)
        enter_interrupt(c);
    else if (c->returned && !c->in_interrupt)
        interrupted_at(c, insn);
    if (insn->kinds & INSN_BEGIN)
        c->counting = true;
    if (insn->kinds & INSN_END)
        c->counting = false;
    c->seen = true;
    c->total += c->counting;

    if (c->in_interrupt) {
        c->length++;
        c->aside |= insn->kinds & INSN_ASIDE;
        if (insn->kinds & INSN_IRET)
            leave_interrupt(c);
        return;
    }
    if (insn->thread)
        c->threads.current = insn->thread;
    if (c->counting) {
        c->executed[insn->function]++;
        c->threads.executed[c->threads.current]++;
        insn->executed[vcpu % CORES]++;
    }
    /* no firmware; but between the marks further images, too */
    if (insn->kinds &&
        (insn->function < symbols.count || (options.begin && c->counting)))
        follow_stack(c, insn);
}

static bool is_lapic(uint64_t address)
{
    return address >= LAPIC_START && address < LAPIC_END;
}

static bool is_virtio_mmio(uint64_t address)
{
    return address >= VIRTIO_MMIO_START && address < VIRTIO_MMIO_END;
}

static void on_memory(unsigned vcpu, qemu_plugin_meminfo_t info,
                      uint64_t address, void *context)
{
    struct core *c = &cores[vcpu % CORES];
    bool store = qemu_plugin_mem_is_store(info);

    (void)context;
    c->devices +=
        c->counting && (is_lapic(address) || is_virtio_mmio(address) ||
                        (address >= IOAPIC_START && address < IOAPIC_END));
    if (!c->in_interrupt || !c->interrupt_counts)
        return;
    c->apic += is_lapic(address);
    c->lvt_timer += address == LAPIC_START + LAPIC_LVT_TIMER;
    if (is_virtio_mmio(address) && store &&
        address % VIRTIO_MMIO_SIZE == VIRTIO_MMIO_NOTIFY)
        c->kicks++;
    if (!store)
        return;
    if (c->entry_rsp == 0) /* the stub begins with a push */
        c->entry_rsp = address + sizeof(uint64_t);
    uint64_t below = c->entry_rsp - address;
    if (address < c->entry_rsp && below < ISR_STACK_LIMIT &&
        below > c->isr_stack)
        c->isr_stack = below;
}

/* The few opcodes that matter, as compilers and our assembly write them. */
static unsigned kind_of_code(const uint8_t *code, size_t size)
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};

    if (size == sizeof endbr && memcmp(code, endbr, size) == 0)
        return 0;
    if (size == 2 && code[0] == 0x48 && code[1] == 0xcf)
        return INSN_IRET;
    if (size == 3 && memcmp(code, "\x48\x89\xe5", 3) == 0)
        return INSN_SET_FP;
    if (size == 3 && memcmp(code, "\x48\x8b\xec", 3) == 0)
        return INSN_SET_FP;
    if (size == 1 && *code == 0x55)
        return INSN_PUSH_FP;
    if (size == 1 && (*code == 0x5d || *code == 0xc9))
        return INSN_POP_FP;
    /* repeat and REX prefixes may precede */
    while (size > 1 && (*code == 0xf2 || *code == 0xf3 || *code >> 4 == 4)) {
        code++;
        size--;
    }
    if (*code == 0xe8 || (*code == 0xff && size > 1 && (code[1] >> 3 & 7) == 2))
        return INSN_CALL;
    if (*code == 0xc3 || *code == 0xc2)
        return INSN_RET;
    return 0;
}

static unsigned kind_of_place(const struct insn *insn)
{
    const struct function *f;

    if (insn->function == symbols.count)
        return 0;
    f = &symbols.function[insn->function];
    if (insn->address != f->start)
        return 0;
    if (options.begin && strcmp(f->name, options.begin) == 0)
        return INSN_BEGIN;
    if (options.end && strcmp(f->name, options.end) == 0)
        return INSN_END;
    if (options.isr && strcmp(f->name, options.isr) == 0)
        return INSN_ISR;
    if (options.aside && strcmp(f->name, options.aside) == 0)
        return INSN_ASIDE;
    return 0;
}

static struct insn *new_insn(const struct qemu_plugin_insn *handle,
                             uint64_t address, size_t size)
{
    struct insn *insn = calloc(1, sizeof *insn);

    if (!insn)
        abort();
    insn->address = address;
    insn->size = size;
    insn->function = symbols_at(&symbols, address);
    insn->kinds =
        kind_of_place(insn) | kind_of_code(qemu_plugin_insn_data(handle), size);
    insn->thread = threads_mark(options.thread, &symbols, insn->function);
    return insn;
}

static struct insn *intern(const struct qemu_plugin_insn *handle)
{
    uint64_t address = qemu_plugin_insn_vaddr(handle);
    size_t size = qemu_plugin_insn_size(handle);
    struct insn **at = &buckets[address % BUCKETS];

    while (*at && ((*at)->address != address || (*at)->size != size))
        at = &(*at)->next;
    if (!*at)
        *at = new_insn(handle, address, size);
    return *at;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *handle = qemu_plugin_tb_get_insn(tb, i);

        qemu_plugin_register_vcpu_insn_exec_cb(
            handle, on_insn, QEMU_PLUGIN_CB_NO_REGS, intern(handle));
        if (options.io)
            qemu_plugin_register_vcpu_mem_cb(handle, on_memory,
                                             QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static void print_places(unsigned core, FILE *out)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct insn *at = buckets[i]; at; at = at->next)
            if (at->executed[core])
                fprintf(out, "core %u place 0x%llx %llu\n", core,
                        (unsigned long long)at->address,
                        (unsigned long long)at->executed[core]);
}

static void print_core(const struct core *c, unsigned core, FILE *out)
{
    for (size_t i = 0; i <= symbols.count; i++)
        if (c->executed[i])
            fprintf(out, "core %u function %s %llu\n", core,
                    i < symbols.count ? symbols.function[i].name : "?",
                    (unsigned long long)c->executed[i]);
    for (size_t i = 0; i <= symbols.count; i++)
        if (c->time_ns[i])
            fprintf(out, "core %u time %s %llu\n", core,
                    i < symbols.count ? symbols.function[i].name : "?",
                    (unsigned long long)c->time_ns[i]);
    fprintf(out, "core %u total %llu\n", core, (unsigned long long)c->total);
    fprintf(out, "core %u interrupts %llu %llu %llu\n", core,
            (unsigned long long)c->interrupts,
            (unsigned long long)c->interrupt_total,
            (unsigned long long)c->longest);
    fprintf(out, "core %u ticks %llu\n", core, (unsigned long long)c->ticks);
    for (size_t i = 0; i <= LENGTH_MAX; i++)
        if (c->lengths[i])
            fprintf(out, "core %u length %zu %llu\n", core, i,
                    (unsigned long long)c->lengths[i]);
    if (options.io)
        fprintf(out,
                "core %u apic %llu\ncore %u lvt_timer %llu\n"
                "core %u kicks %llu\n"
                "core %u devices %llu\ncore %u isr_stack %llu\n",
                core, (unsigned long long)c->apic, core,
                (unsigned long long)c->lvt_timer, core,
                (unsigned long long)c->kicks, core,
                (unsigned long long)c->devices, core,
                (unsigned long long)c->isr_stack);
    threads_print(&c->threads, core, out);
    if (options.stacks)
        shadow_print(&c->shadow, core, out);
    if (options.places)
        print_places(core, out);
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *context)
{
    FILE *out = fopen(options.out, "w");

    (void)id;
    (void)context;
    if (!out) {
        perror(options.out);
        return;
    }
    for (unsigned i = 0; i < CORES; i++)
        if (cores[i].seen)
            print_core(&cores[i], i, out);
    fclose(out);
}

static int take_option(const char *text)
{
    static const struct {
        const char *key;
        const char **value;
    } strings[] = {
        {"elf=", &options.elf},       {"out=", &options.out},
        {"begin=", &options.begin},   {"end=", &options.end},
        {"isr=", &options.isr},       {"aside=", &options.aside},
        {"thread=", &options.thread},
    };

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        size_t len = strlen(strings[i].key);

        if (strncmp(text, strings[i].key, len) == 0) {
            *strings[i].value = strdup(text + len);
            return *strings[i].value ? 0 : -1;
        }
    }
    options.places |= strcmp(text, "stacks=2") == 0;
    options.stacks |= options.places || strcmp(text, "stacks=1") == 0;
    options.io |= strcmp(text, "io=1") == 0;
    options.time |= strcmp(text, "time=1") == 0;
    if (strncmp(text, "stacks=", 7) == 0 || strncmp(text, "io=", 3) == 0 ||
        strncmp(text, "time=", 5) == 0)
        return 0;
    fprintf(stderr, "plugin: what is %s?\n", text);
    return -1;
}

/* A name that is not in the ELF would silently count nothing. */
static int check_name(const char *name)
{
    if (!name || symbols_named(&symbols, name) < symbols.count)
        return 0;
    fprintf(stderr, "plugin: %s: no function %s\n", options.elf, name);
    return -1;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
                        int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (take_option(argv[i]) < 0)
            return -1;
    if (!options.elf || !options.out) {
        fprintf(stderr, "plugin: needs elf= and out=\n");
        return -1;
    }
    if (symbols_init(&symbols, options.elf) < 0 ||
        check_name(options.begin) < 0 || check_name(options.end) < 0 ||
        check_name(options.isr) < 0 || check_name(options.aside) < 0)
        return -1;
    for (int i = 0; i < CORES; i++) {
        cores[i].counting = !options.begin;
        cores[i].executed = calloc(symbols.count + 1, sizeof(uint64_t));
        cores[i].time_ns = calloc(symbols.count + 1, sizeof(uint64_t));
        if (!cores[i].executed || !cores[i].time_ns)
            return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
    return 0;
}
