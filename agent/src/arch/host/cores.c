/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual cores that run the agent, and the entry into an interrupt */
#include "machine.h"

#include <stdlib.h>

#include "arch/arch.h"
#include "drive/tick.h"
#include "state/agent.h"

static void broken(const char *what)
{
    if (!TPROF_MACHINE_HOOK(broken))
        abort();
    tprof_machine.hooks->broken(what);
}

/* --- Start-up ------------------------------------------------------------- */

int tprof_arch_prove(const struct tprof_image *image)
{
    (void)image; /* of the test's guest */
    return TPROF_OK;
}

void tprof_arch_begin(void)
{
}

int tprof_arch_init(struct tprof_config *config)
{
    if (config->vector == 0)
        config->vector = 239;
    return -(int)tprof_machine.start_error;
}

void tprof_arch_core_lay_out(struct tprof_cpu *cpu, uint8_t *spare)
{
    (void)cpu;
    (void)spare;
}

void tprof_arch_ready(void)
{
    for (uint32_t i = 0; i < TPROF_MACHINE_CORES; i++)
        tprof_machine.cores[i].cpu = NULL;
}

void tprof_arch_exit(void)
{
}

/* No vector has a handler. */
int tprof_arch_take_vector(uint32_t vector, void (*function)(void))
{
    (void)vector;
    (void)function;
    return TPROF_OK;
}

uint64_t tprof_arch_clock_hz(void)
{
    return tprof_machine.hz;
}

bool tprof_arch_in_blocks(void)
{
    return false;
}

uint64_t tprof_arch_random(void)
{
    return tprof_machine.random;
}

bool tprof_arch_has_crc32c(void)
{
    return tprof_machine.has_crc32c;
}

/* --- Cores ---------------------------------------------------------------- */

uint32_t tprof_arch_core_id(void)
{
    return tprof_machine_this()->hardware_id;
}

bool tprof_arch_core_numbered(uint32_t *index)
{
    const struct tprof_config *c = &tprof_agent.config;

    if (c->cpu_source == TPROF_CPU_GS)
        *index = tprof_machine_this()->number;
    else if (c->cpu_source == TPROF_CPU_HOOK)
        *index = c->cpu_index(c->context);
    else
        return false;
    return true;
}

uint32_t tprof_arch_core_index(void)
{
    const struct tprof_cpu *cpu = tprof_machine_this()->cpu;
    uint32_t index;

    if (tprof_arch_core_numbered(&index))
        return index;
    return cpu ? cpu->index : UINT32_MAX;
}

int tprof_arch_core_examine(uint32_t *hardware_id)
{
    const struct tprof_config *c = &tprof_agent.config;
    const struct tprof_machine_core *core = tprof_machine_this();

    *hardware_id = core->hardware_id;
    return c->timer == TPROF_TIMER_APIC && core->timer_used && !c->take_timer
               ? TPROF_ERR_TIMER_TAKEN
               : TPROF_OK;
}

/* config.install_vector is called with this address. */
static void entry(void)
{
}

int tprof_arch_core_join(struct tprof_cpu *cpu)
{
    const struct tprof_config *c = &tprof_agent.config;
    struct tprof_machine_core *core = tprof_machine_this();

    if (c->timer == TPROF_TIMER_APIC) {
        int error = c->install_vector
                        ? c->install_vector(c->context, c->vector, entry)
                        : TPROF_OK;

        if (error != TPROF_OK)
            return error;
        core->timer_taken = core->timer_used = false;
        core->deadline = 0;
    }
    atomic_store_explicit(&cpu->facts, 0, memory_order_relaxed);
    core->cpu = cpu;
    return TPROF_OK;
}

void tprof_arch_core_leave(struct tprof_cpu *cpu)
{
    struct tprof_machine_core *core = tprof_machine_this();

    (void)cpu;
    core->deadline = 0;
    if (tprof_agent.config.cpu_source == TPROF_CPU_TSC_AUX)
        core->cpu = NULL; /* TSC_AUX is the kernel's again */
}

void tprof_machine_raise(uint32_t hardware_id)
{
    for (uint32_t i = 0; i < TPROF_MACHINE_CORES; i++) {
        if (tprof_machine.cores[i].hardware_id == hardware_id) {
            tprof_machine.cores[i].pending = true;
            return;
        }
    }
}

void tprof_arch_wake(uint32_t hardware_id)
{
    if (tprof_agent.config.timer == TPROF_TIMER_APIC)
        tprof_machine_raise(hardware_id);
}

bool tprof_arch_nmi_suits(const struct tprof_config *config)
{
    return config->timer == TPROF_TIMER_APIC;
}

int tprof_arch_nmi_join(void)
{
    return TPROF_OK;
}

void tprof_arch_nmi_send(uint32_t hardware_id)
{
    if (TPROF_MACHINE_HOOK(nmi))
        tprof_machine.hooks->nmi(hardware_id);
}

/* --- The timer, the clock
 * ------------------------------------------------------------ */

void tprof_arch_timer_arm(struct tprof_cpu *cpu, uint64_t deadline)
{
    struct tprof_machine_core *core = tprof_machine_this();

    uint64_t woken = atomic_load_explicit(&cpu->woken, memory_order_relaxed);

    tprof_set_woken(cpu, false);
    if (woken != 0 && core->timer_used) {
        atomic_fetch_or_explicit(&cpu->facts, WIRE_STATS_TIMER_KEPT,
                                 memory_order_relaxed);
        return;
    }
    if (woken & TPROF_WOKEN) {
        cpu->recorder.counts.repaired++;
        core->timer_taken = false;
    }
    core->deadline = deadline;
}

bool tprof_arch_is_tick(struct tprof_cpu *cpu,
                        const struct tprof_arch_trap *trap, uint64_t fp,
                        uint64_t now)
{
    (void)cpu;
    (void)trap;
    (void)fp;
    (void)now;
    return false;
}

void tprof_arch_timers_look(void)
{
}

/* --- Interrupts ----------------------------------------------------------- */

bool tprof_machine_wants(void)
{
    struct tprof_machine_core *core = tprof_machine_this();

    if (core->deadline != 0 && !core->timer_taken && !core->timer_used &&
        (int64_t)(tprof_machine.now - core->deadline) >= 0) {
        core->deadline = 0;
        core->pending = true;
    }
    return core->pending && !core->in_service && !core->interrupts_off;
}

/* The core's stack is taken from its top, even if it is in use. */
static void take_stack(struct tprof_machine_core *core, const char *what)
{
    if (core->stack_in_use)
        broken(what);
    core->stack_in_use = true;
}

bool tprof_machine_interrupt(const struct tprof_registers *r)
{
    struct tprof_machine_core *core = tprof_machine_this();
    const struct tprof_arch_trap trap = {r->pc, r->sp};

    if (!tprof_machine_wants())
        return false;
    core->pending = false;
    core->in_service = true;
    core->interrupts_off = true;
    core->interrupts++;
    uint32_t index = tprof_arch_core_index();
    core->interrupts_off = true; /* the hook may have switched interrupts on */
    struct tprof_cpu *cpu = index < tprof_cpus ? tprof_present[index] : NULL;

    if (TPROF_MACHINE_HOOK(entered))
        tprof_machine.hooks->entered();
    if (cpu && cpu->inside) {
        tprof_interrupt_inside(cpu);
    } else if (cpu) {
        cpu->inside = 1;
        take_stack(core, "an interrupt takes the core's stack, which is in use "
                         "already: return addresses are overwritten");
        tprof_interrupt(cpu, &trap, r->fp);
        if (!core->interrupts_off)
            broken("the core's stack is left with interrupts on");
        cpu->inside = 0;
        core->stack_in_use = false;
    } else {
        if (index >= tprof_cpus || !tprof_cpu[index])
            atomic_fetch_add(&tprof_unknown_cpu, 1);
        tprof_arch_end_interrupt();
    }
    if (core->in_service)
        broken("the interrupt was not ended: the core gets no other one");
    core->interrupts_off = false;
    return true;
}

void tprof_arch_on_stack(struct tprof_cpu *cpu, const struct tprof_registers *r,
                         tprof_stack_function *function)
{
    struct tprof_machine_core *core = tprof_machine_this();

    take_stack(core, "a call takes the core's stack, which is in use already");
    function(cpu, r);
    core->stack_in_use = false;
}
