/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tprof_init() finds that the kernel uses the local APIC's timer, and leaves
 * the timer alone: it goes on to do what the kernel has asked for. A count that
 * the kernel polls, behind a masked LVT entry, goes on when the timer is
 * measured.
 *
 * case=over      a delay that is over does not end a second time
 * case=running   a delay that runs ends once, when it should
 * case=periodic  a tick goes on, at its rate
 * case=masked    a delay that is polled ends when it should or a little later
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "mem.h"
#include "must.h"

#define VECTOR 0x60
#define DELAY  20000000u /* counts; the timer's counts are TSC ticks here */
#define PERIOD 4000000u

#define TIMER_INITIAL 0x380
#define TIMER_DIVIDE  0x3e0
#define LVT_TIMER     0x320
#define LVT_PERIODIC  (1u << 17)
#define LVT_MASKED    (1u << 16)
#define TIMER_CURRENT 0x390
#define LAPIC         0xfee00000ul
#define SLACK         2000u

static volatile uint64_t count, last;

static void lapic_write(uint32_t reg, uint32_t value)
{
    *(volatile uint32_t *)(LAPIC + reg) = value;
}

IDT_ENTRY(timer_entry, timer);

void timer(const struct idt_frame *frame)
{
    (void)frame;
    count++;
    last = cpu_rdtsc();
    lapic_eoi();
}

static int open_nobody(void *context)
{
    (void)context;
    return 0;
}

static int send_nothing(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return 0;
}

static const struct tprof_channel nobody = {
    .flags = TPROF_CHANNEL_IRQ_SAFE, .open = open_nobody, .send = send_nothing};

static void wait(uint64_t ticks)
{
    for (uint64_t end = cpu_rdtsc() + ticks; cpu_rdtsc() < end;)
        ;
}

int guest_main(void)
{
    char what[16];
    struct tprof_config c = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .channel = &nobody,
        .cpus = 1,
    };

    opt_str("case", "over", what, sizeof what);
    bool is_periodic = what[0] == 'p', is_masked = what[0] == 'm';
    uint32_t mode = is_periodic ? LVT_PERIODIC : is_masked ? LVT_MASKED : 0;

    idt_set_gate(VECTOR, timer_entry);
    cpu_irq_enable();
    lapic_write(TIMER_DIVIDE, 0xb); /* by 1 */
    lapic_write(LVT_TIMER, VECTOR | mode);
    uint64_t begin = cpu_rdtsc();

    lapic_write(TIMER_INITIAL, is_periodic ? PERIOD : DELAY);
    wait(what[0] == 'o' ? DELAY + DELAY / 4 : DELAY / 2);
    uint64_t before = count, init = cpu_rdtsc();
    int error = tprof_init(&c);

    init = cpu_rdtsc() - init;
    if (error != (is_masked ? TPROF_OK : TPROF_ERR_TIMER_TAKEN))
        guest_fail(tprof_strerror(error));
    while (is_masked && *(volatile uint32_t *)(LAPIC + TIMER_CURRENT) != 0)
        last = cpu_rdtsc();
    wait(2 * DELAY);
    cpu_irq_disable();
    con_printf("timer_kept: %lu before, %lu after; at %lu of %u\n", before,
               count - before, last - begin, DELAY);
    if (what[0] == 'o' && (before != 1 || count != 1))
        guest_fail("a delay ended twice");
    if ((what[0] == 'r' && count != 1) || (is_masked && count != 0))
        guest_fail("a delay has another end");
    if ((what[0] == 'r' || is_masked) &&
        (last - begin + SLACK < DELAY ||
         last - begin > DELAY + SLACK + (is_masked ? init : 0)))
        guest_fail("a delay did not end when it should");
    if (is_periodic && (count - before < 2 * DELAY / PERIOD - 1 ||
                        count - before > 2 * DELAY / PERIOD + 2))
        guest_fail("the kernel's tick has another rate");
    return 0;
}
