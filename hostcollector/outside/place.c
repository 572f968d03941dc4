/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds an image in the memory of a stopped guest. */
#include "outside/place.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "image/file/image.h"
#include "model/guest.h"
#include "outside/outside_guest.h"
#include "util/bytes.h"
#include "util/err.h"

/* Memory as a stopped core sees it. */
struct likeness_view {
    struct outside_guest *guest;
    uint32_t core;
    struct cpu_registers registers; /* of the core */
};

/* Bytes of code that were compared. */
struct likeness {
    uint64_t same, all;
};

#define PAGE   4096u
#define SPAN   4096u /* bytes of code compared at a time */
#define SPANS  32u   /* limit of places, spread evenly over a segment */
#define AROUND 128u  /* bytes to search for, before and after an address */
#define PIECE  48u   /* at least this many of them must be in the image */

/* Read up to (size) bytes at (address). Returns the number of bytes read; -1
 * with (e) filled. */
static long likeness_read(const struct likeness_view *v, uint64_t address,
                          void *to, size_t size, struct err *e)
{
    return v->guest->ops->memory(v->guest, v->core, &v->registers, address, to,
                                 size, e);
}

/* Do at least seven of eight bytes in (l) agree? Then the guest runs the image.
 */
static bool likeness_is_enough(const struct likeness *l)
{
    return l->all >= PIECE && l->same > l->all - l->all / 8;
}

/* Compare the (size) bytes at (bytes) with memory at (address), and add the
 * result. */
static int compare_span(const struct likeness_view *v, const uint8_t *bytes,
                        size_t size, uint64_t address, struct likeness *out,
                        struct err *e)
{
    uint8_t there[SPAN];
    long n = likeness_read(v, address, there, size, e);

    if (n < 0)
        return -1;
    for (size_t i = 0; i < (size_t)n; i++)
        out->same += there[i] == bytes[i];
    out->all += size;
    return 0;
}

/* Find the part of code run (p) that is in segment (t): from (*low) to below
 * (*high), as addresses. Returns false if there is none. */
static bool in_segment(const struct image_part *p, const struct image_text *t,
                       uint64_t *low, uint64_t *high)
{
    uint64_t end = t->address + t->bytes_len;

    *low = p->address > t->address ? p->address : t->address;
    *high = p->size < end - p->address ? p->address + p->size : end;
    return p->address < end && *low < *high;
}

static uint64_t code_in(const struct image *img, const struct image_text *t)
{
    const struct image_part *p;
    uint64_t size = 0, low, high;

    for (size_t i = 0; (p = image_code_part(img, i)) != NULL; i++)
        if (in_segment(p, t, &low, &high))
            size += high - low;
    return size;
}

/*
 * Compare the code in segment (t) of (img) with memory at its address plus
 * (slide), at up to 32 places of 4 KiB. Only bytes are compared that the file's
 * sections call code. Memory that cannot be read counts as different. Returns
 * 0; -1 with (e) filled.
 */
static int likeness_compare(const struct likeness_view *v,
                            const struct image *img, const struct image_text *t,
                            uint64_t slide, struct likeness *out, struct err *e)
{
    const struct image_part *p;
    uint64_t step = code_in(img, t) / SPANS, skip = 0, low, high;

    *out = (struct likeness){0, 0};
    if (step < SPAN)
        step = SPAN;
    for (size_t i = 0; (p = image_code_part(img, i)) != NULL; i++) {
        if (!in_segment(p, t, &low, &high))
            continue;
        for (low += skip; low < high; low += step) {
            size_t size = high - low < SPAN ? (size_t)(high - low) : SPAN;

            if (compare_span(v, t->bytes + (low - t->address), size,
                             low + slide, out, e) != 0)
                return -1;
        }
        skip = low - high; /* offset of the next place in the next run */
    }
    return 0;
}

/* Code around an address: (size) bytes from (start) on. */
struct around {
    uint64_t start, address;
    size_t size;
    uint8_t bytes[2 * AROUND];
};

/* Read the part that is in the page of (address). The size may be 0. Returns 0;
 * -1 with (e) filled. */
static int read_around(const struct likeness_view *v, uint64_t address,
                       struct around *a, struct err *e)
{
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    uint64_t before = address - page < AROUND ? address - page : AROUND;
    uint64_t behind = page + PAGE - address;

    if (behind > AROUND)
        behind = AROUND;
    a->address = address;
    a->start = address - before;
    long n = likeness_read(v, a->start, a->bytes, (size_t)(before + behind), e);

    a->size = n > 0 ? (size_t)n : 0;
    return n < 0 ? -1 : 0;
}

/* Returns how many bytes of (a) agree with segment (t) moved by (slide); 0 if
 * too few can be compared, or more than a quarter differ. */
static uint64_t count_same(const struct around *a, const struct image_text *t,
                           uint64_t slide)
{
    uint64_t at = a->start - slide, low = 0, high = a->size, wrong = 0;

    if (at < t->address)
        low = t->address - at;
    if (at + high > t->address + t->bytes_len)
        high = t->address + t->bytes_len - at;
    if (low > a->address - a->start || high <= a->address - a->start ||
        high - low < PIECE)
        return 0;
    for (uint64_t i = low; i < high; i++) {
        wrong += a->bytes[i] != t->bytes[at + i - t->address];
        if (wrong > (high - low) / 4)
            return 0;
    }
    return high - low - wrong;
}

/*
 * Find how far (img) was moved, from the code around the run-time address
 * (address). Images are moved by whole pages. Returns 1 with (*slide) set if
 * exactly one place in the image has similar code; 0 if none or several have;
 * -1 with (e) filled.
 */
static int likeness_find(const struct likeness_view *v, const struct image *img,
                         uint64_t address, uint64_t *slide, struct err *e)
{
    const struct image_text *t;
    struct around a;
    uint64_t best = 0;
    bool is_only = false;

    if (read_around(v, address, &a, e) != 0)
        return -1;
    for (size_t i = 0; (t = image_text_at(img, i)) != NULL; i++) {
        uint64_t at = (address - t->address) % PAGE;

        for (; a.size != 0 && at < t->bytes_len; at += PAGE) {
            uint64_t moved = address - (t->address + at);
            uint64_t same = count_same(&a, t, moved);

            if (same == 0 || same < best)
                continue;
            is_only = same != best;
            best = same;
            *slide = moved;
        }
    }
    return is_only;
}

#define NOTE_HEAD 16u   /* bytes of a note before the build-id */
#define STACK     1024u /* bytes of a stack whose words are tried */
#define WORDS_MAX 16u   /* limit of words that are tried */
/* words closer than this to SP point to the stack */
#define STACK_MAX 0x100000u
/* segments closer than this belong to one kernel */
#define NEAR      0x1000000u

/* The image that is searched, and the closest match so far. */
struct place_search {
    const struct image *img;
    struct outside_near *near;
    struct outside_place *place;
    struct err *e;
};

/* Result of reading the build-id from memory. */
enum note {
    NOTE_FAILED = -1, /* error: (e) is filled */
    NOTE_OTHER,       /* memory has another build-id */
    NOTE_SAME,
    NOTE_NONE, /* none in memory, or the file has no loaded build-id */
};

static enum note read_note(const struct place_search *s,
                           const struct likeness_view *v, uint64_t slide)
{
    uint8_t there[NOTE_HEAD + GUEST_BUILD_ID_MAX];
    uint64_t address;
    size_t length;
    const uint8_t *id = image_build_id(s->img, &length);

    if (!image_build_id_address(s->img, &address) ||
        length > GUEST_BUILD_ID_MAX)
        return NOTE_NONE;
    long n = likeness_read(v, address - NOTE_HEAD + slide, there,
                           NOTE_HEAD + length, s->e);

    if (n < 0)
        return NOTE_FAILED;
    if ((size_t)n < NOTE_HEAD + length ||
        memcmp(there, id - NOTE_HEAD, NOTE_HEAD) != 0)
        return NOTE_NONE;
    return memcmp(there + NOTE_HEAD, id, length) == 0 ? NOTE_SAME : NOTE_OTHER;
}

/* The executable segment with code at link-time (address); NULL if none has. */
static const struct image_text *segment_of(const struct image *img,
                                           uint64_t address)
{
    const struct image_text *t;

    for (size_t i = 0; (t = image_text_at(img, i)) != NULL; i++)
        if (address - t->address < t->size)
            return t;
    return NULL;
}

/* The image is not at (slide): note how close the match is. */
static void note_near(const struct place_search *s, const struct image_text *t,
                      uint64_t slide, const struct likeness *l, bool other)
{
    unsigned percent = l->all != 0 ? (unsigned)(l->same * 100 / l->all) : 0;

    if (percent > s->near->percent)
        *s->near = (struct outside_near){slide, t->address, percent, other};
}

/* Set the range of the kernel's code: segment (t) and the segments near it. */
static void take_place(const struct place_search *s, const struct image_text *t,
                       uint64_t slide)
{
    uint64_t start = t->address, end = start + t->size;
    bool grew = true;

    *s->place = (struct outside_place){.slide = slide, .segment = t->address};
    while (grew) {
        grew = false;
        for (size_t i = 0; (t = image_text_at(s->img, i)) != NULL; i++) {
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
    s->place->text_start = start + slide;
    s->place->text_size = end - start;
}

/* Is the image at (slide), judged by segment (t)? Returns 1, and the place is
 * filled; 0; -1 with the error filled. */
static int has_segment(const struct place_search *s,
                       const struct likeness_view *v,
                       const struct image_text *t, uint64_t slide)
{
    struct likeness l = {0, 0};
    enum note note = read_note(s, v, slide);

    if (note == NOTE_FAILED ||
        (note != NOTE_SAME &&
         likeness_compare(v, s->img, t, slide, &l, s->e) != 0))
        return -1;
    if (note != NOTE_SAME && (note == NOTE_OTHER || !likeness_is_enough(&l))) {
        note_near(s, t, slide, &l, note == NOTE_OTHER);
        return 0;
    }
    take_place(s, t, slide);
    return 1;
}

/* Is the image at (slide), judged by the segment that agrees best? Returns 1;
 * 0; -1 with the error filled. */
static int has_any_segment(const struct place_search *s,
                           const struct likeness_view *v, uint64_t slide)
{
    const struct image_text *t, *best = NULL;
    uint64_t most = 0;

    for (size_t i = 0; (t = image_text_at(s->img, i)) != NULL; i++) {
        struct likeness l;

        if (likeness_compare(v, s->img, t, slide, &l, s->e) != 0)
            return -1;
        if (l.same > most) {
            most = l.same;
            best = t;
        }
    }
    return best != NULL ? has_segment(s, v, best, slide) : 0;
}

/* Does the run-time (address) lie in the image's code? Returns 1, and the place
 * is filled; 0; -1 with the error filled. */
static int has_code_at(const struct place_search *s,
                       const struct likeness_view *v, uint64_t address)
{
    uint64_t slide;
    int found = likeness_find(v, s->img, address, &slide, s->e);

    return found == 1
               ? has_segment(s, v, segment_of(s->img, address - slide), slide)
               : found;
}

/* Does a word on the stack of (v) point to the image's code? The core itself
 * may run patched code or a module. Returns 1, and the place is filled; 0; -1
 * with the error filled. */
static int has_code_of_stack(const struct place_search *s,
                             const struct likeness_view *v)
{
    uint64_t sp = v->registers.general[v->registers.cpu->sp], last = 0;
    uint8_t bytes[STACK];
    unsigned looked = 0;
    int found = 0;
    long n = likeness_read(v, sp, bytes, STACK, s->e);

    for (long i = 0; i + 8 <= n && found == 0 && looked < WORDS_MAX; i += 8) {
        uint64_t word = load_u64(bytes + i);

        if (word < STACK_MAX || word + STACK_MAX < STACK_MAX ||
            word - sp + STACK_MAX < (uint64_t)2 * STACK_MAX || word == last)
            continue;
        last = word;
        looked++;
        found = has_code_at(s, v, word);
    }
    return n < 0 ? -1 : found;
}

/* Call (is) for each core that runs 64-bit code, until one returns other than
 * 0. */
static enum outside_found
ask_cores(const struct place_search *s, struct outside_guest *g,
          int (*is)(const struct place_search *s, const struct likeness_view *v,
                    uint64_t slide),
          uint64_t slide)
{
    enum outside_found found = OUTSIDE_NOT_YET;
    struct likeness_view v = {.guest = g};

    for (; v.core < g->core_count; v.core++) {
        if (g->ops->registers(g, v.core, &v.registers, s->e) != 0)
            return OUTSIDE_FAILED;
        if (!v.registers.is_wide)
            continue;
        int answer = is(s, &v, slide);

        if (answer != 0)
            return answer > 0 ? OUTSIDE_FOUND : OUTSIDE_FAILED;
        found = OUTSIDE_OTHER;
    }
    return found;
}

/* Does core (v) run the image? Returns 1; 0; -1 with the error filled. */
static int is_run(const struct place_search *s, const struct likeness_view *v,
                  uint64_t unused)
{
    int found = has_code_at(s, v, v->registers.pc);

    (void)unused;
    return found != 0 ? found : has_code_of_stack(s, v);
}

enum outside_found outside_place_find(struct outside_guest *g,
                                      const struct image *img,
                                      struct outside_place *p,
                                      struct outside_near *near, struct err *e)
{
    const struct place_search s = {img, near, p, e};

    *near = (struct outside_near){.percent = 0};
    if (image_text_at(img, 0) == NULL) {
        (void)err_set(e, "%s: no code in it", image_path(img));
        return OUTSIDE_FAILED;
    }
    /* Find the image. A kernel that has moved itself may have left a copy at
     * the old place. */
    enum outside_found found = ask_cores(&s, g, is_run, 0);

    return found == OUTSIDE_OTHER ? ask_cores(&s, g, has_any_segment, 0)
                                  : found;
}

/* Is the segment that was found still there? Returns 1; 0; -1 with the error
 * filled. */
static int is_there(const struct place_search *s, const struct likeness_view *v,
                    uint64_t slide)
{
    return has_segment(s, v, segment_of(s->img, s->place->segment), slide);
}

int outside_place_stays(struct outside_guest *g, const struct image *img,
                        const struct outside_place *p, struct err *e)
{
    struct outside_near ignored = {.percent = 0};
    struct outside_place now = *p;
    const struct place_search s = {img, &ignored, &now, e};
    enum outside_found found = ask_cores(&s, g, is_run, 0);

    /* all cores may run application code for a long time */
    if (found == OUTSIDE_OTHER)
        found = ask_cores(&s, g, is_there, p->slide);
    if (found == OUTSIDE_FAILED)
        return -1;
    return found == OUTSIDE_FOUND && now.slide == p->slide &&
           now.text_start == p->text_start;
}
