/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel does on each core: it works, polls, loads applications, and
 * gives its cores to the agent and takes them back. */
#include <string.h>

#include "sim.h"

#define WORK_MAX (SIM_SECOND / 20)

uint64_t clock_skew;

/* TPROF_TIMER_KERNEL, TPROF_TIMER_SHARED: the kernel's own timer. */
static uint64_t tick_due[SIM_CORES];
static bool wants_apps;
static bool shuts_down, has_exited;
static bool has_joined[SIM_CORES];
static bool is_changing[SIM_CORES]; /* joins or leaves, and is not done yet */
static bool is_careless_now[SIM_CORES];
static uint32_t loads[SIM_CORES]; /* 1 + the application that it loads */
static void kernel_tick(uint32_t core);

/* --- Hooks ---------------------------------------------------------------- */

/* Some kernels' hooks call functions that switch interrupts on, whatever they
 * were before; and some of these leave them on. */
static bool is_careless;

static void take_interrupts(void)
{
    tprof_machine.now += below(SIM_SECOND / 1000);
    kernel_interrupts();
    /* tprof_exit() forbids ticks: a core may already have left */
    if (guest_config.timer != TPROF_TIMER_APIC && !shuts_down &&
        (int64_t)(tprof_machine.now - tick_due[tprof_machine.core]) >= 0)
        kernel_tick(tprof_machine.core);
}

static void careless(void)
{
    struct tprof_machine_core *m = tprof_machine_this();
    bool were_off = m->interrupts_off;
    /* no hook inside a hook: that has no end */
    bool *is_here = &is_careless_now[tprof_machine.core];

    if (!is_careless || !is_on_core() || *is_here || chance(700))
        return;
    note("a hook switches interrupts on", 0, 0, 0);
    *is_here = true;
    m->interrupts_off = false;
    take_interrupts();
    m->interrupts_off = were_off && chance(500);
    *is_here = false;
}

/* What only tprof_poll() calls may wait. */
static void block(void)
{
    if (!is_careless || !is_on_core() || chance(970) ||
        guest_config.channel->flags & TPROF_CHANNEL_IRQ_SAFE)
        return;
    note("the channel blocks", 0, 0, 0);
    for (uint32_t i = below(30); i > 0; i--) {
        take_interrupts();
        fiber_yield();
    }
}

static uint32_t cpu_index(void *context)
{
    (void)context;
    careless();
    return tprof_machine.core;
}

static uint64_t physical(void *context, const void *address)
{
    (void)context;
    return (uintptr_t)address - GUEST_BASE + GUEST_PHYSICAL;
}

/* The connection that the agent has. */
static uint64_t channel_call;

static bool is_same_call(void)
{
    return link_now.state == LINK_OPEN && channel_call == link_now.calls;
}

static int channel_open(void *context)
{
    (void)context;
    careless();
    block();
    channel_call = link_now.calls;
    return link_now.state == LINK_OPEN;
}

static int channel_send(void *context, const void *data, uint32_t size)
{
    struct link *l = &link_now;
    size_t room = sizeof l->to_host - l->to_host_size;

    (void)context;
    careless();
    block();
    if (!is_same_call())
        return TPROF_ERR_CLOSED;
    if (size > room)
        size = (uint32_t)room;
    memcpy(l->to_host + l->to_host_size, data, size);
    l->to_host_size += size;
    return (int)size;
}

static int channel_receive(void *context, void *data, uint32_t size)
{
    struct link *l = &link_now;

    (void)context;
    careless();
    if (!is_same_call())
        return TPROF_ERR_CLOSED;
    if (size > l->to_guest_size)
        size = (uint32_t)l->to_guest_size;
    memcpy(data, l->to_guest, size);
    l->to_guest_size -= size;
    memmove(l->to_guest, l->to_guest + size, l->to_guest_size);
    return (int)size;
}

static struct tprof_channel channel = {
    .open = channel_open,
    .send = channel_send,
    .receive = channel_receive,
};

/* --- A hypervisor of the kernel's own ---------------------------------------
 */

static uint64_t tsc_hz(const struct tprof_config *config, void *memory)
{
    (void)config;
    (void)memory;
    return SIM_SECOND;
}

static void come_or_go(const struct tprof_config *config, void *memory)
{
    (void)config;
    *(uint64_t *)memory = tprof_machine.core;
}

static uint64_t steal_ns(const void *memory)
{
    careless();
    return *(const uint64_t *)memory;
}

static const struct tprof_hypervisor hypervisor = {
    .tsc_hz = tsc_hz,
    .start_cpu = come_or_go,
    .stop_cpu = come_or_go,
    .steal_ns = steal_ns,
};

/* --- Its configuration ------------------------------------------------------
 */

void kernel_number_cores(struct tprof_config *config)
{
    config->cpu_source = below(4);
    config->cpu_index = cpu_index;
}

void kernel_init(struct tprof_config *config)
{
    config->physical = physical;
    config->timer = chance(600) ? TPROF_TIMER_APIC : 1 + below(2);
    config->kernel_hz = 20 + below(400);
    if (chance(200)) {
        channel.flags = chance(500) ? TPROF_CHANNEL_IRQ_SAFE : 0;
        if (chance(200)) {
            channel.flags |= TPROF_CHANNEL_ONE_WAY;
            channel.receive = NULL;
        }
        config->channel = &channel;
        config->transport = NULL;
        device_unplug();
    }
    if (chance(150))
        config->notice = TPROF_NOTICE_POLL;
    config->hypervisor = chance(300) ? &hypervisor : NULL;
    wants_apps = chance(300);
    is_careless = chance(400);
}

/* --- Calls of the agent --------------------------------------------------- */

static void call(void (*function)(void))
{
    enter_agent();
    check_call();
    function();
    check_called();
    leave_agent();
}

static void start(void)
{
    int error = tprof_start_cpu();

    note("tprof_start_cpu() says %ld", (uint64_t)(int64_t)error, 0, 0);
    if (error != TPROF_OK)
        fail("tprof_start_cpu() says %d", error);
}

static void stop(void)
{
    note("tprof_stop_cpu()", 0, 0, 0);
    if (tprof_stop_cpu() != TPROF_OK)
        fail("tprof_stop_cpu() fails");
    /* an interrupt was on its way when the core left */
    if (shuts_down && guest_config.timer == TPROF_TIMER_APIC)
        tprof_machine_raise(tprof_machine_this()->hardware_id);
}

static void flush(void)
{
    uint32_t depth = cores[tprof_machine.core].depth;

    note("tprof_flush()", 0, 0, 0);
    cores[tprof_machine.core].depth = 0;
    tprof_flush(1);
    cores[tprof_machine.core].depth = depth;
}

/* Of this core or another one. */
static void read_stats(void)
{
    uint32_t times = chance(100) ? 300 : 1;
    struct tprof_stats s;

    while (times-- > 0) {
        enter_agent();
        check_call();
        if (tprof_get_stats(below(guest_config.cpus), &s) == TPROF_OK)
            check_stats(&s);
        check_called();
        leave_agent();
    }
}

/* An application comes, or goes. */
static void map(void)
{
    uint32_t app = below(APPS);
    uint32_t *load = &loads[tprof_machine.core];
    char *at = (char *)(APPS_START + (uint64_t)app * APP_SPACING);
    struct tprof_mapping m = {
        .name = at, /* in its own pages, which go when the application ends */
        .build_id = at + 64,
        .build_id_size = 20,
        .start = (uint64_t)(uintptr_t)at,
        .size = APP_SPACING,
        .link_start = 0x1000,
    };

    for (uint32_t i = 0; i < SIM_CORES; i++) {
        if (loads[i] == app + 1)
            return; /* it is not done yet */
    }
    if (is_app_loaded(app)) {
        note("application %lu ends", app, 0, 0);
        app_unload(app);
        return;
    }
    app_load(app);
    if (chance(300)) {
        m.build_id = NULL;
        m.build_id_size = 0;
    }
    *load = app + 1;
    int error = tprof_map(&m);

    *load = 0;
    note("application %lu is loaded: tprof_map() says %ld", app,
         (uint64_t)(int64_t)error, 0);
    if (error != TPROF_OK && error != TPROF_ERR_MEMORY_SMALL)
        fail("tprof_map() says %d", error);
}

/* --- Interrupts ----------------------------------------------------------- */

#define STORM 20u

/* A few: where each takes longer than a period, the kernel still gets on. */
void kernel_interrupts(void)
{
    for (uint32_t i = 0; i < STORM && tprof_machine_wants(); i++) {
        uint64_t serial;
        struct tprof_registers r = inject(tprof_machine.core, &serial);

        enter_agent();
        check_before(serial);
        tprof_machine_interrupt(&r);
        check_after(serial);
        leave_agent();
    }
}

/* The kernel's own timer interrupt. */
static void kernel_tick(uint32_t core)
{
    bool shared = guest_config.timer == TPROF_TIMER_SHARED;
    uint64_t own = SIM_SECOND / guest_config.kernel_hz;
    uint64_t serial;
    struct tprof_registers r = inject(core, &serial);
    const struct tprof_regs regs = {r.pc, r.sp, r.fp};

    tprof_machine_this()->interrupts_off = true;
    enter_agent();
    check_before(serial);
    tprof_tick(&regs);
    check_after(serial);
    tick_due[core] += own;
    if (shared) {
        uint64_t wanted = tprof_deadline();

        tick_due[core] = tprof_machine.now + 1 + below((uint32_t)own);
        if (wanted < tick_due[core])
            tick_due[core] = wanted;
    } else if ((int64_t)(tprof_machine.now - tick_due[core]) > 0) {
        tick_due[core] = tprof_machine.now + own; /* some were lost */
    } else if (tick_due[core] > tprof_machine.now + own) {
        tick_due[core] = tprof_machine.now + own; /* the clock went back */
    }
    leave_agent();
    tprof_machine_this()->interrupts_off = false;
}

uint64_t kernel_due(uint32_t core)
{
    if (guest_config.timer == TPROF_TIMER_APIC || shuts_down)
        return tprof_machine.now + SIM_SECOND; /* never */
    return tick_due[core];
}

void kernel_clock_back(uint32_t core, uint64_t ticks)
{
    tick_due[core] -= ticks;
}

/* --- A core's life -------------------------------------------------------- */

static void act(struct core *c)
{
    uint32_t what = below(1000);

    if (shuts_down)
        what = 1000 + what % 2; /* polls at most */
    if (what < 40)
        read_stats();
    else if (what < 55 && !is_calm)
        call(flush);
    else if (what < 70 && !is_calm && wants_apps)
        call(map);
    else if (what < 75 && !is_calm)
        c->leaves = true;
    if (what % 2 == 0)
        call(tprof_poll);
    if (kernel_may_call())
        threads_act();
}

void kernel_shut_down(void)
{
    shuts_down = true;
    /* a core that slept by a clock that went back would sleep for minutes */
    for (uint32_t i = 0; i < guest_config.cpus; i++)
        cores[i].asleep = tprof_machine.now;
}

bool has_kernel_shutdown(void)
{
    return shuts_down;
}

bool has_kernel_exited(void)
{
    return has_exited;
}

bool kernel_may_call(void)
{
    uint32_t core = tprof_machine.core;

    return has_joined[core] && !is_changing[core] && !shuts_down;
}

/* The calling core joins, or leaves. */
static void change(bool joins)
{
    uint32_t core = tprof_machine.core;

    is_changing[core] = true;
    call(joins ? start : stop);
    has_joined[core] = joins;
    is_changing[core] = false;
}

static uint32_t count(const bool *of)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < SIM_CORES; i++)
        sum += of[i];
    return sum;
}

void kernel_reset(uint32_t core)
{
    threads_reset(core);
    struct tprof_machine_core *m = &tprof_machine.cores[core];

    m->interrupts_off = m->pending = m->in_service = false;
    m->stack_in_use = m->timer_taken = false;
    m->deadline = 0;
    is_changing[core] = is_careless_now[core] = false;
    loads[core] = 0;
    cores[core].depth = 0;
    cores[core].leaves = false;
    cores[core].asleep = tprof_machine.now;
    fiber_begin_anew(core);
}

/* Must succeed when no other core has joined, and fail when one has. */
static void end_all(void)
{
    uint32_t others = count(has_joined) - 1;
    bool is_sure = count(is_changing) == 0;
    int error = tprof_exit();

    note("tprof_exit() says %ld", (uint64_t)(int64_t)error, 0, 0);
    has_exited = error == TPROF_OK;
    if (error != (others > 0 ? TPROF_ERR_STATE : TPROF_OK) && is_sure &&
        count(is_changing) == 0 && others == count(has_joined) - 1)
        fail("tprof_exit() says %d while %u other cores are in", error, others);
}

/* The kernel shuts down. Returns whether this core is still in the agent. Core
 * 0 is the one that stays till the end. */
static bool shut_down(void)
{
    if (tprof_machine.core == 0 && !has_exited) {
        call(end_all);
        return !has_exited;
    }
    if (!has_exited)
        change(false);
    return false;
}

void kernel_body(void)
{
    struct core *c = &cores[tprof_machine.core];
    bool joined = false;

    tick_due[tprof_machine.core] = tprof_machine.now;
    for (;;) {
        uint32_t core = tprof_machine.core;

        kernel_interrupts();
        if (guest_config.timer != TPROF_TIMER_APIC && !shuts_down &&
            (int64_t)(tprof_machine.now - tick_due[core]) >= 0)
            kernel_tick(core);
        if (shuts_down) {
            joined = joined && shut_down();
        } else if (!joined || c->leaves) {
            joined = !joined;
            change(joined);
            c->leaves = false;
        }
        if ((int64_t)(tprof_machine.now - c->asleep) >= 0) {
            act(c);
            c->asleep = tprof_machine.now + below(WORK_MAX);
        }
        fiber_yield();
    }
}
