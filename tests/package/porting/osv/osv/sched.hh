/* SPDX-License-Identifier: BSD-2-Clause */
// OSv, include/osv/sched.hh and arch/x64/arch.hh: what agent/porting/osv.md uses of them.
#ifndef SCHED_HH
#define SCHED_HH

#include <vector>

namespace arch {

void irq_disable_notrace();

struct irq_flag_notrace {
    void save();
    void restore();
};

}

namespace sched {

struct cpu {
    static cpu *current();
    unsigned id;
};

extern std::vector<cpu *> cpus;

struct thread {
    struct attr {
        attr &pin(cpu *c);
    };
    static thread *make(void (*main)(), attr how);
    void start();
    void join();
};

}

#endif
