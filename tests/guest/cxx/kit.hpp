// SPDX-License-Identifier: BSD-2-Clause
// What this kernel uses of the guest kit (tests/guest/common), for C++.
#ifndef GUEST_CXX_KIT_HPP
#define GUEST_CXX_KIT_HPP

#include <cstdint>

extern "C" {
int guest_main();
[[noreturn]] void guest_fail(const char *what);
void core_run_all(void (*work)());
std::uint64_t opt_u64(const char *name, std::uint64_t absent);
void truth_begin();
void truth_end();
}

namespace cpu
{
inline unsigned index()
{
    unsigned index;

    __asm__("movl %%gs:0, %0" : "=r"(index));
    return index;
}

inline void interrupts_on()
{
    __asm__ volatile("sti" ::: "memory");
}

inline void interrupts_off()
{
    __asm__ volatile("cli" ::: "memory");
}

inline void sleep()
{
    __asm__ volatile("sti; hlt; cli" ::: "memory");
}
} // namespace cpu

// Does (code), and makes a symbol line_of_NAME whose value is this line.
#define HERE_TEXT(line) #line
#define HERE_SET(name, line)                                                   \
    __asm__ volatile(".globl line_of_" #name "\n"                              \
                     ".set line_of_" #name ", " HERE_TEXT(line))
#define HERE(name, code)                                                       \
    do {                                                                       \
        HERE_SET(name, __LINE__);                                              \
        code;                                                                  \
    } while (false)

#endif
