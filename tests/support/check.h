/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test cases. Each case runs in a process of its own, so that a crash, a hang
 * or a leak fails this case alone. Depends on nothing but libc.
 *
 *     TEST(ring_full_drops_newest) // catches: overwriting a slot being read
 *     {
 *         CHECK(tprof_ring_reserve(&r) == NULL);
 *         CHECK_EQ(tprof_ring_drops(&r), 1);
 *     }
 *
 * main() is in check.c. `./test_ring NAME...` runs the cases whose names
 * contain one of the arguments, `./test_ring --list` names them all. Exit
 * status: 1 when a case failed, else 77 when one was skipped, else 0.
 */
#ifndef TPROF_CHECK_H
#define TPROF_CHECK_H

#include <stddef.h>

struct check_case {
    const char *name;
    void (*run)(void);
    struct check_case *next;
};

/* Define a case, a function without arguments; its name is a sentence. */
#define TEST(case_name)                                                        \
    static void case_name(void);                                               \
    __attribute__((constructor)) static void check_add_##case_name(void)       \
    {                                                                          \
        static struct check_case c = {#case_name, case_name, NULL};            \
        check_add(&c);                                                         \
    }                                                                          \
    static void case_name(void)

/*
 * The checks end the case's process at the first failure, from any function or
 * thread of it. Each argument is evaluated once.
 */
#define CHECK(cond)                                                            \
    ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, "%s", #cond))

/* Integers of any type up to 64 bits; prints both, in decimal and hex. */
#define CHECK_EQ(a, b)                                                         \
    check_eq(__FILE__, __LINE__, #a, (long long)(a), #b, (long long)(b))

/* Strings; NULL equals only NULL. */
#define CHECK_STR(a, b) check_str(__FILE__, __LINE__, #a, (a), #b, (b))

/* (len) bytes at each of two places; prints where they first differ. */
#define CHECK_MEM(a, b, len)                                                   \
    check_mem(__FILE__, __LINE__, #a, (a), #b, (b), (len))

/* End the case here: not run, and why (printf-style). */
#define SKIP(...) check_skip(__VA_ARGS__)

void check_add(struct check_case *c);
_Noreturn void check_failed(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void check_skip(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
void check_eq(const char *file, int line, const char *a_text, long long a,
              const char *b_text, long long b);
void check_str(const char *file, int line, const char *a_text, const char *a,
               const char *b_text, const char *b);
void check_mem(const char *file, int line, const char *a_text, const void *a,
               const char *b_text, const void *b, size_t len);

#endif
