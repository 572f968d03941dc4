/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and identifies the guest's ELF file; what libelf knows ends here. */
#include "symbolize/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>

#include "symbolize/symtab.h"
#include "util/crc32c.h"

/* A linked kernel has some dozen sections and a handful of segments. */
#define MAX_SECTIONS  65536u
#define MAX_SEGMENTS  1024u
/* DWARF compresses to a third or less; more than this is meant to hurt. */
#define MAX_INFLATION 64u

struct image {
    char *path;
    int fd;
    struct stat opened; /* as the file was when it was mapped */
    Elf *elf;
    struct image_text *texts;
    size_t text_count;
    struct symtab symtab;
    unsigned flaws;
};

static int refuse(const struct image *img, struct err *e, const char *why)
{
    return err_set(e, "%s: %s", img->path, why);
}

/* Does [offset, offset + size) lie in the file? */
static bool in_file(const struct image *img, uint64_t offset, uint64_t size)
{
    uint64_t file_size = (uint64_t)img->opened.st_size;

    return offset <= file_size && size <= file_size - offset;
}

static int check_header(const struct image *img, struct err *e)
{
    GElf_Ehdr eh;
    size_t sections, segments;

    if (elf_kind(img->elf) != ELF_K_ELF)
        return refuse(img, e, "not an ELF file");
    if (gelf_getclass(img->elf) != ELFCLASS64)
        return refuse(img, e,
                      "not a 64-bit ELF file; give the linker's "
                      "output, not a copy made for a boot loader");
    if (gelf_getehdr(img->elf, &eh) == NULL)
        return refuse(img, e, "ELF header truncated");
    if (eh.e_machine != EM_X86_64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse(img, e, "for another machine than x86-64");
    if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
        return refuse(img, e, "not linked; give the kernel's executable");
    if (!in_file(img, eh.e_shoff, (uint64_t)eh.e_shnum * eh.e_shentsize) ||
        !in_file(img, eh.e_phoff, (uint64_t)eh.e_phnum * eh.e_phentsize) ||
        elf_getshdrnum(img->elf, &sections) != 0 ||
        elf_getphdrnum(img->elf, &segments) != 0)
        return refuse(img, e, "truncated: ends before its header tables");
    if (sections > MAX_SECTIONS || segments > MAX_SEGMENTS)
        return refuse(img, e, "more sections or segments than a kernel has");
    return 0;
}

/* Keep segment (ph), which is executable. */
static int add_text(struct image *img, const GElf_Phdr *ph, struct err *e)
{
    struct image_text *t = &img->texts[img->text_count];
    const Elf_Data *data;

    if (!in_file(img, ph->p_offset, ph->p_filesz))
        return refuse(img, e, "truncated: ends before its code does");
    t->address = ph->p_vaddr;
    t->size = ph->p_memsz;
    t->file_offset = ph->p_offset;
    data = elf_getdata_rawchunk(img->elf, (int64_t)ph->p_offset,
                                (size_t)ph->p_filesz, ELF_T_BYTE);
    if (data == NULL || ph->p_memsz > UINT64_MAX - ph->p_vaddr)
        return refuse(img, e, "a segment's extent is impossible");
    t->bytes = data->d_buf;
    t->bytes_len = ph->p_filesz < ph->p_memsz ? ph->p_filesz : ph->p_memsz;
    img->text_count++;
    return 0;
}

static int find_texts(struct image *img, struct err *e)
{
    size_t segments = 0;
    GElf_Phdr ph;

    if (elf_getphdrnum(img->elf, &segments) != 0 || segments == 0)
        return refuse(img, e, "has no segments: not an executable");
    img->texts = calloc(segments, sizeof *img->texts);
    if (img->texts == NULL)
        return err_sys(e, img->path);
    for (size_t i = 0; i < segments; i++) {
        if (gelf_getphdr(img->elf, (int)i, &ph) == NULL)
            return refuse(img, e, "truncated: ends before its segments");
        if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X) != 0 &&
            ph.p_filesz != 0 && add_text(img, &ph, e) != 0)
            return -1;
    }
    return 0;
}

static void find_flaws(struct image *img)
{
    size_t len;

    if (image_build_id(img, &len) == NULL)
        img->flaws |= IMAGE_NO_BUILD_ID;
    if (img->symtab.count == 0)
        img->flaws |= IMAGE_NO_SYMBOLS;
    if (image_section(img, ".debug_info", &len) == NULL)
        img->flaws |= IMAGE_NO_DEBUG;
}

static int read_file(struct image *img, struct err *e)
{
    img->fd = open(img->path, O_RDONLY | O_CLOEXEC);
    if (img->fd < 0)
        return err_sys(e, img->path);
    if (fstat(img->fd, &img->opened) != 0)
        return err_sys(e, img->path);
    if (!S_ISREG(img->opened.st_mode))
        return refuse(img, e, "not a file");
    (void)elf_version(EV_CURRENT);
    img->elf = elf_begin(img->fd, ELF_C_READ_MMAP, NULL);
    if (img->elf == NULL)
        return refuse(img, e, "not an ELF file");
    if (check_header(img, e) != 0 || find_texts(img, e) != 0)
        return -1;
    if (symtab_read(&img->symtab, img->elf) != 0)
        return err_sys(e, img->path);
    find_flaws(img);
    return 0;
}

int image_open(struct image **out, const char *path, struct err *e)
{
    struct image *img = calloc(1, sizeof *img);

    *out = NULL;
    if (img == NULL)
        return err_sys(e, path);
    img->fd = -1;
    img->path = strdup(path);
    if (img->path == NULL) {
        err_sys(e, path);
        goto fail_image;
    }
    if (read_file(img, e) != 0)
        goto fail_image;
    *out = img;
    return 0;

fail_image:
    image_close(img);
    return -1;
}

void image_close(struct image *img)
{
    if (img == NULL)
        return;
    symtab_fini(&img->symtab);
    free(img->texts);
    elf_end(img->elf);
    if (img->fd >= 0)
        close(img->fd);
    free(img->path);
    free(img);
}

const char *image_path(const struct image *img)
{
    return img->path;
}

unsigned image_flaws(const struct image *img)
{
    return img->flaws;
}

void image_add_flaw(struct image *img, enum image_flaw flaw)
{
    img->flaws |= flaw;
}

const char *image_flaw_text(enum image_flaw flaw)
{
    switch (flaw) {
    case IMAGE_NO_BUILD_ID:
        return "the ELF has no build-id, so its text is compared instead "
               "(link with --build-id)";
    case IMAGE_NO_SYMBOLS:
        return "the ELF has no symbols, so functions are addresses "
               "(give the kernel as it was before strip)";
    case IMAGE_NO_DEBUG:
        return "the ELF has no DWARF, so there are neither lines nor inlined "
               "functions (compile with -g)";
    case IMAGE_BAD_DEBUG:
        return "the ELF's DWARF is damaged, so some lines and inlined "
               "functions are missing (build the kernel anew)";
    case IMAGE_CHANGED:
        return "the ELF was overwritten while it was in use, so later "
               "addresses have no names (run the report again)";
    }
    return "";
}

/*
 * The file is mapped, and a page behind the end of a file that was cut short
 * in place kills the process. Linkers write a new file; cp and objcopy do not.
 */
bool image_intact(struct image *img)
{
    struct stat now;

    if (fstat(img->fd, &now) == 0 && now.st_size == img->opened.st_size &&
        now.st_mtim.tv_sec == img->opened.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == img->opened.st_mtim.tv_nsec)
        return true;
    img->flaws |= IMAGE_CHANGED;
    return false;
}

const uint8_t *image_build_id(const struct image *img, size_t *len)
{
    const void *id = NULL;
    ssize_t n = dwelf_elf_gnu_build_id(img->elf, &id);

    *len = n > 0 ? (size_t)n : 0;
    return n > 0 ? id : NULL;
}

const uint8_t *image_code(const struct image *img, uint64_t address,
                          size_t *len)
{
    for (size_t i = 0; i < img->text_count; i++) {
        const struct image_text *t = &img->texts[i];

        if (address - t->address < t->bytes_len) {
            *len = t->bytes_len - (size_t)(address - t->address);
            return t->bytes + (address - t->address);
        }
    }
    *len = 0;
    return NULL;
}

int image_text_crc(const struct image *img, uint64_t address, uint64_t length,
                   uint32_t *crc)
{
    size_t have;
    const uint8_t *code = image_code(img, address, &have);
    uint64_t want =
        length < IMAGE_TEXT_CRC_BYTES ? length : IMAGE_TEXT_CRC_BYTES;

    if (code == NULL || have < want)
        return -1;
    *crc = crc32c(code, (size_t)want);
    return 0;
}

const struct image_text *image_text(const struct image *img, size_t i)
{
    return i < img->text_count ? &img->texts[i] : NULL;
}

bool image_find_symbol(const struct image *img, const char *name,
                       uint64_t *address)
{
    return symtab_find(img->elf, name, address);
}

int image_slide(const struct image *img, uint64_t anchor, uint64_t *slide,
                struct err *e)
{
    uint64_t linked;

    *slide = 0;
    if (!image_find_symbol(img, "tprof_anchor", &linked))
        return refuse(img, e,
                      "has no symbol tprof_anchor: stripped, or "
                      "linked without libtprof.a");
    *slide = anchor - linked;
    return 0;
}

const struct image_function *image_function(const struct image *img,
                                            uint64_t address)
{
    return symtab_function(&img->symtab, address);
}

const struct image_function *image_function_at(const struct image *img,
                                               size_t i)
{
    return i < img->symtab.count ? &img->symtab.functions[i] : NULL;
}

/* Undo compression by the linker, within reason. */
static bool inflate(Elf_Scn *scn, const GElf_Shdr *sh)
{
    GElf_Chdr ch;

    if ((sh->sh_flags & SHF_COMPRESSED) == 0)
        return true;
    return gelf_getchdr(scn, &ch) != NULL &&
           ch.ch_size / MAX_INFLATION <= sh->sh_size &&
           elf_compress(scn, 0, 0) >= 0;
}

static Elf_Scn *find_section(const struct image *img, const char *name,
                             GElf_Shdr *sh)
{
    size_t names;
    Elf_Scn *scn = NULL;

    if (elf_getshdrstrndx(img->elf, &names) != 0)
        return NULL;
    while ((scn = elf_nextscn(img->elf, scn)) != NULL) {
        const char *found;

        if (gelf_getshdr(scn, sh) == NULL)
            continue;
        found = elf_strptr(img->elf, names, sh->sh_name);
        if (found != NULL && strcmp(found, name) == 0)
            return scn;
    }
    return NULL;
}

const uint8_t *image_section(const struct image *img, const char *name,
                             size_t *len)
{
    GElf_Shdr sh;
    Elf_Scn *scn = find_section(img, name, &sh);
    const Elf_Data *data;

    *len = 0;
    if (scn == NULL || sh.sh_type == SHT_NOBITS || !inflate(scn, &sh))
        return NULL;
    /* raw: these bytes have no byte order that libelf would know */
    data = (sh.sh_flags & SHF_COMPRESSED) != 0 ? elf_getdata(scn, NULL)
                                               : elf_rawdata(scn, NULL);
    if (data == NULL || data->d_buf == NULL || data->d_size == 0)
        return NULL;
    *len = data->d_size;
    return data->d_buf;
}
