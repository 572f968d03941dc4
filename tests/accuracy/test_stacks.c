/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T5: every stack that the collector shows is compared with the shadow stack of
 * the same interrupt. While a function has no frame (yet, or any more), the
 * chain of frames lacks the function's direct caller. The collector finds that
 * caller by the words on top of the stack, or by the code where there is only
 * one call. Where it does not, it must say so, and the rest of the chain must
 * be right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"

#define MARK        "[caller?]"
#define SAMPLES_MIN 10000

/* Functions of the guest that run only between the marks. */
static const char *const functions[] = {
    "leaf_long",      "leaf_bare",        "leaf_deep",      "leaf_once",
    "caller_of_30",   "caller_of_70",     "recurse",        "jumper",
    "jumped_to",      "caller_of_jumper", "caller_of_bare", "caller_of_deep",
    "caller_of_once",
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

static int is_ours(const char *stack)
{
    const char *leaf = lab_leaf(stack);

    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(leaf, functions[i]) == 0)
            return 1;
    return 0;
}

/* "a;b;MARK;leaf" becomes "a;b;caller;leaf": only one leaf may be marked, and
 * it has but one caller. Returns whether it was. */
static int unmark(struct lab_stack *s)
{
    static const char marked[] = MARK ";leaf_deep";
    char *at = strstr(s->text, MARK), *text;

    if (at == NULL)
        return 0;
    CHECK_STR(at, marked);
    CHECK(asprintf(&text, "%.*scaller_of_deep;leaf_deep", (int)(at - s->text),
                   s->text) > 0);
    free(s->text);
    s->text = text;
    return 1;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct lab_stack *)a)->text,
                  ((const struct lab_stack *)b)->text);
}

/* Keeps stacks of our functions, sorted, each once. */
static void tidy(struct lab_stacks *s)
{
    size_t kept = 0;

    qsort(s->stack, s->count, sizeof *s->stack, by_text);
    for (size_t i = 0; i < s->count; i++) {
        struct lab_stack *at = &s->stack[i];

        if (!is_ours(at->text)) {
            free(at->text);
        } else if (kept && !strcmp(s->stack[kept - 1].text, at->text)) {
            s->stack[kept - 1].count += at->count;
            free(at->text);
        } else {
            s->stack[kept++] = *at;
        }
    }
    s->count = kept;
}

/* The stacks that the collector should show: the true ones, where the innermost
 * function has a frame and where it has none. */
static struct lab_stacks expected(void)
{
    struct lab_stacks all = lab_true_stacks(0, 1);
    struct lab_stacks frameless = lab_true_stacks(0, 0);
    size_t count = all.count + frameless.count;

    all.stack = realloc(all.stack, (count + 1) * sizeof *all.stack);
    CHECK(all.stack != NULL);
    for (size_t i = 0; i < frameless.count; i++)
        all.stack[all.count++] = frameless.stack[i];
    free(frameless.stack);
    tidy(&all);
    return all;
}

static void compare(const struct lab_stacks *truth,
                    const struct lab_stacks *seen)
{
    for (size_t i = 0; i < truth->count && i < seen->count; i++) {
        CHECK_STR(seen->stack[i].text, truth->stack[i].text);
        CHECK_EQ(seen->stack[i].count, truth->stack[i].count);
    }
    CHECK_EQ(seen->count, truth->count);
}

/* How many samples were marked; none is any more. */
static uint64_t unmark_all(struct lab_stacks *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += unmark(&s->stack[i]) ? s->stack[i].count : 0;
    return n;
}

static uint64_t count_leaf(const struct lab_stacks *s, const char *leaf)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += strcmp(lab_leaf(s->stack[i].text), leaf) == 0 ? s->stack[i].count
                                                           : 0;
    return n;
}

TEST(t5_every_stack_is_the_true_one) /* catches: wrong parents, false edges */
{
    struct lab_run run = {.elf = LAB_GUEST,
                          .options = "rate=20000 seed=1 loops=450000",
                          .truth = ",stacks=1"};

    lab_boot(&run);
    struct lab_stacks truth = expected();
    struct lab_stacks seen = lab_measured(&run, 0);
    tidy(&seen);
    uint64_t marked = unmark_all(&seen);

    tidy(&seen);
    printf("%llu samples, %zu different stacks, %llu with uncertain caller\n",
           (unsigned long long)lab_total(&seen), seen.count,
           (unsigned long long)marked);
    compare(&truth, &seen);
    CHECK(lab_total(&seen) >= SAMPLES_MIN);
    CHECK(marked >= SAMPLES_MIN / 20);
    CHECK(marked < count_leaf(&truth, "leaf_deep")); /* it begins and ends */
    lab_free(&truth);
    lab_free(&seen);
}
