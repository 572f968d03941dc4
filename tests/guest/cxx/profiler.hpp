// SPDX-License-Identifier: BSD-2-Clause
// The profiler as this kernel sets it up: by an object that lives while a core
// is profiled.
#ifndef GUEST_CXX_PROFILER_HPP
#define GUEST_CXX_PROFILER_HPP

namespace profiler
{
// Once, before the other cores start.
void init();

// Once, when all of them are done.
void drain();

// A core is profiled, with its interrupts on, as long as it has one of these.
class Session
{
  public:
    Session();
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
};
} // namespace profiler

#endif
