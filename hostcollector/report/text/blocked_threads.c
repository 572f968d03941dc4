/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks at which threads were blocked, and the stacks that woke them. */
#include "report/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/name.h"
#include "util/text.h"

#define ROWS       6    /* rows, if there is no option for more */
#define ALL        1000 /* rows with --all */
#define LEFT       28   /* "  57.1      1,203     12 ms  " */
#define NAME_WIDTH 30   /* of a function */
/* Waits below this share of all waits are left out, unless --all is given. */
#define SHARE_MIN  .005

struct thread_waits {
    FILE *out;
    const struct report *r;
    uint32_t *list; /* indices of waits, by falling time */
    size_t count, shown;
    double all;          /* time of all waits */
    size_t stacks;       /* number of shown stacks that are known */
    size_t *stacks_with; /* by function: number of these stacks with it */
    size_t outer;        /* number of functions at the start of all of them */
    const struct view_wait *first; /* of these stacks; or NULL */
};

/* qsort() passes no context. */
static const struct profile_wait *sorted_waits;

/* Ticks at the stack of (w), with those of a wait that still goes on. */
static double time_at(const struct profile_wait *w)
{
    return (double)w->time + (double)w->open;
}

static int by_time(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double left = time_at(&sorted_waits[x]);
    double right = time_at(&sorted_waits[y]);

    return left != right ? (left < right ? 1 : -1) : (x > y) - (x < y);
}

/* Is the thread of (w) an idle thread? Sleep of idle threads is no wait. */
static bool is_idle(const struct profile *p, const struct profile_wait *w)
{
    return w->thread != 0 && p->threads[w->thread - 1].idle;
}

static int list_waits(struct thread_waits *w)
{
    const struct profile *p = w->r->profile;

    w->list = calloc(p->wait_count + 1, sizeof *w->list);
    if (w->list == NULL)
        return -1;
    for (uint32_t i = 0; i < p->wait_count; i++) {
        const struct profile_wait *wait = &p->waits[i];

        if (wait->kind != WIRE_WAIT_BLOCKED || is_idle(p, wait) ||
            time_at(wait) <= 0)
            continue;
        w->list[w->count++] = i;
        w->all += time_at(wait);
    }
    sorted_waits = p->waits;
    qsort(w->list, w->count, sizeof *w->list, by_time);
    return 0;
}

static size_t count_shown(const struct thread_waits *w)
{
    const struct profile_wait *waits = w->r->profile->waits;
    size_t most = w->r->all || w->r->whole ? ALL : ROWS;
    size_t n = w->count < most ? w->count : most;

    while (!w->r->all && n > 1 &&
           time_at(&waits[w->list[n - 1]]) < SHARE_MIN * w->all)
        n--;
    return n;
}

/* Number of equal functions at the outer ends of both stacks, up to (most). */
static size_t common_of(const struct view_wait *a, const struct view_wait *b,
                        size_t most)
{
    size_t n = 0;

    while (n < most && n < a->count && n < b->count &&
           a->functions[n] == b->functions[n])
        n++;
    return n;
}

/* Count for each function the shown stacks that contain it. Returns 0; -1 if
 * there is no memory. */
static int find_common(struct thread_waits *w)
{
    const struct view *v = w->r->view;
    size_t *last = calloc(v->function_count + 1, sizeof *last);

    w->stacks_with = calloc(v->function_count + 1, sizeof *w->stacks_with);
    if (last == NULL || w->stacks_with == NULL) {
        free(last);
        return -1;
    }
    for (size_t i = 0; i < w->shown; i++) {
        const struct view_wait *stack = &v->waits[w->list[i]];

        if (stack->count == 0)
            continue;
        w->outer =
            w->first != NULL ? common_of(w->first, stack, w->outer) : SIZE_MAX;
        w->first = w->first != NULL ? w->first : stack;
        w->stacks++;
        for (size_t k = 0; k < stack->count; k++) {
            w->stacks_with[stack->functions[k]] +=
                last[stack->functions[k]] != i + 1;
            last[stack->functions[k]] = i + 1;
        }
    }
    free(last);
    return 0;
}

/*
 * Returns the number of innermost functions of (stack) that belong to the
 * scheduler and are left out.
 *
 * All shown stacks have some functions of the scheduler in common. The
 * outermost of these functions and all functions inside it are left out. One
 * function in between may be missing in other stacks. The outer functions with
 * which all stacks begin do not count.
 */
static size_t scheduler_of(const struct thread_waits *w,
                           const struct view_wait *stack)
{
    size_t inside = 0, others = 0;

    if (w->stacks < 2)
        return 0;
    for (size_t i = 0; i < stack->count && stack->count - i > w->outer; i++) {
        bool common =
            w->stacks_with[stack->functions[stack->count - 1 - i]] == w->stacks;

        others = common ? 0 : others + 1;
        if (others == 2)
            break;
        inside = common ? i : inside;
    }
    return inside;
}

void table_stack(FILE *out, const struct view *v, const struct view_wait *stack,
                 size_t from, size_t less, size_t width)
{
    char text[TEXT_COLUMNS * 4 + 1] = "", step[NAME_SHORT + 8];
    char name[NAME_SHORT];
    size_t i = stack->count - (less < stack->count ? less : 0);

    if (width >= TEXT_COLUMNS)
        width = TEXT_COLUMNS;
    while (i-- > from) {
        const char *full = v->functions[stack->functions[i]].name;
        size_t room = text_width(text) + (i != from ? strlen(".. > ") : 0);

        (void)snprintf(step, sizeof step, "%s%s",
                       name_short(name, full, NAME_WIDTH),
                       text[0] != '\0' ? " > " : "");
        if (text[0] != '\0' && room + text_width(step) > width)
            (void)snprintf(step, sizeof step, ".. > ");
        if (strlen(step) + strlen(text) >= sizeof text)
            break;
        memmove(text + strlen(step), text, strlen(text) + 1);
        memcpy(text, step, strlen(step));
        if (strncmp(text, ".. > ", strlen(".. > ")) == 0)
            break;
    }
    text_cut(out, text[0] != '\0' ? text : "unknown stack", width);
    (void)putc('\n', out);
}

/* The stack that ended most waits of (thread), and its share of these waits.
 * NULL if no such stack is known. */
static const struct profile_wait *waker_of(const struct thread_waits *w,
                                           uint32_t thread, double *part)
{
    const struct profile *p = w->r->profile;
    const struct profile_wait *most = NULL;
    double all = 0;

    for (size_t i = 0; i < p->wait_count; i++) {
        const struct profile_wait *wait = &p->waits[i];

        if (wait->kind != WIRE_WAIT_WAKER || wait->thread != thread)
            continue;
        all += (double)wait->count;
        if (most == NULL || wait->count > most->count)
            most = wait;
    }
    *part = most != NULL ? (double)most->count / all : 0;
    return most;
}

/* Write the functions of (stack), the stack that ended waits, in (width)
 * columns: first the outermost function that other stacks do not have. */
static void write_waking(const struct thread_waits *w,
                         const struct view_wait *stack, size_t width)
{
    size_t from = w->first != NULL ? common_of(w->first, stack, w->outer) : 0;
    char name[NAME_SHORT];

    if (from + 1 >= stack->count) {
        table_stack(w->out, w->r->view, stack, from < stack->count ? from : 0,
                    0, width);
        return;
    }
    const char *outer = name_short(
        name, w->r->view->functions[stack->functions[from]].name, NAME_WIDTH);
    size_t used = text_width(outer) + strlen(" > ");

    (void)fprintf(w->out, "%s > ", outer);
    table_stack(w->out, w->r->view, stack, from + 1, 0,
                width > used ? width - used : 1);
}

/* Write "Ping was woken 94 % by Pong > .. > SendTo". */
static void write_waker(const struct thread_waits *w, uint32_t thread,
                        const char *name)
{
    double part;
    const struct profile_wait *waker = waker_of(w, thread, &part);
    char text[NAME_PLAIN + 32];

    if (waker == NULL || thread == 0 || part <= 0)
        return;
    (void)snprintf(text, sizeof text, "%s was woken %.0f %% by ", name,
                   100 * part);
    (void)fprintf(w->out, "%*s%s", LEFT + 2, "", text);
    write_waking(w, &w->r->view->waits[waker - w->r->profile->waits],
                 table_left(w->r, LEFT + 2 + text_width(text)));
}

/* Has row (i) the most waits of its thread? */
static bool has_most_waits(const struct thread_waits *w, size_t i)
{
    const struct profile_wait *waits = w->r->profile->waits;
    const struct profile_wait *wait = &waits[w->list[i]];

    for (size_t k = 0; k < w->shown; k++) {
        const struct profile_wait *other = &waits[w->list[k]];

        if (other->thread == wait->thread &&
            (other->count > wait->count ||
             (other->count == wait->count && k < i)))
            return false;
    }
    return true;
}

/* Write row (i). Below the row of a thread with the most waits, write the stack
 * that wakes the thread. */
static void write_wait(const struct thread_waits *w, size_t i)
{
    const struct profile *p = w->r->profile;
    const struct profile_wait *wait = &p->waits[w->list[i]];
    const struct view_wait *stack = &w->r->view->waits[w->list[i]];
    char count[TEXT_NUMBER], longest[TEXT_NUMBER] = "?", name[NAME_PLAIN];
    char shown[NAME_SHORT], open[TEXT_NUMBER];
    uint64_t most = wait->open > wait->longest ? wait->open : wait->longest;

    if (p->tsc_hz != 0)
        text_seconds(longest, (double)most / (double)p->tsc_hz);
    name_of_thread(name, p, wait->thread);
    (void)snprintf(shown, sizeof shown,
                   "%s: ", wait->thread != 0 ? name : "several threads");
    (void)fprintf(w->out, "%6.1f %10s %9s  %s", 100 * time_at(wait) / w->all,
                  text_count(count, wait->count + (wait->open != 0)), longest,
                  shown);
    table_stack(w->out, w->r->view, stack, 0, scheduler_of(w, stack),
                table_left(w->r, LEFT + text_width(shown)));
    if (wait->open != 0 && p->tsc_hz != 0)
        (void)fprintf(
            w->out, "%*sstill waiting, for %s\n", LEFT + 2, "",
            text_seconds(open, (double)wait->open / (double)p->tsc_hz));
    if (has_most_waits(w, i))
        write_waker(w, wait->thread, name);
}

void table_thread_waits(FILE *out, const struct report *r)
{
    struct thread_waits w = {.out = out, .r = r};

    if (r->profile->wait_count != 0 && list_waits(&w) == 0 && w.count != 0) {
        w.shown = count_shown(&w);
        if (find_common(&w) != 0)
            w.shown = 0;
        (void)fprintf(out,
                      "\n%6s %10s %9s  WAITS OF THREADS, %% of the time of all "
                      "waits\n",
                      "SHARE", "COUNT", "LONGEST");
        for (size_t i = 0; i < w.shown; i++)
            write_wait(&w, i);
        if (w.shown < w.count)
            (void)fprintf(out, "%*s%zu more: --all\n", LEFT, "",
                          w.count - w.shown);
    }
    free(w.list);
    free(w.stacks_with);
}

void table_wait_stack(FILE *out, const struct report *r, uint32_t wait,
                      size_t width)
{
    struct thread_waits w = {.out = out, .r = r};
    const struct view_wait *stack = &r->view->waits[wait];

    if (list_waits(&w) == 0) {
        w.shown = count_shown(&w);
        if (find_common(&w) != 0)
            w.stacks = 0;
    }
    table_stack(out, r->view, stack, 0, scheduler_of(&w, stack), width);
    free(w.list);
    free(w.stacks_with);
}
