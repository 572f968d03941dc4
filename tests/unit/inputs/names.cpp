/* SPDX-License-Identifier: BSD-2-Clause */
/* What C++ does to names. */
#include "spot.h"

volatile int sink;

namespace outer
{
template <typename T> struct box {
    T value;
    __attribute__((noinline)) T get(int n) const
    {
        SPOT("outer::box<long>::get(int) const");
        return value + n;
    }
    __attribute__((always_inline)) T peek() const
    {
        SPOT("outer::box<long>::peek() const");
        return value * sink;
    }
};

static __attribute__((noinline)) int own(int x)
{
    SPOT("outer::own(int)");
    return x + sink;
}

/* the type that it returns is part of the mangled name, and not of ours */
template <typename T> __attribute__((noinline)) T twice(T n)
{
    SPOT("outer::twice<long>(long)");
    return n * 2 + sink;
}
} // namespace outer

namespace
{
__attribute__((noinline)) void nameless(int &x)
{
    SPOT("(anonymous namespace)::nameless(int&)");
    x = sink;
}
} // namespace

extern "C" void _start()
{
    outer::box<long> b = {sink};
    int x = outer::own(1);

    SPOT("_start");
    nameless(x);
    sink = static_cast<int>(b.get(x) + b.peek() + outer::twice(2L));
}
