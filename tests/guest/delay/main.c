/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that uses the local APIC's timer although the profiler has it: core
 * 0, or every core, works and waits in turns, in one of several manners. Each
 * wait must last as long as it should, each use be counted, and ticks must go
 * on afterwards.
 *
 * manner= one of
 *   poll    Toro's Delay(): loads a count, polls the current count
 *   off     ... with interrupts off
 *   late    ... until the next work has begun, as where the host is late
 *   seldom  ... with other things to do between two looks
 *   masked  ... behind a masked LVT entry, which stays so
 *   irr     interrupts off, a vector of its own, polls its request bit
 *   own     sleeps until an interrupt of its own
 *   every   a periodic timer, of which no tick may be lost
 *           (after each of these three the kernel masks the timer)
 *   mask, divide, zero, deadline: changes just that, and does not wait
 *   hold    leaves the timer alone, but interrupts off, and is not helped
 *
 * timer=lent  as the config may say
 * times=N us=N gap=N  so many waits of (us), work of about (gap) us after each
 * all=1       all cores at the same time
 * again=1     cores leave and join again between some of their waits
 * idle=1      no host ever comes, and somebody must go on looking for one
 * poll=1      each core calls tprof_poll() every 200 us
 * rest=1      one core, which does not: after a wait its timer rests
 * busy=N      us by which the host may be late
 * missed=N    so many uses at most may go uncounted
 * talk=1  (with live=1) the host says START once, and nothing more
 * rate=HZ and others of ../accuracy/profile.h
 */
#include <stdatomic.h>

#include "../accuracy/profile.h"
#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "mem.h"
#include "must.h"

#define VECTOR 0x52
#define US     1000u /* counts of the APIC's timer, under TCG and KVM */

/* Local APIC registers; Intel SDM volume 3, 10.4.1. */
#define LAPIC            ((uintptr_t)0xfee00000)
#define LAPIC_ISR        0x100 /* 8 x 32 bits, 16 bytes apart */
#define LAPIC_IRR        0x200 /* likewise */
#define LAPIC_TIMER      0x320
#define LAPIC_PERIODIC   (1u << 17)
#define LAPIC_MASKED     (1u << 16)
#define LAPIC_INITIAL    0x380
#define LAPIC_CURRENT    0x390
#define LAPIC_DIVIDE     0x3e0
#define LAPIC_BY_1       0xb
#define LAPIC_BY_16      0x3
#define LAPIC_BY_128     0xa
#define MSR_TSC_DEADLINE 0x6e0
#define WORK_US          20
#define MEASURE_US       10000
#define POLL_US          200
#define SELDOM_US        40
#define TICKS_AFTERWARD  10
#define EVERY_TICKS      30u

static char manner[16];
static uint64_t tsc_us; /* TSC ticks */
static uint64_t times, wait_us, gap_us, allowed, rate, spare_us, busy_us;
static bool all, polls, idle, again, rests;
static atomic_uint ready, done;
static atomic_uint own_ticks[GUEST_CORES_MAX];
static volatile uint64_t results[GUEST_CORES_MAX];
static uint64_t longest[GUEST_CORES_MAX], waited[GUEST_CORES_MAX];

static volatile uint32_t *lapic(uint32_t reg)
{
    return (volatile uint32_t *)(LAPIC + reg);
}

IDT_ENTRY(own_entry, own_tick);

void own_tick(const struct idt_frame *frame)
{
    (void)frame;
    atomic_fetch_add(&own_ticks[core_index()], 1);
    lapic_eoi();
}

/* Toro's Delay(). Global, with a frame: it is to be seen in a profile. */
__attribute__((noinline)) void delay_poll(uint32_t us);
__attribute__((noinline)) void delay_poll(uint32_t us)
{
    *lapic(LAPIC_DIVIDE) = LAPIC_BY_1;
    *lapic(LAPIC_INITIAL) = us * US;
    while (*lapic(LAPIC_CURRENT) != 0)
        ;
    lapic_eoi();
}

/* By the APIC, whose rate is known. */
static void measure_tsc(void)
{
    tsc_us = UINT64_MAX;
    for (int i = 0; i < 4; i++) { /* the best of some, if the host is busy */
        uint64_t start = cpu_rdtsc();

        delay_poll(MEASURE_US);
        uint64_t us = (cpu_rdtsc() - start + MEASURE_US / 2) / MEASURE_US;

        if (us < tsc_us)
            tsc_us = us;
    }
}

static void delay_off(uint32_t us)
{
    uint64_t flags = cpu_irq_save();

    delay_poll(us);
    cpu_irq_restore(flags);
}

static void delay_late(uint32_t us)
{
    cpu_irq_disable(); /* until work() */
    delay_poll(us);
}

static void spin(uint64_t us)
{
    uint64_t start = cpu_rdtsc();

    while (cpu_rdtsc() - start < us * tsc_us)
        cpu_pause();
}

/* The interrupt at the end of its count comes long before it looks. On a single
 * core: another one might wake this one meanwhile, now and then. */
static void delay_seldom(uint32_t us)
{
    *lapic(LAPIC_DIVIDE) = LAPIC_BY_1;
    *lapic(LAPIC_INITIAL) = us * US;
    while (*lapic(LAPIC_CURRENT) != 0)
        spin(SELDOM_US);
}

static void hold_off(uint32_t us)
{
    uint64_t flags = cpu_irq_save();

    spin(us);
    cpu_irq_restore(flags);
}

static void delay_masked(uint32_t us)
{
    *lapic(LAPIC_TIMER) = LAPIC_MASKED | VECTOR;
    delay_poll(us);
}

/* The kernel, which had the timer for interrupts of its own, wants it no more.
 */
static void hand_back(void)
{
    *lapic(LAPIC_INITIAL) = 0;
    *lapic(LAPIC_TIMER) = LAPIC_MASKED | VECTOR;
}

static void delay_irr(uint32_t us)
{
    uint64_t flags = cpu_irq_save();

    *lapic(LAPIC_INITIAL) = 0; /* whose it was must not end it */
    *lapic(LAPIC_TIMER) = VECTOR;
    *lapic(LAPIC_INITIAL) = us * US;
    while (!(*lapic(LAPIC_IRR + VECTOR / 32 * 16) & 1u << VECTOR % 32))
        ;
    cpu_irq_restore(flags); /* and own_tick() takes it */
    hand_back();
}

static void delay_own(uint32_t us)
{
    unsigned before = atomic_load(&own_ticks[core_index()]);

    *lapic(LAPIC_INITIAL) = 0;
    *lapic(LAPIC_TIMER) = VECTOR;
    *lapic(LAPIC_DIVIDE) = LAPIC_BY_16;
    *lapic(LAPIC_INITIAL) = us * US / 16;
    while (atomic_load(&own_ticks[core_index()]) == before)
        cpu_wait();
    hand_back();
}

/* Long enough for others to find that the profiler's ticks stay away. */
static void delay_every(uint32_t us)
{
    atomic_uint *count = &own_ticks[core_index()];
    unsigned before = atomic_load(count);

    *lapic(LAPIC_TIMER) = LAPIC_PERIODIC | VECTOR;
    *lapic(LAPIC_INITIAL) = us * US;
    for (unsigned i = 0; i < EVERY_TICKS; i++) {
        if (polls)
            tprof_poll();
        spin(us);
    }
    hand_back();
    if (atomic_load(count) + EVERY_TICKS / 10 < before + EVERY_TICKS)
        guest_fail("delay: ticks of the kernel's own were lost");
}

static void change_mask(uint32_t us)
{
    (void)us;
    *lapic(LAPIC_TIMER) = *lapic(LAPIC_TIMER) | LAPIC_MASKED;
}

static void change_divide(uint32_t us)
{
    (void)us;
    *lapic(LAPIC_DIVIDE) = LAPIC_BY_128;
}

static void change_zero(uint32_t us)
{
    (void)us;
    *lapic(LAPIC_INITIAL) = 0;
}

/* Where the timer compares with the TSC. */
static void change_deadline(uint32_t us)
{
    (void)us;
    cpu_wrmsr(MSR_TSC_DEADLINE, 0);
}

static const struct {
    const char *name;
    void (*use)(uint32_t us);
    bool waits, leaves;
} manners[] = {
    {"poll", delay_poll, true, false},
    {"off", delay_off, true, false},
    {"late", delay_late, true, false},
    {"seldom", delay_seldom, true, false},
    {"masked", delay_masked, true, false},
    {"irr", delay_irr, true, false},
    {"own", delay_own, true, false},
    {"every", delay_every, false, false},
    {"mask", change_mask, false, false},
    {"divide", change_divide, false, false},
    {"zero", change_zero, false, false},
    {"deadline", change_deadline, false, false},
    {"hold", hold_off, true, true},
};
static unsigned chosen;

static bool is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

__attribute__((noinline)) static uint64_t mix(uint64_t x, uint32_t loops)
{
    for (uint32_t i = 0; i < loops; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    return x;
}

/* About so long, by the clock. */
static void work(uint64_t us)
{
    uint64_t start = cpu_rdtsc();
    uint64_t polled = start;
    unsigned core = core_index();

    if (manners[chosen].use == delay_late) {
        if (polls)
            tprof_poll();
        cpu_irq_enable();
    }
    while (cpu_rdtsc() - start < us * tsc_us) {
        results[core] = mix(results[core] + 1, 50);
        if (polls && cpu_rdtsc() - polled > POLL_US * tsc_us) {
            tprof_poll();
            polled = cpu_rdtsc();
        }
        cpu_pause(); /* under icount the other cores' turn */
    }
}

static void wait_once(unsigned core)
{
    uint64_t start = cpu_rdtsc();

    manners[chosen].use((uint32_t)wait_us);
    if (!manners[chosen].waits)
        return;
    uint64_t took = (cpu_rdtsc() - start) / tsc_us;

    if (took + took / 20 < wait_us) /* the clock was measured */
        guest_fail("delay: too short");
    waited[core] += took;
    if (took > longest[core])
        longest[core] = took;
}

/* All cores that wait do it from the same moment on. */
static void meet(atomic_uint *count, unsigned cores)
{
    atomic_fetch_add(count, 1);
    while (atomic_load(count) < cores)
        cpu_pause();
}

static void join_again(void)
{
    uint64_t flags = cpu_irq_save();

    must(tprof_stop_cpu());
    must(tprof_start_cpu());
    cpu_irq_restore(flags);
}

static void wait_often(unsigned core)
{
    static atomic_uint met;

    for (uint64_t i = 0; i < times; i++) {
        if (all) {
            atomic_fetch_add(&met, 1);
            while (atomic_load(&met) < (i + 1) * core_count())
                cpu_pause();
        }
        wait_once(core);
        /* each time elsewhere in an interval */
        work(gap_us + i * 37 % (2 * 1000000 / rate));
        if (again && i % 10 == 9)
            join_again();
    }
}

static uint64_t deadlines(const struct tprof_stats *s)
{
    return s->ticks + s->missed;
}

/* As many deadlines as the time had, and all uses counted. */
static void check(unsigned core, const struct tprof_stats *before,
                  uint64_t start)
{
    struct tprof_stats s;
    uint64_t expected = (cpu_rdtsc() - start) / tsc_us * rate / 1000000;

    must(tprof_get_stats(core, &s));
    uint64_t found = deadlines(&s) - deadlines(before);
    uint64_t uses = (all || core == 0) && !manners[chosen].leaves ? times : 0;

    con_printf("delay: core %u deadlines %lu of %lu ticks %lu repaired %lu of "
               "%lu foreign %lu longest %lu of %lu us\n",
               core, found, expected, s.ticks, s.repaired, uses, s.foreign,
               longest[core], wait_us);
    if (uses > 0)
        con_printf("waits: core %u %lu of %lu us\n", core, waited[core],
                   (cpu_rdtsc() - start) / tsc_us);
    /* orders begin anew each second: what is over by then is not counted */
    uint64_t spare = expected / (busy_us ? 4 : 20) + 3;

    if (manners[chosen].use == delay_every && uses > 0)
        spare += 2 * EVERY_TICKS * wait_us * rate / 1000000;

    /* Intervals are drawn from U[0.5, 1.5], so the number of deadlines in a
     * time has a variance of 1/12 for each: five standard deviations. */
    while (12 * spare * spare < 25 * expected)
        spare++;
    if (found + spare < expected || found > expected + spare)
        guest_fail("delay: wrong number of deadlines");
    /* a core that did not run for long is looked after, too */
    if ((s.repaired > uses && !busy_us) || s.repaired + allowed < uses)
        guest_fail("delay: not all was counted");
    if (longest[core] > wait_us + wait_us / 50 + spare_us)
        guest_fail("delay: waited too long");
}

/* With a tick on its way, which must be ended all the same. */
static void leave(void)
{
    cpu_irq_disable();
    spin(2 * 1000000 / rate);
    profile_end();
    cpu_irq_enable();
    spin(1);
    cpu_irq_disable();
    for (uint32_t i = 0; i < 8; i++) {
        if (*lapic(LAPIC_ISR + 16 * i) != 0)
            guest_fail("delay: an interrupt has not been ended");
    }
}

/* It goes on. */
static void expect_ticks(unsigned core)
{
    struct tprof_stats before, after;

    must(tprof_get_stats(core, &before));
    work((uint64_t)TICKS_AFTERWARD * 2 * 1000000 / rate + busy_us);
    must(tprof_get_stats(core, &after));
    if (after.ticks < before.ticks + TICKS_AFTERWARD)
        guest_fail("delay: no more ticks");
}

static void run_core(void)
{
    unsigned core = core_index();
    struct tprof_stats before;
    uint64_t start;

    profile_begin();
    must(tprof_get_stats(core, &before));
    start = cpu_rdtsc();
    meet(&ready, core_count());
    if (core == 0 || all) {
        wait_often(core);
        atomic_fetch_add(&done, 1);
    }
    while (atomic_load(&done) < (all ? core_count() : 1))
        work(WORK_US);
    if (!rests)
        expect_ticks(core);
    /* a core that prints lets no other run under icount: not before all are
     * here */
    static atomic_uint ticked, checked;
    meet(&ticked, core_count());
    check(core, &before, start);
    meet(&checked, core_count());
    leave();
}

/* A host that is there, says START (WIRE.md 7), and takes everything. */
static int somebody(void *context)
{
    (void)context;
    return 1;
}

static int take_all(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

static int say_start(void *context, void *data, uint32_t size)
{
    static const uint8_t start[] = {0x54, 0x9d, 32,   0,    0,    0,
                                    0,    0,    0xf4, 0x04, 0x4c, 0x5c};
    bool *said = context;

    if (*said || size < sizeof start)
        return 0;
    *said = true;
    memcpy(data, start, sizeof start);
    return sizeof start;
}

static bool has_said;
static const struct tprof_channel talk = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .context = &has_said,
    .open = somebody,
    .send = take_all,
    .receive = say_start,
};

/* Core 0, which looks first, waits; then there must be four looks a second. */
static void other_idle_core(void)
{
    must(tprof_start_cpu());
    cpu_irq_enable();
    atomic_fetch_add(&ready, 1);
    for (;;)
        cpu_wait();
}

static void idle_core(void)
{
    must(tprof_start_cpu()); /* the first, and so the one that looks */
    core_start_others(other_idle_core);
    while (atomic_load(&ready) + 1 < core_count())
        cpu_pause();
    cpu_irq_enable();
    wait_often(0);
    unsigned before = agent_looks();

    work(1000000);
    con_printf("delay: %u looks in 1 s\n", agent_looks() - before);
    if (agent_looks() < before + 3)
        guest_fail("delay: nobody looks for a host");
    if (longest[0] > wait_us + spare_us)
        guest_fail("delay: waited too long");
}

int guest_main(void)
{
    char timer[8];

    opt_str("manner", "poll", manner, sizeof manner);
    while (!is_same(manners[chosen].name, manner)) {
        if (++chosen == sizeof manners / sizeof *manners)
            guest_fail("delay: no such manner");
    }
    times = opt_u64("times", 10);
    wait_us = opt_u64("us", 3000);
    gap_us = opt_u64("gap", 20000);
    allowed = opt_u64("missed", 0);
    rate = opt_u64("rate", 1000);
    all = opt_u64("all", 0) != 0;
    polls = opt_u64("poll", 0) != 0;
    idle = opt_u64("idle", 0) != 0;
    again = opt_u64("again", 0) != 0;
    rests = opt_u64("rest", 0) != 0;
    busy_us = opt_u64("busy", 0);
    /* An interval more, rarely; if all wait at once some. No core wakes a
     * single one. Under icount cores take turns, and a loop that polls a timer
     * keeps its turn: where all wait at once, each wait may come after the
     * others. */
    spare_us = busy_us + (all ? core_count() * wait_us : 0) +
               (all                 ? 6 * 1000000
                : core_count() == 1 ? 1000000 / 4
                                    : 2 * 1000000) /
                   rate;
    if (is_same(opt_str("timer", "", timer, sizeof timer), "lent"))
        profile_config.lending = &tprof_lend_timer;
    if (opt_u64("talk", 0))
        profile_config.channel = &talk;
    idt_set_gate(VECTOR, own_entry);
    measure_tsc();
    profile_config.tsc_hz = tsc_us * 1000000;
    profile_config.cpus = core_count();
    if (idle) {
        profile_config.version = TPROF_CONFIG_VERSION;
        profile_config.cpu_source = TPROF_CPU_GS;
        profile_config.channel = &agent_lonely_channel;
        must(tprof_init(&profile_config));
        idle_core();
        return 0;
    }
    profile_init();
    core_start_others(run_core);
    run_core();
    profile_fini();
    return 0;
}
