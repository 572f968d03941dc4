/* SPDX-License-Identifier: BSD-2-Clause */
/* Run queues, the choice of the next thread, and sleep when there is none. */
#include "sched.h"

#include <stdatomic.h>
#include <stdint.h>

#include "cpu.h"
#include "guest.h"
#include "timed.h"

#define THREADS_MAX    (GUEST_CORES_MAX + 1)
#define STACK_BYTES    4096 /* as Toro's */
#define INTER_CORE_IRQ 80

struct thread {
    uintptr_t rsp;                  /* while it does not run */
    struct thread *next;            /* the run queue is a circle */
    bool (*ready)(const void *arg); /* NULL: ready */
    const void *arg;
};

/* Written by its own core, but for (asleep). */
static struct core {
    _Alignas(64) unsigned char stacks[THREADS_MAX][STACK_BYTES];
    struct thread threads[THREADS_MAX];
    unsigned count;
    struct thread boot; /* what the core did before StartThreads() */
    struct thread idle; /* what it does while none can run */
    struct thread *current;
    atomic_bool asleep; /* taken down by who wakes it */
} cores[GUEST_CORES_MAX];

/* switch.S */
void thread_begin(void);
uintptr_t Scheduling(uintptr_t rsp);
_Noreturn void ThreadExit(void);

IDT_ENTRY(inter_core_entry, inter_core_irq);

/* Nothing to do but end the sleep: the scheduler looks by itself. */
void inter_core_irq(const struct idt_frame *frame)
{
    (void)frame;
    lapic_eoi();
}

void sched_init(void)
{
    idt_set_gate(INTER_CORE_IRQ, inter_core_entry);
}

static void enqueue(struct core *core, struct thread *thread)
{
    if (core->count == 0)
        thread->next = thread;
    else {
        thread->next = core->threads[0].next;
        core->threads[0].next = thread;
    }
    core->count++;
}

/* Appends (sign) and (number), which is below 100. Returns the end. */
static char *put_number(char *text, char sign, unsigned number)
{
    *text++ = sign;
    if (number > 9)
        *text++ = (char)('0' + number / 10);
    *text++ = (char)('0' + number % 10);
    *text = 0;
    return text;
}

/* "(name) SELF", and the end of it; (text) has room. */
static char *make_name(char *text, const char *name)
{
    while (*name)
        *text++ = *name++;
    return put_number(text, ' ', core_index());
}

const void *CurrentThread(void)
{
    return cores[core_index()].current;
}

void BeginThread(const char *name, unsigned peer, void (*run)(void *arg),
                 void *arg)
{
    struct core *core = &cores[core_index()];
    char text[32];

    if (core->count == THREADS_MAX)
        guest_fail("sched: too many threads");
    struct thread *thread = &core->threads[core->count];
    uintptr_t *top =
        (uintptr_t *)(void *)(core->stacks[core->count] + STACK_BYTES);

    /* what SysThreadSwitch() pops, from high to low: return address, rbp,
     * rbx, r12, r13 to r15, padding */
    *--top = 0; /* so that thread_begin's calls find an aligned stack */
    *--top = 0;
    *--top = (uintptr_t)thread_begin;
    *--top = 0;
    *--top = (uintptr_t)run;
    *--top = (uintptr_t)arg;
    top -= 4;
    thread->rsp = (uintptr_t)top;
    put_number(make_name(text, name), '-', peer);
    timed_name(thread, text, false);
    enqueue(core, thread);
}

static bool never(const void *arg)
{
    (void)arg;
    return false;
}

void ThreadExit(void)
{
    for (;;)
        WaitFor(never, NULL);
}

/* The next thread of the circle that can run; the last one comes last. */
static struct thread *next_ready(const struct core *core)
{
    struct thread *thread = core->current->next;

    for (unsigned i = 0; i < core->count; i++, thread = thread->next) {
        if (thread->ready == NULL || thread->ready(thread->arg))
            return thread;
    }
    return NULL;
}

/* Sleep until a thread can run. */
static struct thread *Idle(struct core *core)
{
    struct thread *thread;

    timed_switch(core->current, &core->idle, core->current->ready != NULL);
    for (;;) {
        cpu_irq_disable();
        /* seq_cst: whoever stores what we wait for, and then reads this as
         * false in Wake(), stored it before next_ready() looks */
        atomic_store(&core->asleep, true);
        thread = next_ready(core);
        if (thread != NULL)
            break;
        cpu_wait();
    }
    atomic_store_explicit(&core->asleep, false, memory_order_relaxed);
    timed_switch(&core->idle, thread, false);
    cpu_irq_enable();
    return thread;
}

/* Called by SysThreadSwitch(), on the stack of the thread that it leaves. */
uintptr_t Scheduling(uintptr_t rsp)
{
    struct core *core = &cores[core_index()];
    struct thread *next = core->current->next;
    unsigned left = core->count;

    core->current->rsp = rsp;
    for (; left > 0 && next->ready && !next->ready(next->arg); left--)
        next = next->next;
    if (left == 0)
        next = Idle(core);
    else
        timed_switch(core->current, next, core->current->ready != NULL);
    next->ready = NULL;
    core->current = next;
    return next->rsp;
}

void WaitFor(bool (*ready)(const void *arg), const void *arg)
{
    struct thread *self = cores[core_index()].current;

    self->arg = arg;
    self->ready = ready;
    SysThreadSwitch();
}

void Wake(unsigned index)
{
    /* seq_cst fence: pairs with the store in Idle() */
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&cores[index].asleep, memory_order_relaxed))
        return;
    /* one interrupt wakes it: whoever takes the flag down sends it */
    if (atomic_exchange_explicit(&cores[index].asleep, false,
                                 memory_order_relaxed))
        lapic_send(index, INTER_CORE_IRQ);
}

void StartThreads(void)
{
    struct core *core = &cores[core_index()];
    char name[16];

    make_name(name, "idle");
    timed_name(&core->idle, name, true);
    core->boot.next = &core->threads[0];
    core->current = &core->boot;
    cpu_irq_enable();
    SysThreadSwitch();
    guest_fail("sched: a core came back from its threads");
}
