/* SPDX-License-Identifier: BSD-2-Clause */
/* The beginning of the text report: guest, image, losses, warnings. */
#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diagnose/core_list.h"
#include "diagnose/selected.h"
#include "diagnose/share.h"
#include "diagnose/work_share.h"
#include "report/ink.h"
#include "report/name.h"
#include "report/report_options.h"
#include "util/text.h"

/* No timer of a core comes so often, whatever its guest says. */
#define RATE_MAX 1e6

static uint32_t asked_rate(const struct profile *p)
{
    return p->has_status && p->status.rate_hz != 0 ? p->status.rate_hz
                                                   : p->guest.rate_hz;
}

/* Samples of (core) per second in which the guest ran. 0 if there are none, or
 * time is unknown. */
static double core_rate(const struct profile *p,
                        const struct profile_core *core)
{
    struct selected_range span = selected_span(p);
    double seconds = span.to_s - span.from_s;

    if (p->tsc_hz != 0)
        seconds -= (double)core->jump_weight * (double)p->period_tsc /
                   (double)p->tsc_hz;
    double samples =
        (double)core->total.samples + (double)core->left_out.samples;

    return seconds > 0 ? samples / seconds : 0;
}

/* Mean over the cores that delivered samples. */
static double achieved_rate(const struct profile *p)
{
    double sum = 0;
    size_t cores = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        sum += core_rate(p, &p->cores[i]);
        cores += core_rate(p, &p->cores[i]) > 0;
    }
    return cores == 0 ? 0 : sum / (double)cores;
}

static const char *when_text(char *buf, size_t size, double wall_start)
{
    time_t seconds = (time_t)wall_start;
    struct tm utc;

    buf[0] = '\0';
    if (wall_start > 0 && gmtime_r(&seconds, &utc) != NULL)
        (void)strftime(buf, size, ", %Y-%m-%d %H:%M:%S UTC", &utc);
    return buf;
}

static void write_rates(FILE *out, const struct profile *p)
{
    double achieved = achieved_rate(p);

    (void)fprintf(out, "%" PRIu32 " samples/s asked of each core",
                  asked_rate(p));
    if (achieved > RATE_MAX)
        (void)fprintf(out, ", more than %.0f achieved", RATE_MAX);
    else if (achieved > 0)
        (void)fprintf(out, ", %.0f achieved", achieved);
}

/* Compare images for sorting. The kernel's is one of them. */
static int compare_images(const void *a, const void *b)
{
    const struct view_image *const *left = a, *const *right = b;

    if ((*left)->busy.time != (*right)->busy.time)
        return (*left)->busy.time < (*right)->busy.time ? 1 : -1;
    return (*left > *right) - (*left < *right);
}

/* "Images: kernel.elf 61.2 %, app 38.8 % of the busy time", if there are
 * several. */
static void write_images(FILE *out, const struct report *r)
{
    const struct view *v = r->view;
    const struct view_image *sorted[GUEST_MAPS_MAX + 1];
    char line[2048] = "", kernel[128];
    size_t n = 0, used = 0;

    while (n < v->image_count && n < sizeof sorted / sizeof sorted[0]) {
        sorted[n] = &v->images[n];
        n++;
    }
    if (n < 2 || v->total.busy.samples == 0)
        return;
    /* pointers are sorted. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    qsort(sorted, n, sizeof sorted[0], compare_images);
    for (size_t i = 0; i < n && sorted[i]->busy.samples != 0; i++) {
        const char *name = sorted[i]->name;

        if (name == NULL)
            name = r->elf != NULL ? name_of_image(kernel, sizeof kernel, r->elf)
                                  : "kernel";
        int len = snprintf(line + used, sizeof line - used, "%s%s %.1f %%",
                           i != 0 ? ", " : "", name,
                           100 * share_of(&sorted[i]->busy, &v->total.busy).p);

        if (len < 0 || (size_t)len >= sizeof line - used - 32)
            break;
        used += (size_t)len;
    }
    (void)snprintf(line + used, sizeof line - used, " of the busy time");
    (void)fputs("Images: ", out);
    text_wrap_at(out, strlen("Images: "), line, table_columns(r));
}

void table_origin(FILE *out, const struct report *r)
{
    char line[512], source[128], agent[64];
    FILE *text = fmemopen(line, sizeof line, "w");

    if (text == NULL)
        return;
    write_rates(text, r->profile);
    (void)fprintf(
        text, "; agent %s",
        text_escape(agent, sizeof agent, r->profile->guest.agent_version));
    if (r->source != NULL && r->source[0] != '\0')
        (void)fprintf(text, ", from %s",
                      text_escape(source, sizeof source, r->source));
    if (fclose(text) == 0)
        text_wrap_at(out, 0, line, table_columns(r));
}

/* ", 12 lost (0.3 %)", of the selected cores. */
static const char *lost_text(char *buf, size_t size, const struct profile *p)
{
    uint64_t lost = 0, ticks = 0;
    bool exact = true;
    char count[TEXT_NUMBER];

    for (size_t i = 0; i < p->core_count; i++) {
        const struct account a = selected_account(p, &p->cores[i]);

        if (account_deadlines(&a) == 0)
            continue;
        lost += account_ticks(&a) - a.samples;
        ticks += account_ticks(&a);
        exact &= account_is_exact(&a);
    }
    buf[0] = '\0';
    if (lost != 0)
        (void)snprintf(buf, size, ", %s lost (%.1f %%)",
                       text_count(count, lost),
                       100 * (double)lost / (double)ticks);
    else if (ticks != 0)
        (void)snprintf(buf, size, "%s",
                       exact ? ", none lost" : ", none known to be lost");
    return buf;
}

static bool is_shown(const struct profile_core *core)
{
    return core->selected && core->total.samples != 0;
}

/* "4 cores", or "cores 1-2 of 4" if some were selected. */
static const char *cores_text(char *buf, size_t size, const struct report *r)
{
    char list[CORE_LIST_SIZE], delivered[CORE_LIST_SIZE];
    size_t n = core_list_find(r->profile, is_shown, list);
    size_t all = core_list_find(r->profile, core_delivered, delivered);
    bool some = false;

    for (size_t i = 0; i < r->profile->core_count; i++)
        some |= !r->profile->cores[i].selected;
    if (some && n < all)
        (void)snprintf(buf, size, "core%s %s of %zu", text_plural(n), list,
                       all);
    else
        (void)snprintf(buf, size, "%zu core%s", n, text_plural(n));
    return buf;
}

/* " in 5.0 s", or " in seconds 1 to 2.5 of 5.0", or nothing if time is
 * unknown. */
static const char *seconds_text(char *buf, size_t size, const struct profile *p)
{
    struct selected_range span = selected_span(p);

    buf[0] = '\0';
    if (p->duration_s > 0 && p->from_s > p->duration_s)
        (void)snprintf(
            buf, size,
            " from second %.6g on, because the samples end after %.1f s",
            p->from_s, p->duration_s);
    else if (span.part)
        (void)snprintf(buf, size, " in seconds %.6g to %.6g of %.1f",
                       span.from_s, span.to_s, p->duration_s);
    else if (p->duration_s > 0)
        (void)snprintf(buf, size, " in %.1f s", p->duration_s);
    return buf;
}

static void write_headline(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    char line[768], name[256], count[TEXT_NUMBER];
    char what[CORE_LIST_SIZE + 80] = "no samples";
    char cores[CORE_LIST_SIZE + 40], seconds[96], lost[64], when[48];

    if (r->view->total.all.samples != 0)
        (void)snprintf(what, sizeof what, "%s samples of %s",
                       text_count(count, r->view->total.all.samples),
                       cores_text(cores, sizeof cores, r));
    (void)snprintf(line, sizeof line, "%s: %s%s%s%s",
                   name_of_report(name, sizeof name, r), what,
                   seconds_text(seconds, sizeof seconds, p),
                   lost_text(lost, sizeof lost, p),
                   when_text(when, sizeof when, p->wall_start));
    text_wrap_at(out, 0, line, table_columns(r));
}

/* "Work: 12,345 requests in 5.0 s, 2,469 a second; one takes 321 us of busy
 * core time". */
static void write_work(FILE *out, const struct report *r,
                       const struct profile_work *w)
{
    struct work_rate work = work_of(r->profile, r->view, w);
    char line[320], name[128], count[TEXT_NUMBER], rate[TEXT_NUMBER];
    char each[TEXT_NUMBER], took[80] = "";

    if (work.seconds <= 0)
        return;
    if (work.rate < 100)
        (void)snprintf(rate, sizeof rate, "%.3g", work.rate);
    else /* less than 2^64, more than any counter's rate */
        (void)text_count(rate, (uint64_t)fmin(work.rate, 0x1p63));
    if (work.busy_s > 0)
        (void)snprintf(took, sizeof took, "; one takes %s of busy core time",
                       text_seconds(each, work.busy_s));
    (void)snprintf(line, sizeof line, "%s %s in %.1f s, %s a second%s",
                   text_count(count, w->units),
                   text_escape(name, sizeof name, w->name), work.seconds, rate,
                   took);
    (void)fputs("Work: ", out);
    text_wrap_at(out, strlen("Work: "), line, table_columns(r));
}

/* "Left out: push, 3,210 samples, 35.7 % of the time". */
static void write_without(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    char line[RENDER_WITHOUT + 160], count[TEXT_NUMBER];
    const struct tally less = selected_left_out(p);
    double all = less.time;

    for (size_t i = 0; i < p->core_count; i++)
        all += p->cores[i].total.time;
    (void)snprintf(line, sizeof line,
                   "Left out: %s, %s samples, %.1f %% of the time", r->without,
                   text_count(count, less.samples),
                   all > 0 ? 100 * less.time / all : 0);
    text_wrap_at(out, 0, line, table_columns(r));
}

/* "Shown: idle time, rows by total". Not for annotations, which have a heading
 * of their own. */
static void write_asked(FILE *out, const struct report *r)
{
    char line[REPORT_OPTIONS_TEXT];

    if (r->annotation != NULL || report_options_words(line, r)[0] == '\0')
        return;
    (void)fputs("Shown: ", out);
    text_wrap_at(out, strlen("Shown: "), line, table_columns(r));
}

static void write_warnings(FILE *out, const struct report *r)
{
    for (size_t i = 0; i < r->remarks->count; i++) {
        if (!r->remarks->list[i].warning)
            continue;
        ink_set(out, r, INK_RED);
        (void)putc('!', out);
        ink_set(out, r, INK_PLAIN);
        (void)putc(' ', out);
        text_wrap_at(out, 2, r->remarks->list[i].text, table_columns(r));
    }
}

void table_heading(FILE *out, const struct report *r)
{
    write_headline(out, r);
    if (r->without != NULL)
        write_without(out, r);
    write_asked(out, r);
    write_images(out, r);
    for (size_t i = 0; i < r->profile->work_count; i++)
        write_work(out, r, &r->profile->work[i]);
    write_warnings(out, r);
}
