/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of guests, made from the command line and a --guests file. */
#include "guest/guests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard/opener.h"
#include "guest/labels.h"
#include "model/guest.h"
#include "util/vec.h"

#define FILE_MAX (16u << 20) /* some 200,000 guests */
/* Images of a guest: its kernel, and as many others as a guest can report. */
#define ELFS_MAX (1 + GUEST_MAPS_MAX)
#define EXAMPLE  "a line is like: --vsock 3 --elf app.elf --name web1"

/* Keys of a guest. The kinds of sources come first. */
enum key { KEY_SOURCES = SOURCE_KINDS, KEY_ELF = KEY_SOURCES, KEY_NAME, KEYS };

static const char *key_name(unsigned key)
{
    return key < KEY_SOURCES ? source_kinds[key].name
           : key == KEY_ELF  ? "elf"
                             : "name";
}

/* The key named (name); KEYS if there is none. */
static enum key key_of(const char *name)
{
    unsigned key = 0;

    while (key < KEYS && strcmp(key_name(key), name) != 0)
        key++;
    return (enum key)key;
}

static int add_guest(struct guests *g, enum key key, const char *where,
                     struct err *e)
{
    if (vec_grow(&g->list, &g->room, g->count, sizeof *g->list) != 0)
        return err_memory(e);
    g->list[g->count++] =
        (struct guest_spec){.kind = key_name(key), .where = where};
    return 0;
}

/* Append to (*list). */
static int add_elf(struct guests *g, struct elf_path **list, const char *path,
                   struct err *e)
{
    struct elf_path *elf = arena_alloc(&g->arena, sizeof *elf);

    unsigned before = 0;

    if (elf == NULL)
        return err_memory(e);
    elf->path = path;
    for (; *list != NULL; list = &(*list)->next)
        before++;
    if (before == ELFS_MAX)
        return err_set(e, "--elf %s: more than %u for one guest", path,
                       ELFS_MAX);
    *list = elf;
    return 0;
}

/* Add an --elf of the command line, for the guest before it or for all. */
static int elf_option(struct guests *g, const char *path, struct err *e)
{
    struct elf_path **list = g->open ? &g->list[g->count - 1].elfs : &g->elfs;

    g->elf_owners += *list == NULL;
    if (add_elf(g, list, path, e) != 0)
        return -1;
    g->last_elfs = *list;
    return 0;
}

static bool fits_file_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static int set_name(struct guest_spec *spec, const char *name, struct err *e)
{
    size_t length = strlen(name), good = 0;

    while (good < length && fits_file_name(name[good]))
        good++;
    if (length == 0 || length >= GUEST_NAME_MAX || good < length ||
        name[0] == '.')
        return err_set(e,
                       "--name: '%s' is no name: 1 to %d letters, digits, '-', "
                       "'_' or '.'",
                       name, GUEST_NAME_MAX - 1);
    memcpy(spec->name, name, length + 1);
    spec->named = true;
    return 0;
}

int guests_option(struct guests *g, const char *key, const char *value,
                  struct err *e)
{
    switch (key_of(key)) {
    case KEY_ELF:
        return elf_option(g, value, e);
    case KEY_NAME:
        if (g->open)
            return set_name(&g->list[g->count - 1], value, e);
        return err_set(e,
                       "--name: no guest before it. Type it after the guest's "
                       "source: --vsock 3 --name %s",
                       value);
    default:
        if (add_guest(g, key_of(key), value, e) != 0)
            return -1;
        g->open = true;
        return 0;
    }
}

/* The file */

/* The next word of (*line), cut from it; NULL: none, or a comment. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, " \t\r");

    *line = word + strcspn(word, " \t\r");
    if (**line != '\0')
        *(*line)++ = '\0';
    return *word != '\0' && *word != '#' ? word : NULL;
}

/* The words of a guest's line. */
struct line {
    char *rest;               /* text that is not yet read */
    const char *values[KEYS]; /* NULL: not given */
    struct elf_path *elfs;
    const char *labels[ORIGIN_LABELS];
    size_t label_count;
};

/* Split (word) into a key and its (value): --key value, --key=value or
 * key=value. Takes the next word if it is the value. Returns KEYS with (e)
 * filled if (word) has no such form. */
static enum key split_word(struct line *line, char *word, const char **value,
                           struct err *e)
{
    bool dashed = strncmp(word, "--", 2) == 0;
    char *equals = strchr(word, '=');

    if (equals != NULL)
        *equals = '\0';
    enum key key = key_of(dashed ? word + 2 : word);

    if (key == KEYS || (!dashed && equals == NULL)) {
        (void)err_set(e, "what is '%s'? " EXAMPLE, word);
        return KEYS;
    }
    *value = equals != NULL ? equals + 1 : next_word(&line->rest);
    if (*value == NULL || **value == '\0') {
        (void)err_set(e, "what stands after '%s'? " EXAMPLE, word);
        return KEYS;
    }
    return key;
}

/* Is (word) a label of the user? */
static bool is_label(const char *word)
{
    struct origin_label label;

    return labels_read(&label, word) && key_of(label.key) == KEYS;
}

static int take_word(struct guests *g, struct line *line, char *word,
                     struct err *e)
{
    const char *value;
    enum key key;

    if (is_label(word)) {
        if (line->label_count == ORIGIN_LABELS)
            return err_set(e, "more than %u labels", ORIGIN_LABELS);
        line->labels[line->label_count++] = word;
        return 0;
    }
    key = split_word(line, word, &value, e);
    if (key == KEYS)
        return -1;
    for (unsigned i = 0; key < KEY_SOURCES && i < KEY_SOURCES; i++) {
        if (line->values[i] != NULL)
            return err_set(e,
                           "this line names two guests, '%s' and '%s': write "
                           "one guest a line",
                           line->values[i], value);
    }
    line->values[key] = value;
    return key == KEY_ELF ? add_elf(g, &line->elfs, value, e) : 0;
}

static int keep_labels(struct guests *g, const struct line *line, struct err *e)
{
    struct guest_spec *spec = &g->list[g->count - 1];
    size_t size = line->label_count * sizeof line->labels[0];
    const char **labels = arena_alloc(&g->arena, size);

    if (labels == NULL)
        return err_memory(e);
    memcpy(labels, line->labels, size);
    spec->labels = labels;
    spec->label_count = line->label_count;
    return 0;
}

static int take_line(struct guests *g, char *text, struct err *e)
{
    struct line line = {.rest = text};
    unsigned source = 0;
    bool empty = true;
    char *word;

    for (; (word = next_word(&line.rest)) != NULL; empty = false)
        if (take_word(g, &line, word, e) != 0)
            return -1;
    while (source < KEY_SOURCES && line.values[source] == NULL)
        source++;
    if (empty)
        return 0;
    if (source == KEY_SOURCES)
        return err_set(e, "the guest's source is missing: " EXAMPLE);
    if ((source_kinds[source].check != NULL &&
         source_kinds[source].check(line.values[source], e) != 0) ||
        add_guest(g, (enum key)source, line.values[source], e) != 0)
        return -1;
    g->list[g->count - 1].listed = true;
    g->list[g->count - 1].elfs = line.elfs;
    if (line.label_count != 0 && keep_labels(g, &line, e) != 0)
        return -1;
    return line.values[KEY_NAME] == NULL
               ? 0
               : set_name(&g->list[g->count - 1], line.values[KEY_NAME], e);
}

/* Read all of (path) and append a NUL. NULL with (e) filled on failure. */
static char *read_file(const char *path, struct err *e)
{
    int fd = opener_started() ? opener_open(OPENER_READ, path) : -1;
    FILE *f =
        opener_started() ? fd >= 0 ? fdopen(fd, "r") : NULL : fopen(path, "r");
    char *text = NULL;
    size_t size = 0, room = 0;

    if (f == NULL) {
        (void)err_sys(e, path);
        return NULL;
    }
    do {
        char *grown = realloc(text, room = room != 0 ? 2 * room : 4096);

        if (grown == NULL || room > FILE_MAX) {
            (void)err_set(e,
                          grown == NULL ? "%s: out of memory"
                                        : "%s: larger than 16 MiB",
                          path);
            free(grown != NULL ? grown : text);
            (void)fclose(f);
            return NULL;
        }
        text = grown;
        size += fread(text + size, 1, room - size - 1, f);
    } while (size == room - 1);
    text[size] = '\0';
    if (ferror(f) != 0 || strlen(text) != size) {
        (void)err_set(e, "%s: not a text file", path);
        free(text);
        text = NULL;
    }
    (void)fclose(f);
    return text;
}

int guests_read(struct guests *g, const char *path, struct err *e)
{
    struct err why;
    unsigned number = 1;

    if (g->text != NULL)
        return err_set(e, "--guests: one file at a time");
    g->path = path;
    g->text = read_file(path, e);
    if (g->text == NULL)
        return -1;
    g->open = false;
    for (char *line = g->text; line != NULL; number++) {
        char *end = strchr(line, '\n');

        if (end != NULL)
            *end++ = '\0';
        if (take_line(g, line, &why) != 0)
            return err_set(e, "%s:%u: %s", path, number, why.text);
        line = end;
    }
    return g->count != 0 ? 0 : err_set(e, "%s: names no guest; " EXAMPLE, path);
}

/* Names */

/* Length of the folder in the first (length) bytes of (path), without its last
 * slash. 0 if there is no folder. */
static size_t folder_of(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 1 ? length - 1 : 0;
}

/* Make a name from the guest's source: cid3, or the last part of a path. With
 * (folder), the part before the last, if there is one. */
static void make_name(struct guest_spec *spec, bool folder)
{
    size_t end = strlen(spec->where), above = folder_of(spec->where, end);

    if (folder && above != 0)
        end = above;
    const char *last = spec->where + end;

    while (last > spec->where && last[-1] != '/')
        last--;
    (void)snprintf(spec->name, sizeof spec->name - 12, "%s%.*s",
                   source_kind_find(spec->kind)->prefix,
                   (int)(spec->where + end - last), last);
    for (char *c = spec->name; *c != '\0'; c++)
        if (!fits_file_name(*c))
            *c = '_';
    if (spec->name[0] == '.' || spec->name[0] == '\0')
        spec->name[0] = '_';
}

static int compare_names(const void *a, const void *b)
{
    const struct guest_spec *const *left = a, *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

/* Sort the guests by name into (sorted). Returns whether two have the same
 * name. */
static bool sort_names(struct guests *g, struct guest_spec **sorted)
{
    bool same = false;

    for (size_t i = 0; i < g->count; i++)
        sorted[i] = &g->list[i];
    qsort(sorted, g->count, sizeof(void *), compare_names);
    for (size_t i = 1; i < g->count; i++)
        same |= compare_names(&sorted[i - 1], &sorted[i]) == 0;
    return same;
}

/* Number of guests that have the name of sorted[i], the first of them. */
static size_t run_of(const struct guests *g, struct guest_spec **sorted,
                     size_t i)
{
    size_t run = 1;

    while (i + run < g->count &&
           compare_names(&sorted[i], &sorted[i + run]) == 0)
        run++;
    return run;
}

/* Rename guests whose made names are not unique, by adding their folders:
 * /run/web1/tprof.0 and /run/web2/tprof.0 differ by the folder. */
static void name_by_folders(const struct guests *g, struct guest_spec **sorted)
{
    for (size_t i = 0, run; i < g->count; i += run) {
        run = run_of(g, sorted, i);
        for (size_t j = i; run > 1 && j < i + run; j++)
            if (!sorted[j]->named)
                make_name(sorted[j], true);
    }
}

/* Append the place in the list to made names that are still not unique. */
static void number_names(const struct guests *g, struct guest_spec **sorted)
{
    for (size_t i = 0, run; i < g->count; i += run) {
        run = run_of(g, sorted, i);
        for (size_t j = i; run > 1 && j < i + run; j++) {
            char *name = sorted[j]->name;
            size_t length = strlen(name);

            if (!sorted[j]->named)
                (void)snprintf(name + length, GUEST_NAME_MAX - length, "-%zu",
                               (size_t)(sorted[j] - g->list) + 1);
        }
    }
}

static int name_guests(struct guests *g, struct err *e)
{
    struct guest_spec **sorted = calloc(g->count + 1, sizeof(void *));
    int result = 0;

    if (sorted == NULL)
        return err_memory(e);
    for (size_t i = 0; i < g->count; i++)
        if (!g->list[i].named)
            make_name(&g->list[i], false);
    if (sort_names(g, sorted))
        name_by_folders(g, sorted);
    if (sort_names(g, sorted))
        number_names(g, sorted);
    if (sort_names(g, sorted)) {
        size_t i = 1;

        while (compare_names(&sorted[i - 1], &sorted[i]) != 0)
            i++;
        result = err_set(e, "two guests are called '%s': give each a --name",
                         sorted[i]->name);
    }
    free(sorted);
    return result;
}

/* Give all images to the only guest, wherever they stand on the command
 * line. */
static void join_elfs(struct guests *g)
{
    struct elf_path **end = &g->elfs;

    while (*end != NULL)
        end = &(*end)->next;
    *end = g->list[0].elfs;
    g->list[0].elfs = g->elfs;
}

/* Check that each guest sampled from outside has an image, because such a guest
 * cannot report its images. Returns 0; -1 with (e) filled. */
static int need_images(const struct guests *g, struct err *e)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct guest_spec *s = &g->list[i];

        if (source_kind_find(s->kind)->need != SOURCE_NEEDS_SAMPLER)
            continue;
        if (s->elfs == NULL)
            return err_set(e,
                           "--%s %s: a guest without an agent does not report "
                           "its image. Type --%s %s --elf kernel.elf",
                           s->kind, s->where, s->kind, s->where);
        if (s->elfs->next != NULL)
            return err_set(
                e,
                "--%s %s: without an agent the addresses of further images are "
                "unknown. Name only the kernel with --elf, not %s",
                s->kind, s->where, s->elfs->next->path);
    }
    return 0;
}

int guests_finish(struct guests *g, struct err *e)
{
    if (g->count == 1 && g->text == NULL && g->elf_owners == 2)
        join_elfs(g);
    if (g->elf_owners == 1)
        g->elfs = g->last_elfs;
    for (size_t i = 0; i < g->count; i++)
        if (g->list[i].elfs == NULL)
            g->list[i].elfs = g->elfs;
    if (need_images(g, e) != 0)
        return -1;
    return name_guests(g, e);
}

struct source *guests_source(const struct guest_spec *spec, unsigned how,
                             struct err *e)
{
    const struct source_kind *kind = source_kind_find(spec->kind);

    return kind->need == SOURCE_NEEDS_SAMPLER
               ? source_outside(spec->where, spec->bytes, spec->words,
                                spec->registers, e)
               : kind->make(spec->where, how, e);
}

void guests_fini(struct guests *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->list[i].registers);
    free(g->list);
    free(g->text);
    arena_fini(&g->arena);
    *g = (struct guests){0};
}
