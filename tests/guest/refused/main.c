/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores that call tprof_start_cpu() in vain. The host is a channel in this
 * guest. The guest prints what STATUS says of them: APIC id, error, calls.
 *
 *     refused: 1 11 2 of TEXT
 *
 * case=early  cores 1 and 2 call before tprof_init(), and never again
 * case=late   they call when there is memory for one core alone
 * case=again  they call too early, and once more afterwards
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "host.h"
#include "must.h"

static struct host_frame order;
static volatile bool told;
static uint64_t core, error, calls; /* by STATUS */
static _Atomic unsigned turn;       /* the core that may call next */
static _Atomic bool ready;          /* tprof_init() has succeeded */
static bool early, again;

static int host_send(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data;

    (void)context;
    if (frame[2] == HOST_STATUS) {
        calls = host_field(frame, size, 9, 99);
        core = host_field(frame, size, 10, 99);
        error = host_field(frame, size, 11, 99);
        told = true;
    }
    return (int)size;
}

static const struct tprof_channel channel = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .context = &order,
    .open = host_is_there,
    .send = host_send,
    .receive = host_says,
};

static void wait_for_turn(unsigned wanted)
{
    while (turn != wanted)
        cpu_pause();
}

static void run(void)
{
    unsigned me = core_index();

    wait_for_turn(me);
    if (tprof_start_cpu() == TPROF_OK)
        guest_fail("a core joined that cannot");
    turn++;
    if (!again)
        return;
    while (!ready)
        cpu_pause();
    wait_for_turn(me + 3);
    must(tprof_start_cpu());
    turn++;
}

int guest_main(void)
{
    char text[16];
    const char *what = opt_str("case", "", text, sizeof text);
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .channel = &channel,
    };

    early = what[0] == 'e';
    again = what[0] == 'a';
    config.cpus = again ? 3 : 1;
    if (early || again) {
        turn = 1;
        core_start_others(run);
        wait_for_turn(3);
    }
    must(tprof_init(&config));
    must(tprof_start_cpu());
    ready = true;
    if (again) {
        turn = 4;
        wait_for_turn(6);
    } else if (!early) {
        turn = 1;
        core_start_others(run);
        wait_for_turn(3);
    }
    host_start(&order, 1000, 0);
    cpu_irq_enable();
    while (!told)
        cpu_pause();
    cpu_irq_disable();
    con_printf("refused: %lu %lu %lu of %s\n", calls ? core : 0,
               calls ? error : 0, calls, what);
    return 0;
}
