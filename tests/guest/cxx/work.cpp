// SPDX-License-Identifier: BSD-2-Clause
// The parts of the work that need no template.
#include "work.hpp"

std::uint64_t Square::area(unsigned rounds) const
{
    std::uint64_t sum = 0;

    for (unsigned i = 0; i < rounds; i++)
        HERE(square, sum = (sum ^ sum >> 9 ^ sum >> 17) * side_ + i);
    return sum;
}

std::uint64_t Circle::area(unsigned rounds) const
{
    std::uint64_t sum = 1;

    for (unsigned i = 0; i < rounds; i++)
        sum = (sum ^ sum >> 7) * 355 / 113 + radius_;
    return sum;
}

const Machine::State Machine::states_[2] = {&Machine::count, &Machine::fold};

std::uint64_t Machine::run(unsigned steps)
{
    for (unsigned step = 0; step < steps; step++)
        (this->*states_[step % 2])(step);
    return value_;
}

void Machine::count(unsigned step)
{
    for (unsigned i = 0; i < step % 8; i++)
        value_ += i ^ value_ >> 3;
}

void Machine::fold(unsigned step)
{
    for (unsigned i = 0; i < 16; i++)
        HERE(fold, value_ = (value_ ^ step) * 0x100000001b3u);
}

std::uint64_t Pool::slots_[Pool::size_];

std::uint64_t *Pool::take(unsigned rounds)
{
    std::uint64_t *best = slots_;

    for (unsigned i = 0; i < rounds; i++) {
        std::uint64_t &slot = slots_[i % size_];

        slot += i;
        if (slot < *best)
            best = &slot;
    }
    return best;
}
