/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T5: every stack that the collector shows, against the shadow stack of the
 * same interrupt. Where a function has not (or no more) set up its frame, the
 * chain lacks its direct caller: there the collector must say so, at just
 * those samples, and the rest of the chain must be right all the same.
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
    "leaf_long", "leaf_bare", "caller_of_30",     "caller_of_70",   "recurse",
    "jumper",    "jumped_to", "caller_of_jumper", "caller_of_bare",
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

/* "a;b;caller;leaf" becomes "a;b;MARK;leaf", as the collector should have it.
 */
static char *marked(const char *stack)
{
    const char *leaf = lab_leaf(stack);
    const char *caller = leaf - 1;
    char *text = NULL;

    while (caller > stack && caller[-1] != ';')
        caller--;
    CHECK(asprintf(&text, "%.*s" MARK ";%s", (int)(caller - stack), stack,
                   leaf) > 0);
    return text;
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

/* What the collector should show: the truth, marked where it must be. */
static struct lab_stacks expected(void)
{
    struct lab_stacks all = lab_true_stacks(0, 1);
    struct lab_stacks frameless = lab_true_stacks(0, 0);
    size_t count = all.count + frameless.count;

    all.stack = realloc(all.stack, (count + 1) * sizeof *all.stack);
    CHECK(all.stack != NULL);
    for (size_t i = 0; i < frameless.count; i++) {
        all.stack[all.count].text = marked(frameless.stack[i].text);
        all.stack[all.count++].count = frameless.stack[i].count;
    }
    lab_free(&frameless);
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

static uint64_t count_marked(const struct lab_stacks *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += strstr(s->stack[i].text, MARK) ? s->stack[i].count : 0;
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
    printf("%llu samples, %zu different stacks, %llu with uncertain caller\n",
           (unsigned long long)lab_total(&seen), seen.count,
           (unsigned long long)count_marked(&seen));
    compare(&truth, &seen);
    CHECK(lab_total(&seen) >= SAMPLES_MIN);
    CHECK(count_marked(&seen) >= SAMPLES_MIN / 20);
    lab_free(&truth);
    lab_free(&seen);
}
