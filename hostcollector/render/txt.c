/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report as text for a terminal of TEXT_COLUMNS columns: what it is of,
 * what to beware of, a table of functions for all cores and for each, then
 * call tree, callers and callees, and the footer.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "diagnose/share.h"
#include "render/table.h"
#include "util/text.h"

static uint32_t asked_rate(const struct profile *p)
{
    return p->has_status && p->status.rate_hz != 0 ? p->status.rate_hz
                                                   : p->guest.rate_hz;
}

/* Samples that (core) delivered per second in which the guest ran; 0 if none
 * came, or time is not known. */
static double core_rate(const struct profile *p,
                        const struct profile_core *core)
{
    double seconds = p->duration_s;

    if (p->tsc_hz != 0)
        seconds -= (double)core->jump_weight * (double)p->period_tsc /
                   (double)p->tsc_hz;
    return seconds > 0 ? (double)core->account.samples / seconds : 0;
}

/* The mean over cores that delivered any. */
static double achieved_rate(const struct profile *p)
{
    double sum = 0;
    size_t cores = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        sum += core_rate(p, &p->cores[i]);
        cores += p->cores[i].account.samples != 0;
    }
    return cores == 0 ? 0 : sum / (double)cores;
}

static void write_when(FILE *out, double wall_start)
{
    char text[48];
    time_t seconds = (time_t)wall_start;
    struct tm utc;

    if (!(wall_start > 0) || gmtime_r(&seconds, &utc) == NULL ||
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc) == 0)
        return;
    (void)fprintf(out, ", begun %s", text);
}

static void write_rates(FILE *out, const struct profile *p)
{
    double achieved = achieved_rate(p);

    (void)fprintf(out, "%" PRIu32 " samples/s asked of each core",
                  asked_rate(p));
    if (achieved > 0)
        (void)fprintf(out, ", %.0f achieved", achieved);
}

/* An image that the kernel loaded, or the kernel's own, to be sorted. */
static int compare_images(const void *a, const void *b)
{
    const struct view_image *const *left = a, *const *right = b;

    if ((*left)->busy.time != (*right)->busy.time)
        return (*left)->busy.time < (*right)->busy.time ? 1 : -1;
    return (*left > *right) - (*left < *right);
}

/* "Images: kernel.elf 61.2 %, app 38.8 % of the busy time", where there are
 * several; (kernel) is the first one's name. */
static void write_images(FILE *out, const struct view *v, const char *kernel)
{
    const struct view_image *sorted[GUEST_MAPS_MAX + 1];
    char line[2048] = "";
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
        int len = snprintf(line + used, sizeof line - used, "%s%s %.1f %%",
                           i != 0 ? ", " : "", name != NULL ? name : kernel,
                           100 * share_of(&sorted[i]->busy, &v->total.busy).p);

        if (len < 0 || (size_t)len >= sizeof line - used - 32)
            break;
        used += (size_t)len;
    }
    (void)snprintf(line + used, sizeof line - used, " of the busy time");
    text_wrap(out, "Images: ", line);
}

/* What this is a report of: two lines, and one on images. */
static void write_headline(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    size_t cores = table_active_cores(r->view);
    char name[128], source[128], agent[64], count[TEXT_NUMBER];

    text_escape(name, sizeof name,
                r->elf != NULL ? text_base_name(r->elf)
                               : "guest of unknown image");
    (void)fprintf(out, "%s: ", name);
    if (cores == 0)
        (void)fputs("no samples", out);
    else
        (void)fprintf(out, "%s samples of %zu core%s",
                      text_count(count, r->view->total.all.samples), cores,
                      cores == 1 ? "" : "s");
    if (p->duration_s > 0)
        (void)fprintf(out, " in %.1f s", p->duration_s);
    write_when(out, p->wall_start);
    (void)putc('\n', out);
    write_rates(out, p);
    (void)fprintf(out, "; agent %s",
                  text_escape(agent, sizeof agent, p->guest.agent_version));
    if (r->source != NULL)
        (void)fprintf(out, ", from %s",
                      text_escape(source, sizeof source, r->source));
    (void)putc('\n', out);
    write_images(out, r->view, r->elf != NULL ? name : "kernel");
}

static void write_warnings(FILE *out, const struct remarks *remarks)
{
    bool first = true;

    for (size_t i = 0; i < remarks->count; i++) {
        if (!remarks->list[i].warning)
            continue;
        if (first)
            (void)putc('\n', out);
        first = false;
        text_wrap(out, "  ! ", remarks->list[i].text);
    }
}

/* One tree of everything; of each core when all is wanted. */
static void write_trees(FILE *out, const struct report *r)
{
    const struct view *v = r->view;

    table_tree(out, r, &v->total);
    if (!r->all || table_active_cores(v) < 2)
        return;
    for (size_t i = 0; i < v->core_count; i++)
        table_tree(out, r, &v->cores[i]);
}

static void write_report(FILE *out, const struct report *r)
{
    if (r->guest != NULL)
        (void)fprintf(out, "==== %s ====\n", r->guest);
    write_headline(out, r);
    write_warnings(out, r->remarks);
    if (r->view->total.all.samples != 0) {
        table_all_functions(out, r);
        write_trees(out, r);
        table_calls(out, r);
    }
    table_footer(out, r);
    if (r->guest != NULL)
        (void)putc('\n', out);
}

const struct render_ops render_txt = {"txt", "txt", "report", write_report,
                                      table_overall};
