/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a rule from its end, since names have blanks. */
#include "cmd/fail_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/diff.h"
#include "view/find.h"

#define OF_REST " of the rest"

static int refuse(const char *text, struct err *e)
{
    return err_set(e,
                   "--fail-if: what is '%s'? Type it as 'NAME +3%%', or 'NAME "
                   "+3%%" OF_REST "'; -3%% is for what shrinks",
                   text);
}

/* The number of percent in the (length) bytes at (word), "+3%"; NAN: none. */
static double percent(const char *word, size_t length)
{
    char copy[32], *end;

    if (length < 3 || length >= sizeof copy || word[length - 1] != '%' ||
        (word[0] != '+' && word[0] != '-') ||
        strspn(word + 1, "0123456789.") < length - 2)
        return NAN;
    memcpy(copy, word, length);
    copy[length] = '\0';
    double n = strtod(copy, &end);

    return end == copy + length - 1 && fabs(n) <= 100 ? n : NAN;
}

int fail_if_parse(struct fail_if *f, const char *text, struct err *e)
{
    size_t length = strlen(text), rest = strlen(OF_REST);

    *f = (struct fail_if){.text = text};
    f->of_rest = length > rest && strcmp(text + length - rest, OF_REST) == 0;
    length -= f->of_rest ? rest : 0;
    size_t word = length;

    while (word > 0 && text[word - 1] != ' ')
        word--;
    f->change = percent(text + word, length - word) / 100;
    while (word > 0 && text[word - 1] == ' ')
        word--;
    if (isnan(f->change) || word == 0 || word >= sizeof f->name)
        return refuse(text, e);
    memcpy(f->name, text, word);
    return 0;
}

static const struct two_shares_change *
change_of(const struct fail_if *f, const struct diff *d, size_t function)
{
    const struct compare_row *row = &d->rows[function];

    return f->of_rest ? &row->rest.of : &row->all.of;
}

/* No function is called so: names that are near. */
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

int fail_if_find(const struct fail_if *f, const struct diff *d,
                 uint32_t *function, struct err *e)
{
    unsigned best = 0;
    size_t count = 0;

    for (uint32_t i = 0; i < d->count; i++) {
        unsigned fit = find_fit(d->functions[i].name, f->name);
        bool more =
            count != 0 && fit == best &&
            copysign(1, f->change) * change_of(f, d, i)->change >
                copysign(1, f->change) * change_of(f, d, *function)->change;

        if (fit == 0 || fit < best)
            continue;
        count = fit > best ? 1 : count + 1;
        if (fit > best || more)
            *function = i;
        best = fit;
    }
    if (count == 0)
        return refuse_name(f, d, e);
    if (best == 1 && count > 1)
        return err_set(e,
                       "--fail-if: %zu functions have '%.80s' in their names; "
                       "type one whole, such as '%.80s'",
                       count, f->name, d->functions[*function].name);
    return 0;
}

bool fail_if_holds(const struct fail_if *f, const struct diff *d,
                   uint32_t function, struct err *e)
{
    const struct two_shares_change *c = change_of(f, d, function);
    bool grows = !signbit(f->change);

    if (grows ? !(c->low > f->change) : !(c->high < f->change))
        return false;
    (void)err_set(e,
                  "%.80s: %+.2f points (%+.2f to %+.2f) of %s, and --fail-if "
                  "allows %+g",
                  d->functions[function].name, 100 * c->change, 100 * c->low,
                  100 * c->high, f->of_rest ? "the rest" : "all",
                  100 * f->change);
    return true;
}
