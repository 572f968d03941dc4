/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds an image in the memory of a stopped guest. */
#include "outside/place.h"

#include <string.h>

#include "model/guest.h"
#include "outside/likeness.h"
#include "util/bytes.h"

#define NOTE_HEAD 16u   /* bytes of a note before the build-id */
#define STACK     1024u /* bytes of a stack whose words are tried */
#define WORDS_MAX 16u   /* limit of words that are tried */
/* words closer than this to RSP point to the stack */
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
    uint64_t rsp = v->registers.general[OUTSIDE_RSP], last = 0;
    uint8_t bytes[STACK];
    unsigned looked = 0;
    int found = 0;
    long n = likeness_read(v, rsp, bytes, STACK, s->e);

    for (long i = 0; i + 8 <= n && found == 0 && looked < WORDS_MAX; i += 8) {
        uint64_t word = load_u64(bytes + i);

        if (word < STACK_MAX || word + STACK_MAX < STACK_MAX ||
            word - rsp + STACK_MAX < (uint64_t)2 * STACK_MAX || word == last)
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
    /* A kernel that has moved itself may have left a copy at the old place. */
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
