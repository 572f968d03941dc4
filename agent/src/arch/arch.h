/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the agent needs of a CPU. Outside this folder the agent is the same on
 * every CPU; each folder below implements all that is declared here:
 *
 *   x86_64/  the local APIC's timer, TSC, IDT, MSRs, ports
 *   host/    virtual cores in a process, for tests
 *
 * A folder has arch_types.h, which this file includes first, arch_cpu.h with
 * the inline functions, which it includes last, and sources for the rest. The
 * agent calls everything with interrupts off, unless a comment says otherwise;
 * "this core" is the calling core.
 *
 * Time is in ticks of one clock that all cores read. A core has two numbers:
 * its index, which the agent counts from 0, and its hardware id, by which other
 * cores interrupt it.
 */
#ifndef TPROF_ARCH_H
#define TPROF_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch_types.h"
#include "compiler.h"
#include "tprof/tprof.h"

/*
 * arch_types.h defines
 *
 *   struct tprof_arch_core   what the folder keeps for each core
 *   struct tprof_arch_trap   what the CPU saves of interrupted code
 *   TPROF_ARCH_CALL          the calling convention of what assembly calls
 *   TPROF_ARCH_SPARE         bytes below each core's stack for the folder
 *   TPROF_ARCH_WIRE          the CPU as HELLO names it: WIRE_ARCH_*
 *   TPROF_ARCH_SYMBOL(n, v)  a statement that defines the absolute symbol (n),
 *                            which has the constant value (v) and takes no room
 */

struct tprof_cpu; /* agent.h */

/* Registers of interrupted code. */
struct tprof_registers {
    uint64_t pc; /* next instruction */
    uint64_t sp; /* stack pointer */
    uint64_t fp; /* frame pointer */
};

/* --- Start-up: tprof_init() only ------------------------------------------ */

/* Before everything else here, on each core that calls tprof_init() or
 * tprof_start_cpu(); never on two cores at a time. */
void tprof_arch_begin(void);

/*
 * Finds the timer of (config->timer) and measures it; fills in
 * (config->vector) and corrects (config->cpu_source) to what the CPU can do.
 * The clock of tprof_arch_now() counts from here on.
 *
 * Returns TPROF_OK, or TPROF_ERR_APIC, _APIC_OFF, _APIC_UNMAPPED, _IDT,
 * _VECTOR, _TIMER: then nothing was changed.
 */
int tprof_arch_init(struct tprof_config *config);

/* Core (cpu) is laid out. (spare) is TPROF_ARCH_SPARE bytes for this folder,
 * which lie below the core's stack. */
void tprof_arch_core_lay_out(struct tprof_cpu *cpu, uint8_t *spare);

/* All is well, and tprof_agent.config complete: cores may join. */
void tprof_arch_ready(void);

/* Has (vector) of this core lead to (entry), whoever had it before. TPROF_OK,
 * or TPROF_ERR_IDT. After tprof_arch_begin() on this core. */
int tprof_arch_take_vector(uint32_t vector, void (*entry)(void));

/* Clock ticks a second as the machine tells, after tprof_arch_init(); 0: the
 * machine does not tell. */
uint64_t tprof_arch_clock_hz(void);

/* A random number where the machine has some; else 0. */
uint64_t tprof_arch_random(void);

/*
 * Would reading, or with (write) writing, fault somewhere in the (size) bytes
 * at (start)? Asked of the CPU, page by page; a page's first word is or'ed with
 * 0 when (write). After tprof_arch_begin() on this core.
 */
static inline bool tprof_arch_faults(uint64_t start, uint64_t size, bool write);

/* --- Cores ---------------------------------------------------------------- */

/* The index of this core, or a number of at least (tprof_cpus): it has not
 * joined. */
uint32_t tprof_arch_core_index(void);

/*
 * This core wants to join: is all there that the timer needs? Stores its
 * (*hardware_id). TPROF_OK; or TPROF_ERR_APIC, _APIC_OFF, _APIC_UNMAPPED;
 * TPROF_ERR_CPU: the id is too large.
 */
int tprof_arch_core_examine(uint32_t *hardware_id);

/* The index that the kernel gives this core. Returns false where the kernel
 * gives none: cores are then numbered as they come. */
bool tprof_arch_core_numbered(uint32_t *index);

/*
 * This core, which is (cpu), joins: its timer and interrupts are the agent's
 * from now on. Nothing is armed yet. Returns TPROF_OK, or TPROF_ERR_IDT,
 * TPROF_ERR_VECTOR_TAKEN, or what config.install_vector returned.
 */
int tprof_arch_core_join(struct tprof_cpu *cpu);

/* This core, which is (cpu), leaves: timer and registers are the kernel's
 * again. */
void tprof_arch_core_leave(struct tprof_cpu *cpu);

/* Interrupts the core with (hardware_id), which may be this one, as its timer
 * does. Does nothing where the timer is the kernel's. */
void tprof_arch_wake(uint32_t hardware_id);

/* Calls (function) on the stack of this core, which is (cpu). */
typedef TPROF_ARCH_CALL void
tprof_stack_function(struct tprof_cpu *cpu, const struct tprof_registers *r);
TPROF_ARCH_CALL void tprof_arch_on_stack(struct tprof_cpu *cpu,
                                         const struct tprof_registers *r,
                                         tprof_stack_function *function);

/* --- Interrupts ----------------------------------------------------------- */

/* Interrupts off; returns what tprof_arch_irq_restore() wants. With interrupts
 * on or off. */
static inline uint64_t tprof_arch_irq_save(void);
static inline void tprof_arch_irq_restore(uint64_t saved);

/* Called in a loop that waits for another core. */
static inline void tprof_arch_relax(void);

/* What (trap) saved. The pc is read through a pointer, so that a tick keeps it
 * in no register. */
static inline const uint64_t *
tprof_arch_trap_pc(const struct tprof_arch_trap *trap);
static inline uint64_t tprof_arch_trap_sp(const struct tprof_arch_trap *trap);

/* What a kernel hands to tprof_tick(). */
static inline struct tprof_registers
tprof_arch_registers(const struct tprof_regs *regs);

/* --- Clock and timer ------------------------------------------------------ */

static inline uint64_t tprof_arch_now(void);

/*
 * Arms the timer of this core, which is (cpu), for (deadline), at once when
 * that is over; 0: not at all. The long way: looks at the timer before, if
 * (cpu->woken), and takes it back if others have changed it.
 */
void tprof_arch_timer_arm(struct tprof_cpu *cpu, uint64_t deadline);

/* Wakes the cores whose timers the kernel uses at the moment, and whose
 * deadlines are over. */
void tprof_arch_timers_look(void);

/* The short way to end a tick: arms the timer for (left) ticks from now, below
 * 2^31, and ends the interrupt. (way) is what tprof_arch_short_way() said; 0:
 * there is none, tprof_arch_timer_arm() and tprof_arch_end_interrupt() do. */
static inline uintptr_t tprof_arch_short_way(void);
static inline void tprof_arch_end_tick(uintptr_t way, uint64_t left);

/* Ends the interrupt that this core is in. */
static inline void tprof_arch_end_interrupt(void);

/* --- A stack's memory ----------------------------------------------------- */

/* A frame: the caller's frame pointer at (fp), the return address above it. */
#define TPROF_FRAME_SIZE   16u
#define TPROF_FRAME_CALLER 8u

/* The word at (address), which need not be aligned. */
static inline uint64_t tprof_arch_load(uint64_t address);

/* --- Memory and checksum -------------------------------------------------- */

static inline void tprof_arch_copy(void *to, const void *from, size_t size);
static inline void tprof_arch_zero(void *to, size_t size);

/* Does the CPU have an instruction for CRC-32C? tprof_arch_crc32c() is that:
 * (crc) with the eight bytes of (word). */
bool tprof_arch_has_crc32c(void);
static inline uint64_t tprof_arch_crc32c(uint64_t crc, uint64_t word);

/* --- Devices -------------------------------------------------------------- */

/* A register of (width) 1, 2 or 4 bytes at (address). */
static inline uint32_t tprof_arch_read(uintptr_t address, uint32_t width);
static inline void tprof_arch_write(uintptr_t address, uint32_t width,
                                    uint32_t value);

/* PCI configuration space: (function) is bus << 8 | device << 3 | number,
 * (offset) a multiple of 4. All ones: nothing is there. tprof_init() only. */
uint32_t tprof_arch_pci_read(uint32_t function, uint32_t offset);
void tprof_arch_pci_write(uint32_t function, uint32_t offset, uint32_t value);

/* Does the interrupt controller have (pin), where a device is wired to? */
bool tprof_arch_pin_exists(uint32_t pin);

/* Has each rising edge of (pin) interrupt the core with (hardware_id) at
 * (vector); again to aim it at another core. TPROF_OK, or TPROF_ERR_DEVICE: no
 * such pin, or somebody else uses it. */
int tprof_arch_pin_aim(uint32_t pin, uint32_t vector, uint32_t hardware_id);

/* The message (*data to *address) that a PCI device writes to interrupt the
 * core with (hardware_id) at (vector). Returns false: none can. */
bool tprof_arch_message(uint32_t vector, uint32_t hardware_id,
                        uint64_t *address, uint32_t *data);

#include "arch_cpu.h"

#endif
