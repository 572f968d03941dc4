/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of all guests. */
#include "fleet/web/web_pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "recording/spool/spool_name.h"
#include "util/text.h"

#define MS_PER_S        1000u
#define PPM_PER_PERCENT 10000.0

static const char top[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n"
    "<title>tprof: guests</title>\n<style>\n"
    ":root{color-scheme:light dark;background:Canvas;color:CanvasText}\n"
    "body{font:13px/1.4 system-ui,sans-serif;margin:1em;max-width:70em}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th,td{padding:.15em .35em;text-align:right;white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left;white-space:normal;"
    "overflow-wrap:anywhere;min-width:9em}\n"
    "th,td:nth-child(7),td:nth-child(8){white-space:normal}\n"
    "thead th{border-bottom:1px solid}\n"
    "tbody tr:nth-child(even){background:#8882}\n"
    /* a narrow browser window has no room for cores, Hz and samples */
    "@media(max-width:40em){:is(th,td):is(:nth-child(3),:nth-child(4),"
    ":nth-child(6)){display:none}:is(th,td):first-child{min-width:5em}}\n"
    ".bad{color:light-dark(#b11,#f88);font-weight:bold}\n.wide{overflow-x:auto}"
    "\n"
    "</style>\n";

static const char reload[] = "<meta http-equiv=\"refresh\" content=\"5\">\n";

static const char begin[] = "</head><body><main>\n<h1>Guests</h1>\n";

static const char table_head[] =
    "<div class=\"wide\"><table><thead><tr><th>Guest<th>State<th>Cores<th>Hz"
    "<th>Busy<th>Samples<th>Lost<th>Last window<th>Report "
    "on</tr></thead><tbody>\n";

static const char foot[] =
    "<p>Busy is the part of the cores' time in the last 10 seconds in which "
    "they did not sleep; - means unknown. Sleep is recognized by the code of "
    "the guest's image: give that image to collector serve with --elf FILE, or "
    "a folder with images by build-id with --symbols DIR.</p>\n";

static const char *const states[] = {
    [STATUS_FREE] = "",
    [STATUS_WAITING] = "waiting",
    [STATUS_SAMPLING] = "sampled",
    [STATUS_FAILED] = "failed",
    [STATUS_LEAVING] = "leaving",
    [STATUS_NO_MEMORY] = "no memory",
};

/* Write (text) with the special characters of HTML escaped. */
static void plain(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("<>&\"'", *text) != NULL)
            (void)fprintf(out, "&#%d;", *text);
        else
            (void)fputc(*text, out);
    }
}

/* Write the time from (then_ms) to (now_ms). */
static void put_span(FILE *out, uint64_t then_ms, uint64_t now_ms)
{
    uint64_t s = now_ms > then_ms ? (now_ms - then_ms) / MS_PER_S : 0;

    if (s < 120)
        (void)fprintf(out, "%" PRIu64 " s", s);
    else if (s < 7200)
        (void)fprintf(out, "%" PRIu64 " min", s / 60);
    else
        (void)fprintf(out, "%" PRIu64 " h", s / 3600);
}

/* Write the age of (then_ms) at (now_ms). */
static void ago(FILE *out, uint64_t then_ms, uint64_t now_ms)
{
    if (then_ms == 0) {
        (void)fputs("none yet", out);
        return;
    }
    put_span(out, then_ms, now_ms);
    (void)fputs(" ago", out);
}

/* Write the losses of (g), and those of an earlier process. Samples that were
 * dropped, or are in a window that was not kept, were delivered; here they
 * count as lost. */
static void put_loss(FILE *out, const struct status_guest *g)
{
    uint64_t lost = g->lost + g->lost_window_samples + g->dropped;
    char percent[TEXT_PERCENT], n[TEXT_NUMBER];

    if ((lost | g->crashed) == 0) {
        (void)fputs("<td>0", out);
        return;
    }
    (void)fputs("<td class=\"bad\">", out);
    if (lost != 0)
        (void)fprintf(out, "%s (%s)", text_count(n, lost),
                      text_percent(percent, lost, g->lost + g->samples));
    if (g->crashed != 0)
        (void)fprintf(out, "%s%s before", lost != 0 ? ", " : "",
                      text_count(n, g->crashed));
}

/* Write links to pages of the guest (name). */
static void put_spans(FILE *out, const char *name)
{
    static const char *const list[][2] = {
        {"-10m", "10 min"}, {"-1h", "1 h"}, {"today", "today"}};

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        (void)fprintf(out, "%s<a href=\"/guest/%s?since=%s\">%s</a>",
                      i != 0 ? ", " : "", name, list[i][0], list[i][1]);
}

static void put_row(FILE *out, const struct status_guest *g, uint64_t now_ms)
{
    char n[TEXT_NUMBER], name[4 * STATUS_NAME_MAX];

    bool has_page = g->windows != 0 && spool_name_is_guest(g->name);

    (void)fputs("<tr><td>", out);
    if (has_page) /* such a name needs no escaping */
        (void)fprintf(out, "<a href=\"/guest/%s\">", g->name);
    plain(out, text_escape(name, sizeof name, g->name));
    if (has_page)
        (void)fputs("</a>", out);
    (void)fprintf(out, "<td%s>%s",
                  g->state == STATUS_FAILED || g->state == STATUS_NO_MEMORY
                      ? " class=\"bad\""
                      : "",
                  g->state < sizeof states / sizeof states[0] ? states[g->state]
                                                              : "?");
    if (g->cores == 0)
        (void)fputs("<td>?", out);
    else
        (void)fprintf(out, "<td>%" PRIu32, g->cores);
    (void)fprintf(out, "<td>%" PRIu32, g->rate_hz);
    if (g->has_busy)
        (void)fprintf(out, "<td>%.1f %%", g->busy_ppm / PPM_PER_PERCENT);
    else
        (void)fputs("<td>-", out);
    (void)fprintf(out, "<td>%s", text_count(n, g->samples));
    put_loss(out, g);
    (void)fputs("<td>", out);
    ago(out, g->window_ms, now_ms);
    (void)fputs("<td>", out);
    if (has_page)
        put_spans(out, g->name);
    (void)fputs("</tr>\n", out);
}

/* Compare names: web2 before web10. */
static int compare(const void *a, const void *b)
{
    const struct status_guest *x = a, *y = b;

    return strverscmp(x->name, y->name);
}

static void rows(FILE *out, const struct status *s, uint64_t now_ms)
{
    struct status_guest *guests = calloc(status_rows(s), sizeof *guests);
    size_t count = 0;

    if (guests == NULL)
        return; /* there is room for the sums only */
    for (size_t i = 0; i < status_rows(s); i++)
        count += status_get(s, i, &guests[count]);
    qsort(guests, count, sizeof *guests, compare);
    for (size_t i = 0; i < count; i++)
        put_row(out, &guests[i], now_ms);
    free(guests);
}

/* Write the windows that wait for collector push, by the receiver that has
 * waited longest. */
static void put_waits(FILE *out, const struct status *s, uint64_t now_ms)
{
    struct status_wait longest = {.windows = 0}, w;
    char n[TEXT_NUMBER];

    for (size_t i = 0; i < STATUS_TAGS; i++)
        if (status_get_wait(s, i, &w) && w.windows != 0 &&
            (longest.windows == 0 || w.oldest_ms < longest.oldest_ms))
            longest = w;
    if (longest.windows == 0)
        return;
    (void)fprintf(out, "%s window%s for collector push; the oldest began ",
                  text_count(n, longest.windows),
                  longest.windows == 1 ? " waits" : "s wait");
    ago(out, longest.oldest_ms, now_ms);
    (void)fputs(". ", out);
}

static void size(FILE *out, uint64_t bytes)
{
    if (bytes < 1000000)
        (void)fprintf(out, "%.1f KB", (double)bytes / 1e3);
    else if (bytes < 1000000000)
        (void)fprintf(out, "%.1f MB", (double)bytes / 1e6);
    else
        (void)fprintf(out, "%.1f GB", (double)bytes / 1e9);
}

/* Write the size of the spool, if there is one. */
static void put_spool(FILE *out, const struct status_totals *t)
{
    char n[TEXT_NUMBER];

    if ((t->windows | t->lost_windows | t->spool_files) == 0)
        return;
    (void)fprintf(out, "The spool has %s window%s in ",
                  text_count(n, t->spool_files), text_plural(t->spool_files));
    size(out, t->spool_bytes);
    if (t->removed != 0)
        (void)fprintf(out, "; %s removed by its limits",
                      text_count(n, t->removed));
    (void)fputs(". ", out);
    if (t->lost_windows != 0)
        (void)fprintf(out,
                      "<span class=\"bad\">%" PRIu64
                      " window%s with %s samples "
                      "could not be kept.</span> ",
                      t->lost_windows, text_plural(t->lost_windows),
                      text_count(n, t->lost_window_samples));
    if (t->unsent != 0)
        (void)fprintf(out,
                      "<span class=\"bad\">%s of the removed windows had not "
                      "been sent to all receivers of collector push.</span> ",
                      text_count(n, t->unsent));
}

static void put_summary(FILE *out, const struct status *s,
                        const struct status_totals *t, uint64_t now_ms)
{
    char samples[TEXT_NUMBER], lost[TEXT_NUMBER], crashed[TEXT_NUMBER];

    (void)fprintf(out,
                  "<p>%" PRIu32 " of %" PRIu32 " guest%s sampled. %s "
                  "samples delivered, %s lost. ",
                  t->sampling, t->guests, text_plural(t->guests),
                  text_count(samples, t->samples), text_count(lost, t->lost));
    if (t->no_memory != 0)
        (void)fprintf(out,
                      "<span class=\"bad\">%" PRIu32
                      " %s, because other guests use all of --memory.</span> ",
                      t->no_memory, t->no_memory == 1 ? "waits" : "wait");
    if (t->dropped != 0)
        (void)fprintf(out,
                      "<span class=\"bad\">%s of these were dropped, far "
                      "beyond the requested rate.</span> ",
                      text_count(lost, t->dropped));
    if (t->crashed != 0)
        (void)fprintf(out,
                      "%s samples of an earlier collector are lost: their "
                      "windows were open when that collector was killed. ",
                      text_count(crashed, t->crashed));
    put_spool(out, t);
    put_waits(out, s, now_ms);
    (void)fputs("Collecting for ", out);
    put_span(out, t->start_ms, now_ms);
    (void)fputs(".</p>\n", out);
}

void pages_overview(FILE *out, const struct status *s, uint64_t now_ms,
                    bool still)
{
    struct status_totals t;
    char health[128];
    FILE *sentence = fmemopen(health, sizeof health, "w");
    bool healthy = sentence != NULL && pages_health(sentence, s, now_ms);

    if (sentence != NULL)
        (void)fclose(sentence);
    (void)fputs(top, out);
    if (!still)
        (void)fputs(reload, out);
    (void)fputs(begin, out);
    if (!healthy && sentence != NULL)
        (void)fprintf(out, "<p class=\"bad\">%s</p>\n", health);
    if (status_get_totals(s, &t))
        put_summary(out, s, &t, now_ms);
    (void)fputs(table_head, out);
    rows(out, s, now_ms);
    (void)fputs("</tbody></table></div>\n", out);
    (void)fputs(foot, out);
    (void)fputs(still ? "<p><a href=\"/\">Reload every 5 s</a> "
                      : "<p><a href=\"/still\">Do not reload</a> ",
                out);
    (void)fputs("<a href=\"/metrics\">metrics</a> "
                "<a href=\"/healthz\">health</a></p></main></body></html>\n",
                out);
}
