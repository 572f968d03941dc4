/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a rule from its end, since names contain blanks. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "util/text.h"
#include "view/find.h"

#define OF_REST " of the rest"
#define PER     "% per "
#define WORK    "work:"

static int refuse(const char *text, struct err *e)
{
    return err_set(e,
                   "--fail-if: what is '%s'? Type it as 'NAME +3%%', 'NAME "
                   "+3%%" OF_REST "', 'NAME +3%% per COUNTER' or '" WORK
                   "COUNTER +3%%'; -3%% is for what shrinks",
                   text);
}

/* The percentage in the (length) bytes at (word), such as "+3%", at most
 * (most); NAN if there is none. */
static double percent(const char *word, size_t length, double most)
{
    char copy[32], *end;

    if (length < 3 || length >= sizeof copy || word[length - 1] != '%' ||
        (word[0] != '+' && word[0] != '-') ||
        strspn(word + 1, "0123456789.") < length - 2)
        return NAN;
    memcpy(copy, word, length);
    copy[length] = '\0';
    double n = strtod(copy, &end);

    return end == copy + length - 1 && n >= -100 && n <= most ? n : NAN;
}

/* Remove " of the rest" or " per COUNTER" from the end of (text). Returns the
 * length of the rest. */
static size_t take_of(struct fail_if *f, const char *text)
{
    size_t length = strlen(text), rest = strlen(OF_REST);
    const char *per = NULL;

    for (const char *p = text; (p = strstr(p, PER)) != NULL; p++)
        per = p;
    if (per != NULL) {
        f->counter = per + strlen(PER);
        f->counter_length = strlen(f->counter);
        return (size_t)(per - text) + 1;
    }
    f->of_rest = length > rest && strcmp(text + length - rest, OF_REST) == 0;
    return f->of_rest ? length - rest : length;
}

int fail_if_parse(struct fail_if *f, const char *text, struct err *e)
{
    *f = (struct fail_if){.text = text};
    size_t length = take_of(f, text), word = length, begin = strlen(WORK);
    bool work = strncmp(text, WORK, begin) == 0;

    while (word > 0 && text[word - 1] != ' ')
        word--;
    f->change = percent(text + word, length - word,
                        work || f->counter != NULL ? 1e4 : 100) /
                100;
    while (word > 0 && text[word - 1] == ' ')
        word--;
    if (isnan(f->change) || word == 0 || word >= sizeof f->name ||
        (f->counter != NULL && f->counter_length == 0))
        return refuse(text, e);
    if (!work) {
        memcpy(f->name, text, word);
        return 0;
    }
    if (word <= begin || f->of_rest || f->counter != NULL)
        return refuse(text, e);
    f->counter = text + begin;
    f->counter_length = word - begin;
    return 0;
}

/* The change that a rule of (f) compares with its limit. */
static struct two_proportions_change
change_of(const struct fail_if *f, const struct diff *d,
          const struct fail_if_found *found)
{
    const struct compare_row *row = &d->rows[found->function];

    if (f->counter == NULL)
        return f->of_rest ? row->rest.of : row->all.of;

    const struct diff_unit *u = &d->units[found->unit];
    const struct unit_row *r = &u->rows[found->function];

    if (f->name[0] == '\0')
        return (struct two_proportions_change){u->cost.change,
                                               u->cost.change - u->cost.margin,
                                               u->cost.change + u->cost.margin};
    /* a function of one side only is new or gone, if this is beyond chance */
    if (!(r->before > 0 && r->after > 0) && !r->changed)
        return (struct two_proportions_change){0, -1, INFINITY};
    return (struct two_proportions_change){r->change, r->low, r->high};
}

static int find_unit(const struct fail_if *f, const struct diff *d,
                     struct fail_if_found *found, struct err *e)
{
    char name[GUEST_COUNTER_NAME * 4];

    for (uint32_t i = 0; i < d->unit_count; i++) {
        (void)text_escape(name, sizeof name, d->units[i].name);
        if (strlen(name) != f->counter_length ||
            memcmp(name, f->counter, f->counter_length) != 0)
            continue;
        found->unit = i;
        return 0;
    }
    return err_set(e,
                   "--fail-if: no counter of the guest's work is called "
                   "'%.*s' in all recordings%s%.80s",
                   (int)(f->counter_length < 80 ? f->counter_length : 80),
                   f->counter, d->unit_count != 0 ? "; there is " : "",
                   d->unit_count != 0 ? d->units[0].name : "");
}

/* Refuse the name, and suggest similar names. */
static int refuse_name(const struct fail_if *f, const struct diff *d,
                       struct err *e)
{
    struct view_function *list = calloc(VIEW_MARKS + d->count, sizeof *list);
    char near[FIND_NEAR] = "";

    for (size_t i = 0; list != NULL && i < d->count; i++)
        list[VIEW_MARKS + i].name = d->functions[i].name;
    if (list != NULL)
        (void)find_near(near, list, VIEW_MARKS + d->count, f->name);
    free(list);
    return err_set(e,
                   "--fail-if: no function is called '%.80s' on either side%s",
                   f->name, near);
}

/* Has (a) changed more than (b), in the direction of (f)? */
static bool changed_more(const struct fail_if *f, const struct diff *d,
                         const struct fail_if_found *a,
                         const struct fail_if_found *b)
{
    double sign = copysign(1, f->change);

    return sign * change_of(f, d, a).change > sign * change_of(f, d, b).change;
}

int fail_if_find(const struct fail_if *f, const struct diff *d,
                 struct fail_if_found *found, struct err *e)
{
    struct fail_if_found it = {0};
    unsigned best = 0;
    size_t count = 0;

    if (f->counter != NULL && find_unit(f, d, &it, e) != 0)
        return -1;
    *found = it;
    if (f->name[0] == '\0')
        return 0;
    for (; it.function < d->count; it.function++) {
        unsigned fit = find_fit(d->functions[it.function].name, f->name);

        if (fit == 0 || fit < best)
            continue;
        count = fit > best ? 1 : count + 1;
        if (fit > best || changed_more(f, d, &it, found))
            *found = it;
        best = fit;
    }
    if (count == 0)
        return refuse_name(f, d, e);
    if (best == 1 && count > 1)
        return err_set(e,
                       "--fail-if: %zu functions have '%.80s' in their names; "
                       "type one whole, such as '%.80s'",
                       count, f->name, d->functions[found->function].name);
    return 0;
}

/* A change of a share in percentage points, and in percent of the share before.
 */
static void say_share(const struct fail_if *f, const char *name,
                      const struct compare_row *row,
                      const struct two_proportions_change *c, struct err *e)
{
    const struct compare_share *s = f->of_rest ? &row->rest : &row->all;
    char percent[32] = "";

    if (s->before > 0)
        (void)snprintf(percent, sizeof percent, ", or %+.0f %%",
                       100 * c->change / s->before);
    (void)err_set(e,
                  "%.80s: %.2f %% of %s before, %.2f %% after: %+.2f "
                  "percentage points (%+.2f to %+.2f)%s. --fail-if allows %+g "
                  "percentage points",
                  name, 100 * s->before, f->of_rest ? "the rest" : "all",
                  100 * s->after, 100 * c->change, 100 * c->low, 100 * c->high,
                  percent, 100 * f->change);
}

bool fail_if_holds(const struct fail_if *f, const struct diff *d,
                   const struct fail_if_found *found, struct err *e)
{
    struct two_proportions_change c = change_of(f, d, found);
    const char *name = d->functions[found->function].name;
    bool grows = !signbit(f->change);

    if (grows ? !(c.low > f->change) : !(c.high < f->change))
        return false;
    if (f->counter == NULL)
        say_share(f, name, &d->rows[found->function], &c, e);
    else if (isinf(c.change))
        (void)err_set(e,
                      "%.80s: no time per %.64s before, but some after. "
                      "--fail-if allows %+g %%",
                      name, d->units[found->unit].name, 100 * f->change);
    else
        (void)err_set(e,
                      "%.80s: time per %.64s changed by %+.1f %% (%+.1f to "
                      "%+.1f). --fail-if allows %+g %%",
                      f->name[0] == '\0' ? "all functions" : name,
                      d->units[found->unit].name, 100 * c.change, 100 * c.low,
                      100 * c.high, 100 * f->change);
    return true;
}
