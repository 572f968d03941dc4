/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree as a flame graph: one picture, without scripts. */
#include "report/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/share.h"
#include "report/invert.h"
#include "report/name.h"
#include "report/ranked.h"
#include "report/table.h"
#include "util/hash.h"
#include "util/text.h"

/*
 * The picture has the order, the colours and the words of the page's flame
 * graph. Guests stand below each other. A browser shows the title of a box
 * while the pointer is over the box.
 */

/* Sizes in pixels. CHARACTER is an upper bound in the fonts of the picture. */
#define WIDTH     1200
#define ROW       18
#define LINE      17
#define MARGIN    8
#define CHARACTER 7.0

/* Limits of one guest's picture. Narrower boxes are left out, so that at most
 * BOXES_MAX remain. */
#define LEVELS_MAX 200
#define BOXES_MAX  4000
#define BOX_LEAST  .5

/* Columns of the lines above the boxes, and of names in titles. */
#define COLUMNS    160
#define NAME_WIDTH 100

/* The colours of the page: a hue for each file, or for each image if there are
 * several. The groups with the most time have hues far from each other. */
static const double hues[] = {212, 152, 268, 24, 330, 186, 48, 100, 240, 0};
#define HUES      (sizeof hues / sizeof hues[0])
#define NO_FILE   UINT32_MAX
#define ROOT_FILL "#e7eaef"
#define MARK_FILL "#e3e6ea"

/* The text of all guests so far, and the height that the text takes. */
struct picture {
    FILE *body; /* (text) has it once this is closed */
    char *text;
    size_t size;
    uint32_t bottom;
};

struct flame {
    FILE *out; /* NULL: boxes are only counted */
    const struct report *report;
    const struct view_tree *tree;
    const struct amount *whole; /* stands for 100 % */
    uint32_t *groups;           /* of functions: place of the group by time */
    double least;               /* pixels of the narrowest box */
    uint32_t top;
    size_t boxes, levels; /* written, or counted */
};

/* Write (s) as text of XML. Strings of reports have no control characters. */
static void write_xml(FILE *out, const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == '<')
            (void)fputs("&lt;", out);
        else if (*s == '>')
            (void)fputs("&gt;", out);
        else if (*s == '&')
            (void)fputs("&amp;", out);
        else
            (void)putc(*s, out);
    }
}

/* --- Colours -------------------------------------------------------------- */

/* A function and the file or image that gives the colour. */
struct member {
    const char *group;
    uint32_t function;
    double time;
};

static int by_group(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->group,
                  ((const struct member *)b)->group);
}

static const char *group_of(const struct view *v, uint32_t function)
{
    const struct view_function *f = &v->functions[function];
    const char *image = v->images[f->image].name;

    if (function < VIEW_MARKS)
        return "";
    if (v->image_count > 1)
        return image != NULL ? image : "kernel";
    return f->home != NULL ? f->home : f->file != NULL ? f->file : "";
}

/* Number the groups of the (n) sorted (members) by falling time, and write the
 * number of each function's group into (groups). */
static void number_groups(const struct member *members, size_t n,
                          struct ranked *ranked, uint32_t *groups)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        if (i == 0 || by_group(&members[i - 1], &members[i]) != 0)
            ranked[count++] = (struct ranked){.index = (uint32_t)i};
        ranked[count - 1].key += members[i].time;
    }
    ranked_sort(ranked, count);
    for (uint32_t g = 0; g < count; g++) {
        const char *group = members[ranked[g].index].group;

        for (size_t i = ranked[g].index;
             i < n && strcmp(members[i].group, group) == 0; i++)
            groups[members[i].function] = *group != '\0' ? g : NO_FILE;
    }
}

/* The group of each function of (v), for free(). NULL if there is no memory. */
static uint32_t *groups_new(const struct view *v)
{
    size_t n = v->function_count;
    struct member *members = calloc(n + 1, sizeof *members);
    struct ranked *ranked = calloc(n + 1, sizeof *ranked);
    uint32_t *groups = calloc(n + 1, sizeof *groups);

    if (members != NULL && ranked != NULL && groups != NULL) {
        for (uint32_t i = 0; i < n; i++)
            members[i] = (struct member){group_of(v, i), i, 0};
        for (size_t i = 0; i < v->total.row_count; i++)
            members[v->total.rows[i].function].time =
                v->total.rows[i].self.time;
        qsort(members, n, sizeof *members, by_group);
        number_groups(members, n, ranked, groups);
    } else {
        free(groups);
        groups = NULL;
    }
    free(members);
    free(ranked);
    return groups;
}

/* One of red, green and blue, (n) = 0, 8 and 4, of a hue in degrees. */
static unsigned channel(double hue, double saturation, double light, int n)
{
    double k = fmod(n + hue / 30 + 12, 12);
    double part = fmin(fmin(k - 3, 9 - k), 1);
    double most = saturation * fmin(light, 1 - light);

    return (unsigned)lround(255 * (light - most * fmax(-1, part)));
}

static void write_fill(const struct flame *f, uint32_t function)
{
    uint32_t group = f->groups[function];
    uint64_t hash = hash_text(f->report->view->functions[function].name);
    double tone = (double)(hash >> 40) / 0x1p24, hue, saturation, light;

    if (function < VIEW_MARKS) {
        (void)fputs(MARK_FILL, f->out);
        return;
    }
    if (group == NO_FILE) {
        hue = 215;
        saturation = .14;
        light = .83 + .05 * tone;
    } else {
        hue = hues[group % HUES] + 14.0 * (group / HUES % 25) + 10 * tone - 5;
        saturation = .48 + .16 * tone;
        light = .79 + .07 * tone;
    }
    (void)fprintf(f->out, "#%02x%02x%02x", channel(hue, saturation, light, 0),
                  channel(hue, saturation, light, 8),
                  channel(hue, saturation, light, 4));
}

/* --- Boxes ---------------------------------------------------------------- */

static double width_of(const struct flame *f, uint32_t node)
{
    const struct view_node *nodes = f->tree->nodes;

    return nodes[0].total.time > 0
               ? WIDTH * nodes[node].total.time / nodes[0].total.time
               : 0;
}

/* "3.4" of "3.4 %": a share of what stands for 100 %. */
static double percent_of(const struct flame *f, const struct amount *a)
{
    return 100 * share_of(a, f->whole).p;
}

/* Write the name, the shares and the place of (node), a line each. */
static void write_title(const struct flame *f, const struct view_node *node)
{
    const struct view_function *function =
        &f->report->view->functions[node->function];
    char name[NAME_SHORT], count[TEXT_NUMBER], total[SHARE_TEXT];

    (void)fputs("<title>", f->out);
    write_xml(f->out, name_short(name, function->name, NAME_WIDTH));
    (void)fputs(node->inlined ? " (inlined)\nTOTAL " : "\nTOTAL ", f->out);
    write_xml(f->out, share_text(total, share_of(&node->total, f->whole)));
    (void)fputs(" %, SELF ", f->out);
    text_decimal(f->out, (uint64_t)lrint(10 * percent_of(f, &node->self)), 1);
    (void)fprintf(f->out, " %%, %s samples",
                  text_count(count, node->total.samples));
    if (function->file != NULL) {
        (void)putc('\n', f->out);
        write_xml(f->out, function->file);
        (void)fprintf(f->out, ":%u", (unsigned)function->line);
    }
    (void)fputs("</title>", f->out);
}

/* Write (name), cut to a box of (width), and the share if there is room. */
static void write_label(FILE *out, const char *name, double percent,
                        double width)
{
    size_t room = width > 8 ? (size_t)((width - 8) / CHARACTER) : 0;
    char share[24], *text = NULL;
    size_t size;
    FILE *memory;

    if (room < 3 || (memory = open_memstream(&text, &size)) == NULL)
        return;
    (void)snprintf(share, sizeof share, " %.1f %%", percent);
    text_cut(memory, name, room);
    if (text_width(name) + strlen(share) <= room)
        (void)fputs(share, memory);
    if (fclose(memory) == 0) {
        (void)fputs("<text x=\"4\" y=\"12.5\">", out);
        write_xml(out, text);
        (void)fputs("</text>", out);
    }
    free(text);
}

/* Is the function faded, because --function asks for others? */
static bool is_faint(const struct flame *f, const char *name)
{
    return f->report->function != NULL &&
           strstr(name, f->report->function) == NULL;
}

/* Write the box of (node). An inner <svg> cuts text that a font makes wider
 * than CHARACTER. */
static void write_box(const struct flame *f, uint32_t node, size_t level,
                      double x)
{
    const struct view_node *n = &f->tree->nodes[node];
    const char *name =
        node == 0 ? "all" : f->report->view->functions[n->function].name;
    double width = width_of(f, node), percent = percent_of(f, &n->total);

    (void)fprintf(
        f->out, "<svg x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"%s>", x,
        (unsigned)(f->top + level * ROW), width > 3 ? width - 1 : width,
        ROW - 1, is_faint(f, name) ? " opacity=\".28\"" : "");
    if (node != 0)
        write_title(f, n);
    (void)fputs("<rect width=\"100%\" height=\"100%\" fill=\"", f->out);
    if (node != 0)
        write_fill(f, n->function);
    else
        (void)fputs(ROOT_FILL, f->out);
    (void)fputs("\"/>", f->out);
    write_label(f->out, name, percent, width);
    (void)fputs("</svg>\n", f->out);
}

/* (node) if it is wide enough, else 0. Siblings are sorted, so all siblings
 * after a narrow one are narrow. */
static uint32_t wide_enough(const struct flame *f, uint32_t node)
{
    return node != 0 && width_of(f, node) >= f->least ? node : 0;
}

/* Write or count all boxes, depth first, without recursion: the tree is as deep
 * as a guest's stacks. left[] has the left end of the next box of a level. */
static void write_boxes(struct flame *f)
{
    const struct view_node *nodes = f->tree->nodes;
    uint32_t at[LEVELS_MAX], node = nodes[0].child;
    double left[LEVELS_MAX + 1] = {0};
    size_t level = 0;

    f->boxes = f->levels = 0;
    for (;;) {
        node = level < LEVELS_MAX ? wide_enough(f, node) : 0;
        while (node == 0 && level > 0) {
            level--;
            left[level] += width_of(f, at[level]);
            node = wide_enough(f, nodes[at[level]].next);
        }
        if (node == 0)
            return;
        f->boxes++;
        if (f->out != NULL)
            write_box(f, node, level + 1, left[level]);
        at[level] = node;
        left[level + 1] = left[level];
        node = nodes[node].child;
        level++;
        f->levels = level > f->levels ? level : f->levels;
    }
}

/* Write the boxes of a tree at (top). Returns their height. */
static uint32_t write_flame(struct flame *f, FILE *out)
{
    f->least = BOX_LEAST;
    for (write_boxes(f); f->boxes > BOXES_MAX; write_boxes(f))
        f->least *= 2;
    f->out = out;
    write_box(f, 0, 0, 0);
    write_boxes(f);
    return (uint32_t)(f->levels + 1) * ROW;
}

/* --- A guest -------------------------------------------------------------- */

/* Write the lines of (text) at (top). Returns the height of these lines. */
static uint32_t write_lines(FILE *out, char *text, uint32_t top)
{
    uint32_t height = 0;
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        height += LINE;
        (void)fprintf(out, "<text x=\"4\" y=\"%u\">",
                      (unsigned)(top + height - 4));
        write_xml(out, line);
        (void)fputs("</text>\n", out);
    }
    return height;
}

/* "kernel.elf: busy 88.1 % (86.9-89.2), idle 11.9 %, 4,551 samples", and the
 * warnings. For free(); NULL if there is no memory. */
static char *heading_of(const struct report *r)
{
    char name[NAME_PLAIN], *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    if (memory == NULL)
        return NULL;
    (void)fprintf(memory, "%s: ", name_of_report(name, sizeof name, r));
    table_busy(memory, r->view, &r->view->total);
    (void)fprintf(memory, "; widths are %s time\n", r->idle ? "idle" : "busy");
    for (size_t i = 0; i < r->remarks->count; i++) {
        if (!r->remarks->list[i].warning)
            continue;
        (void)fputs("! ", memory);
        text_wrap_at(memory, 2, r->remarks->list[i].text, COLUMNS);
    }
    return fclose(memory) == 0 ? text : (free(text), NULL);
}

/* Write the tree of (r). Returns false if there is no memory. */
static bool write_tree(struct picture *p, const struct report *r)
{
    const struct view_scope *all = &r->view->total;
    const struct view_tree *tree = r->idle ? &all->idle_tree : &all->tree;
    struct view_tree inverted = {0};
    struct flame f = {.report = r,
                      .tree = tree,
                      .whole = r->idle ? &all->idle : table_whole(r, all),
                      .groups = groups_new(r->view),
                      .top = p->bottom};
    bool ok = f.groups != NULL;

    if (ok && (r->inverted || r->callers_of != NULL)) {
        ok = invert_tree(r->view, tree, r->callers_of, &inverted) == 0;
        f.tree = &inverted;
    }
    if (ok && f.tree->node_count != 0)
        p->bottom += write_flame(&f, p->body);
    free(inverted.nodes);
    free(f.groups);
    return ok;
}

static void begin(struct render *to)
{
    struct picture *p = calloc(1, sizeof *p);

    to->state = p;
    to->no_memory =
        p == NULL || (p->body = open_memstream(&p->text, &p->size)) == NULL;
}

static void write_svg(struct render *to, const struct report *r)
{
    struct picture *p = to->state;
    char *heading;

    if (to->no_memory || (heading = heading_of(r)) == NULL) {
        to->no_memory = true;
        return;
    }
    p->bottom += MARGIN / 2;
    p->bottom += write_lines(p->body, heading, p->bottom) + MARGIN / 2;
    to->no_memory |= !write_tree(p, r);
    p->bottom += MARGIN;
    free(heading);
}

static void end(struct render *to)
{
    struct picture *p = to->state;

    if (p != NULL && p->body != NULL) {
        to->no_memory |= fclose(p->body) != 0;
        (void)fprintf(
            to->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" "
            "width=\"%d\" height=\"%u\" role=\"img\" "
            "aria-label=\"Flame graph by tprof\" "
            "font-family=\"ui-monospace, Menlo, Consolas, DejaVu Sans Mono, "
            "monospace\" font-size=\"11\" fill=\"#1d2430\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            WIDTH, (unsigned)p->bottom, WIDTH, (unsigned)p->bottom);
        (void)fwrite(p->text, 1, p->size, to->out);
        (void)fputs("</svg>\n", to->out);
        free(p->text);
    }
    free(p);
}

const struct render_ops render_svg = {
    .name = "svg",
    .suffix = "svg",
    .follows = true,
    .begin = begin,
    .write = write_svg,
    .end = end,
};
