// SPDX-License-Identifier: BSD-2-Clause
// libtprof from C++: designated initialisers, and a channel made of lambdas.
#include "profiler.hpp"

#include <tprof/tprof.h>

#include "kit.hpp"

namespace
{
constexpr std::uint16_t wire_port = 0xe9;
constexpr std::uint32_t flush_frames = 100000;

constexpr tprof_channel wire = {
    .flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE,
    .context = nullptr,
    .open = [](void *) { return 1; },
    .send = [](void *, const void *data, std::uint32_t size) -> int {
        std::uint64_t left = size;

        __asm__ volatile("rep outsb"
                         : "+S"(data), "+c"(left)
                         : "d"(wire_port)
                         : "memory");
        return static_cast<int>(size);
    },
    .pending = nullptr,
    .receive = nullptr,
};

void must(int error)
{
    if (error != TPROF_OK)
        guest_fail(tprof_strerror(error));
}

bool samples()
{
    tprof_stats stats;

    must(tprof_get_stats(cpu::index(), &stats));
    return stats.ticks != 0;
}
} // namespace

void profiler::init()
{
    tprof_config config = {};

    config.version = TPROF_CONFIG_VERSION;
    config.rate_hz = static_cast<std::uint32_t>(opt_u64("rate", 0));
    config.seed = opt_u64("seed", 0);
    config.cpu_source = TPROF_CPU_GS; // the kit keeps it at gs:0
    config.channel = &wire;
    must(tprof_init(&config));
}

void profiler::drain()
{
    if (tprof_flush(flush_frames) != 0)
        guest_fail("not everything was sent");
}

profiler::Session::Session()
{
    must(tprof_start_cpu());
    while (!samples())
        cpu::sleep();
    cpu::interrupts_on();
    truth_begin();
}

profiler::Session::~Session()
{
    truth_end();
    cpu::interrupts_off();
    must(tprof_stop_cpu());
}
