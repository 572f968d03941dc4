/* SPDX-License-Identifier: BSD-2-Clause */
/* One run: a machine is drawn, lives through a time of faults, then through a
 * calm one, in which all must be well again. */
#include <stdlib.h>

#include "device.h"
#include "sim.h"

#define CHAOS_INTERRUPTS 2500u
#define CHAOS_NS         (4ull * SIM_SECOND)
#define CALM_NS          (60ull * SIM_SECOND)
#define PATIENCE         (SIM_SECOND / 200) /* the host is asked so often */
#define ORDERS_MAX       30u  /* that a core follows in a second */
#define SHARE_MAX        400u /* of (SHARE), per mille, for the agent */
#define SHARE            (SIM_SECOND / 50)

struct tprof_config guest_config;
uint64_t sessions;

static bool faults(uint64_t start, uint64_t size, bool write)
{
    (void)write;
    /* devices: one is there; of memory what check_access() allows */
    return start < GUEST_BASE && start + size > 0xfeb01000;
}

static void touch(const void *start, size_t size, bool write)
{
    if (size > 0)
        check_access((uintptr_t)start, size, write);
}

/* Who waits for another core may wait for long. */
static void relax(void)
{
    if (is_on_core()) {
        memset(cores[tprof_machine.core].steps, 0, sizeof cores[0].steps);
        tprof_machine.now += below(SIM_SECOND / 1000);
        fiber_yield();
    } else {
        device_act();
    }
}

/* A core in the entry of an interrupt may be slow, and others may run. */
static void entered(void)
{
    while (is_on_core() && chance(has_kernel_shutdown() ? 900 : 100))
        fiber_yield();
}

__attribute__((noreturn)) static void broken(const char *what)
{
    fail("core %u: %s", tprof_machine.core, what);
}

static const struct tprof_machine_hooks hooks = {
    .read = device_read,
    .write = device_write,
    .faults = faults,
    .load = stack_word,
    .touch = touch,
    .relax = relax,
    .entered = entered,
    .pin_exists = device_has_pin,
    .pin_aim = device_aim,
    .pin_mask = device_mask,
    .broken = broken,
};

/* --- The machine ---------------------------------------------------------- */

static void draw_config(struct tprof_config *c)
{
    *c = (struct tprof_config){
        .version = TPROF_CONFIG_VERSION,
        .cpus = 1 + below(SIM_CORES),
        .rate_hz = chance(500) ? 0 : (uint32_t)draw_log(5000),
        .max_frames = chance(500) ? 0 : 1 + below(WIRE_STACK_FRAMES_MAX),
        .ring_bytes = chance(200) ? 0 : 4096u << below(4),
        .dict_slots = 64u << below(8),
        .tsc_hz = chance(700) ? SIM_SECOND : 0,
        .seed = draw(),
        .always = chance(200),
        .boot = chance(200) ? TPROF_BOOT_OLDEST + chance(500) : 0,
    };
    kernel_number_cores(c);
    c->memory_size = tprof_mem_size(c);
    if (c->memory_size == 0)
        fail("tprof_mem_size() says 0");
    memory_init(c->memory_size);
    c->memory = agent_memory();
}

/* What linker fragments tell: in some runs instead of the config. */
static struct tprof_image image;

static void move_to_image(struct tprof_config *c)
{
    static const uint8_t build_id[] = {4,   0,   0,   0,   8,   0,   0,   0,
                                       3,   0,   0,   0,   'G', 'N', 'U', 0,
                                       'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};

    image.build_id = build_id;
    image.build_id_end = build_id + sizeof build_id;
    image.text_start = (const void *)(uintptr_t)c->text.start;
    image.text_end = (const void *)(uintptr_t)(c->text.start + c->text.size);
    image.memory = c->memory;
    image.memory_end = (uint8_t *)c->memory + c->memory_size;
    c->text.size = 0;
    c->memory = NULL;
}

void sim_build(void)
{
    struct tprof_config *c = &guest_config;
    static const uint32_t means[] = {4, 40, 400, 4000};

    draw_config(c);
    stacks_init(c);
    device_init(c);
    kernel_init(c);
    if (chance(300))
        move_to_image(c);
    faults_init();
    checks_init();
    memory_protect();
    preempt_mean = means[below(4)];
    tprof_machine = (struct tprof_machine){.hooks = &hooks,
                                           .now = draw_log(SIM_SECOND),
                                           .hz = chance(300) ? SIM_SECOND : 0,
                                           .random = draw(),
                                           .has_crc32c = chance(500)};
    for (uint32_t i = 0; i < TPROF_MACHINE_CORES; i++) {
        tprof_machine.cores[i].hardware_id = 300 * i + 1; /* an x2APIC's */
        tprof_machine.cores[i].number = i;
    }
    note("%lu cores, timer %lu", c->cpus, c->timer, 0);
    int error = tprof_init_image(c, &image);

    if (error == TPROF_ERR_CLOCK && c->tsc_hz == 0 && tprof_machine.hz == 0 &&
        !c->hypervisor) {
        c->always = c->boot = 0;
        error = tprof_init_image(c, &image);
    }
    if (error != TPROF_OK)
        fail("tprof_init() says %d", error);
    threads_draw();
    threads_init();
    fibers_init(c->cpus, kernel_body);
}

/* --- Who runs ------------------------------------------------------------- */

static bool is_runnable(uint32_t core)
{
    const struct tprof_machine_core *m = &tprof_machine.cores[core];
    const struct core *c = &cores[core];
    uint64_t now = tprof_machine.now;

    if (c->gone || host_now_ns() < c->starved)
        return false;
    return (int64_t)(now - c->asleep) >= 0 || c->depth > 0 ||
           (int64_t)(now - kernel_due(core)) >= 0 ||
           (m->pending && !m->in_service && !m->interrupts_off) ||
           (m->deadline != 0 && !m->timer_taken &&
            (int64_t)(now - m->deadline) >= 0);
}

static void sooner(uint64_t *least, uint64_t time)
{
    if (time - tprof_machine.now < *least - tprof_machine.now)
        *least = time;
}

/* Nobody runs: on to the next time at which somebody might. */
static void pass_time(void)
{
    uint64_t next = tprof_machine.now + PATIENCE;

    for (uint32_t i = 0; i < guest_config.cpus; i++) {
        const struct tprof_machine_core *m = &tprof_machine.cores[i];

        if (cores[i].gone || host_now_ns() < cores[i].starved)
            continue;
        sooner(&next, cores[i].asleep);
        if (guest_config.timer != TPROF_TIMER_APIC)
            sooner(&next, kernel_due(i));
        if (m->deadline != 0 && !m->timer_taken)
            sooner(&next, m->deadline);
    }
    tprof_machine.now = next + below(200);
}

/* What one host may have of the guest's time, whatever it asks for. */
static void check_share(void)
{
    static uint64_t began, steps, orders_began;
    static uint32_t orders;
    uint64_t now = host_now_ns();

    /* a host that only comes and goes ends a flight (config.always), or boot
     * (config.boot), and lets it go on */
    bool is_alone_too = guest_config.always || guest_config.boot;
    uint32_t most = is_alone_too ? 2 * ORDERS_MAX : ORDERS_MAX;

    if (now - orders_began >= SIM_SECOND) {
        if (tprof_agent.generation - orders > most && orders_began != 0)
            fail("every core was given %u orders in %lu ms",
                 tprof_agent.generation - orders,
                 (now - orders_began) / 1000000);
        orders = tprof_agent.generation;
        orders_began = now;
    }
    if (now - began < SHARE)
        return;
    if (began != 0 && (agent_steps - steps) * 1000 > (now - began) * SHARE_MAX)
        fail("the agent took %lu per mille of the guest's time for %lu us",
             (agent_steps - steps) * 1000 / (now - began),
             (now - began) / 1000);
    began = now;
    steps = agent_steps;
}

void sim_step(void)
{
    uint32_t runnable[SIM_CORES], count = 0;

    for (uint32_t i = 0; i < guest_config.cpus; i++) {
        if (is_runnable(i))
            runnable[count++] = i;
    }
    if (count > 0 && chance(850)) {
        fiber_resume(runnable[below(count)]);
        return;
    }
    if (chance(500))
        device_act();
    else
        host_act();
    if (count == 0)
        pass_time();
    check_share();
}

static void chaos(void)
{
    uint64_t end = host_now_ns() + CHAOS_NS;
    uint64_t next_fault = host_now_ns();

    while (host_now_ns() < end && injected() < CHAOS_INTERRUPTS) {
        sim_step();
        if (is_host_over() && chance(100)) {
            host_begin(false);
            sessions++;
        }
        if (host_now_ns() >= next_fault) {
            fault_strike();
            next_fault = host_now_ns() + draw_log(SIM_SECOND / 4);
        }
    }
    note("calm from here on", 0, 0, 0);
    is_calm = true;
    device_faults = (struct device_faults){.vanished = device_faults.vanished};
    for (uint32_t i = 0; i < guest_config.cpus; i++) {
        cores[i].starved = 0;
        cores[i].leaves = false;
    }
}

/* Is there anybody who must serve a host? */
static bool must_serve(void)
{
    bool hears = !(tprof_agent.channel.flags & TPROF_CHANNEL_ONE_WAY);

    return !device_lied && hears;
}

/* No core shall be in the middle of something. */
static void settle(void)
{
    for (uint32_t i = 0, core = 0; i < 100000 && core < guest_config.cpus;
         i++) {
        if (cores[core].gone || cores[core].depth == 0)
            core++;
        else
            sim_step();
    }
}

void sim_serve(void)
{
    uint64_t end = host_now_ns() + CALM_NS;

    while (!is_host_over() && host_now_ns() < end)
        sim_step();
    if (must_serve() && !was_served())
        fail("a collector did not get its last STATS in 40 s");
    settle();
    check_end(was_served());
}

/* Faults are over: a polite collector comes. */
static void calm(void)
{
    uint64_t end = host_now_ns() + CALM_NS;

    while (!is_host_over() && host_now_ns() < end)
        sim_step();
    if (!is_host_over())
        fail("a host does not end");
    /* The agent resets the device after each host, and with it the connection
     * of one that has come by then. This one shall come later. */
    end = host_now_ns() + SIM_SECOND;
    while (host_now_ns() < end)
        sim_step();
    host_begin(true);
    sessions++;
}

/* All cores leave the agent, and the kernel uses its memory for other things;
 * then somebody calls. After that the agent begins anew. */
static void give_back(void)
{
    uint64_t end = host_now_ns() + CALM_NS;

    for (uint32_t i = 0; i < guest_config.cpus; i++) {
        if (cores[i].gone)
            return; /* it has never left */
    }
    kernel_shut_down();
    while (!has_kernel_exited() && host_now_ns() < end)
        sim_step();
    if (!has_kernel_exited())
        fail("the kernel cannot shut down");
    note("the kernel takes the agent's memory back", 0, 0, 0);
    memory_give_back();
    host_begin(false);
    end = host_now_ns() + SIM_SECOND / 10;
    while (host_now_ns() < end)
        sim_step();
    memory_lend_again();
    int error = tprof_init_image(&guest_config, &image);

    if (error != TPROF_OK && !device_lied)
        fail("the second tprof_init() says %d", error);
}

uint64_t sim_run(void)
{
    sim_build();
    chaos();
    calm();
    sim_serve();
    give_back();
    return sessions;
}
