/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scenes: what a guest that runs kernel.elf would have sent to the collector.
 * golden.<name>.<format> reports on one of them. This file says what each one
 * is, and has what scenes are made of.
 *
 * One image, kernel.elf (scenes.c):
 *   usual                     two cores work; one of them is idle mostly
 *   from_outside              the same, from outside; core 2 was not seen
 *   gate_without_stack        usual; core 1's ticks begin on the
 *                             interrupted stack, and kernel.c has a red zone
 *   idle                      a core that only waits in hlt
 *   lost_samples              core 0's ring was full; some of core 1's frames
 *                             are damaged or missing, and so are final counts
 *   oversubscribed            four cores, on a host with fewer: all ticks late
 *   host_takes_half           ticks are late, and the host says that it took
 *                             the core for 48 % of the time
 *   host_tells_what_it_takes  the host says that it took a little
 *   host_takes_next_to_nothing ... and so little that no number is worth it
 *   kernel_moved              loaded elsewhere; known by its code's checksum
 *   kernel_code_differs       ... which is not that of the file
 *   kernel_of_another_build   the guest's build-id is not that of the file
 *   stacks_not_declared       chains end since the agent was not told where
 *                             stacks are
 *   code_without_frames       the same in code without frame pointers, where
 *                             telling the agent would not help
 *   no_ticks                  started, but no tick ever came
 *   no_core_joined            no core had called tprof_start_cpu()
 *   core_missing              ... or one of two had, before tprof_init()
 *   no_clock                  the TSC's rate is unknown, so nothing started
 *   never_started             the guest's port is a file: nobody sends START
 *   start_not_heard           ... on a host too busy to carry it
 *   never_drained             the agent sampled; nobody emptied its rings
 *   kernel_tick_as_fast_as_asked  by the kernel's tick, which is no faster than
 *                             the rate that was asked for
 *   kernel_uses_the_timer     the kernel programs the agent's timer on both
 *                             cores, and only one is always given back
 *   kernel_keeps_a_timer      the kernel ticks by that of core 1 from then on
 *   kernel_uses_a_lent_timer  ... which it may
 *   waits_by_a_lent_timer     ... so there were times without ticks
 *   terminal_escapes          the agent's name would draw on a terminal, and
 *                             samples lie outside of all code
 *   clock_jump_and_device_errors  QEMU was stopped for 10 s, the device fails,
 *                             a core is unknown, and records are newer than
 *                             the collector
 *   not_a_recording           no guest's bytes at all
 *
 * Several images (scenes_loaded.c):
 *   two_images                app.elf is loaded, and libz, which has no file
 *   app_of_another_build      what is loaded as app is not app.elf
 *   three_apps_of_one_name    app.elf twice, and another image named app
 *   kernel_at_two_addresses   the kernel runs high, and partly at its low
 *                             addresses, as early boot code does
 *   hostile_images            images that lie, overlap, wrap around and have
 *                             names that would draw on a terminal
 *   apps_in_turn              app.elf, then libz in the same place, then
 * app.elf again, within one session
 *
 * Which cores a guest has (scenes_cores.c):
 *   memory_for_more           core 0 samples, core 1 has no tick, core 4 has
 *                             left; for cores 2, 3 and 5 there is memory alone
 *   numbers_of_the_kernel     core 1 has APIC id 16
 *   from_boot                 samples from boot on; the start has two phases
 *
 * Stacks of threads.elf (scenes_stacks.c):
 *   stacks_elsewhere          all stacks are on a heap that config.readable
 *                             leaves out, and the agent tells where
 *   threads_without_callers   complete stacks, though short: the outermost
 *                             functions of threads are called by nobody
 *   runtime_without_frames    the run-time library has no frames, and hides
 *                             who calls it
 *
 * An emulator, which interrupts between blocks of code (scenes_blocks.c):
 *   interrupts_between_blocks samples stand at the first instructions of
 *                             functions, behind the code that took the time
 *   emulator_counts_instructions ... at the second ones as often, so all stand
 *                             where they were due
 *
 * Threads (scenes_threads.c):
 *   threads                   six threads on two cores; two have one name, one
 *                             a hostile name, and one no record in the guest
 *   locks                     a lock whose holder is preempted, a spinlock
 *                             without a name, and locks without a record
 *   requests                  ... and requests of two kinds, one with a hostile
 *                             name. A few slow ones wait at several places
 *
 * One image, sampled.elf (scenes_sampled.c):
 *   sampled                   long enough for a compiler
 */
#ifndef TPROF_GOLDEN_SCENES_H
#define TPROF_GOLDEN_SCENES_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof_wire.h"
#include "wiregen.h"

/* Addresses less the start of text, from `objdump -d kernel.elf`. */
#define TEXT_START   0x200000u
#define TEXT_SIZE    0x127u
#define IN_COPY      0x006u /* copy_words: no frame, no size */
#define IN_RUDE      0x014u /* its call of copy_words: the frame is set up */
#define AFTER_ENTRY  0x020u /* thread_entry called rude */
#define IN_MIX       0x044u /* mix, inlined into checksum, which has no frame */
#define IN_CHECKSUM  0x059u
#define WALK_START   0x06eu /* its prologue */
#define IN_WALK      0x077u
#define AFTER_WALK   0x080u
#define IN_PUSH      0x0a1u
#define AFTER_PUSHED 0x0b6u /* ring_push called walk */
#define PUSH_RET     0x0beu
#define IN_RECEIVE   0x0d9u
#define AFTER_PUSH   0x0cfu /* receive called ring_push */
#define AFTER_HLT    0x0e7u
#define AFTER_RECV   0x103u /* thread called receive */
#define AFTER_THREAD 0x127u /* _start called thread */
#define ANCHOR       0x127u /* tprof_anchor, behind text */

#define CORES  4
#define SHIFT  10 /* a unit is 1024 ticks of the 1 GHz TSC */
#define TSC_HZ 1000000000u
#define PERIOD 979 /* 997 Hz */

extern struct wiregen wire;

struct hello {
    bool no_build_id;
    uint8_t build_id_last; /* 0: the right one */
    uint32_t text_crc;     /* 0: not told */
    uint16_t cores;        /* 0: CORES */
    const char *agent;     /* NULL: 0.1.0 */
    uint64_t slide;
    uint8_t intervals;
    uint32_t kernel_hz;
    uint32_t features;
    bool no_clock;
    uint8_t readable; /* ranges of config.readable */
};

void hello(const struct hello *h);
void status(uint8_t refusal, uint32_t every);
void stats(uint16_t core, uint8_t flags);
#define STARTED_FINAL (WIRE_STATS_STARTED | WIRE_STATS_FINAL)

/* A core's first frame, each further one, and the end of either. */
void begin_core(uint16_t core);
void begin_frame(uint16_t core);
void end_frame(uint16_t core);
/* A frame with a dictionary of its own, in a generation of images. */
void begin_again(uint16_t core, uint32_t generation);

/* A core that runs kernel.elf's functions, and is (idle) for so many samples.
 */
void busy_core(uint16_t core, unsigned idle);

/* Between these. */
void stack(uint64_t id, uint64_t end, const uint64_t *frames);
#define STACK(id, end, ...) stack(id, end, (const uint64_t[]){__VA_ARGS__, 0})
void samples(uint16_t core, unsigned n, uint32_t id, uint32_t leaf,
             uint32_t late_bits);

/* Scenes of scenes_loaded.c: several images. */
void two_images(void);
void app_of_another_build(void);
void three_apps_of_one_name(void);
void kernel_at_two_addresses(void);
void hostile_images(void);
void apps_in_turn(void);

/* Scenes of scenes_cores.c. */
void memory_for_more(void);
void numbers_of_the_kernel(void);
void from_boot(void);

/* Scenes of scenes_stacks.c. */
void interrupts_between_blocks(void);
void emulator_counts_instructions(void);
void stacks_elsewhere(void);
void threads_without_callers(void);
void runtime_without_frames(void);
void thread_with_a_laid_root(void);

/* The scenes of scenes_threads.c. */
void threads(void);
void locks(void);
void requests(void);

/* The scene of scenes_sampled.c. */
void sampled(void);

#endif
