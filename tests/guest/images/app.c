/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An application that the kernel loads wherever it likes. The build says how
 * long each function takes: APP_STEP, APP_LEAF, APP_VISIT.
 */
#include "calls.h"

app_entry app_main;

/* It calls nobody, and has no frame if the compiler likes it better so. */
__attribute__((noinline)) static void app_leaf(void)
{
    SPIN(APP_LEAF);
}

/* It takes its time before it has a frame: who called it is on the stack. */
void app_prologue(void);
__asm__(".pushsection .text\n"
        ".globl app_prologue\n"
        ".hidden app_prologue\n"
        ".type app_prologue, @function\n"
        "app_prologue:\n"
        "pushq %rbp\n"
        "movl $400, %eax\n"
        "1: decq %rax\n"
        "jnz 1b\n"
        "movq %rsp, %rbp\n"
        "popq %rbp\n"
        "ret\n"
        ".size app_prologue, . - app_prologue\n"
        ".popsection");

__attribute__((noinline)) static void app_step(void)
{
    SPIN(APP_STEP);
    app_prologue();
    app_leaf();
    NO_TAIL_CALL();
}

/* The kernel calls this while it serves us. */
__attribute__((noinline)) static void app_visit(void)
{
    SPIN(APP_VISIT);
    app_leaf();
    NO_TAIL_CALL();
}

/* Through pointers: they are right only if the image was relocated. */
static void (*const volatile steps[])(void) = {app_step, app_visit};

void app_main(const struct calls *kernel, uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++) {
        steps[0]();
        kernel->serve(steps[1]);
    }
}
