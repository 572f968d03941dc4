/* SPDX-License-Identifier: BSD-2-Clause */
/* Every field of struct tprof_config, by an option. */
#include "setup.h"

#include "agent.h"
#include "guest.h"

uint64_t counted_entries;
void (*counted_target)(void);
void counted_entry(void); /* entry.S */

static _Alignas(64) char memory[1 << 20];

static int install(void *context, uint32_t vector, void (*entry)(void))
{
    (void)context;
    counted_target = entry;
    idt_set_gate((uint8_t)vector, counted_entry);
    return TPROF_OK;
}

static uint32_t whoami(void *context)
{
    (void)context;
    return core_index();
}

static void give_memory(struct tprof_config *c)
{
    if (c->cpus == 0)
        c->cpus = core_count();
    c->memory_size = tprof_mem_size(c);
    if (c->memory_size > sizeof memory)
        guest_fail("busy: its memory is too small");
    /* no alignment is promised, and not one byte more */
    c->memory = memory + sizeof memory - c->memory_size - 1;
}

static void give_stacks(struct tprof_config *c)
{
    uint64_t start = (uintptr_t)__tprof_image_start;
    uint64_t middle = (uintptr_t)__tprof_text_end;
    uint64_t end = (uintptr_t)__tprof_image_end;

    c->readable[0] = (struct tprof_range){start, middle - start};
    c->readable[1] = (struct tprof_range){middle, end - middle};
}

void setup_config(struct tprof_config *c)
{
    *c = (struct tprof_config){
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 0),
        .max_frames = (uint32_t)opt_u64("depth", 0),
        .cpus = (uint32_t)opt_u64("cpus", 0),
        .ring_bytes = (uint32_t)opt_u64("ring", 0),
        .dict_slots = (uint32_t)opt_u64("slots", 0),
        .vector = (uint32_t)opt_u64("vector", 0),
        .cpu_source = (uint32_t)opt_u64("source", TPROF_CPU_GS),
        .cpu_index = whoami,
        .tsc_hz = opt_u64("tsc_hz", 0),
        .seed = opt_u64("seed", 0),
        .hypervisor = opt_u64("kvm", 0) ? &tprof_kvm : NULL,
        .device.bus = (uint32_t)opt_u64("bus", 0),
        .device.address = opt_u64("address", 0),
        .device.command_line = opt_line(),
        .transport = agent_is_vsock() ? &tprof_vsock : NULL,
        .notice = (uint32_t)opt_u64("notice", 0),
    };
    if (opt_u64("gate", 0))
        c->install_vector = install;
    if (opt_u64("own", 0))
        give_memory(c);
    if (opt_u64("stacks", 0))
        give_stacks(c);
    if (c->device.address)
        c->device.command_line = NULL;
}
