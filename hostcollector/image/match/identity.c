/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares build-ids and text, and finds the slide of a moved image. */
#include "image/match/identity.h"

#include <stdio.h>
#include <string.h>

/* Shortest build-id part that distinguishes two builds. */
#define ID_SHOWN  20
/* Images are moved by whole pages. */
#define PAGE      4096u
/* Number of pages at which text is compared. At each, 64 KiB are read. */
#define PAGES_MAX 1024u

const char *identity_text(char text[IDENTITY_TEXT], const uint8_t *id,
                          size_t len)
{
    int used =
        snprintf(text, IDENTITY_TEXT, len != 0 ? "build " : "no build-id");

    for (size_t i = 0; i < len && i < ID_SHOWN; i++)
        used += snprintf(text + used, 3, "%02x", id[i]);
    return text;
}

static bool has_text_at(const struct guest *g, const struct image *img,
                        uint64_t address)
{
    uint32_t crc;

    return g->has_text_crc && g->text_size != 0 &&
           image_text_crc(img, address, g->text_size, &crc) == 0 &&
           crc == g->text_crc;
}

/* Do all addresses in (g) differ by (slide) from the addresses in (img)? Two
 * builds of a kernel differ in the place of the agent's code, in the place of
 * its data, or in the size of text, unless both builds have the same functions
 * at the same places. Returns IDENTITY_DOUBTFUL if the guest sent too few
 * addresses, or if the file has too few. */
static enum identity by_addresses(const struct guest *g,
                                  const struct image *img, uint64_t slide)
{
    const struct {
        const char *name;
        uint64_t told; /* 0: not sent */
    } places[] = {{"tprof_anchor", g->anchor},
                  {"tprof_directory", g->directory},
                  {"tprof_init_image", g->code}};
    uint64_t start, end, place;

    if (g->anchor == 0 || g->code == 0)
        return IDENTITY_DOUBTFUL;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i].told == 0)
            continue;
        if (!image_find_symbol(img, places[i].name, &place))
            return IDENTITY_DOUBTFUL;
        if (place + slide != places[i].told)
            return IDENTITY_OTHER;
    }
    /* config.text may differ from the linker fragment */
    if (image_find_symbol(img, "__tprof_text_start", &start) &&
        image_find_symbol(img, "__tprof_text_end", &end) &&
        start + slide == g->text_start && end - start != g->text_size)
        return IDENTITY_OTHER;
    return IDENTITY_LIKELY;
}

/* Find the slide by searching (img) for the guest's text checksum. */
static bool slide_by_text(const struct guest *g, const struct image *img,
                          uint64_t *slide)
{
    const struct image_text *t;
    unsigned pages = 0;

    for (size_t i = 0; (t = image_text_at(img, i)) != NULL; i++) {
        uint64_t offset = (g->text_start - t->address) % PAGE;

        for (; offset < t->size && pages < PAGES_MAX; offset += PAGE) {
            pages++;
            *slide = g->text_start - (t->address + offset);
            if (has_text_at(g, img, t->address + offset))
                return true;
        }
    }
    *slide = 0;
    return false;
}

static bool knows_slide(const struct guest *g, const struct image *img,
                        uint64_t *slide, struct err *why)
{
    if (g->has_slide) {
        *slide = g->slide;
        return true;
    }
    return (g->anchor != 0 && image_slide(img, g->anchor, slide, why) == 0) ||
           slide_by_text(g, img, slide);
}

/* Compare the build-id of (img) with the (told_len) bytes at (told) that the
 * running image has. Doubtful if either is missing. */
static enum identity by_build_id(const uint8_t *told, size_t told_len,
                                 const struct image *img)
{
    size_t len;
    const uint8_t *id = image_build_id(img, &len);

    if (len == 0 || told_len == 0)
        return IDENTITY_DOUBTFUL;
    return len == told_len && memcmp(id, told, len) == 0 ? IDENTITY_SAME
                                                         : IDENTITY_OTHER;
}

enum identity identity_kernel(const struct guest *g, const struct image *img)
{
    enum identity fits = by_build_id(g->build_id, g->build_id_len, img);
    uint64_t slide;

    if (fits != IDENTITY_DOUBTFUL || !knows_slide(g, img, &slide, NULL))
        return fits;
    fits = by_addresses(g, img, slide);
    if (fits == IDENTITY_OTHER) /* no other slide may be closer */
        return IDENTITY_DOUBTFUL;
    return has_text_at(g, img, g->text_start - slide) ? IDENTITY_SAME : fits;
}

/* The length of the part of (*path) that names the program. */
static size_t stem(const char **path)
{
    static const char *const endings[] = {".debug", ".elf", ".so", ".exe",
                                          ".efi",   ".dbg", ".sym"};
    const char *slash = strrchr(*path, '/');
    size_t length;

    *path = slash != NULL ? slash + 1 : *path;
    length = strlen(*path);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t n = strlen(endings[i]);

        if (length > n && memcmp(*path + length - n, endings[i], n) == 0) {
            length -= n;
            i = (size_t)-1; /* "app.elf.debug" has two suffixes */
        }
    }
    return length;
}

bool identity_same_name(const struct guest_map *map, const struct image *img)
{
    const char *a = map->name, *b = image_path(img);
    size_t a_length = stem(&a), b_length = stem(&b);

    return a_length != 0 && a_length == b_length && memcmp(a, b, a_length) == 0;
}

enum identity identity_map(const struct guest_map *map, const struct image *img)
{
    enum identity fits = by_build_id(map->build_id, map->build_id_len, img);
    uint32_t crc;

    if (fits != IDENTITY_DOUBTFUL)
        return fits;
    /* the mapped range may be longer than the file's text */
    if (map->has_text_crc &&
        image_text_crc(img, map->link_start, map->size, &crc) == 0)
        return crc == map->text_crc ? IDENTITY_SAME : IDENTITY_OTHER;
    return identity_same_name(map, img) ? IDENTITY_DOUBTFUL : IDENTITY_OTHER;
}

static void find_slide(const struct guest *g, const struct image *img,
                       uint64_t *slide, struct remarks *remarks)
{
    struct err why;

    if (!knows_slide(g, img, slide, &why) && g->anchor != 0)
        remarks_note(
            remarks, "Assuming that the kernel runs where it was linked: %s%s.",
            why.text,
            g->has_text_crc ? "; and the guest's text is not in the file either"
                            : "");
}

/* Compare the text of kernel and file. A kernel that patches itself differs
 * from its file, so a difference is only a warning. */
static void check_text(const struct guest *g, const struct image *img,
                       uint64_t slide, struct remarks *remarks)
{
    enum identity fits = by_addresses(g, img, slide);

    if (fits == IDENTITY_OTHER) {
        remarks_warn(remarks,
                     "The guest runs another build than %s: the addresses of "
                     "their symbols differ, and names will be wrong. Name the "
                     "booted image with --elf.",
                     image_path(img));
        return;
    }
    if (!g->has_text_crc) {
        remarks_warn(remarks,
                     "Neither build-id nor text checksum shows whether the "
                     "guest runs %s. Link it with --build-id.",
                     image_path(img));
        return;
    }
    if (has_text_at(g, img, g->text_start - slide))
        return;
    if (g->has_slide) {
        remarks_note(remarks,
                     "The guest's code differs from %s in some bytes: the "
                     "kernel patches itself, or the file is of a slightly "
                     "different build. Link with --build-id to be certain.",
                     image_path(img));
        return;
    }
    if (fits == IDENTITY_LIKELY) {
        remarks_note(
            remarks,
            "The guest's code differs from %s in some bytes, but all addresses "
            "agree: the kernel patches itself, or has data in .text. Link with "
            "--build-id and -T tprof_note.ld to be certain.",
            image_path(img));
        return;
    }
    remarks_warn(remarks,
                 "The guest's code differs from that of %s: names may be "
                 "wrong, unless the kernel patches itself. Is this the image "
                 "that runs? Link it with --build-id to be sure.",
                 image_path(img));
}

int identity_check(const struct guest *g, const struct image *img,
                   uint64_t *slide, struct remarks *remarks, struct err *e)
{
    enum identity fits = by_build_id(g->build_id, g->build_id_len, img);
    char ours[IDENTITY_TEXT], theirs[IDENTITY_TEXT];
    size_t len;
    const uint8_t *id = image_build_id(img, &len);

    find_slide(g, img, slide, remarks);
    if (fits == IDENTITY_DOUBTFUL)
        check_text(g, img, *slide, remarks);
    if (fits != IDENTITY_OTHER)
        return 0;
    return err_set(
        e, "the guest runs %s, but %s is %s: name the booted image with --elf",
        identity_text(theirs, g->build_id, g->build_id_len), image_path(img),
        identity_text(ours, id, len));
}
