/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables that all OpenTelemetry profiles of a request share. */
#include "export/stores/otlp_parts.h"

#include <stdlib.h>
#include <string.h>

#include "export/stores/report_window.h"
#include "report/name.h"
#include "util/hash.h"
#include "util/vec.h"

/* Fields by message. The dictionary's fields are in the order of enum
 * otlp_kind. */
static const struct otlp_field dictionary_field[OTLP_KINDS] = {
    {1, "mappingTable"}, {2, "locationTable"}, {3, "functionTable"},
    {4, "linkTable"},    {5, "stringTable"},   {6, "attributeTable"},
    {7, "stackTable"},
};
static const struct {
    struct otlp_field start, limit, offset, file, attributes;
} mapping_field = {{1, "memoryStart"},
                   {2, "memoryLimit"},
                   {3, "fileOffset"},
                   {4, "filenameStrindex"},
                   {5, "attributeIndices"}};
static const struct {
    struct otlp_field mapping, address, lines, attributes;
} location_field = {
    {1, "mappingIndex"}, {2, "address"}, {3, "lines"}, {4, "attributeIndices"}};
static const struct {
    struct otlp_field function, line;
} line_field = {{1, "functionIndex"}, {2, "line"}};
static const struct {
    struct otlp_field name, file;
} function_field = {{1, "nameStrindex"}, {3, "filenameStrindex"}};
static const struct otlp_field stack_locations = {1, "locationIndices"};
static const struct {
    struct otlp_field key, value;
} attribute_field = {{1, "keyStrindex"}, {2, "value"}};
static const struct {
    struct otlp_field text, integer;
} value_field = {{1, "stringValue"}, {3, "intValue"}};

static struct otlp_message message(const struct otlp_tables *o)
{
    return (struct otlp_message){.json = o->json};
}

static bool is_entry(const struct otlp_table *t, uint32_t number,
                     const struct otlp_message *entry)
{
    const struct otlp_place *p = &t->places[number];

    return p->size == entry->out.size &&
           (p->size == 0 || memcmp(t->entries.out.bytes + p->at,
                                   entry->out.bytes, p->size) == 0);
}

/* Add (entry) to its table, and release it. Returns its number; MAP_NOTHING if
 * there is no memory. */
static uint32_t add_entry(struct otlp_table *t, enum otlp_kind kind,
                          struct otlp_message *entry)
{
    size_t size = entry->out.size, behind = entry->json ? 1 : 0;

    if (vec_grow(&t->places, &t->places_room, t->count, sizeof *t->places) != 0)
        return MAP_NOTHING;
    otlp_add(&t->entries, &dictionary_field[kind], entry, kind == OTLP_STRING);
    if (t->entries.out.no_memory)
        return MAP_NOTHING;
    t->places[t->count] =
        (struct otlp_place){t->entries.out.size - behind - size, size};
    return t->count++;
}

/* The number of (entry) in its table. Releases (entry). */
static uint32_t number_of(struct otlp_tables *o, enum otlp_kind kind,
                          struct otlp_message *entry)
{
    struct otlp_table *t = &o->tables[kind];
    uint64_t hash = hash_bytes(entry->out.bytes, entry->out.size);
    uint32_t *number = NULL;

    for (uint64_t same = 0; !entry->out.no_memory; same++) {
        number = map_put(&t->known, hash, same);
        if (number == NULL || *number == MAP_NOTHING ||
            is_entry(t, *number, entry))
            break;
    }
    if (number != NULL && *number == MAP_NOTHING)
        *number = add_entry(t, kind, entry);
    otlp_fini(entry);
    if (number != NULL && *number != MAP_NOTHING)
        return *number;
    o->no_memory = true;
    return 0;
}

uint32_t otlp_number_of_string(struct otlp_tables *o, const char *text)
{
    struct otlp_message m = message(o);

    otlp_string(&m, text);
    return number_of(o, OTLP_STRING, &m);
}

/* Keep (number) for (a, b) of the view. Returns (number). */
static uint32_t keep(struct otlp_tables *o, uint64_t a, uint64_t b,
                     uint32_t number)
{
    uint32_t *kept = map_put(&o->known, a, b);

    o->no_memory |= kept == NULL;
    if (kept != NULL)
        *kept = number;
    return number;
}

/* Number of the attribute (key) with the value (text), or (number) if (text) is
 * NULL. */
uint32_t otlp_number_of_attribute(struct otlp_tables *o, const char *key,
                                  const char *text, uint64_t number)
{
    struct otlp_message m = message(o), value = message(o);

    otlp_int(&m, &attribute_field.key, otlp_number_of_string(o, key));
    if (text != NULL)
        otlp_text(&value, &value_field.text, text);
    else
        otlp_long_chosen(&value, &value_field.integer, number);
    otlp_inner(&m, &attribute_field.value, &value);
    return number_of(o, OTLP_ATTRIBUTE, &m);
}

/* Number the ids of the file of (v): its build-id, its hash, or both. Returns
 * the number of (ids). */
static size_t number_ids(struct otlp_tables *o, const struct view_image *v,
                         uint32_t ids[2])
{
    char hex[2 * GUEST_BUILD_ID_MAX + 1];
    size_t count = 0;

    if (v->build_id_len != 0 && v->build_id_len <= GUEST_BUILD_ID_MAX)
        ids[count++] = otlp_number_of_attribute(
            o, "process.executable.build_id.gnu",
            window_hex(hex, v->build_id, v->build_id_len), 0);
    if (v->has_hash)
        ids[count++] = otlp_number_of_attribute(
            o, "process.executable.build_id.htlhash",
            window_hex(hex, v->hash, sizeof v->hash), 0);
    return count;
}

/* Write one mapping from the first run of code to the last. The checker of
 * profiles would take two mappings of one file for the same. */
static uint32_t mapping_of(struct otlp_tables *o, uint32_t image)
{
    const struct view_image *v = &o->report->view->images[image];
    uint32_t number = map_get(&o->known, OTLP_MAPPING, image);
    char name[NAME_PLAIN];
    uint32_t ids[2];
    struct otlp_message m = message(o);

    if (number != MAP_NOTHING)
        return number;
    if (v->segment_count != 0) {
        const struct view_segment *first = v->segments,
                                  *last = &first[v->segment_count - 1];

        otlp_long(&m, &mapping_field.start, first->address + v->slide);
        otlp_long(&m, &mapping_field.limit,
                  last->address + last->size + v->slide);
        otlp_long(&m, &mapping_field.offset, first->file_offset);
    }
    otlp_int(&m, &mapping_field.file,
             otlp_number_of_string(o, name_of_file(name, o->report, image)));
    otlp_ints(&m, &mapping_field.attributes, ids, number_ids(o, v, ids));
    return keep(o, OTLP_MAPPING, image, number_of(o, OTLP_MAPPING, &m));
}

static uint32_t function_of(struct otlp_tables *o, uint32_t function)
{
    const struct view_function *f = &o->report->view->functions[function];
    uint32_t number = map_get(&o->known, OTLP_FUNCTION, function);
    struct otlp_message m = message(o);

    if (number != MAP_NOTHING)
        return number;
    otlp_int(&m, &function_field.name, otlp_number_of_string(o, f->name));
    if (f->file != NULL)
        otlp_int(&m, &function_field.file, otlp_number_of_string(o, f->file));
    return keep(o, OTLP_FUNCTION, function, number_of(o, OTLP_FUNCTION, &m));
}

/* Is (address), an address of its file, in the code of (v)? The kernel's image
 * stands for all addresses of no image; its mapping does not contain them. */
static bool is_in_code(const struct view_image *v, uint64_t address)
{
    const struct view_segment *last;

    if (v->segment_count == 0)
        return true;
    last = &v->segments[v->segment_count - 1];
    return address >= v->segments[0].address &&
           address < last->address + last->size;
}

/* Write the place of (step). */
static void write_place(struct otlp_tables *o, struct otlp_message *m,
                        const struct view_step *step)
{
    uint32_t type = otlp_number_of_attribute(
        o, "profile.frame.type", step->image == 0 ? "kernel" : "native", 0);

    if (is_in_code(&o->report->view->images[step->image], step->address))
        otlp_int(m, &location_field.mapping, mapping_of(o, step->image));
    otlp_long(m, &location_field.address,
              step->address + o->report->view->images[step->image].slide);
    otlp_ints(m, &location_field.attributes, &type, 1);
}

/* The location of the (count) steps from (steps) on, each inlined into the step
 * before it. The innermost line comes first. */
static uint32_t location_of(struct otlp_tables *o,
                            const struct view_step *steps, size_t count)
{
    bool mark = steps->function < VIEW_MARKS;
    uint64_t a =
        mark ? OTLP_KINDS : OTLP_LOCATION | (uint64_t)steps->image << 8;
    uint64_t b = mark ? steps->function : steps->address;
    uint32_t number = map_get(&o->known, a, b);
    struct otlp_message m = message(o), lines = message(o);

    if (number != MAP_NOTHING)
        return number;
    if (!mark)
        write_place(o, &m, steps);
    while (count-- > 0) {
        struct otlp_message line = message(o);

        otlp_int(&line, &line_field.function,
                 function_of(o, steps[count].function));
        otlp_long(&line, &line_field.line, steps[count].line);
        otlp_add(&lines, &location_field.lines, &line, false);
    }
    otlp_list(&m, &location_field.lines, &lines);
    return keep(o, a, b, number_of(o, OTLP_LOCATION, &m));
}

uint32_t otlp_number_of_stack(struct otlp_tables *o,
                              const struct view_path *path)
{
    struct otlp_message m = message(o);
    uint32_t *locations = calloc(path->count + 1, sizeof *locations);
    size_t count = 0;

    o->no_memory |= locations == NULL;
    for (size_t end = path->count, i = end; locations != NULL && i-- > 0;) {
        if (path->steps[i].inlined && i > 0)
            continue;
        locations[count++] = location_of(o, &path->steps[i], end - i);
        end = i;
    }
    otlp_ints(&m, &stack_locations, locations, count);
    free(locations);
    return number_of(o, OTLP_STACK, &m);
}

void otlp_tables_init(struct otlp_tables *o, bool json)
{
    *o = (struct otlp_tables){.json = json};
    for (enum otlp_kind kind = 0; kind < OTLP_KINDS; kind++) {
        struct otlp_message nothing = message(o);

        o->tables[kind].entries = message(o);
        (void)number_of(o, kind, &nothing);
    }
}

void otlp_tables_guest(struct otlp_tables *o, const struct report *r)
{
    map_fini(&o->known);
    o->report = r;
}

void otlp_tables_write(struct otlp_tables *o, struct otlp_message *dictionary)
{
    for (enum otlp_kind kind = 0; kind < OTLP_KINDS; kind++)
        otlp_list(dictionary, &dictionary_field[kind],
                  &o->tables[kind].entries);
}

void otlp_tables_fini(struct otlp_tables *o)
{
    map_fini(&o->known);
    for (enum otlp_kind kind = 0; kind < OTLP_KINDS; kind++) {
        map_fini(&o->tables[kind].known);
        otlp_fini(&o->tables[kind].entries);
        free(o->tables[kind].places);
    }
}
