/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads ELF files as objects. Only this file and elf_sections.c call libelf. */
#include <stdlib.h>
#include <string.h>

#include "image/file/elf_reader.h"
#include "util/cpu/cpu.h"

/* A linked kernel has some dozen sections and a handful of segments. */
#define MAX_SECTIONS 65536u
#define MAX_SEGMENTS 1024u
/* A build-id's note has 36 bytes. Few other notes precede it. */
#define MAX_NOTES    65536u

static int check_header(struct object *o, Elf *elf, const GElf_Ehdr *eh,
                        struct err *e)
{
    size_t sections, segments;

    o->cpu = cpu_of_elf(eh->e_machine);
    if (o->cpu == NULL || eh->e_ident[EI_DATA] != ELFDATA2LSB)
        return object_refuse(o, e, "for another machine than " CPU_NAMES);
    if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
        return object_refuse(o, e, "not linked; give the kernel's executable");
    if (!object_in_file(o, eh->e_shoff,
                        (uint64_t)eh->e_shnum * eh->e_shentsize) ||
        !object_in_file(o, eh->e_phoff,
                        (uint64_t)eh->e_phnum * eh->e_phentsize) ||
        elf_getshdrnum(elf, &sections) != 0 ||
        elf_getphdrnum(elf, &segments) != 0)
        return object_refuse(o, e, "truncated: ends before its header tables");
    if (sections > MAX_SECTIONS || segments > MAX_SEGMENTS)
        return object_refuse(o, e,
                             "more sections or segments than a kernel "
                             "has");
    return 0;
}

/* Are section names compressed? libelf would uncompress them without a
 * limit. */
static bool has_packed_names(Elf *elf)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    while ((scn = elf_nextscn(elf, scn)) != NULL)
        if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_STRTAB &&
            (sh.sh_flags & SHF_COMPRESSED) != 0)
            return true;
    return false;
}

static int read_elf_header(struct object *o, struct err *e)
{
    Elf *elf = elf_of(o);
    GElf_Ehdr eh;

    if (elf_kind(elf) != ELF_K_ELF)
        return object_refuse(o, e, "neither an ELF file nor a PE image");
    if (gelf_getclass(elf) != ELFCLASS64)
        return object_refuse(o, e,
                             "not a 64-bit ELF file; give the linker's "
                             "output, not a copy made for a boot loader");
    if (gelf_getehdr(elf, &eh) == NULL)
        return object_refuse(o, e, "ELF header truncated");
    o->entry = eh.e_entry;
    o->moves = eh.e_type == ET_DYN;
    if (check_header(o, elf, &eh, e) != 0)
        return -1;
    if (has_packed_names(elf))
        return object_refuse(o, e,
                             "its symbol names are compressed: uncompress them "
                             "with objcopy --decompress-debug-sections");
    return 0;
}

/* Add the loaded segment (ph). */
static int add_segment(struct object *o, const GElf_Phdr *ph, struct err *e)
{
    struct image_text t = {ph->p_vaddr, ph->p_memsz, ph->p_offset, NULL, 0};
    bool executable = (ph->p_flags & PF_X) != 0 && ph->p_filesz != 0;

    if (ph->p_memsz > UINT64_MAX - ph->p_vaddr)
        return object_refuse(o, e, "a segment's extent is impossible");
    if (!object_in_file(o, ph->p_offset, ph->p_filesz)) {
        if (!executable)
            return 0; /* such a segment may be missing */
        return object_refuse(o, e, "truncated: ends before its code does");
    }
    t.bytes_len = ph->p_filesz < ph->p_memsz ? ph->p_filesz : ph->p_memsz;
    return object_add_segment(o, &t, executable, e);
}

static bool is_code(const GElf_Shdr *sh)
{
    return (sh->sh_flags & SHF_EXECINSTR) != 0 &&
           sh->sh_size <= UINT64_MAX - sh->sh_addr;
}

/* Does this file hold debug information only? Then its segments are empty,
 * because their contents stayed in the stripped file. */
static bool is_debug_alone(Elf *elf)
{
    bool code = false;
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        if (gelf_getshdr(scn, &sh) == NULL || !is_code(&sh))
            continue;
        if (sh.sh_type != SHT_NOBITS)
            return false;
        code = true;
    }
    return code;
}

static int find_segments(struct object *o, struct err *e)
{
    size_t segments = 0;
    GElf_Phdr ph;
    bool debug_alone = is_debug_alone(elf_of(o));

    if (elf_getphdrnum(elf_of(o), &segments) != 0 || segments == 0)
        return object_refuse(o, e, "has no segments: not an executable");
    for (size_t i = 0; i < segments; i++) {
        if (gelf_getphdr(elf_of(o), (int)i, &ph) == NULL)
            return object_refuse(o, e, "truncated: ends before its segments");
        if (ph.p_type == PT_LOAD && !debug_alone && add_segment(o, &ph, e) != 0)
            return -1;
    }
    return 0;
}

/* Find code by section headers. Without section headers, all executable
 * segments count as code. */
static int find_code(struct object *o)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    while ((scn = elf_nextscn(elf_of(o), scn)) != NULL) {
        if (gelf_getshdr(scn, &sh) != NULL && is_code(&sh) &&
            (sh.sh_flags & SHF_ALLOC) != 0 &&
            object_add_code(o, sh.sh_addr, sh.sh_size) != 0)
            return -1;
    }
    if (o->code_count != 0)
        return 0;
    for (size_t i = 0; i < o->text_count; i++) {
        if (object_add_code(o, o->segments[i].address, o->segments[i].size) !=
            0)
            return -1;
    }
    return 0;
}

struct table {
    Elf *elf;
    Elf_Data *data;
    size_t names; /* index of the string table */
    size_t count;
};

static bool table_open(struct table *t, const struct object *o, GElf_Word type)
{
    Elf *elf = elf_of(o);
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        uint64_t size;

        if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != type ||
            file_at(&o->file, sh.sh_offset, sh.sh_size, &size) == NULL)
            continue;
        t->elf = elf;
        t->data = elf_getdata_rawchunk(elf, (int64_t)sh.sh_offset, (size_t)size,
                                       ELF_T_SYM);
        t->names = sh.sh_link;
        t->count = t->data != NULL ? t->data->d_size / sizeof(Elf64_Sym) : 0;
        if (t->count != 0)
            return true;
    }
    return false;
}

/* Open .symtab, or .dynsym if there is no .symtab. */
static bool table_open_any(struct table *t, const struct object *o)
{
    return table_open(t, o, SHT_SYMTAB) || table_open(t, o, SHT_DYNSYM);
}

/* The end address of each executable section, by section number; 0 for other
 * sections. */
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

        if (i < *count && gelf_getshdr(scn, &sh) != NULL && is_code(&sh))
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

/* Can (sym) name code? (index) is the number of the symbol's section. */
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

/* Does (sym) only mark the beginning of instructions or of data? */
static bool marks_code(const struct cpu *cpu, const GElf_Sym *sym,
                       const char *name)
{
    return cpu->has_marks && GELF_ST_TYPE(sym->st_info) == STT_NOTYPE &&
           name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
           (name[2] == '\0' || name[2] == '.');
}

static size_t collect(const struct table *t, const struct cpu *cpu,
                      struct symtab_candidate *out, const uint64_t *limits,
                      size_t sections)
{
    size_t n = 0;

    for (size_t i = 1; i < t->count; i++) {
        GElf_Sym sym;
        const char *name;

        if (gelf_getsym(t->data, (int)i, &sym) == NULL ||
            !names_code(&sym, sym.st_shndx, limits, sections))
            continue;
        name = elf_strptr(t->elf, t->names, sym.st_name);
        if (!symtab_wants(name) || marks_code(cpu, &sym, name))
            continue;
        out[n++] = (struct symtab_candidate){
            .f = {.start = sym.st_value,
                  .size = sym.st_size,
                  .sized = sym.st_size != 0,
                  .local = GELF_ST_BIND(sym.st_info) == STB_LOCAL,
                  .name = name},
            .limit = limits[sym.st_shndx],
            .rank = rank(&sym),
            .order = (unsigned)i};
    }
    return n;
}

static int read_symbols(struct object *o)
{
    struct table table;
    size_t sections;
    uint64_t *limits;
    struct symtab_candidate *c;
    int status = -1;

    if (!table_open_any(&table, o))
        return 0;
    limits = code_limits(elf_of(o), &sections);
    c = calloc(table.count, sizeof *c);
    if (limits != NULL && c != NULL)
        status = symtab_fill(&o->symtab, c,
                             collect(&table, o->cpu, c, limits, sections));
    free(c);
    free(limits);
    return status;
}

static int elf_open(struct object *o, struct err *e)
{
    struct elf_reader *r = calloc(1, sizeof *r);

    o->reader = r;
    if (r == NULL)
        return err_sys(e, o->path);
    (void)elf_version(EV_CURRENT);
    r->elf = elf_memory((char *)o->file.bytes, (size_t)o->file.size);
    if (r->elf == NULL)
        return object_refuse(o, e, "neither an ELF file nor a PE image");
    if (read_elf_header(o, e) != 0 || find_segments(o, e) != 0)
        return -1;
    if (find_code(o) != 0 || read_symbols(o) != 0)
        return err_sys(e, o->path);
    return 0;
}

static void elf_close(struct object *o)
{
    struct elf_reader *r = o->reader;

    if (r == NULL)
        return;
    (void)elf_end(r->elf);
    decompressed_fini(&r->unpacked);
    free(r);
}

/* The contents of the first note (type) of (owner) among (data); NULL if there
 * is none. libelf returns no note that does not lie within (data). */
static const uint8_t *note_among(Elf_Data *data, const char *owner,
                                 GElf_Word type, size_t *len)
{
    GElf_Nhdr note;
    size_t at = 0, name, contents;

    if (data == NULL || data->d_buf == NULL)
        return NULL;
    while ((at = gelf_getnote(data, at, &note, &name, &contents)) != 0) {
        const uint8_t *bytes = data->d_buf;

        if (note.n_type != type || note.n_descsz == 0 ||
            note.n_namesz != strlen(owner) + 1 ||
            memcmp(bytes + name, owner, note.n_namesz) != 0)
            continue;
        *len = note.n_descsz;
        return bytes + contents;
    }
    return NULL;
}

const uint8_t *elf_segment_note(const struct object *o, const char *owner,
                                uint32_t type, size_t *len)
{
    const uint8_t *note = NULL;
    size_t segments = 0;
    GElf_Phdr ph;

    if (elf_getphdrnum(elf_of(o), &segments) != 0)
        return NULL;
    for (size_t i = 0; note == NULL && i < segments; i++) {
        if (gelf_getphdr(elf_of(o), (int)i, &ph) == NULL ||
            ph.p_type != PT_NOTE || ph.p_filesz > MAX_NOTES ||
            !object_in_file(o, ph.p_offset, ph.p_filesz))
            continue;
        note =
            note_among(elf_getdata_rawchunk(
                           elf_of(o), (int64_t)ph.p_offset, (size_t)ph.p_filesz,
                           ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
                       owner, type, len);
    }
    return note;
}

/* Search the sections; search the segments if a stripped file has no
 * sections. */
static const uint8_t *elf_build_id(const struct object *o, size_t *len)
{
    const uint8_t *id = NULL;
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    *len = 0;
    while (id == NULL && (scn = elf_nextscn(elf_of(o), scn)) != NULL)
        if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_NOTE &&
            sh.sh_size <= MAX_NOTES)
            id = note_among(elf_getdata(scn, NULL), ELF_NOTE_GNU,
                            NT_GNU_BUILD_ID, len);
    return id != NULL ? id
                      : elf_segment_note(o, ELF_NOTE_GNU, NT_GNU_BUILD_ID, len);
}

/* Was (sym) defined by a linker script? */
static bool is_mark(const GElf_Sym *sym)
{
    return GELF_ST_BIND(sym->st_info) != STB_LOCAL && sym->st_size == 0;
}

static bool elf_find_symbol(const struct object *o, const char *name, bool mark,
                            uint64_t *address)
{
    struct table t;

    if (!table_open_any(&t, o))
        return false;
    for (size_t i = 1; i < t.count; i++) {
        GElf_Sym sym;
        const char *found;

        if (gelf_getsym(t.data, (int)i, &sym) == NULL ||
            sym.st_shndx == SHN_UNDEF || (mark && !is_mark(&sym)))
            continue;
        found = elf_strptr(t.elf, t.names, sym.st_name);
        if (found != NULL && strcmp(found, name) == 0) {
            *address = sym.st_value;
            return true;
        }
    }
    return false;
}

/* Does (sym) name a part of [low, high)? */
static bool names_part(const GElf_Sym *sym, uint64_t low, uint64_t high)
{
    return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
           sym->st_size != 0 && sym->st_value < high &&
           (sym->st_value >= low || low - sym->st_value < sym->st_size);
}

bool elf_find_named(const struct object *o, const char *prefix, uint64_t low,
                    uint64_t high, uint64_t *address)
{
    struct table t;

    if (!table_open_any(&t, o))
        return false;
    for (size_t i = 1; i < t.count; i++) {
        GElf_Sym sym;
        const char *name;

        if (gelf_getsym(t.data, (int)i, &sym) == NULL ||
            !names_part(&sym, low, high))
            continue;
        name = elf_strptr(t.elf, t.names, sym.st_name);
        if (name != NULL && strncmp(name, prefix, strlen(prefix)) == 0) {
            *address = sym.st_value;
            return true;
        }
    }
    return false;
}

/* Can (sym) name a variable? */
static bool names_variable(const GElf_Sym *sym)
{
    return GELF_ST_TYPE(sym->st_info) == STT_OBJECT &&
           sym->st_shndx != SHN_UNDEF && sym->st_size != 0 &&
           sym->st_size <= UINT64_MAX - sym->st_value;
}

static int elf_variables(const struct object *o, struct symtab *t)
{
    struct table table;
    size_t n = 0;

    if (!table_open_any(&table, o))
        return 0;
    struct symtab_candidate *c = calloc(table.count, sizeof *c);

    if (c == NULL)
        return -1;
    for (size_t i = 1; i < table.count; i++) {
        GElf_Sym sym;

        if (gelf_getsym(table.data, (int)i, &sym) == NULL ||
            !names_variable(&sym))
            continue;
        const char *name = elf_strptr(table.elf, table.names, sym.st_name);

        if (symtab_wants(name))
            c[n++] = (struct symtab_candidate){
                .f = {.start = sym.st_value, .size = sym.st_size, .name = name},
                .rank = rank(&sym),
                .order = (unsigned)i};
    }
    int status = symtab_fill(t, c, n);

    free(c);
    return status;
}

const struct object_ops object_elf = {elf_open,     elf_close,  elf_build_id,
                                      elf_section,  elf_packed, elf_find_symbol,
                                      elf_variables};
