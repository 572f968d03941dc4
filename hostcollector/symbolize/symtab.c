/* SPDX-License-Identifier: BSD-2-Clause */
/* Which function of the symbol table holds an address. */
#include "symbolize/symtab.h"

#include <stdlib.h>
#include <string.h>

#include <gelf.h>

/* How many functions may begin inside another before its end is missed. */
#define MAX_NESTED 16u

struct candidate {
    struct image_function f; /* size 0: a label */
    uint64_t limit;          /* where its section ends */
    unsigned rank;           /* among aliases the highest wins */
    unsigned order;          /* then the first in the table */
};

struct table {
    Elf *elf;
    Elf_Data *data;
    size_t names; /* index of the string table */
    size_t count;
};

static bool table_open(struct table *t, Elf *elf, GElf_Word type)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != type)
            continue;
        t->elf = elf;
        t->data = elf_getdata(scn, NULL);
        t->names = sh.sh_link;
        t->count = t->data != NULL ? t->data->d_size / sizeof(Elf64_Sym) : 0;
        if (t->count != 0)
            return true;
    }
    return false;
}

static bool table_open_any(struct table *t, Elf *elf)
{
    return table_open(t, elf, SHT_SYMTAB) || table_open(t, elf, SHT_DYNSYM);
}

/* Where each executable section ends, by section number; 0 for others. */
static uint64_t *code_limits(Elf *elf, size_t *count)
{
    uint64_t *limits;
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    if (elf_getshdrnum(elf, count) != 0)
        *count = 0;
    limits = calloc(*count + 1, sizeof *limits);
    while (limits != NULL && (scn = elf_nextscn(elf, scn)) != NULL) {
        size_t i = elf_ndxscn(scn);

        if (i < *count && gelf_getshdr(scn, &sh) != NULL &&
            (sh.sh_flags & SHF_EXECINSTR) != 0 &&
            sh.sh_size <= UINT64_MAX - sh.sh_addr)
            limits[i] = sh.sh_addr + sh.sh_size;
    }
    return limits;
}

static unsigned rank(const GElf_Sym *sym)
{
    static const unsigned by_binding[] = {
        [STB_LOCAL] = 0, [STB_GLOBAL] = 2, [STB_WEAK] = 1};
    unsigned bind = GELF_ST_BIND(sym->st_info);
    unsigned r = bind <= STB_WEAK ? by_binding[bind] : 0;

    if (sym->st_size != 0)
        r += 4;
    if (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
        r += 8;
    return r;
}

/* Can (sym) name code? Its section has the number (index). */
static bool names_code(const GElf_Sym *sym, GElf_Word index,
                       const uint64_t *limits, size_t sections)
{
    unsigned type = GELF_ST_TYPE(sym->st_info);

    if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
        return false;
    return index != SHN_UNDEF && index < sections &&
           sym->st_value < limits[index] &&
           sym->st_size <= limits[index] - sym->st_value;
}

static size_t collect(const struct table *t, struct candidate *out,
                      const uint64_t *limits, size_t sections)
{
    size_t n = 0;

    for (size_t i = 1; i < t->count; i++) {
        GElf_Sym sym;
        const char *name;

        if (gelf_getsym(t->data, (int)i, &sym) == NULL ||
            !names_code(&sym, sym.st_shndx, limits, sections))
            continue;
        name = elf_strptr(t->elf, t->names, sym.st_name);
        if (name == NULL || name[0] == '\0' || strncmp(name, ".L", 2) == 0)
            continue;
        out[n++] = (struct candidate){.f = {.start = sym.st_value,
                                            .size = sym.st_size,
                                            .sized = sym.st_size != 0,
                                            .name = name},
                                      .limit = limits[sym.st_shndx],
                                      .rank = rank(&sym),
                                      .order = (unsigned)i};
    }
    return n;
}

static int by_address(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->f.start != y->f.start)
        return x->f.start < y->f.start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/*
 * Keep the best alias of each start. A label within a sized function is a
 * place in that function; elsewhere it is one, up to the next symbol.
 */
static size_t settle(struct image_function *out, const struct candidate *c,
                     size_t n)
{
    size_t count = 0;
    uint64_t sized_end = 0;

    for (size_t i = 0, next; i < n; i = next) {
        struct image_function f = c[i].f;

        for (next = i + 1; next < n && c[next].f.start == f.start;)
            next++;
        if (f.size == 0) {
            if (f.start < sized_end)
                continue;
            f.size = c[i].limit - f.start;
            if (next < n && c[next].f.start - f.start < f.size)
                f.size = c[next].f.start - f.start;
        } else if (f.start + f.size > sized_end) {
            sized_end = f.start + f.size;
        }
        out[count++] = f;
    }
    return count;
}

int symtab_read(struct symtab *t, Elf *elf)
{
    struct table table;
    size_t sections, n;
    uint64_t *limits;
    struct candidate *c;
    int status = -1;

    if (!table_open_any(&table, elf))
        return 0;
    limits = code_limits(elf, &sections);
    c = calloc(table.count, sizeof *c);
    if (limits == NULL || c == NULL)
        goto fail_lists;
    n = collect(&table, c, limits, sections);
    qsort(c, n, sizeof *c, by_address);
    t->functions = calloc(n + 1, sizeof *t->functions);
    if (t->functions == NULL)
        goto fail_lists;
    t->count = settle(t->functions, c, n);
    status = 0;

fail_lists:
    free(c);
    free(limits);
    return status;
}

void symtab_fini(struct symtab *t)
{
    free(t->functions);
    *t = (struct symtab){0};
}

const struct image_function *symtab_function(const struct symtab *t,
                                             uint64_t address)
{
    size_t low = 0, high = t->count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (t->functions[mid].start <= address)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t back = 0; back < MAX_NESTED && low > 0; back++) {
        const struct image_function *f = &t->functions[--low];

        if (address - f->start < f->size)
            return f;
    }
    return NULL;
}

bool symtab_find(Elf *elf, const char *name, uint64_t *address)
{
    struct table t;

    if (!table_open_any(&t, elf))
        return false;
    for (size_t i = 1; i < t.count; i++) {
        GElf_Sym sym;
        const char *found;

        if (gelf_getsym(t.data, (int)i, &sym) == NULL ||
            sym.st_shndx == SHN_UNDEF)
            continue;
        found = elf_strptr(elf, t.names, sym.st_name);
        if (found != NULL && strcmp(found, name) == 0) {
            *address = sym.st_value;
            return true;
        }
    }
    return false;
}
