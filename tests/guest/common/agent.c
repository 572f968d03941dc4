/* SPDX-License-Identifier: BSD-2-Clause */
/* How the kit's guests set up the profiler. */
#include "agent.h"

#include "guest.h"
#include "mem.h"

bool agent_is_vsock(void)
{
    static const char vsock[] = "vsock";
    char name[8];

    opt_str("transport", "", name, sizeof name);
    return memcmp(name, vsock, sizeof vsock) == 0;
}

#ifdef GUEST_WITHOUT_TPROF

void agent_init(void)
{
}

void agent_start_core(void)
{
}

void agent_end(void)
{
}

#else

#include <stdatomic.h>
#include <tprof/tprof.h>

#include "cpu.h"
#include "must.h"

#define FLUSH_FRAMES 4096 /* more than all rings hold */

static bool wanted;

void agent_init(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 0),
        .max_frames = (uint32_t)opt_u64("depth", 0),
        .seed = opt_u64("seed", 0),
        .cpu_source = TPROF_CPU_GS, /* the kit keeps it at gs:0 */
        .device.command_line = opt_line(),
        .transport = agent_is_vsock() ? &tprof_vsock : NULL,
        .notice = (uint32_t)opt_u64("notice", 0),
        .hypervisor = opt_u64("kvm", 0) ? &tprof_kvm : NULL,
    };

    if (opt_u64("agent", 1) == 0)
        return;
    int error = tprof_init(&config);

    wanted = error != TPROF_ERR_DEVICE;
    if (wanted)
        must(error);
    else
        con_printf("agent: %s\n", tprof_strerror(error));
}

void agent_start_core(void)
{
    if (wanted)
        must(tprof_start_cpu());
}

void agent_end(void)
{
    if (wanted)
        tprof_flush(FLUSH_FRAMES);
}

void agent_print_stats(void (*own)(unsigned core))
{
    while (tprof_flush(FLUSH_FRAMES))
        cpu_pause();
    for (unsigned core = 0; core < core_count(); core++) {
        struct tprof_stats s;

        must(tprof_get_stats(core, &s));
        con_printf("core %u: ", core);
        own(core);
        con_printf(", %lu ticks, %lu missed, %lu reentered, %lu full\n",
                   s.ticks, s.missed, s.reentered, s.ring_full);
    }
}

static atomic_uint looks;

static int nobody(void *context)
{
    (void)context;
    atomic_fetch_add(&looks, 1);
    return 0;
}

/* The agent never calls it while nobody is there. */
static int no_bytes(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    (void)size;
    guest_fail("agent: sent to nobody");
}

const struct tprof_channel agent_lonely_channel = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .open = nobody,
    .send = no_bytes,
};

unsigned agent_looks(void)
{
    return atomic_load(&looks);
}

#endif
