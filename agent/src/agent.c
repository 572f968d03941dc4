/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's state. */
#include "agent.h"

struct tprof_agent tprof_agent;
struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX];
uint32_t tprof_cpus;
_Atomic uint64_t tprof_unknown_cpu;
struct tprof_refused tprof_refused;
_Atomic uint32_t tprof_pump_lock;
