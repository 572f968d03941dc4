/* SPDX-License-Identifier: BSD-2-Clause */
// OSv, include/osv/sched.hh: what PORTING.md uses of it.
#ifndef SCHED_HH
#define SCHED_HH

namespace sched {

struct cpu {
    static cpu *current();
    unsigned id;
};

}

#endif
