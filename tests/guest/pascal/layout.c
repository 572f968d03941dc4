/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout OBJECT: the records and constants of tprof.h or tprof.pas as their
 * compiler describes them in DWARF, a line each, in words that both languages
 * share: "RECORD SIZE", "RECORD.FIELD OFFSET SIZE", with " (SIZES) SIZE" of
 * what a function there takes and gives, "TPROF_CONSTANT VALUE".
 */
#include <ctype.h>
#include <dwarf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <elfutils/libdw.h>

#define NAME_SIZE 128

/* (name) in upper case without any '_'. */
static void plain(const char *name, char out[NAME_SIZE])
{
    size_t len = 0;

    for (const char *c = name; *c != '\0' && len < NAME_SIZE - 1; c++)
        if (*c != '_')
            out[len++] = (char)toupper((unsigned char)*c);
    out[len] = '\0';
}

static bool starts_with(const char *name, const char *start)
{
    return name != NULL && strncasecmp(name, start, strlen(start)) == 0;
}

/* The type of (die) without its names. False if it has none: void. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute at;
    Dwarf_Die named;

    return dwarf_formref_die(dwarf_attr(die, DW_AT_type, &at), &named) &&
           dwarf_peel_type(&named, type) == 0;
}

/* A procedural type stands for a pointer to its code. */
static Dwarf_Word size_of(Dwarf_Die *die)
{
    Dwarf_Die type;
    Dwarf_Word size = 0;

    if (!type_of(die, &type))
        return 0;
    if (dwarf_tag(&type) == DW_TAG_subroutine_type)
        return sizeof(uint64_t);
    return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

static bool procedure_of(Dwarf_Die *die, Dwarf_Die *procedure);

/* A pointer to a procedure that may be none is an enumeration to Rust: of the
 * parts of (die), one has it. */
static bool procedure_in(Dwarf_Die *die, Dwarf_Die *procedure)
{
    Dwarf_Die part;

    if (dwarf_child(die, &part) != 0)
        return false;
    do {
        bool is_member = dwarf_tag(&part) == DW_TAG_member;

        if (is_member ? procedure_of(&part, procedure)
                      : procedure_in(&part, procedure))
            return true;
    } while (dwarf_siblingof(&part, &part) == 0);
    return false;
}

/* The procedure that a field (die) is of, or points to. */
static bool procedure_of(Dwarf_Die *die, Dwarf_Die *procedure)
{
    Dwarf_Die type;

    if (!type_of(die, &type))
        return false;
    if (dwarf_tag(&type) == DW_TAG_structure_type)
        return (starts_with(dwarf_diename(&type), "Option<") ||
                starts_with(dwarf_diename(&type), "Some")) &&
               procedure_in(&type, procedure);
    *procedure = type;
    if (dwarf_tag(&type) == DW_TAG_pointer_type && !type_of(&type, procedure))
        return false;
    return dwarf_tag(procedure) == DW_TAG_subroutine_type;
}

/* What a procedural field takes and gives: " (SIZE SIZE) SIZE". */
static void print_procedure(Dwarf_Die *field)
{
    Dwarf_Die procedure, parameter;

    if (!procedure_of(field, &procedure))
        return;
    printf(" (");
    if (dwarf_child(&procedure, &parameter) == 0) {
        do {
            printf(" %" PRIu64, size_of(&parameter));
        } while (dwarf_siblingof(&parameter, &parameter) == 0);
    }
    printf(" ) %" PRIu64, size_of(&procedure));
}

/* gcc and clang give a number, Free Pascal an expression that adds one. */
static Dwarf_Word offset_of(Dwarf_Die *die)
{
    Dwarf_Attribute at;
    Dwarf_Op *op;
    size_t count;
    Dwarf_Word offset = 0;

    if (!dwarf_attr(die, DW_AT_data_member_location, &at) ||
        dwarf_formudata(&at, &offset) == 0)
        return offset;
    return dwarf_getlocation(&at, &op, &count) == 0 && count == 1 ? op->number
                                                                  : ~0u;
}

/* Below a name that is (start) and what follows (skip) characters of its own.
 */
static void print_record(Dwarf_Die *die, const char *start, size_t skip)
{
    char record[NAME_SIZE], name[NAME_SIZE], field[NAME_SIZE];
    Dwarf_Die member;

    if (dwarf_child(die, &member) != 0 || dwarf_bytesize(die) <= 0)
        return; /* only declared, or known to others only */
    snprintf(name, sizeof name, "%s%s", start, dwarf_diename(die) + skip);
    plain(name, record);
    printf("%s %d\n", record, dwarf_bytesize(die));
    do {
        if (dwarf_tag(&member) != DW_TAG_member)
            continue;
        plain(dwarf_diename(&member), field);
        printf("%s.%s %" PRIu64 " %" PRIu64, record, field, offset_of(&member),
               size_of(&member));
        print_procedure(&member);
        putchar('\n');
    } while (dwarf_siblingof(&member, &member) == 0);
}

/* A macro is none to DWARF: tests/guest/pascal/binding makes it an enumerator
 * of its name behind MACRO_. */
static void print_constant(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    Dwarf_Attribute at;
    Dwarf_Sword value;

    if (starts_with(name, "MACRO_"))
        name += strlen("MACRO_");
    if (starts_with(name, "TPROF_") &&
        dwarf_formsdata(dwarf_attr(die, DW_AT_const_value, &at), &value) == 0)
        printf("%s %" PRId64 "\n", name, value);
}

/* (in_module): of Rust's module tprof, in which names do not begin so. */
static void print_each(Dwarf_Die *parent, bool in_module)
{
    Dwarf_Die die;

    if (dwarf_child(parent, &die) != 0)
        return;
    do {
        const char *name = dwarf_diename(&die);
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_enumeration_type)
            print_each(&die, in_module);
        else if (tag == DW_TAG_namespace)
            print_each(&die, strcmp(name, "tprof") == 0);
        else if (tag == DW_TAG_structure_type && in_module)
            print_record(&die, "tprof_", 0);
        else if (tag == DW_TAG_enumerator || tag == DW_TAG_variable)
            print_constant(&die);
        else if (tag == DW_TAG_structure_type && starts_with(name, "tprof_"))
            print_record(&die, "", 0);
        else if (tag == DW_TAG_structure_type && starts_with(name, "ttprof"))
            print_record(&die, "", 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    Dwarf *dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;

    if (!dwarf) {
        fprintf(stderr, "layout: no DWARF: %s\n", argc == 2 ? argv[1] : "?");
        return 1;
    }
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
        print_each(&die, false);
    return 0;
}
