/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in reports, shortened by their brackets. */
#include "report/name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/origin.h"
#include "report/render.h"
#include "util/text.h"

/* Longer names are only cut at their end, and so are names with unbalanced
 * brackets. */
#define NAME_MAX_BYTES 4200u

/* Parts to drop, in this order. */
enum squeeze {
    DROP_MODULES = 1, /* in brackets: "<a::b>" becomes "<b>" */
    DROP_PARAMETERS = 2,
    DROP_ARGUMENTS = 4,
    DROP_TRAITS = 8, /* "<Type as Trait>" becomes "<Type>" */
    DROP_ALL = 15,
};

/* A name that is written anew. It is never longer than the old name. */
struct squeezer {
    unsigned what;
    const char *start, *in;
    char *out;
    size_t depth; /* of brackets */
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80) != 0;
}

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static bool opens(const char *s)
{
    return strchr("<([{", *s) != NULL;
}

/* Is (s) a closing bracket? The '>' of "->" is not. */
static bool closes(const char *s, const char *start)
{
    return strchr(")]}", *s) != NULL ||
           (*s == '>' && (s == start || s[-1] != '-'));
}

/* The byte after the bracket that closes the bracket at (s). NULL if no bracket
 * does. */
static const char *close_of(const char *s)
{
    const char *start = s;
    size_t depth = 0;

    for (; *s != '\0'; s++) {
        depth += opens(s);
        depth -= closes(s, start);
        if (depth == 0)
            return s + 1;
    }
    return NULL;
}

static void copy(struct squeezer *q, size_t n)
{
    memmove(q->out, q->in, n);
    q->out += n;
    q->in += n;
}

/* Length of "operator<", "operator->" and similar names at (s), whose signs are
 * not brackets; else 0. */
static size_t operator_length(const char *s)
{
    size_t n = strlen("operator");

    if (!starts(s, "operator"))
        return 0;
    if (starts(s + n, "()") || starts(s + n, "[]"))
        return n + 2;
    n += strspn(s + n, "<>=-+*/%^&|~!,");
    /* the last '<' of "operator+<int>" is a bracket */
    return n > strlen("operator<") && s[n - 1] == '<' && s[n - 2] != '<' ? n - 1
                                                                         : n;
}

/* Length of the "a::" of "a::b", if modules are to be dropped; else 0. */
static size_t module_length(const struct squeezer *q)
{
    size_t n = 0;

    if (q->depth == 0)
        return 0;
    while (is_word(q->in[n]))
        n++;
    return n > 0 && starts(q->in + n, "::") && is_word(q->in[n + 2]) ? n + 2
                                                                     : 0;
}

/* Length of " as Trait", if traits are to be dropped; else 0. */
static size_t trait_length(const struct squeezer *q)
{
    size_t depth = 0, n = 0;

    if (q->depth == 0 || (q->what & DROP_TRAITS) == 0 || !starts(q->in, " as "))
        return 0;
    for (; q->in[n] != '\0'; n++) {
        depth += opens(q->in + n);
        if (closes(q->in + n, q->start) && depth-- == 0)
            break;
    }
    return n;
}

/* Does the '<' at (s) begin type arguments? Else it begins Rust's "<T as
 * Trait>" or "<impl T>", which contain type arguments. */
static bool is_arguments(const char *s, const char *start)
{
    if (s == start || starts(s, "<impl "))
        return false;
    return is_word(s[-1]) || strchr(":=+-*/%^&|~!<>)]", s[-1]) != NULL;
}

static bool is_elided(const struct squeezer *q)
{
    if (*q->in == '(')
        return (q->what & DROP_PARAMETERS) != 0 &&
               !starts(q->in, "(anonymous namespace)");
    return *q->in == '<' && (q->what & DROP_ARGUMENTS) != 0 &&
           is_arguments(q->in, q->start);
}

/* Replace "(what, ever) const" by "(..)" and "<what, ever>" by "<..>", and
 * remove "::<what, ever>". Returns false if no bracket closes. */
static bool elide(struct squeezer *q)
{
    static const char behind[] = " const";
    const char *end = close_of(q->in);

    if (end == NULL)
        return false;
    if (q->in - q->start > 2 && starts(q->in - 2, "::<")) {
        q->out -= strlen("::");
        q->in = end;
        return true;
    }
    if (end - q->in > 4) {
        copy(q, 1);
        *q->out++ = '.';
        *q->out++ = '.';
        q->in = end - 1;
    }
    copy(q, (size_t)(end - q->in));
    if (starts(q->in, behind))
        q->in += strlen(behind);
    return true;
}

/* Do one step. Returns false if brackets are unbalanced. */
static bool squeeze_once(struct squeezer *q)
{
    bool begins = q->in == q->start || !is_word(q->in[-1]);
    size_t whole = begins ? operator_length(q->in) : 0;
    size_t dropped = (begins ? module_length(q) : 0) + trait_length(q);

    if (whole != 0) {
        copy(q, whole);
        return true;
    }
    if (dropped != 0) {
        q->in += dropped;
        return true;
    }
    if (is_elided(q))
        return elide(q);
    if (closes(q->in, q->start) && q->depth-- == 0)
        return false;
    q->depth += opens(q->in);
    copy(q, 1);
    return true;
}

/* Write (name) without the parts (what) into (out), of the same size. Returns
 * false if brackets are unbalanced. */
static bool squeeze(char *out, const char *name, unsigned what)
{
    struct squeezer q = {what, name, name, out, 0};

    while (*q.in != '\0')
        if (!squeeze_once(&q))
            return false;
    *q.out = '\0';
    return q.depth == 0;
}

/* The longest part of (name) after a "::" that fits. NULL if none fits. */
static const char *tail_of(const char *name, size_t width)
{
    for (const char *s = name; *s != '\0'; s++) {
        if (opens(s) && *s != '{') {
            s = close_of(s);
            if (s == NULL)
                return NULL;
            s--;
        } else if (s != name && starts(s - 1, "::") &&
                   text_width(s + 1) <= width) {
            return s + 1;
        }
    }
    return NULL;
}

static const char *cut_name(char buf[NAME_SHORT], const char *name,
                            size_t width)
{
    const char *tail = tail_of(name, width - 2);
    size_t n = 0;

    if (tail != NULL) {
        (void)snprintf(buf, NAME_SHORT, "..%s", tail);
        return buf;
    }
    for (size_t columns = 0; columns + 2 < width; columns++)
        do {
            n++;
        } while ((name[n] & 0xc0) == 0x80);
    (void)snprintf(buf, NAME_SHORT, "%.*s..", (int)n, name);
    return buf;
}

static const char *shorten(char buf[NAME_SHORT], const char *name, size_t width)
{
    char text[NAME_MAX_BYTES + 1] = "";

    if (text_width(name) <= width)
        return name;
    for (unsigned what = DROP_MODULES; what <= DROP_ALL; what += what + 1) {
        if (strlen(name) > NAME_MAX_BYTES || !squeeze(text, name, what))
            return cut_name(buf, name, width);
        if (text_width(text) <= width) {
            (void)snprintf(buf, NAME_SHORT, "%.*s", NAME_SHORT - 1, text);
            return buf;
        }
    }
    return cut_name(buf, text, width);
}

/* The " [image]" at the end of (name). NULL if there is none. */
static const char *image_of(const char *name)
{
    const char *found = NULL;

    for (const char *at = name; (at = strstr(at, " [")) != NULL; at++)
        found = at;
    return found != NULL && found != name && name[strlen(name) - 1] == ']'
               ? found
               : NULL;
}

const char *name_short(char buf[NAME_SHORT], const char *name, size_t width)
{
    const char *image = image_of(name);
    char text[NAME_MAX_BYTES + 1], own[NAME_SHORT];
    size_t taken = image != NULL ? text_width(image) : 0;

    if (image == NULL || text_width(name) <= width || 2 * taken > width ||
        image - name > (ptrdiff_t)NAME_MAX_BYTES)
        return shorten(buf, name, width);
    (void)snprintf(text, sizeof text, "%.*s", (int)(image - name), name);
    (void)snprintf(buf, NAME_SHORT, "%s%s", shorten(own, text, width - taken),
                   image);
    return buf;
}

/* Write (text) before the text in (buf). Returns whether there was room. */
static bool prepend(char buf[NAME_PATH], const char *text)
{
    size_t bytes = strlen(text), used = strlen(buf);

    if (bytes + used >= NAME_PATH)
        return false;
    memmove(buf + bytes, buf, used + 1);
    /* the text after it follows.
     * NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
    memcpy(buf, text, bytes);
    return true;
}

const char *name_of_path(char buf[NAME_PATH], const struct view *v,
                         const struct view_tree *tree, uint32_t root,
                         uint32_t node, size_t width)
{
    char name[NAME_SHORT], step[NAME_SHORT + 8];

    buf[0] = '\0';
    for (; node != root && node != 0; node = tree->nodes[node].parent) {
        const char *full = v->functions[tree->nodes[node].function].name;

        (void)snprintf(step, sizeof step, "%s%s", name_short(name, full, width),
                       buf[0] != '\0' ? " > " : "");
        /* leave room for ".. > " */
        if (strlen(step) + strlen(buf) + 8 >= NAME_PATH) {
            (void)prepend(buf, ".. > ");
            break;
        }
        (void)prepend(buf, step);
    }
    return buf;
}

/* The core of all samples, if they are of one core; else VIEW_ALL_CORES. */
static uint32_t only_core(const struct view *v)
{
    for (size_t i = 0; i < v->core_count; i++) {
        if (v->cores[i].all.samples == v->total.all.samples)
            return v->cores[i].core;
    }
    return VIEW_ALL_CORES;
}

const char *name_of_scope(char *buf, size_t size, const struct view *v,
                          const struct view_scope *scope)
{
    uint32_t core = scope->core;

    if (core == VIEW_ALL_CORES)
        core = only_core(v);
    if (core == VIEW_ALL_CORES)
        (void)snprintf(buf, size, "all cores");
    else
        (void)snprintf(buf, size, "core %" PRIu32, core);
    return buf;
}

#define BUILD_ID_DIR   "/.build-id/"
#define BUILD_ID_SHOWN 10 /* digits, after the first two */

const char *name_of_image(char *buf, size_t size, const char *path)
{
    char build[64];

    if (path == NULL)
        return text_escape(buf, size, "guest of unknown image");
    const char *id = strstr(path, BUILD_ID_DIR);

    if (id == NULL)
        return text_escape(buf, size, text_base_name(path));
    id += strlen(BUILD_ID_DIR); /* "12/3456.debug" */
    (void)snprintf(build, sizeof build, "build-id %.2s%.*s", id, BUILD_ID_SHOWN,
                   text_base_name(id));
    return text_escape(buf, size, build);
}

const char *name_of_report(char *buf, size_t size, const struct report *r)
{
    char image[NAME_SHORT / 2], guest[NAME_SHORT / 2];

    if (r->only == NULL)
        return name_of_image(buf, size, r->elf);
    (void)snprintf(buf, size, "%s, %s",
                   text_escape(guest, sizeof guest, r->only),
                   r->elf != NULL ? name_of_image(image, sizeof image, r->elf)
                                  : "unknown image");
    return buf;
}

const char *name_of_guest(char buf[NAME_PLAIN], const struct report *r)
{
    if (r->origin != NULL)
        return text_escape(buf, NAME_PLAIN, r->origin->guest);
    if (r->guest != NULL)
        return text_escape(buf, NAME_PLAIN, r->guest);
    return text_escape(buf, NAME_PLAIN,
                       r->elf != NULL ? text_base_name(r->elf) : "guest");
}

const char *name_of_core(char buf[NAME_PLAIN], const struct report *r,
                         size_t core)
{
    char guest[NAME_PLAIN / 2] = "";

    if (r->guest != NULL)
        text_escape(guest, sizeof guest, r->guest);
    (void)snprintf(buf, NAME_PLAIN, "%s%score %" PRIu32, guest,
                   r->guest != NULL ? " " : "", r->profile->cores[core].core);
    return buf;
}

const char *name_of_thread(char buf[NAME_PLAIN], const struct profile *p,
                           uint32_t number)
{
    const struct profile_thread *t;

    if (number == 0 || number > p->thread_count)
        return text_escape(buf, NAME_PLAIN,
                           number == 0 ? "no thread" : "other threads");
    t = &p->threads[number - 1];
    text_escape(buf, NAME_PLAIN - 24, t->name);
    if (t->name[0] == '\0' || t->shared)
        (void)snprintf(buf + strlen(buf), 24, "%s%#" PRIx64,
                       t->name[0] != '\0' ? " " : "thread ", t->id);
    return buf;
}

const char *name_of_request(char buf[NAME_PLAIN], const struct profile *p,
                            size_t kind)
{
    if (kind < p->request_count && p->requests[kind].name[0] != '\0')
        text_escape(buf, NAME_PLAIN, p->requests[kind].name);
    else
        (void)snprintf(buf, NAME_PLAIN, "kind %zu", kind);
    return buf;
}

const char *name_of_lock(char buf[NAME_PLAIN], const struct report *r,
                         size_t lock)
{
    const struct profile_lock *l = &r->profile->locks[lock];

    if (l->name[0] != '\0')
        return text_escape(buf, NAME_PLAIN, l->name);
    if (l->address == 0)
        return text_escape(buf, NAME_PLAIN, "other locks");
    const struct view_lock *v = &r->view->locks[lock];

    if (v->variable != NULL) {
        text_escape(buf, NAME_PLAIN - 20, v->variable);
        if (v->offset != 0)
            (void)snprintf(buf + strlen(buf), 20, "+%#" PRIx64, v->offset);
        return buf;
    }
    (void)snprintf(buf, NAME_PLAIN, "lock %#" PRIx64, l->address);
    return buf;
}

const char *name_of_view_image(char buf[NAME_PLAIN], const struct report *r,
                               uint32_t i)
{
    const struct view_image *image = &r->view->images[i];

    if (image->name != NULL)
        return text_escape(buf, NAME_PLAIN, image->name);
    return text_escape(buf, NAME_PLAIN,
                       image->path != NULL ? text_base_name(image->path)
                                           : "kernel");
}

const char *name_of_file(char buf[NAME_PLAIN], const struct report *r,
                         uint32_t i)
{
    const char *path = r->view->images[i].path;

    return path != NULL ? path : name_of_view_image(buf, r, i);
}
