/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples a guest that has no agent. */
#include "outside/sampler.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "arch/host/machine.h"
#include "model/guest.h"
#include "outside/outside_memory.h"
#include "outside/sampler_parts.h"
#include "state/agent.h"
#include "tprof/tprof.h"
#include "util/cpu/cpu.h"
#include "util/host_clock.h"

#define SECOND        1000000000u
#define LOWEST        4096u /* lowest address of a stack */
/* frames that are sent after the guest has ended */
#define LAST_FRAMES   64u
#define LAST_PATIENCE 500    /* milliseconds that the collector has for each */
#define LOOKS         10000u /* nanoseconds that reading the clock may take */
#define UNSEEN        SECOND /* guest's time in which no core ran the kernel */
/* bytes of the words that the agent reads at the stack pointer */
#define LINK_WORDS    ((uint64_t)8 * WIRE_STACK_SLOTS)
#define RARE          (SECOND / 50) /* longest time between two samples */

/* The agent's hooks have no context argument. */
static struct {
    struct outside_guest *guest;
    struct outside_memory memory;
    const struct image *img;
    struct outside_place place;
    struct stopped_callers *callers; /* NULL: the agent walks frame pointers */
    struct err *e;
    bool failed; /* (e) is filled */
    const struct outside_sampling *asked;
    struct tprof_channel channel; /* to the collector, over (host) */
    struct host_channel host;
    uint64_t stood_ns; /* sum of the times for which the guest was stopped */
    void *agent_memory;
    /* Address at which the agent looks for words of an interrupted function,
     * and the link register, which it finds there; 0: it reads the stack */
    uint64_t link_at, link;
    uint64_t seen;    /* time when a core last ran the kernel's code */
    bool is_wide;     /* a core runs 64-bit code at this stop */
    bool is_rebooted; /* the kernel is not at its place any more */
} sampler;

/* Set the clock of the agent's virtual machine to the host's clock minus the
 * time that the guest was stopped. Never sets the clock back: the agent
 * advances the clock by a tick at each reading. */
static void look_at_clock(void)
{
    uint64_t now = clock_ns() - sampler.stood_ns;

    if ((int64_t)(now - tprof_machine.now) > 0)
        tprof_machine.now = now;
}

/* Functions of the agent's machine */

/* A word of the stack of the core that is being sampled. */
static uint64_t load_word(uint64_t address)
{
    uint64_t word = 0;

    if (sampler.callers != NULL)
        return stopped_callers_word(sampler.callers, address);
    if (address - sampler.link_at < LINK_WORDS)
        return address == sampler.link_at ? sampler.link : 0;
    if (!outside_memory_read(&sampler.memory, address, &word, sizeof word))
        tprof_agent.core[tprof_machine.core]->recorder.counts.faults++;
    /* the agent of the guest's CPU would take signatures off return addresses,
     * and other addresses have none */
    return image_cpu(sampler.img)->strip(word);
}

/* Find bytes of the guest's code, over which the agent calculates a
 * checksum. */
static const void *read_text(uint64_t address, size_t size)
{
    static uint8_t text[IMAGE_TEXT_CRC_BYTES];
    struct outside_guest *g = sampler.guest;
    size_t done = 0;

    memset(text, 0, sizeof text);
    for (uint32_t core = 0; core < g->core_count && done < size; core++) {
        struct cpu_registers r;
        long n = -1;

        if (g->ops->registers(g, core, &r, sampler.e) == 0)
            n = r.is_wide ? g->ops->memory(g, core, &r, address, text, size,
                                           sampler.e)
                          : 0;
        sampler.failed |= n < 0;
        done = n < 0 ? 0 : (size_t)n;
    }
    return text;
}

static bool tell_slide(uint64_t *slide)
{
    *slide = sampler.place.slide;
    return true;
}

static const struct tprof_machine_hooks hooks = {
    .load = load_word,
    .text = read_text,
    .slide = tell_slide,
};

/* Start */

/* Replace addresses in HELLO that are this process's own (tprof_anchor and the
 * like) by the kernel's or by none. Also set the name of the sampler. */
static void correct_hello(void)
{
    static const struct {
        const char *name;
        unsigned tag;
    } symbols[] = {{"tprof_anchor", WIRE_HELLO_ANCHOR},
                   {"tprof_init_image", WIRE_HELLO_CODE},
                   {"tprof_directory", WIRE_HELLO_DIRECTORY}};

    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        uint64_t address;
        bool there = image_find_symbol(sampler.img, symbols[i].name, &address);

        tprof_agent.hello[symbols[i].tag] =
            there ? address + sampler.place.slide : 0;
    }
    tprof_agent.hello[WIRE_HELLO_FEATURES] |=
        WIRE_FEATURE_OUTSIDE |
        (sampler.callers != NULL ? WIRE_FEATURE_EXACT : 0);
}

/* The image's build-id as a note, for the agent. The image was compared with
 * the guest's memory. Returns the note's length. */
static size_t make_note(uint8_t note[16 + GUEST_BUILD_ID_MAX])
{
    static const uint8_t head[16] = {4, 0, 0, 0, 0,   0,   0,   0,
                                     3, 0, 0, 0, 'G', 'N', 'U', 0};
    size_t length;
    const uint8_t *id = image_build_id(sampler.img, &length);

    if (id == NULL || length > GUEST_BUILD_ID_MAX)
        return 0;
    memcpy(note, head, sizeof head);
    note[4] = (uint8_t)length;
    memcpy(note + sizeof head, id, length);
    return sizeof head + (length + 3) / 4 * 4;
}

static int begin_agent(void)
{
    static uint8_t note[16 + GUEST_BUILD_ID_MAX];
    const struct outside_place *p = &sampler.place;
    size_t note_size = make_note(note);
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = OUTSIDE_RATE_HZ,
        .cpus = sampler.guest->core_count,
        .tsc_hz = SECOND,
        .cpu_source = TPROF_CPU_GS,
        .channel = &sampler.channel,
        .device = {.bus = TPROF_BUS_NONE},
        .text = {p->text_start, p->text_size},
        .readable = {{LOWEST, UINT64_MAX - LOWEST}},
    };
    const struct tprof_image image = {.build_id = note,
                                      .build_id_end = note + note_size};

    if (getrandom(&tprof_machine.random, sizeof tprof_machine.random, 0) < 0)
        tprof_machine.random = (uint64_t)time(NULL);
    tprof_machine.hooks = &hooks;
    tprof_machine.hz = SECOND;
    tprof_machine.wire_arch = image_cpu(sampler.img)->wire;
    look_at_clock();
    config.memory_size = tprof_mem_size(&config);
    config.memory = aligned_alloc(4096, (config.memory_size + 4095) & ~4095ul);
    if (config.memory == NULL)
        return err_memory(sampler.e);
    sampler.agent_memory = config.memory;
    memset(config.memory, 0, config.memory_size);
    int error = tprof_init_image(&config, &image);

    if (error != TPROF_OK)
        return err_set(sampler.e, "%s", tprof_strerror(error));
    correct_hello();
    for (uint32_t i = 0; i < config.cpus; i++) {
        tprof_machine.cores[i].hardware_id = i;
        tprof_machine.cores[i].number = i;
    }
    return 0;
}

/* All cores have left. */
static void end_agent(void)
{
    tprof_machine.core = 0;
    (void)tprof_exit();
    free(sampler.agent_memory);
    stopped_callers_free(sampler.callers);
    sampler.agent_memory = NULL;
    sampler.callers = NULL;
}

/* Let a core join when it first runs 64-bit code. Earlier addresses of the core
 * have no meaning. */
static void join(uint32_t core)
{
    tprof_machine.core = core;
    if (tprof_cpu[core] == NULL)
        (void)tprof_start_cpu();
}

/* Main loop */

/* Would an interrupt of (cpu) be a tick, now or after (soon) ns? The agent
 * accepts interrupts that are a little early. */
static bool is_due(const struct tprof_cpu *cpu, uint64_t soon)
{
    return tprof_is_sampling(cpu) &&
           (int64_t)(tprof_machine.now + cpu->guard + soon -
                     tprof_schedule_deadline(&cpu->schedule)) >= 0;
}

/* A core that should have been sampled by now; NULL: none. The virtual cores
 * also have interrupts for other work, for which the guest need not stop. */
static const struct tprof_cpu *find_due(void)
{
    for (uint32_t i = 0; i < sampler.guest->core_count; i++)
        if (tprof_cpu[i] != NULL && is_due(tprof_cpu[i], 0))
            return tprof_cpu[i];
    return NULL;
}

/* Give all cores the schedule of (due). A core that joined later, or that began
 * to sample later, has another schedule. */
static void align(const struct tprof_cpu *due)
{
    for (uint32_t i = 0; i < sampler.guest->core_count; i++) {
        struct tprof_cpu *cpu = tprof_cpu[i];

        if (cpu == NULL || cpu == due || !tprof_is_sampling(cpu))
            continue;
        cpu->schedule = due->schedule;
        tprof_machine.cores[i].deadline =
            tprof_schedule_deadline(&cpu->schedule);
    }
}

/* Deliver the interrupts that virtual cores want. Interrupts that become due
 * meanwhile wait until the guest is stopped: as ticks they would be samples
 * without registers. The clock advances each time the agent reads it. */
static void interrupt_cores(void)
{
    const struct tprof_registers nowhere = {0};

    for (uint32_t i = 0; i < sampler.guest->core_count; i++) {
        tprof_machine.core = i;
        if (tprof_cpu[i] != NULL && !is_due(tprof_cpu[i], LOOKS))
            (void)tprof_machine_interrupt(&nowhere);
    }
}

/* Skip the deadlines of a core that runs no 64-bit code, for example firmware
 * after a reset. */
static void pass_over(uint32_t core, uint64_t now)
{
    struct tprof_cpu *cpu = tprof_cpu[core];
    int by_division;

    if (cpu == NULL || !tprof_is_sampling(cpu))
        return;
    (void)tprof_schedule_catch_up(&cpu->schedule, now, &by_division);
    tprof_machine.cores[core].deadline =
        tprof_schedule_deadline(&cpu->schedule);
}

static void sample_core(uint32_t core, uint64_t now)
{
    struct outside_guest *g = sampler.guest;
    struct cpu_registers r;

    if (g->ops->registers(g, core, &r, sampler.e) != 0) {
        sampler.failed = true;
        return;
    }
    if (!r.is_wide) {
        pass_over(core, now);
        return;
    }
    sampler.is_wide = true;
    if (r.pc - sampler.place.text_start < sampler.place.text_size)
        sampler.seen = now;
    join(core);
    struct tprof_registers interrupted = {r.pc, r.general[r.cpu->sp],
                                          r.general[r.cpu->fp]};

    outside_memory_begin(&sampler.memory, g, core, &r, sampler.e);
    sampler.link_at = 0;
    if (r.cpu->has_link) { /* as the agent of this CPU does */
        interrupted.sp -= LINK_WORDS;
        sampler.link_at = interrupted.sp;
        sampler.link = r.cpu->strip(r.general[r.cpu->back]);
    }
    if (sampler.callers != NULL) {
        stopped_callers_find(sampler.callers, &r, &sampler.memory);
        interrupted.sp = STOPPED_CALLERS_SP;
        interrupted.fp = stopped_callers_fp(sampler.callers);
    }
    if (sampler.asked->saw != NULL)
        sampler.asked->saw(sampler.asked->context, core, now, &r);
    tprof_machine.core = core;
    tprof_machine.now = now; /* the same time for all cores */
    (void)tprof_machine_interrupt(&interrupted);
    sampler.failed |= sampler.memory.failed;
}

/* Has the stopped guest rebooted? All cores then run no 64-bit code for a
 * moment, which sampling may miss, and the kernel may get another address. So
 * the kernel is searched again after a time in which no core has run it. */
static void look_for_reboot(uint64_t now)
{
    if (sampler.is_wide && now - sampler.seen < UNSEEN)
        return;
    int stays = outside_place_stays(sampler.guest, sampler.img, &sampler.place,
                                    sampler.e);

    sampler.failed |= stays < 0;
    sampler.is_rebooted = stays == 0;
    sampler.seen = now;
}

/* Account for (ns) in which the guest was stopped. */
static void count_stop(uint64_t ns)
{
    sampler.stood_ns += ns;
    for (uint32_t i = 0; i < sampler.guest->core_count; i++) {
        struct tprof_stats *counts = &tprof_agent.core[i]->recorder.counts;

        counts->cost_tsc += ns;
        if (counts->cost_max_tsc < ns)
            counts->cost_max_tsc = ns;
    }
}

static void sample_all(const struct tprof_cpu *due)
{
    struct outside_guest *g = sampler.guest;
    uint64_t from, now;

    if (g->ops->stop(g, sampler.e) != 0) {
        sampler.failed = true;
        return;
    }
    look_at_clock();
    from = now = tprof_machine.now;
    align(due);
    sampler.is_wide = false;
    for (uint32_t i = 0; i < g->core_count && !sampler.failed; i++)
        sample_core(i, now);
    if (!sampler.failed)
        look_for_reboot(now);
    if (g->ops->run(g, sampler.e) != 0)
        sampler.failed = true;
    look_at_clock();
    count_stop(tprof_machine.now - from);
    tprof_machine.now = now;
}

/* Send nothing yet if samples are rare: the samples of one stop are sent
 * together, so that the collector sees the newest samples of all cores. */
static void send_rare(uint64_t period)
{
    for (uint32_t i = 0; period >= RARE && i < tprof_cpus; i++) {
        atomic_store_explicit(&tprof_agent.pump_due, 0, memory_order_relaxed);
        (void)tprof_poll();
    }
}

/* The next time at which a virtual core wants its interrupt; 0: none. */
static uint64_t next_deadline(void)
{
    uint64_t next = 0;

    for (uint32_t i = 0; i < sampler.guest->core_count; i++) {
        const struct tprof_machine_core *core = &tprof_machine.cores[i];
        uint64_t at = core->pending ? 1 : core->deadline;

        if (tprof_cpu[i] != NULL && at != 0 && (next == 0 || at < next))
            next = at;
    }
    return next;
}

/* Wait for (deadline) or for bytes from the collector. Returns true if there
 * are bytes. */
static bool wait_until(uint64_t deadline)
{
    struct pollfd p = {.fd = sampler.host.fd, .events = POLLIN};
    struct timespec left = {0};

    look_at_clock();
    if (deadline != 0 && (int64_t)(deadline - tprof_machine.now) > 0) {
        uint64_t ns = deadline - tprof_machine.now;

        left.tv_sec = (time_t)(ns / SECOND);
        left.tv_nsec = (long)(ns % SECOND);
    }
    return ppoll(&p, 1, deadline != 0 ? &left : NULL, NULL) > 0;
}

/* Send the remaining frames if the collector is still there. A guest that fails
 * after the collector's STOP sends none: the collector would take the end of
 * the session for a good one, before the reason of the failure comes. */
static void finish(void)
{
    if (sampler.failed && tprof_state() == WIRE_STATE_DRAINING)
        return;
    for (unsigned i = 0; i < LAST_FRAMES && !sampler.host.left; i++) {
        struct pollfd p = {.fd = sampler.host.fd, .events = POLLOUT};

        for (uint32_t core = 0; i == 0 && core < tprof_cpus; core++) {
            tprof_machine.core = core;
            if (tprof_cpu[core] != NULL)
                (void)tprof_stop_cpu();
        }
        if (tprof_flush(1) == 0 || poll(&p, 1, LAST_PATIENCE) <= 0)
            break;
    }
}

/* Sample until the guest or the collector ends. */
static void serve(void)
{
    while (!sampler.host.left && !sampler.failed && !sampler.is_rebooted) {
        bool spoke = wait_until(next_deadline());

        look_at_clock();
        const struct tprof_cpu *due = find_due();

        if (due != NULL)
            sample_all(due);
        interrupt_cores();
        tprof_machine.core = 0;
        if (due != NULL)
            send_rare(due->schedule.period);
        if (spoke)
            tprof_poll();
    }
}

int outside_sample(const struct outside_sampling *s, struct err *e)
{
    sampler.guest = s->guest;
    sampler.img = s->img;
    sampler.place = s->place;
    sampler.asked = s;
    sampler.host = (struct host_channel){.fd = s->host};
    host_channel_init(&sampler.channel, &sampler.host);
    sampler.e = e;
    sampler.is_rebooted = false;
    if (s->unwind != OUTSIDE_FP) {
        sampler.callers =
            stopped_callers_new(s->img, s->place.slide, s->unwind);
        if (sampler.callers == NULL)
            return err_memory(e);
    }
    if (begin_agent() != 0)
        return -1;
    sampler.seen = tprof_machine.now;
    join(0);
    if (s->guest->ops->run(s->guest, e) != 0)
        return -1;
    serve();
    finish();
    end_agent();
    if (sampler.failed)
        return -1;
    return sampler.is_rebooted ? OUTSIDE_REBOOTED : 0;
}
