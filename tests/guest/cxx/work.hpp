// SPDX-License-Identifier: BSD-2-Clause
// Work in the shapes that C++ gives to code, each with a known number of
// rounds. Functions marked apart keep a frame of their own.
#ifndef GUEST_CXX_WORK_HPP
#define GUEST_CXX_WORK_HPP

#include <cstddef>
#include <cstdint>

#include "kit.hpp"

#define APART [[gnu::noinline]]

// Keeps a call from becoming a jump, which would leave no frame.
inline void no_tail_call()
{
    __asm__ volatile("");
}

// --- templates that are inlined three deep ---
namespace crypt
{
template <class Word> inline Word rotate(Word word, unsigned by)
{
    return static_cast<Word>(word << by | word >> (8 * sizeof word - by));
}

template <class Word, unsigned Turn> class Mixer
{
  public:
    void feed(Word word)
    {
        step(static_cast<Word>(word ^ key));
    }

    Word digest() const
    {
        return state;
    }

  private:
    void step(Word word)
    {
        state = static_cast<Word>(rotate(state, Turn) + word);
    }

    static constexpr Word key = static_cast<Word>(0x9e3779b97f4a7c15u);
    Word state = 1;
};

template <class Word, unsigned Turn>
APART Word hash(const Word *words, std::size_t count, unsigned rounds)
{
    Mixer<Word, Turn> mixer;

    for (unsigned round = 0; round < rounds; round++)
        for (std::size_t i = 0; i < count; i++)
            mixer.feed(words[i]);
    return mixer.digest();
}
} // namespace crypt

// --- virtual functions ---
class Shape
{
  public:
    virtual std::uint64_t area(unsigned rounds) const = 0;

  protected:
    ~Shape() = default;
};

class Square final : public Shape
{
  public:
    explicit Square(std::uint64_t side) : side_(side)
    {
    }
    APART std::uint64_t area(unsigned rounds) const override;

  private:
    std::uint64_t side_;
};

class Circle final : public Shape
{
  public:
    explicit Circle(std::uint64_t radius) : radius_(radius)
    {
    }
    APART std::uint64_t area(unsigned rounds) const override;

  private:
    std::uint64_t radius_;
};

// --- operators ---
namespace math
{
template <std::size_t N> struct Vec {
    std::uint64_t at[N];

    std::uint64_t operator[](std::size_t i) const
    {
        return at[i];
    }
    APART Vec &operator+=(const Vec &other)
    {
        for (std::size_t i = 0; i < N; i++)
            at[i] += other[i];
        return *this;
    }
};

template <std::size_t N>
APART std::uint64_t operator*(const Vec<N> &a, const Vec<N> &b)
{
    std::uint64_t sum = 0;

    for (std::size_t i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}
} // namespace math

// --- an algorithm that takes its order from its caller ---
namespace algo
{
struct Falling {
    bool operator()(std::uint32_t a, std::uint32_t b) const
    {
        return a > b;
    }
};

template <class Iterator, class Before>
APART void insertion_sort(Iterator first, Iterator last, Before before)
{
    for (Iterator at = first + 1; at < last; ++at) {
        auto value = *at;
        Iterator to = at;

        for (; to > first && before(value, to[-1]); --to)
            *to = to[-1];
        *to = value;
    }
}

template <class Function> APART void repeat(unsigned times, Function function)
{
    for (unsigned i = 0; i < times; i++)
        function(i);
    no_tail_call();
}
} // namespace algo

// --- a machine of states that are member functions ---
class Machine
{
  public:
    APART std::uint64_t run(unsigned steps);

  private:
    using State = void (Machine::*)(unsigned);
    APART void count(unsigned step);
    APART void fold(unsigned step);

    static const State states_[2];
    std::uint64_t value_ = 0;
};

// --- one of which all know ---
class Pool
{
  public:
    APART static std::uint64_t *take(unsigned rounds);

  private:
    static constexpr std::size_t size_ = 64;
    static std::uint64_t slots_[size_];
};

#endif
