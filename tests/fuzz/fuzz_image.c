/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as the guest's image: identity, symbols, lines, frame_places,
 * facts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/gather.h"
#include "check/report.h"
#include "code/frame_place.h"
#include "image/image.h"
#include "symbolize/symbolize.h"
#include "util/err.h"

#define MAX_ADDRESSES 256u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Addresses at equal distances over all text. */
static size_t choose(const struct image *img, uint64_t *pcs)
{
    const struct image_text *t;
    size_t n = 0;

    for (size_t i = 0; (t = image_text(img, i)) != NULL; i++) {
        size_t step = t->bytes_len / 128 + 1;

        for (size_t at = 0; at < t->bytes_len && n < MAX_ADDRESSES; at += step)
            pcs[n++] = t->address + at;
    }
    return n;
}

static void look_over(struct image *img)
{
    struct check_facts facts;
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL || check_gather(&facts, img) != 0)
        abort();
    if (facts.line_bytes > facts.code_bytes ||
        facts.named_bytes > facts.code_bytes ||
        facts.agent.text_bytes > facts.code_bytes)
        abort();
    check_report(out, "image", &facts, true);
    if (fclose(out) != 0 || strchr(text, '\033') != NULL)
        abort();
    free(text);
    check_facts_fini(&facts);
}

static void use(struct image *img)
{
    struct symbolizer *s = symbolizer_new(img, 0);
    struct frame_places *o = frame_places_new(img, 0);
    uint64_t pcs[MAX_ADDRESSES], slide;
    size_t n = choose(img, pcs), len;
    uint32_t crc;

    (void)image_build_id(img, &len);
    (void)image_slide(img, 0, &slide, NULL);
    if (s == NULL || o == NULL)
        abort();
    symbolizer_prepare(s, pcs, n);
    for (size_t i = 0; i < n; i++) {
        const struct symbol *f = symbolize(s, pcs[i]);

        for (; f != NULL; f = f->inlined_into) {
            if (f->function == NULL || strpbrk(f->function, "\033\n") != NULL)
                abort();
        }
        (void)frame_place_at(o, pcs[i]);
        (void)frame_place_exit(o, pcs[i]);
        (void)frame_place_only_call(o, pcs[i]);
        (void)image_text_crc(img, pcs[i], 4096, &crc);
    }
    frame_places_free(o);
    symbolizer_free(s);
    look_over(img);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("image", 0);
    struct image *img;
    struct err e = {""};
    char path[64];

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (image_open(&img, path, &e) == 0)
        use(img);
    else if (e.text[0] == '\0')
        abort(); /* a failure without a reason */
    image_close(img);
    close(fd);
    return 0;
}
