/* SPDX-License-Identifier: BSD-2-Clause */
/* Build-ids, text checksums, and the slide of an image moved at load. */
#include "cmd/identity.h"

#include <stdio.h>
#include <string.h>

/* Long enough to tell two builds apart, short enough to fit a line twice. */
#define ID_SHOWN 20

static const char *hex(char text[2 * ID_SHOWN + 1], const uint8_t *id,
                       size_t len)
{
    text[0] = '\0';
    for (size_t i = 0; i < len && i < ID_SHOWN; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", id[i]);
    return text;
}

static void find_slide(const struct guest *g, const struct image *img,
                       uint64_t *slide, struct remarks *remarks)
{
    struct err why;

    *slide = 0;
    if (g->anchor != 0 && image_slide(img, g->anchor, slide, &why) != 0)
        remarks_note(remarks, "Taken to run where it was linked: %s.",
                     why.text);
}

/* Self-patching kernels differ from their file too: this only warns. */
static void check_text(const struct guest *g, const struct image *img,
                       uint64_t slide, struct remarks *remarks)
{
    uint32_t crc;

    if (!g->has_text_crc) {
        remarks_warn(remarks,
                     "Neither build-id nor text checksum tells "
                     "whether the guest runs %s. Link it with "
                     "--build-id.",
                     image_path(img));
        return;
    }
    if (image_text_crc(img, g->text_start - slide, g->text_size, &crc) == 0 &&
        crc == g->text_crc)
        return;
    remarks_warn(remarks,
                 "The guest's code differs from that of %s: names may "
                 "be wrong, unless the kernel patches itself. Is this "
                 "the image that runs? Link it with --build-id to be "
                 "sure.",
                 image_path(img));
}

int identity_check(const struct guest *g, const struct image *img,
                   uint64_t *slide, struct remarks *remarks, struct err *e)
{
    size_t len;
    const uint8_t *id = image_build_id(img, &len);
    char ours[2 * ID_SHOWN + 1], theirs[2 * ID_SHOWN + 1];

    find_slide(g, img, slide, remarks);
    if (g->build_id_len == 0 || len == 0) {
        check_text(g, img, *slide, remarks);
        return 0;
    }
    if (len == g->build_id_len && memcmp(id, g->build_id, len) == 0)
        return 0;
    return err_set(e,
                   "the guest runs build %s, but %s is build %s: give the "
                   "image that was booted by --elf",
                   hex(theirs, g->build_id, g->build_id_len), image_path(img),
                   hex(ours, id, len));
}
