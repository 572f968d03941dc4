/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns the table of a guest's functions; see plugin_symbols.h. */
#include "plugin_symbols.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

static int by_start(const void *a, const void *b)
{
    const struct function *x = a;
    const struct function *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return y->end > x->end ? 1 : y->end < x->end ? -1 : 0; /* longer first */
}

/* A function, or a label in code? */
static int is_code(Elf *elf, const GElf_Sym *sym)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, sym->st_shndx);
    int type = GELF_ST_TYPE(sym->st_info);

    if (type != STT_FUNC && type != STT_NOTYPE)
        return 0;
    return sym->st_shndx != SHN_UNDEF && sym->st_shndx < SHN_LORESERVE &&
           section && gelf_getshdr(section, &header) &&
           (header.sh_flags & SHF_EXECINSTR);
}

static int take_table(struct symbols *s, Elf *elf, Elf_Scn *section,
                      const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t entries = (size_t)(header->sh_size / header->sh_entsize);
    GElf_Sym sym;

    s->function = calloc(entries + 1, sizeof *s->function);
    if (!s->function || !data)
        return -1;
    for (size_t i = 0; i < entries; i++) {
        if (!gelf_getsym(data, (int)i, &sym) || !is_code(elf, &sym))
            continue;
        const char *name = elf_strptr(elf, header->sh_link, sym.st_name);
        struct function *f = &s->function[s->count];
        f->start = sym.st_value;
        f->end = sym.st_value + sym.st_size;
        f->name = name && *name ? strdup(name) : NULL;
        s->count += f->name != NULL;
    }
    return 0;
}

/* Sorts, drops aliases and gives each function without size its end. */
static void settle(struct symbols *s)
{
    size_t kept = 0;

    qsort(s->function, s->count, sizeof *s->function, by_start);
    for (size_t i = 0; i < s->count; i++) {
        struct function *f = &s->function[i];

        if (kept && (f->start == s->function[kept - 1].start ||
                     f->start < s->function[kept - 1].end)) {
            free(f->name);
            continue;
        }
        if (kept && s->function[kept - 1].end == s->function[kept - 1].start)
            s->function[kept - 1].end = f->start;
        s->function[kept++] = *f;
    }
    s->count = kept;
    if (kept && s->function[kept - 1].end == s->function[kept - 1].start)
        s->function[kept - 1].end += 4096;
}

static int read_symbols(struct symbols *s, Elf *elf)
{
    GElf_Shdr header;

    for (Elf_Scn *at = elf_nextscn(elf, NULL); at; at = elf_nextscn(elf, at))
        if (gelf_getshdr(at, &header) && header.sh_type == SHT_SYMTAB)
            return take_table(s, elf, at, &header);
    return -1;
}

int symbols_init(struct symbols *s, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = NULL;
    int result = -1;

    memset(s, 0, sizeof *s);
    if (fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
        elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf)
        result = read_symbols(s, elf);
    if (result == 0)
        settle(s);
    else
        fprintf(stderr, "plugin: %s: no symbols\n", path);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return result;
}

void symbols_fini(struct symbols *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->function[i].name);
    free(s->function);
    memset(s, 0, sizeof *s);
}

size_t symbols_at(const struct symbols *s, uint64_t address)
{
    size_t low = 0;
    size_t high = s->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (address < s->function[middle].start)
            high = middle;
        else if (address >= s->function[middle].end)
            low = middle + 1;
        else
            return middle;
    }
    return s->count;
}

size_t symbols_named(const struct symbols *s, const char *name)
{
    size_t i = 0;

    while (i < s->count && strcmp(s->function[i].name, name) != 0)
        i++;
    return i;
}
