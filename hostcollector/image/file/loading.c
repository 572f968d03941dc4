/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the parts of an ELF file that boot loaders read. */
#include "image/file/loading.h"

#include <string.h>

#include "image/file/elf_reader.h"

static bool is_elf(const struct object *o)
{
    return o != NULL && o->ops == &object_elf;
}

/* The number of bytes of section (sh) that the segment (ph) loads. */
static uint64_t loaded_by(const GElf_Phdr *ph, const GElf_Shdr *sh)
{
    uint64_t into = sh->sh_addr - ph->p_vaddr, size = ph->p_memsz;

    if (sh->sh_type != SHT_NOBITS && size > ph->p_filesz)
        size = ph->p_filesz;
    if (ph->p_type != PT_LOAD || sh->sh_addr < ph->p_vaddr || into >= size ||
        (sh->sh_type != SHT_NOBITS && sh->sh_offset - ph->p_offset != into))
        return 0;
    return sh->sh_size < size - into ? sh->sh_size : size - into;
}

static void find_segment(const struct object *o, const GElf_Shdr *sh,
                         struct loading_section *out)
{
    size_t segments = 0;
    GElf_Phdr ph;

    if (elf_getphdrnum(elf_of(o), &segments) != 0)
        return;
    for (size_t i = 0; i < segments && out->loaded < out->size; i++) {
        uint64_t loaded;

        if (gelf_getphdr(elf_of(o), (int)i, &ph) == NULL)
            return;
        loaded = loaded_by(&ph, sh);
        if (loaded > out->loaded) {
            out->loaded = loaded;
            out->physical = ph.p_paddr + (sh->sh_addr - ph.p_vaddr);
        }
    }
}

/* Does (sh) have memory? Zeroed thread-local variables have none of their
 * own. */
static bool has_memory(const GElf_Shdr *sh)
{
    return (sh->sh_flags & SHF_ALLOC) != 0 &&
           sh->sh_size <= UINT64_MAX - sh->sh_addr &&
           !((sh->sh_flags & SHF_TLS) != 0 && sh->sh_type == SHT_NOBITS);
}

bool image_section_at(const struct image *img, size_t i,
                      struct loading_section *out)
{
    const struct object *o = object_of(img);
    Elf_Scn *scn = is_elf(o) ? elf_getscn(elf_of(o), i) : NULL;
    GElf_Shdr sh;
    size_t names;

    *out = (struct loading_section){.name = ""};
    if (scn == NULL)
        return false;
    if (gelf_getshdr(scn, &sh) == NULL || !has_memory(&sh))
        return true;
    if (elf_getshdrstrndx(elf_of(o), &names) == 0)
        out->name = elf_strptr(elf_of(o), names, sh.sh_name);
    if (out->name == NULL)
        out->name = "";
    out->address = sh.sh_addr;
    out->size = sh.sh_size;
    out->file_offset = sh.sh_offset;
    out->zeroed = sh.sh_type == SHT_NOBITS;
    out->note = sh.sh_type == SHT_NOTE;
    find_segment(o, &sh, out);
    return true;
}

const uint8_t *image_head(const struct image *img, size_t max, size_t *len)
{
    const struct object *o = object_of(img);
    const uint8_t *bytes = NULL;
    uint64_t held = 0;

    if (is_elf(o))
        bytes = file_at(&o->file, 0, o->file.size < max ? o->file.size : max,
                        &held);
    *len = (size_t)held;
    return bytes;
}

const uint8_t *image_note(const struct image *img, const char *name,
                          uint32_t type, size_t *len)
{
    *len = 0;
    return is_elf(object_of(img))
               ? elf_segment_note(object_of(img), name, type, len)
               : NULL;
}

bool image_find_named(const struct image *img, const char *prefix, uint64_t low,
                      uint64_t high, uint64_t *address)
{
    const struct object *debug = object_of_debug(img);

    return (is_elf(object_of(img)) &&
            elf_find_named(object_of(img), prefix, low, high, address)) ||
           (is_elf(debug) && elf_find_named(debug, prefix, low, high, address));
}
