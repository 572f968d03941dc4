/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two stories about a lock at which threads of the Toro-style scheduler sleep.
 * The guest reads the clock before and after each call about the lock, so it
 * knows bounds of each wait and each hold, and prints
 *
 *     LOCK: N acquires, N waits of A to B ticks, holds of A to B ticks
 *
 * convoy (the default): on core 0 the thread Hog holds queue_lock for long,
 * again and again; one thread Worker on each other core queues behind it.
 *
 * inversion=1: on core 0 the thread Low acquires log_lock and is switched out.
 * High waits for the lock, while Middle, which needs no lock, has the core. The
 * guest also prints "Middle: N ticks", for which Middle had the core meanwhile.
 *
 * Options: settle=N ticks before the story, in which the sums begin; those of
 * profile.h.
 */
#include <stdatomic.h>

#include "cpu.h"
#include "guest.h"
#include "must.h"
#include "profile.h"
#include "sched.h"
#include "timed.h"

#define TURNS     30
#define HOG_TICKS 500000 /* of the clock: a hold of Hog */
#define JOB_TICKS 20000  /* a hold of a worker */
#define CORES     4

/* --- The lock ------------------------------------------------------------- */

struct bounds {
    uint64_t least, most;
};

struct lock {
    const char *name;
    atomic_uint is_held;
    const void *_Atomic waiting[CORES]; /* a thread of each core */
    /* Written by the holder */
    uint64_t acquires, waits, before_hold, after_hold;
    struct bounds waited, held;
};

struct lock queue_lock = {.name = "queue_lock"};
struct lock log_lock = {.name = "log_lock"};

static bool is_free(const void *arg)
{
    const struct lock *l = arg;

    return atomic_load(&l->is_held) == 0;
}

static bool take(struct lock *l)
{
    return atomic_exchange(&l->is_held, 1) == 0;
}

__attribute__((noinline)) static void Sleep(struct lock *l)
{
    const void *_Atomic *self = &l->waiting[core_index()];
    uint64_t before = cpu_rdtsc();

    tprof_wait(l);
    uint64_t began = cpu_rdtsc();

    atomic_store(self, CurrentThread());
    while (!take(l))
        WaitFor(is_free, l);
    atomic_store(self, NULL);
    uint64_t ended = cpu_rdtsc();

    tprof_got(l);
    l->after_hold = cpu_rdtsc();
    l->before_hold = ended;
    l->waits++;
    l->waited.least += ended - began;
    l->waited.most += l->after_hold - before;
}

__attribute__((noinline)) static void Enter(struct lock *l)
{
    if (take(l)) {
        uint64_t before = cpu_rdtsc();

        tprof_got(l);
        l->after_hold = cpu_rdtsc();
        l->before_hold = before;
    } else {
        Sleep(l);
    }
    l->acquires++;
}

__attribute__((noinline)) static void Leave(struct lock *l)
{
    uint64_t before = cpu_rdtsc();

    tprof_gave(l);
    l->held.least += before - l->after_hold;
    l->held.most += cpu_rdtsc() - l->before_hold;
    atomic_store(&l->is_held, 0);
    for (unsigned core = 0; core < core_count(); core++) {
        const void *thread = atomic_load(&l->waiting[core]);

        if (thread != NULL)
            timed_wake(thread);
        if (thread != NULL && core != core_index())
            Wake(core);
    }
}

static void print(const struct lock *l)
{
    con_printf("%s: %lu acquires, %lu waits of %lu to %lu ticks, "
               "holds of %lu to %lu ticks\n",
               l->name, l->acquires, l->waits, l->waited.least, l->waited.most,
               l->held.least, l->held.most);
}

static void burn(uint64_t ticks)
{
    uint64_t begin = cpu_rdtsc();

    while (cpu_rdtsc() - begin < ticks)
        cpu_pause();
}

static _Noreturn void end(void)
{
    cpu_irq_disable();
    profile_drain();
    guest_exit(0);
}

/* --- A convoy ------------------------------------------------------------- */

static atomic_uint done; /* workers */

__attribute__((noinline)) static void Copy(void)
{
    Enter(&queue_lock);
    burn(HOG_TICKS);
    Leave(&queue_lock);
}

static void Hog(void *arg)
{
    (void)arg;
    while (atomic_load(&done) + 1 < core_count()) {
        Copy();
        burn(JOB_TICKS);
        SysThreadSwitch();
    }
    print(&queue_lock);
    end();
}

__attribute__((noinline)) static void Put(void)
{
    Enter(&queue_lock);
    burn(JOB_TICKS);
    Leave(&queue_lock);
}

static void Worker(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < TURNS; i++) {
        Put();
        burn(JOB_TICKS);
    }
    atomic_fetch_add(&done, 1);
}

/* --- An inversion --------------------------------------------------------- */

enum turn { LOW, HIGH, MIDDLE, NOBODY };

static atomic_uint turn = LOW;
static uint64_t middle_ticks;

static bool has_turn(const void *arg)
{
    return atomic_load(&turn) == (uintptr_t)arg;
}

static void wait_turn(enum turn of)
{
    while (!has_turn((const void *)(uintptr_t)of))
        WaitFor(has_turn, (const void *)(uintptr_t)of);
}

__attribute__((noinline)) static void Write(void)
{
    Enter(&log_lock);
    burn(JOB_TICKS);
    atomic_store(&turn, HIGH);
    SysThreadSwitch(); /* another thread has the core now */
    burn(JOB_TICKS);
    Leave(&log_lock);
}

static void Low(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < TURNS; i++) {
        Write();
        wait_turn(LOW);
    }
    print(&log_lock);
    con_printf("Middle: %lu ticks\n", middle_ticks);
    end();
}

static void Middle(void *arg)
{
    (void)arg;
    for (;;) {
        wait_turn(MIDDLE);
        uint64_t begin = cpu_rdtsc();

        burn(HOG_TICKS);
        middle_ticks += cpu_rdtsc() - begin;
        atomic_store(&turn, NOBODY);
    }
}

__attribute__((noinline)) static void Alarm(void)
{
    Enter(&log_lock);
    burn(JOB_TICKS);
    Leave(&log_lock);
}

static void High(void *arg)
{
    (void)arg;
    for (;;) {
        wait_turn(HIGH);
        atomic_store(&turn, MIDDLE);
        Alarm();
        atomic_store(&turn, LOW);
    }
}

/* --- The guest ------------------------------------------------------------ */

/* queue_lock has no name: the ELF file has a symbol for the variable. */
static void init_locks(void)
{
    static uint8_t memory[TPROF_LOCKS_MEMORY(16, 64)]
        __attribute__((aligned(64)));

    must(tprof_locks(&(struct tprof_locks_config){
        .memory = memory,
        .size = sizeof memory,
        .locks = 16,
        .waits = 64,
    }));
    must(tprof_lock_name(&log_lock, log_lock.name));
}

static void run_core(void)
{
    uint64_t settle = opt_u64("settle", 0);
    bool inversion = opt_u64("inversion", 0) != 0;
    struct tprof_stats stats = {0};

    profile_begin();
    while (stats.ticks < settle)
        must(tprof_get_stats(core_index(), &stats));
    if (inversion) { /* the scheduler's order is Low, High, Middle */
        BeginThread("Low", 0, Low, NULL);
        BeginThread("Middle", 0, Middle, NULL);
        BeginThread("High", 0, High, NULL);
    } else {
        BeginThread(core_index() == 0 ? "Hog" : "Worker", core_index(),
                    core_index() == 0 ? Hog : Worker, NULL);
    }
    StartThreads();
}

int guest_main(void)
{
    if (core_count() > CORES)
        guest_fail("locks: too many cores");
    profile_init();
    timed_init();
    init_locks();
    sched_init();
    core_run_all(run_core);
    return 0;
}
