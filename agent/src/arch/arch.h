/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a CPU that the agent needs. Outside this folder the agent is the
 * same on every CPU. Each folder below implements all functions that are
 * declared here:
 *
 *   x86_64/  the local APIC's timer, TSC, IDT, MSRs, ports
 *   host/    virtual cores in a process: for tests, and for a collector that
 *            samples a guest from outside
 *
 * A folder has arch_types.h, which this file includes first; arch_cpu.h with
 * the inline functions, which this file includes last; arch_words.h, which
 * strerror.c includes; and sources for the rest. The agent calls all functions
 * with interrupts off, unless a comment says otherwise. "This core" is the
 * calling core.
 *
 * Calls go down, from the agent into these folders, with one exception:
 * tprof_interrupt() (tick.h) is the one call up. The entry of the agent's
 * interrupt makes it, on the core's own stack. The other functions of tick.h
 * that a folder calls belong to that entry: tprof_interrupt_inside() where the
 * stack is in use already, tprof_tick_unseen() while tprof_arch_is_tick() runs.
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
#include "base/compiler.h"
#include "tprof/tprof.h"

/*
 * arch_types.h defines
 *
 *   struct tprof_arch_core   the folder's data for each core
 *   struct tprof_arch_trap   the words that the CPU saves of interrupted code
 *   TPROF_ARCH_CALL          the calling convention of functions that assembly
 *                            calls
 *   TPROF_ARCH_SPARE(config) bytes below each core's stack for the folder, a
 *                            multiple of 64; (config) is complete
 *   TPROF_ARCH_SPARE_MAX     the most that this can be
 *   TPROF_ARCH_NMI_SPARE     the same with config.nmi
 *   TPROF_ARCH_WIRE          the CPU as HELLO names it: WIRE_ARCH_*
 *   TPROF_ARCH_SYMBOL(n, v)  a statement that defines the absolute symbol (n),
 *                            which has the constant value (v) and takes no room
 *   TPROF_ARCH_WORDS         words in which the caller of code without a frame
 *                            may be, at most WIRE_STACK_SLOTS
 *   TPROF_ARCH_VIRTIO_START, _END, _STEP
 *                            addresses at which a machine of QEMU has virtio
 *                            devices with registers in memory
 *   TPROF_ARCH_IN_REGISTER(v) hides from the compiler what (v), a value in a
 *                            register, was computed from: the compiler would
 *                            compute it again at each use
 *
 * arch_words.h defines TPROF_ARCH_SAYS_*: the texts of tprof_strerror() that
 * name parts of this CPU.
 */

struct tprof_cpu; /* agent.h */

/* Registers of interrupted code */
struct tprof_registers {
    uint64_t pc; /* next instruction */
    uint64_t sp; /* stack pointer */
    uint64_t fp; /* frame pointer */
};

/* --- Start-up: tprof_init() only ------------------------------------------ */

/*
 * Checks the agent's own part of the image: its variables lie before the end of
 * (image), if that is known, and were 0 before the first call; its constants
 * are loaded. The first call of tprof_init().
 *
 * Returns TPROF_OK or TPROF_ERR_IMAGE.
 */
int tprof_arch_prove(const struct tprof_image *image);

/* Called before all other functions, on each core that calls tprof_init() or
 * tprof_start_cpu(). Never called on two cores at a time. */
void tprof_arch_begin(void);

/*
 * Finds the timer of (config->timer) and measures it. Fills in
 * (config->vector), and changes (config->cpu_source) to a source that the CPU
 * has. Starts the clock of tprof_arch_now().
 *
 * Returns TPROF_OK. Otherwise returns TPROF_ERR_APIC, _APIC_OFF,
 * _APIC_UNMAPPED, _TIMER_TAKEN, _IDT, _VECTOR or _TIMER, and has changed
 * nothing.
 */
int tprof_arch_init(struct tprof_config *config);

/* Prepares core (cpu), which is laid out. (spare) is TPROF_ARCH_SPARE() bytes
 * below the core's stack, for this folder. */
void tprof_arch_core_lay_out(struct tprof_cpu *cpu, uint8_t *spare);

/* Called at the end of tprof_init(), when tprof_agent.config is complete: cores
 * may join. */
void tprof_arch_ready(void);

/* Called in tprof_exit(), when all cores have left and (tprof_cpus) is 0. From
 * now on no interrupt uses the agent's memory. */
void tprof_arch_exit(void);

/*
 * Makes (vector) of this core lead to (entry), even if it has another handler.
 * After tprof_arch_begin() on this core.
 *
 * Returns TPROF_OK or TPROF_ERR_IDT.
 */
int tprof_arch_take_vector(uint32_t vector, void (*entry)(void));

/* Returns the clock's ticks a second as the machine reports them; 0 if it does
 * not. After tprof_arch_init(). */
uint64_t tprof_arch_clock_hz(void);

/* Does an emulator run the code in blocks, and interrupt it only between two
 * blocks, as far as the machine reports this? */
bool tprof_arch_in_blocks(void);

/* Returns a random number; 0 if the machine has no source of them. */
uint64_t tprof_arch_random(void);

/*
 * Would a read fault somewhere in the (size) bytes at (start), or with (write)
 * a write? Tries it in every page; with (write) the first word of each page is
 * or'ed with 0. After tprof_arch_begin() on this core.
 */
static inline bool tprof_arch_faults(uint64_t start, uint64_t size, bool write);

/* --- Cores ---------------------------------------------------------------- */

/* Returns this core's hardware id, from the CPU alone. May be called at any
 * time. */
uint32_t tprof_arch_core_id(void);

/* Returns the index of this core; (tprof_cpus) or more if it has not joined. */
uint32_t tprof_arch_core_index(void);

/* Can tprof_arch_core_quick() be called? It returns the index of this core, as
 * tprof_arch_core_index() does, also with interrupts on, and takes two
 * instructions. */
static inline bool tprof_arch_has_quick(void);
static inline uint32_t tprof_arch_core_quick(void);

/*
 * Checks that this core can join: its timer has what the agent needs, and the
 * kernel does not use the timer. Stores its (*hardware_id).
 *
 * Returns TPROF_OK, TPROF_ERR_APIC, _APIC_OFF, _APIC_UNMAPPED or _TIMER_TAKEN.
 */
int tprof_arch_core_examine(uint32_t *hardware_id);

/* Stores the (*index) that the kernel gives this core. Returns false if the
 * kernel does not number its cores; then the agent numbers them as they join.
 */
bool tprof_arch_core_numbered(uint32_t *index);

/*
 * Makes this core, which is (cpu), join. Its timer is the agent's from now on,
 * and is not armed.
 *
 * Returns TPROF_OK, TPROF_ERR_IDT, TPROF_ERR_VECTOR_TAKEN, or the result of
 * config.install_vector.
 */
int tprof_arch_core_join(struct tprof_cpu *cpu);

/* Makes this core, which is (cpu), leave. Gives its timer and registers back to
 * the kernel. */
void tprof_arch_core_leave(struct tprof_cpu *cpu);

/* Interrupts the core with (hardware_id), which may be this one, at the vector
 * of its timer. Does nothing if the timer is the kernel's. Interrupts may be
 * on. */
void tprof_arch_wake(uint32_t hardware_id);

/* NMIs, for nmi.c only. Does (config) suit them? Make gate 2 of this core's IDT
 * lead to nmi.S, after tprof_arch_begin() on this core; returns the result of
 * tprof_nmi.join(). Send an NMI to the core with (hardware_id). */
bool tprof_arch_nmi_suits(const struct tprof_config *config);
int tprof_arch_nmi_join(void);
void tprof_arch_nmi_send(uint32_t hardware_id);

/* Calls (function) on the stack of this core, which is (cpu). (cpu->inside) is
 * set. */
typedef TPROF_ARCH_CALL void
tprof_stack_function(struct tprof_cpu *cpu, const struct tprof_registers *r);
TPROF_ARCH_CALL void tprof_arch_on_stack(struct tprof_cpu *cpu,
                                         const struct tprof_registers *r,
                                         tprof_stack_function *function);

/* --- Interrupts ----------------------------------------------------------- */

/* Switches interrupts off, whether they are on or off. Returns the argument of
 * tprof_arch_irq_restore(), which may also be called with interrupts on or off.
 */
static inline uint64_t tprof_arch_irq_save(void);
static inline void tprof_arch_irq_restore(uint64_t saved);

/* Called in a loop that waits for another core. */
static inline void tprof_arch_relax(void);

/* Return registers that (trap) has saved. The pc is returned by its address, so
 * a tick need not keep it in a register. */
static inline const uint64_t *
tprof_arch_trap_pc(const struct tprof_arch_trap *trap);
static inline uint64_t tprof_arch_trap_sp(const struct tprof_arch_trap *trap);

/* Returns the registers that a kernel has passed to tprof_tick(). */
static inline struct tprof_registers
tprof_arch_registers(const struct tprof_regs *regs);

/* --- Clock and timer ------------------------------------------------------ */

static inline uint64_t tprof_arch_now(void);

/*
 * Arms the timer of this core, which is (cpu), for (deadline). A deadline in
 * the past fires at once; 0 stops the timer.
 *
 * If (cpu->woken) is not 0, the kernel may be using the timer. If the kernel
 * uses the timer, this function leaves the timer alone, and from then on sets
 * WIRE_STATS_TIMER_KEPT in (cpu->facts). If (cpu->woken) has TPROF_WOKEN, the
 * kernel may have changed the timer, and this function sets the timer up
 * anew.
 */
void tprof_arch_timer_arm(struct tprof_cpu *cpu, uint64_t deadline);

/*
 * Used if timers are lent. Calls tprof_tick_unseen() for the deadlines of this
 * core, which is (cpu), that passed before (now) while the kernel had the
 * timer. (trap), and (fp) as the frame pointer, are of the code that this
 * interrupt has interrupted.
 *
 * Returns whether this interrupt is a tick. If it is, (cpu->guard) lets it pass
 * as a tick.
 */
bool tprof_arch_is_tick(struct tprof_cpu *cpu,
                        const struct tprof_arch_trap *trap, uint64_t fp,
                        uint64_t now);

/* Wakes the cores whose deadlines have passed and whose timers the kernel is
 * using. */
void tprof_arch_timers_look(void);

/* End a tick the short way: tprof_arch_end_tick() arms the timer for (left)
 * clock ticks from now, below 2^31, and ends the interrupt. (way) is the result
 * of tprof_arch_short_way(). If that is 0, there is no short way: call
 * tprof_arch_timer_arm() and tprof_arch_end_interrupt() instead. */
static inline uintptr_t tprof_arch_short_way(void);
static inline void tprof_arch_end_tick(uintptr_t way, uint64_t left);

/* Ends the interrupt that this core is in. */
static inline void tprof_arch_end_interrupt(void);

/* --- A stack's memory ----------------------------------------------------- */

/* A frame: the caller's frame pointer at (fp), the return address above it. */
#define TPROF_FRAME_SIZE   16u
#define TPROF_FRAME_CALLER 8u

/*
 * Return the word at (address), which need not be aligned, or the sum of it and
 * (sum). If the read faults and the kernel's handler calls tprof_fixup(), the
 * first function returns any value, and the second returns (sum).
 */
static inline uint64_t tprof_arch_load(uint64_t address);
static inline uint64_t tprof_arch_load_add(uint64_t sum, uint64_t address);

/* Returns the address of word (i), below TPROF_ARCH_WORDS, in which the caller
 * of code without a frame may be: on the stack that begins at (sp), or (link),
 * the link register of the interrupted code. */
static inline uint64_t tprof_arch_word_at(uint64_t sp, const uint64_t *link,
                                          uint32_t i);

/* Returns the address in (word), a return address that code has saved. On a CPU
 * that signs such addresses, the signature is removed. */
static inline uint64_t tprof_arch_return_address(uint64_t word);

/* Returns the address at which the (size) bytes of code at (address) can be
 * read, until the next call. tprof_init() only. */
static inline const void *tprof_arch_text(uint64_t address, size_t size);

/* Stores in (*slide) how far the image was moved, if a collector has found it
 * from outside. Returns false in a guest: there the agent uses tprof_anchor. */
static inline bool tprof_arch_slide(uint64_t *slide);

/* --- Memory and checksum -------------------------------------------------- */

static inline void tprof_arch_copy(void *to, const void *from, size_t size);
static inline void tprof_arch_zero(void *to, size_t size);

/* Has the CPU an instruction for CRC-32C? tprof_arch_crc32c() is that
 * instruction: it returns (crc) extended by the eight bytes of (word). */
bool tprof_arch_has_crc32c(void);
static inline uint64_t tprof_arch_crc32c(uint64_t crc, uint64_t word);

/* --- Devices -------------------------------------------------------------- */

/* Read and write a register of (width) 1, 2 or 4 bytes at (address). */
static inline uint32_t tprof_arch_read(uintptr_t address, uint32_t width);
static inline void tprof_arch_write(uintptr_t address, uint32_t width,
                                    uint32_t value);

/* Access PCI configuration space. (function) is bus << 8 | device << 3 |
 * number, (offset) a multiple of 4. A read of all ones means that nothing is
 * there. tprof_init() only. */
uint32_t tprof_arch_pci_read(uint32_t function, uint32_t offset);
void tprof_arch_pci_write(uint32_t function, uint32_t offset, uint32_t value);

/* Does the interrupt controller have (pin)? */
bool tprof_arch_pin_exists(uint32_t pin);

/*
 * Makes each rising edge of (pin) interrupt the core with (hardware_id) at
 * (vector). May be called again for another core.
 *
 * Returns TPROF_OK; TPROF_ERR_DEVICE if there is no such pin, or another driver
 * uses it.
 */
int tprof_arch_pin_aim(uint32_t pin, uint32_t vector, uint32_t hardware_id);

/* Masks (pin), which is aimed. */
void tprof_arch_pin_mask(uint32_t pin);

/* Stores the message by which a PCI device interrupts the core with
 * (hardware_id) at (vector): the device writes (*data) to (*address). Returns
 * false if there is no such message. */
bool tprof_arch_message(uint32_t vector, uint32_t hardware_id,
                        uint64_t *address, uint32_t *data);

#include "arch_cpu.h"

#endif
