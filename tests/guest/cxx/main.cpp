// SPDX-License-Identifier: BSD-2-Clause
// A kernel in C++ without its library: what is called here, by whom, and how
// often, is in the code; tests/guest/cxx/CMakeLists.txt says who looks.
//
// Options: rounds=N, rate=HZ, seed=N.
#include "kit.hpp"
#include "profiler.hpp"
#include "work.hpp"

extern "C" {
using Constructor = void (*)();
extern const Constructor __init_array_start[], __init_array_end[];

// What the compiler calls when a pure virtual function was.
[[noreturn]] void __cxa_pure_virtual();
void __cxa_pure_virtual()
{
    guest_fail("a pure virtual function");
}
}

namespace
{
constexpr std::size_t word_count = 64;

// What nobody outside this file can name.
class Random
{
  public:
    explicit Random(std::uint64_t seed) : state_(seed)
    {
    }

    APART std::uint32_t next()
    {
        for (int i = 0; i < 4; i++)
            state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 33);
    }

  private:
    std::uint64_t state_;
};

// Filled by its constructor, before guest_main().
struct Words {
    std::uint64_t wide[word_count] = {};

    Words()
    {
        Random random{1};

        for (std::uint64_t &word : wide)
            word = random.next();
    }
};

const Words words;
const Circle circle{7};
const Square square{3};
volatile std::uint64_t sink[16];
} // namespace

namespace kernel
{
using crypt::hash;

class Core
{
  public:
    explicit Core(unsigned number) : number_(number), random_(number)
    {
    }

    APART void hashes(unsigned rounds)
    {
        keep(hash<std::uint64_t, 13>(words.wide, word_count, rounds));
    }

    APART void shapes(unsigned rounds)
    {
        const Shape *const all[] = {&circle, &square};

        for (const Shape *shape : all)
            keep(shape->area(rounds));
    }

    APART void vectors(unsigned rounds)
    {
        math::Vec<8> a = {{1, 2, 3, 4, 5, 6, 7, 8}};

        for (unsigned i = 0; i < rounds; i++) {
            a += a;
            keep(a * a);
        }
    }

    APART void sorts(unsigned rounds)
    {
        algo::repeat(rounds, [this](unsigned) {
            std::uint32_t list[16];

            for (std::uint32_t &item : list)
                item = random_.next();
            algo::insertion_sort(list, list + 16, algo::Falling());
            keep(list[0]);
        });
        no_tail_call();
    }

    APART void states(unsigned rounds)
    {
        keep(machine_.run(rounds));
    }

    APART void pools(unsigned rounds)
    {
        keep(*Pool::take(rounds));
    }

  private:
    void keep(std::uint64_t value)
    {
        sink[number_] = sink[number_] + value;
    }

    unsigned number_;
    Random random_;
    Machine machine_;
};

APART void work(unsigned number, unsigned rounds)
{
    Core core{number};

    for (unsigned i = 0; i < rounds; i++) {
        core.hashes(8);
        core.shapes(70);
        core.vectors(24);
        core.sorts(2);
        core.states(26);
        core.pools(60);
    }
}

void run_core()
{
    profiler::Session session;

    work(cpu::index(), static_cast<unsigned>(opt_u64("rounds", 100)));
}
} // namespace kernel

int guest_main()
{
    for (const Constructor *c = __init_array_start; c < __init_array_end; c++)
        (*c)();
    if (words.wide[0] == 0)
        guest_fail("no constructor has run");
    profiler::init();
    core_run_all(kernel::run_core);
    profiler::drain();
    return 0;
}
