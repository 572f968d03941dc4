/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole agent in one process: virtual cores that run it, a device, a
 * collector, and everything that goes wrong between them, drawn from one seed.
 * One run is one process, so a seed's run never depends on the run before.
 *
 *   fibers.c      virtual cores and who runs next
 *   instrument.c  each access to memory by the agent: preempted, and checked
 *   memory.c      the guest's address space
 *   stacks.c      what is interrupted, and what a walk must find there
 *   device.c      virtio: registers and queues; console.c, vsock.c: the devices
 *   link.c        bytes between device and host
 *   hosts.c       collectors, and hosts that are none
 *   kernel.c      what the kernel does on its cores; threads.c: its threads
 *   faults.c      what goes wrong: one table
 *   checks.c      what must hold; schedule.c: of deadlines; thread_checks.c:
 *                 of sums of threads
 *   run.c         a run from beginning to end; main.c: runs, options
 *   clones.c      many runs that begin in the middle of one
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "state/agent.h"

#define SIM_CORES  4u
#define SIM_SECOND 1000000000u /* ticks of the clock; a tick is an access */

/* --- Chance: main.c ------------------------------------------------------- */

uint64_t draw(void);
uint32_t below(uint32_t limit); /* 0 to limit - 1 */
bool chance(uint32_t per_mille);
uint64_t draw_log(uint64_t limit); /* 1 to limit, each magnitude alike */
/* What is drawn from here on differs for each (number). */
void draw_apart(uint32_t number);

/* --- What happened, in words: events.c ------------------------------------ */

/* (words) with up to three PRIu64 in it, formatted only when somebody reads. */
void note(const char *words, uint64_t a, uint64_t b, uint64_t c);
void print_notes(void);

/* The run has failed: prints why and what came before; does not return. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *why, ...);

/* The run has used up what it may, and ends here, neither well nor badly. */
__attribute__((noreturn)) void end_early(void);

/* --- Cores: fibers.c ------------------------------------------------------ */

#define NESTED                                                                 \
    4u /* interrupts and calls of the agent in each other, at most             \
        */

struct core {
    bool there;             /* its kernel has booted it */
    bool gone;              /* it left without a word */
    uint64_t starved;       /* until then it does not run */
    uint64_t asleep;        /* until then it works, unless it is interrupted */
    bool leaves;            /* it shall leave the agent, and come back */
    uint32_t depth;         /* interrupts and calls of the agent it is in */
    uint64_t steps[NESTED]; /* accesses in each, from the outermost on */
    uint64_t serial;        /* of the interrupt that runs */
};
extern struct core cores[SIM_CORES];

/* Prepares (count) cores, each of which will run (body). */
void fibers_init(uint32_t count, void (*body)(void));
/* (core) stops where it is, and begins with (body) when it runs next. */
void fiber_begin_anew(uint32_t core);
/* Lets (core) run until it yields. */
void fiber_resume(uint32_t core);
/* Lets others run; of a core. */
void fiber_yield(void);
/* Is a core running, or the rest of the world? */
bool is_on_core(void);
/* Are (size) bytes at (start) part of the running core's stack? */
bool is_on_fiber(uintptr_t start, size_t size);

/* --- Each access: instrument.c -------------------------------------------- */

/* How often cores are preempted: mean accesses between two. */
extern uint32_t preempt_mean;
extern uint64_t agent_steps; /* accesses so far */
/* From here on accesses belong to one call or interrupt, and their number is
 * bounded; until leave_agent(). */
void enter_agent(void);
void leave_agent(void);

/* --- Memory: memory.c ----------------------------------------------------- */

#define GUEST_BASE     0x200000000000u
#define GUEST_PHYSICAL 0x40000000u /* where GUEST_BASE is for devices */
#define TEXT_START     (GUEST_BASE + 0x1000000u)
#define TEXT_SIZE      0x1000000u
#define TEXT_MAPPED    0x10000u
#define STACKS_START   (GUEST_BASE + 0x4000000u)
#define STACKS_SIZE    0x40000u
#define APPS_START     (GUEST_BASE + 0x5000000u)
#define APP_SPACING    0x100000u
#define APP_SIZE       0x10000u
#define APPS           18u
#define MEMORY_END     (GUEST_BASE + 0x9000000u)
#define GUEST_END      (GUEST_BASE + 0xa000000u)

void memory_init(size_t agent_size);
void *agent_memory(void);
/* Stacks are written; from now on nobody may. */
void memory_protect(void);
/* May the agent touch these bytes? Fails the run if not. */
void check_access(uintptr_t start, size_t size, bool write);
/* (size) bytes that a device reaches at (physical); fails the run if they are
 * not the agent's. */
void *device_memory(uint64_t physical, size_t size);
/* An application's pages come and go. */
void app_load(uint32_t app);
void app_unload(uint32_t app);
bool is_app_loaded(uint32_t app);
/* What nobody may write is as it was. */
void memory_check(void);
/* The kernel takes the agent's memory back; and lends it again. */
void memory_give_back(void);
void memory_lend_again(void);
bool is_given_back(void);

/* --- Samples: stacks.c, checks.c ------------------------------------------ */

void stacks_init(struct tprof_config *config);
/* What the next interrupt on this core interrupts; remembers it under a new
 * serial number, which is in the pc. */
struct tprof_registers inject(uint32_t core, uint64_t *serial);
/* The frame pointer of code that calls the agent. */
uint64_t a_frame_pointer(void);
/* How many there were. */
uint64_t injected(void);
/* The chain that a walk of (depth) frames must find: its hash. (serial) */
uint64_t expected_chain(uint64_t serial, uint32_t depth);
/* Was it in an application, where other rules hold? */
bool is_in_app(uint64_t serial);
/* As tprof_machine_hooks has (load). */
uint64_t stack_word(uint64_t at);
/* May the agent read (size) bytes at (at), as its config says? */
bool is_readable(uint64_t at, uint64_t size);
/* The serial number in (pc); 0: none. */
uint64_t serial_of(uint64_t pc);
uint64_t hash_chain(uint64_t hash, const uint64_t *words, uint32_t mask,
                    uint32_t end, const uint64_t *frames, uint32_t count);

/* schedule.c: the deadlines between two states of a schedule, by its own random
 * numbers. */
uint64_t deadlines_between(const struct tprof_schedule *from,
                           const struct tprof_schedule *to);

void checks_init(void);
/* A tick or interrupt with (serial) begins on this core, or has ended. */
void check_before(uint64_t serial);
void check_after(uint64_t serial);
/* Likewise a call that is no interrupt, but may be in one. */
void check_call(void);
void check_called(void);
/* A host begins, and has heard nothing yet. */
void check_new_host(void);
/* Bytes that a host has received. */
void check_received(const void *bytes, size_t size);
/* What comes next comes by another connection. */
void check_cut(void);
/* Has this session's host had the last STATS of all cores that have joined, and
 * then a STATUS that says so? */
bool has_last_stats(void);
/* Samples that hosts have had. */
uint64_t check_delivered(void);
/* The nonce of the last HELLO that opened a session; 0: none came. */
uint64_t check_nonce(void);
/* This is a clone from here on: its hosts know nothing of what the parent's
 * were told, and shall get no sample of the parent's. */
void check_clone(void);
/* At the end; (complete): a host has had the last STATS of each core. */
void check_end(bool complete);
/* Counters as tprof_get_stats() gave them. */
void check_stats(const struct tprof_stats *s);

/* --- The way to the host: device.c, link.c -------------------------------- */

extern bool device_lied; /* it may have been given up */
extern bool is_calm;     /* faults are over */
void device_init(struct tprof_config *config);
/* The kernel has a channel of its own. */
void device_unplug(void);
void device_act(void);
/* As tprof_machine_hooks has it. */
uint32_t device_read(uintptr_t address, uint32_t width);
void device_write(uintptr_t address, uint32_t width, uint32_t value);
bool device_has_pin(uint32_t pin);
int device_aim(uint32_t pin, uint32_t vector, uint32_t hardware_id);
void device_mask(uint32_t pin);
/* The guest was resumed elsewhere: hosts are gone. */
void device_resumed(void);
/* Likewise, but a console does not tell: whoever comes next is taken for the
 * host that was there. */
void device_resumed_silently(void);

/* One host's connection. */
enum link_state { LINK_NONE, LINK_CALLING, LINK_OPEN, LINK_CLOSED };
struct link {
    enum link_state state;
    uint8_t to_guest[8192], to_host[65536];
    size_t to_guest_size, to_host_size;
    uint64_t calls; /* so far: a new one is a new connection */
};
extern struct link link_now;
void link_call(void);
void link_hang_up(void);
/* Bytes taken. */
size_t link_send(const void *bytes, size_t size);
size_t link_receive(void *bytes, size_t size);

/* --- Hosts: hosts.c ------------------------------------------------------- */

/* A host of some kind begins, acts, and is over. */
void host_begin(bool polite);
void host_act(void);
bool is_host_over(void);
/* Was the last polite host served to the end? */
bool was_served(void);
uint64_t host_now_ns(void);
/* The collector that has just come samples for so long, or until there were
 * very many interrupts. */
void host_stays(uint64_t ns);
/* The host that is there stays with the parent; this clone has none. */
void host_forget(void);

/* --- The kernel: kernel.c; faults: faults.c ------------------------------- */

void kernel_number_cores(struct tprof_config *config);
void kernel_init(struct tprof_config *config);
void kernel_body(void);
/* (core), wherever it is, begins anew, as after INIT: it boots, and joins. */
void kernel_reset(uint32_t core);
/* From now on cores leave for good; the last one calls tprof_exit(). */
void kernel_shut_down(void);
bool has_kernel_shutdown(void);
bool has_kernel_exited(void);
/* When the running core's kernel has something to do. */
uint64_t kernel_due(uint32_t core);
/* The clock went back; the kernel's timer on (core) counts on. */
void kernel_clock_back(uint32_t core, uint64_t ticks);
/* Interrupts that the running core wants now are taken. */
void kernel_interrupts(void);
extern uint64_t clock_skew; /* what jumps have added to the clock */

/* May the running core call the agent, as one that has joined? */
bool kernel_may_call(void);

/* --- Threads: threads.c --------------------------------------------------- */

/* Draws whether the kernel tells of its threads; tells the agent, after
 * tprof_init(). */
void threads_draw(void);
void threads_init(void);
/* The running core's threads do something; so does a driver's interrupt. */
void threads_act(void);
void threads_interrupt(void);
/* (core) was stopped where it was. */
void threads_reset(uint32_t core);

/* One fault, perhaps. */
void fault_strike(void);
void faults_init(void);

/* --- run.c ---------------------------------------------------------------- */

extern struct tprof_config guest_config;
/* One run. Returns how many sessions hosts had. */
uint64_t sim_run(void);
/* Its parts: a machine is drawn; somebody does something; a polite collector
 * must get all that it wants, and then all must add up. */
void sim_build(void);
void sim_step(void);
void sim_serve(void);
extern uint64_t sessions;

/* --- clones.c ------------------------------------------------------------- */

/* A machine is saved while it is sampled, and (count) go on from there. Returns
 * how many sessions hosts had. */
uint64_t sim_clones(uint32_t count);

#endif
