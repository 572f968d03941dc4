/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel may patch its code, and a few bytes of it occur twice: many bytes
 * decide, and not each of them must agree. */
#include "outside/place.h"

#include <string.h>

#define SPAN  4096u      /* bytes of code that are compared at a time, */
#define SPANS 32u        /* and how often at most, evenly over a segment */
#define PIECE 48u        /* bytes at a core's pc that are looked for */
#define NOTE  80u        /* bytes of a build-id's note, at most */
#define NEAR  0x1000000u /* segments less apart than this are one kernel */

/* A core that stands still. */
struct core {
    struct outside_guest *guest;
    uint32_t index;
    struct outside_registers registers;
};

/* Read up to (size) bytes at (address). Returns how many; -1 with (e) filled.
 */
static long read_guest(const struct core *c, uint64_t address, void *to,
                       size_t size, struct err *e)
{
    return c->guest->ops->memory(c->guest, c->index, &c->registers, address, to,
                                 size, e);
}

/* Is the build-id of (img) in memory, (slide) further? 1, 0; -1 with (e)
 * filled; 2: the file has none that is loaded. */
static int has_note(const struct core *c, const struct image *img,
                    uint64_t slide, struct err *e)
{
    struct image_part note = image_part(img, ".note.gnu.build-id");
    uint8_t bytes[NOTE];

    if (note.address == 0 || note.bytes == NULL || note.size > NOTE)
        return 2;
    long n = read_guest(c, note.address + slide, bytes, (size_t)note.size, e);

    if (n < 0)
        return -1;
    return (uint64_t)n == note.size &&
           memcmp(bytes, note.bytes, note.size) == 0;
}

/* Do most of the bytes of the largest segment of code (t) stand in memory,
 * (slide) further? 1, 0, or -1 with (e) filled. */
static int has_code(const struct core *c, const struct image_text *t,
                    uint64_t slide, struct err *e)
{
    uint64_t step = t->bytes_len / SPANS > SPAN ? t->bytes_len / SPANS : SPAN;
    size_t same = 0, all = 0;

    for (uint64_t at = 0; at < t->bytes_len; at += step) {
        uint8_t bytes[SPAN];
        size_t size = SPAN;

        if (size > t->bytes_len - at)
            size = (size_t)(t->bytes_len - at);
        long n = read_guest(c, t->address + slide + at, bytes, size, e);

        if (n < 0)
            return -1;
        for (size_t i = 0; i < (size_t)n; i++)
            same += bytes[i] == t->bytes[at + i];
        all += size;
    }
    return all >= PIECE && same > all - all / 8;
}

static const struct image_text *largest_text(const struct image *img)
{
    const struct image_text *t, *largest = image_text(img, 0);

    for (size_t i = 1; (t = image_text(img, i)) != NULL; i++)
        if (t->bytes_len > largest->bytes_len)
            largest = t;
    return largest;
}

/* Does the guest have (img), (slide) further? Likewise. */
static int has_image(const struct core *c, const struct image *img,
                     uint64_t slide, struct err *e)
{
    int note = has_note(c, img, slide, e);

    return note != 2 ? note : has_code(c, largest_text(img), slide, e);
}

/* The only place in the code of (img) that has the (PIECE) bytes at (piece). */
static bool find_piece(const struct image *img, const uint8_t *piece,
                       uint64_t *address)
{
    const struct image_text *t;
    unsigned found = 0;

    for (size_t i = 0; (t = image_text(img, i)) != NULL && found < 2; i++) {
        const uint8_t *at = t->bytes, *end = t->bytes + t->bytes_len;

        while (at != NULL && found < 2 &&
               (at = memmem(at, (size_t)(end - at), piece, PIECE)) != NULL) {
            *address = t->address + (uint64_t)(at - t->bytes);
            found++;
            at++;
        }
    }
    return found == 1;
}

/* How far was (img) moved, if core (c) runs its code? Likewise. */
static int was_moved(const struct core *c, const struct image *img,
                     uint64_t *slide, struct err *e)
{
    uint8_t piece[PIECE];
    uint64_t address;
    long n = read_guest(c, c->registers.pc, piece, PIECE, e);

    if (n != (long)PIECE || !find_piece(img, piece, &address))
        return n < 0 ? -1 : 0;
    *slide = c->registers.pc - address;
    return has_image(c, img, *slide, e);
}

/* Does core (c) run where code of (img) was linked to? */
static bool runs_as_linked(const struct core *c, const struct image *img)
{
    const struct image_text *t;

    for (size_t i = 0; (t = image_text(img, i)) != NULL; i++)
        if (c->registers.pc - t->address < t->size)
            return true;
    return false;
}

/* Is (img) where core (c) runs? Likewise. */
static int is_run(const struct core *c, const struct image *img,
                  uint64_t *slide, struct err *e)
{
    return runs_as_linked(c, img) ? has_image(c, img, 0, e)
                                  : was_moved(c, img, slide, e);
}

/* From the largest segment of code to what is near to it. */
static void find_text(const struct image *img, struct outside_place *p)
{
    const struct image_text *t, *largest = largest_text(img);
    uint64_t start = largest->address, end = start + largest->size;
    bool grew = true;

    while (grew) {
        grew = false;
        for (size_t i = 0; (t = image_text(img, i)) != NULL; i++) {
            uint64_t stop = t->address + t->size;

            if (t->address < start && start - stop < NEAR) {
                start = t->address;
                grew = true;
            } else if (stop > end && t->address - end < NEAR) {
                end = stop;
                grew = true;
            }
        }
    }
    p->text_start = start + p->slide;
    p->text_size = end - start;
}

/* (at) NULL: where a core runs; else (*at) further than (img) was linked to. */
static enum outside_found look(struct outside_guest *g, const struct image *img,
                               const uint64_t *at, struct outside_place *p,
                               struct err *e)
{
    enum outside_found found = OUTSIDE_NOT_YET;
    struct core c = {.guest = g};

    for (; c.index < g->core_count; c.index++) {
        *p = (struct outside_place){.slide = at != NULL ? *at : 0};
        if (g->ops->registers(g, c.index, &c.registers, e) != 0)
            return OUTSIDE_FAILED;
        if (!c.registers.is_wide)
            continue;
        int is = at != NULL ? has_image(&c, img, *at, e)
                            : is_run(&c, img, &p->slide, e);

        if (is < 0)
            return OUTSIDE_FAILED;
        if (is > 0) {
            find_text(img, p);
            return OUTSIDE_FOUND;
        }
        found = OUTSIDE_OTHER;
    }
    return found;
}

enum outside_found outside_place(struct outside_guest *g,
                                 const struct image *img,
                                 struct outside_place *p, struct err *e)
{
    if (image_text(img, 0) == NULL) {
        (void)err_set(e, "%s: no code in it", image_path(img));
        return OUTSIDE_FAILED;
    }
    /* A kernel that has moved itself may have left a copy behind. */
    enum outside_found found = look(g, img, NULL, p, e);
    const uint64_t as_linked = 0;

    return found == OUTSIDE_OTHER ? look(g, img, &as_linked, p, e) : found;
}

int outside_place_stays(struct outside_guest *g, const struct image *img,
                        const struct outside_place *p, struct err *e)
{
    struct outside_place now;
    enum outside_found found = look(g, img, NULL, &now, e);

    /* all cores may run an application's code for long */
    if (found == OUTSIDE_OTHER)
        found = look(g, img, &p->slide, &now, e);
    if (found == OUTSIDE_FAILED)
        return -1;
    return found == OUTSIDE_FOUND && now.slide == p->slide;
}
