/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest kit: what a test guest finds when its guest_main() runs. A guest
 * is this kit, its own sources and libtprof.a; boot.S brings every core to
 * 64-bit mode with the first 4 GiB mapped one to one.
 *
 * The kit leaves to its guests, and so to the profiler, the timer of each
 * local APIC, every vector but the 32 exceptions and 0xff, and every device
 * but COM1 (or port 0xe9, by the option console=0xe9).
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_CORES_MAX 16

/*
 * The guest's own part. Runs on core 0 with interrupts off and the other
 * cores not started; what it returns goes to guest_exit().
 */
int guest_main(void);

/*
 * End the machine, from any core and any context. (status) 0 is success; the
 * script tests/guest/boot ends with 0 for it and with 1 for all else.
 */
_Noreturn void guest_exit(int status);

/* End the machine with "failed: (what)" on the console. */
_Noreturn void guest_fail(const char *what);

/* --- core.c: the cores --- */

/* How many cores the machine has, at most GUEST_CORES_MAX; started or not. */
unsigned core_count(void);

/*
 * The calling core: 0 is the one that booted, the others follow in the order
 * of their APIC ids. One load from gs:[0].
 */
static inline unsigned core_index(void)
{
    uint32_t index;

    __asm__ volatile("movl %%gs:0, %0" : "=r"(index));
    return index;
}

/* The APIC id of core (index), which is below core_count() and started. */
uint32_t core_apic_id(unsigned index);

/*
 * Have every other core run (entry) on a stack of its own, with interrupts
 * off and its local APIC on; (entry) may return, the core then sleeps for
 * good. Call once, on core 0. Returns when all of them are on their way.
 */
void core_start_others(void (*entry)(void));

/*
 * Reset core (index), which is not the caller's, wherever it is (INIT), and
 * start it again: it runs what it was given to run from the beginning, on the
 * same stack. One caller at a time. Returns when it is on its way.
 */
void core_reset(unsigned index);

/*
 * The same, and core 0 runs (work), too; returns when it has returned on every
 * core.
 */
void core_run_all(void (*work)(void));

/* --- lapic.c: interrupts between cores --- */

/* Send (vector) to core (index), which is started. Any context. */
void lapic_send(unsigned index, uint8_t vector);

/* A handler of lapic_send()'s vector is done. */
void lapic_eoi(void);

/* --- idt.c: gates --- */

/* What an interrupt handler gets: the interrupted registers. */
struct idt_frame {
    uint64_t rbp, rip, cs, rflags, rsp, ss;
};

/*
 * Define (entry), to be given to idt_set_gate(): it calls the C function
 * `void handler(const struct idt_frame *frame)` and returns from the
 * interrupt. Its frame is part of the chain of rbp.
 */
#define IDT_ENTRY(entry, handler)                                              \
    void entry(void);                                                          \
    void handler(const struct idt_frame *frame);                               \
    __asm__(".pushsection .text\n"                                             \
            ".globl " #entry "\n"                                              \
            ".type " #entry ", @function\n" #entry ":\n"                       \
            "pushq %rbp; movq %rsp, %rbp\n"                                    \
            "pushq %rax; pushq %rcx; pushq %rdx; pushq %rsi; pushq %rdi\n"     \
            "pushq %r8; pushq %r9; pushq %r10; pushq %r11\n"                   \
            "subq $8, %rsp; cld; movq %rbp, %rdi; call " #handler "\n"         \
            "addq $8, %rsp\n"                                                  \
            "popq %r11; popq %r10; popq %r9; popq %r8\n"                       \
            "popq %rdi; popq %rsi; popq %rdx; popq %rcx; popq %rax\n"          \
            "popq %rbp; iretq\n"                                               \
            ".size " #entry ", . - " #entry "\n"                               \
            ".popsection")

/*
 * Install (handler), which ends in iretq, at (vector) for all cores, on the
 * interrupted stack and with interrupts off. Any core, any time; replaces
 * what was there, the kit's exception handlers too.
 */
void idt_set_gate(uint8_t vector, void (*handler)(void));

/* --- con.c: the console --- */

/*
 * Write (len) bytes, a whole line as a rule: interrupts are off meanwhile and
 * no other core's output comes between. "\n" becomes "\r\n". Any context but
 * an interrupt that cannot be masked.
 */
void con_write(const char *text, size_t len);

/*
 * con_write() of a formatted text: %d %u %x %c %s %p %%, with l, ll or z, a
 * width, and 0 to fill with zeros.
 */
void con_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- opt.c: the command line --- */

/* The whole command line; valid for good. */
const char *opt_line(void);

/* The number of option (name)=N, decimal or 0x..., or (absent). */
uint64_t opt_u64(const char *name, uint64_t absent);

/*
 * The text of option (name)=TEXT up to the next blank, cut to fit (buf) of
 * (size) bytes; (absent) where there is none. Returns (buf).
 */
const char *opt_str(const char *name, const char *absent, char *buf,
                    size_t size);

/* --- page.c: holes in memory --- */

/*
 * Make the 4 KiB page of (addr), below 4 GiB, absent, read-only, or as it was.
 * Other cores are not told to forget what they know. Pages of up to 16
 * different 2 MiB blocks can be changed.
 */
void page_unmap(uintptr_t addr);
void page_protect(uintptr_t addr);
void page_map(uintptr_t addr);

#endif
