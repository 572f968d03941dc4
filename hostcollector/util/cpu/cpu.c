/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/cpu/cpu.h"

static const struct cpu *const cpus[] = {&cpu_x86_64, &cpu_aarch64};

#define CPUS (sizeof cpus / sizeof cpus[0])

static const char *const holdup_names[HOLDUPS] = {
    [HOLDUP_NONE] = "",
    [HOLDUP_STI] = "sti",
    [HOLDUP_POPF] = "popf",
    [HOLDUP_IN] = "in",
    [HOLDUP_OUT] = "out",
    [HOLDUP_CPUID] = "cpuid",
    [HOLDUP_JUMP] = "",
    [HOLDUP_RDTSC] = "rdtsc",
    [HOLDUP_RDMSR] = "rdmsr",
    [HOLDUP_WRMSR] = "wrmsr",
    [HOLDUP_DAIFCLR] = "msr daifclr",
    [HOLDUP_DAIF] = "msr daif",
};

const struct cpu *cpu_at(size_t i)
{
    return i < CPUS ? cpus[i] : NULL;
}

const struct cpu *cpu_of_elf(uint16_t machine)
{
    for (size_t i = 0; i < CPUS; i++)
        if (cpus[i]->elf == machine)
            return cpus[i];
    return NULL;
}

const struct cpu *cpu_of_pe(uint16_t machine)
{
    for (size_t i = 0; i < CPUS; i++)
        if (machine != 0 && cpus[i]->pe == machine)
            return cpus[i];
    return NULL;
}

const struct cpu *cpu_of_wire(uint64_t number)
{
    for (size_t i = 0; i < CPUS; i++)
        if (cpus[i]->wire == number)
            return cpus[i];
    return NULL;
}

bool cpu_ends_in_call(const struct cpu *cpu, const uint8_t *code, size_t n,
                      int64_t *distance)
{
    struct insn in;

    for (size_t length = cpu->call_min; length <= n; length++) {
        if (cpu->decode(code + n - length, length, &in) != length ||
            in.kind != INSN_CALL)
            continue;
        *distance = in.value;
        return true;
    }
    return false;
}

const char *holdup_name(enum code_holdup holdup)
{
    return holdup_names[holdup];
}
