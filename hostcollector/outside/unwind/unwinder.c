/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the callers of a stopped core. */
#include "outside/unwind/unwinder.h"

#include <stdlib.h>

#include "image/file/image.h"
#include "outside/unwind/cfi.h"
#include "outside/unwind/code_rows.h"
#include "outside/unwind/unwind_walk.h"

struct unwinder *unwinder_new(const struct unwind_image *images, size_t count)
{
    struct unwinder *u = calloc(1, sizeof *u);

    if (u == NULL)
        return NULL;
    u->cpu = count != 0 ? image_cpu(images[0].image) : cpu_at(0);
    u->places = calloc(count != 0 ? count : 1, sizeof *u->places);
    for (size_t i = 0; u->places != NULL && i < count; i++) {
        struct place *p = &u->places[u->count++];

        p->image = images[i].image;
        p->slide = images[i].slide;
        p->cfi = cfi_new(p->image);
        p->code = code_rows_new(p->image);
        p->orc = orc_new(p->image);
        if (p->cfi == NULL || p->code == NULL || p->orc == NULL) {
            unwinder_free(u);
            return NULL;
        }
    }
    if (u->places != NULL)
        return u;
    unwinder_free(u);
    return NULL;
}

void unwinder_free(struct unwinder *u)
{
    if (u == NULL)
        return;
    for (size_t i = 0; i < u->count; i++) {
        cfi_free(u->places[i].cfi);
        code_rows_free(u->places[i].code);
        orc_free(u->places[i].orc);
    }
    free(u->places);
    free(u);
}

/* The image with code at run-time address (pc); NULL if none has. */
static const struct place *place_of(const struct unwinder *u, uint64_t pc)
{
    size_t have;

    for (size_t i = 0; i < u->count; i++) {
        const struct place *p = &u->places[i];

        if (image_code(p->image, pc - p->slide, &have) != NULL)
            return p;
    }
    return NULL;
}

/* --- By code -------------------------------------------------------------- */

/* SP at the function's entry by the instructions: from FP, from SP. If both are
 * known they must be equal. */
static outcome entry_by_code(const struct walk *w, uint64_t *entry)
{
    const struct frame_state *s = &w->code.at;
    bool by_fp = s->fp == FP_FRAME && unwind_known(&w->r, w->cpu->fp);
    bool by_sp = s->depth != FRAME_DEPTH_UNKNOWN;
    uint64_t above_fp = w->r.value[w->cpu->fp] + (uint64_t)s->frame;

    *entry = above_fp;
    if (by_sp)
        *entry = w->r.value[w->cpu->sp] + (uint64_t)s->depth;
    if (!by_fp && !by_sp)
        return UNWIND_UNTOLD;
    return by_fp && *entry != above_fp ? UNWIND_ODD : UNWIND_FULL;
}

/* The caller's FP. Returns false if it is not known. */
static bool fp_by_code(const struct walk *w, uint64_t entry, uint64_t *out)
{
    const struct frame_state *s = &w->code.at;

    *out = w->r.value[w->cpu->fp];
    if (s->fp == FP_CALLER)
        return unwind_known(&w->r, w->cpu->fp);
    if (s->fp == FP_OTHER && s->saved == 0)
        return false;
    return guest_memory_number(
        w->memory, entry - (uint64_t)(s->fp == FP_FRAME ? s->frame : s->saved),
        WORD, out);
}

/* The return address, from memory or from the link register. */
static outcome back_by_code(const struct walk *w, uint64_t entry, uint64_t *out)
{
    const struct frame_state *s = &w->code.at;

    if (s->back == FRAME_BACK_IN_LINK && unwind_known(&w->r, w->cpu->back))
        *out = w->r.value[w->cpu->back];
    else if (s->back < 0)
        return UNWIND_UNTOLD;
    else if (!guest_memory_number(w->memory, entry - (uint64_t)s->back, WORD,
                                  out))
        return UNWIND_UNREAD;
    *out = w->cpu->strip(*out);
    return UNWIND_FULL;
}

/* Other registers are not tracked. */
static outcome by_code(const struct walk *w, struct caller *out)
{
    uint64_t entry, value;
    outcome found;

    *out = (struct caller){.r.count = w->r.count};
    if (!w->has_code)
        return UNWIND_UNTOLD;
    if (w->code.is_outermost)
        return UNWIND_WHOLE;
    found = entry_by_code(w, &entry);
    if (found != UNWIND_FULL)
        return w->code.begins_stack ? UNWIND_WHOLE : found;
    found = back_by_code(w, entry, &value);
    if (found != UNWIND_FULL)
        return found;
    set(&out->r, w->cpu->pc, value);
    set(&out->r, w->cpu->sp, entry + w->cpu->call_pushes);
    if (fp_by_code(w, entry, &value))
        set(&out->r, w->cpu->fp, value);
    return UNWIND_FULL;
}

/* --- By the frame of an interrupt ------------------------------------------
 */

static bool is_code(const void *context, uint64_t pc)
{
    return place_of(context, pc) != NULL;
}

/* The FP of the interrupted code. If the entry's code is not understood, it is
 * only known whether the entry has made a frame of its own. */
static bool fp_of_interrupted(const struct walk *w, uint64_t entry,
                              uint64_t *out)
{
    if (w->has_code)
        return fp_by_code(w, entry, out);
    *out = w->r.value[w->cpu->fp];
    return unwind_known(&w->r, w->cpu->fp) &&
           *out - w->r.value[w->cpu->sp] >= w->cpu->pushed_span;
}

/* Find the frame that the CPU pushed at (address), or up to (below) words
 * above. Returns false if there is none. */
static bool find_pushed(const struct unwinder *u, const struct walk *w,
                        uint64_t address, unsigned below,
                        struct cpu_interrupted *out)
{
    return u->cpu->find_interrupted != NULL &&
           u->cpu->find_interrupted(w->memory, address, below, is_code, u, out);
}

/*
 * The interrupted code. The vector decides whether there is an error code, but
 * the vector is not known, so the words on the stack decide. They also decide
 * if the entry is a label, since then its pushed words are not known. An entry
 * that was called, for example to begin a thread, has no such frame.
 */
static outcome by_interrupt(const struct unwinder *u, const struct walk *w,
                            struct caller *out)
{
    uint64_t entry = w->r.value[w->cpu->sp], fp;
    outcome found = w->has_code ? entry_by_code(w, &entry) : UNWIND_FULL;
    unsigned below = w->cpu->pushed_below;
    struct cpu_interrupted frame;

    if (found == UNWIND_UNTOLD) {
        entry = w->r.value[w->cpu->sp];
        below = w->cpu->pushed_below_max;
    } else if (found != UNWIND_FULL) {
        return found;
    }
    if (!find_pushed(u, w, entry, below, &frame))
        return UNWIND_UNTOLD;
    *out = (struct caller){.r.count = w->r.count, .is_exact = true};
    set(&out->r, w->cpu->pc, frame.pc);
    set(&out->r, w->cpu->sp, frame.sp);
    if (fp_of_interrupted(w, entry, &fp))
        set(&out->r, w->cpu->fp, fp);
    return UNWIND_FULL;
}

/* --- Tables against code ---------------------------------------------------
 */

/* Does the instruction before (pc) call the function of (w)? */
static bool calls_us(const struct unwinder *u, const struct walk *w,
                     uint64_t pc)
{
    const struct place *p = place_of(u, pc - 1);
    uint64_t target;

    return p != NULL &&
           code_rows_call_before(p->image, pc - p->slide, &target) &&
           target != 0 && target + p->slide == w->code.function + w->in->slide;
}

/*
 * Compare the caller by tables, (t), with the one by instructions. Tables made
 * for exceptions only, or by hand, may be wrong in prologues and after the end
 * of the frame. If the two differ, the right one has a return address after a
 * call of this function.
 */
static outcome compare_with_code(const struct unwinder *u, const struct walk *w,
                                 struct caller *t)
{
    struct caller c;
    bool tables_fit, code_fits;

    if (by_code(w, &c) != UNWIND_FULL ||
        c.r.value[w->cpu->sp] == t->r.value[w->cpu->sp])
        return UNWIND_FULL;
    tables_fit = calls_us(u, w, t->r.value[w->cpu->pc]);
    code_fits = calls_us(u, w, c.r.value[w->cpu->pc]);
    if (tables_fit == code_fits)
        return UNWIND_ODD;
    if (code_fits)
        *t = c;
    return UNWIND_FULL;
}

/* Does code call the function of (w), or is this not known? */
static bool is_called(const struct walk *w)
{
    return !w->has_code || code_rows_is_called(w->in->code, w->code.function);
}

/*
 * Is the function of (w) the entry of an interrupt? No code calls such a
 * function, and an interrupt frame lies on the stack at the word that was taken
 * for the return address (c), or a few words above. If so, sets (c) to the
 * interrupted code.
 */
static bool was_interrupted(const struct unwinder *u, const struct walk *w,
                            struct caller *c)
{
    struct cpu_interrupted frame;

    if (is_called(w) ||
        !find_pushed(u, w, c->r.value[w->cpu->sp] - w->cpu->call_pushes,
                     w->cpu->pushed_below, &frame))
        return false;
    c->is_exact = true;
    set(&c->r, w->cpu->pc, frame.pc);
    set(&c->r, w->cpu->sp, frame.sp);
    return true;
}

/* Is (pc), which is not after a call, the first byte of a function? No code has
 * called from there: the kernel has put the address on the stack as the end of
 * a thread. */
static bool is_laid(const struct unwinder *u, uint64_t pc)
{
    const struct place *p = place_of(u, pc);
    const struct image_function *f =
        p != NULL ? image_find_function(p->image, pc - p->slide) : NULL;

    return f != NULL && f->start == pc - p->slide;
}

/* Does a call end at (back) in (memory)? False if memory there cannot be read.
 * A kernel may have patched the call into its code. */
static bool is_behind_call(const struct cpu *cpu,
                           const struct guest_memory *memory, uint64_t back)
{
    uint8_t code[CPU_CALL_MAX];
    size_t size = cpu->call_max;
    int64_t distance;

    return memory->read(memory->context, back - size, code, size) == size &&
           cpu_ends_in_call(cpu, code, size, &distance);
}

/*
 * Has the function at (function), a link-time address of (code)'s image, no
 * caller? (back) is the word at the place of its return address and in no
 * image. That word could be a return address into code that was loaded later.
 * So the function has no caller only if no call in the image calls it, and no
 * call in (memory) ends at (back). Threads that start by a jump or a return
 * have such functions: above their stacks lies any word.
 */
static bool is_outermost(const struct cpu *cpu, struct code_rows *code,
                         uint64_t function, const struct guest_memory *memory,
                         uint64_t back)
{
    return !code_rows_is_called(code, function) &&
           !is_behind_call(cpu, memory, back);
}

/* (c) is in no image: is it not a caller? */
static bool begins_here(const struct walk *w, const struct caller *c)
{
    return w->has_code && is_outermost(w->cpu, w->in->code, w->code.function,
                                       w->memory, c->r.value[w->cpu->pc]);
}

/* Is the stack of (c) above that of (w)? The interrupted function may have no
 * frame, and its return address in the link register. */
static bool rises(const struct walk *w, const struct caller *c)
{
    uint64_t before = w->r.value[w->cpu->sp], after = c->r.value[w->cpu->sp];

    return after > before ||
           (w->cpu->has_link && w->is_exact && after == before);
}

/* Find another explanation for (c), a return address in (p) that is not after a
 * call in the file. (p) is NULL if (c) is in no image. */
static outcome check_uncalled(const struct unwinder *u, const struct walk *w,
                              const struct place *p, struct caller *c)
{
    uint64_t pc = c->r.value[w->cpu->pc];

    if (is_laid(u, pc)) {
        c->is_waiting = c->is_exact = true;
        return UNWIND_FULL;
    }
    if (p == NULL && was_interrupted(u, w, c))
        return UNWIND_FULL;
    if (p == NULL)
        return begins_here(w, c) ? UNWIND_WHOLE : UNWIND_OUTSIDE;
    if (is_behind_call(w->cpu, w->memory, pc)) /* a patched call */
        return rises(w, c) ? UNWIND_FULL : UNWIND_ODD;
    return orc_ends(p->orc, pc - 1 - p->slide) ? UNWIND_WHOLE : UNWIND_ODD;
}

/* Can (c) be the caller? May put another caller in its place. */
static outcome check(const struct unwinder *u, const struct walk *w,
                     struct caller *c)
{
    uint64_t pc = c->r.value[w->cpu->pc], target;
    const struct place *p;

    if (pc == 0)
        return UNWIND_WHOLE;
    p = place_of(u, c->is_exact ? pc : pc - 1);
    if (c->is_exact) /* an interrupt may have changed the stack */
        return p != NULL ? UNWIND_FULL : UNWIND_OUTSIDE;
    if (p == NULL || !code_rows_call_before(p->image, pc - p->slide, &target))
        return check_uncalled(u, w, p, c);
    return rises(w, c) ? UNWIND_FULL : UNWIND_ODD;
}

/* The function at the image's entry has no caller. */
static bool is_entry(const struct walk *w)
{
    const struct image *img = w->in->image;
    const struct image_function *f = image_find_function(img, w->address);

    return f != NULL && f == image_find_function(img, image_entry(img));
}

/* The caller by the way that (mode) allows, not yet checked. */
static outcome find_caller(const struct unwinder *u, enum unwind_mode mode,
                           const struct walk *w, struct caller *out)
{
    struct cfi_row row;
    enum cfi_found found = CFI_NONE;
    struct orc_row orc;
    outcome end;

    if (mode != UNWIND_CODE)
        found = cfi_find(w->in->cfi, w->address, &row);
    if (found == CFI_DAMAGED)
        return UNWIND_ODD;
    if (found == CFI_NONE && mode != UNWIND_CODE &&
        orc_find(w->in->orc, w->address, &orc)) {
        end = orc_caller(w, &orc, out);
        return end == UNWIND_FULL && !out->is_exact
                   ? compare_with_code(u, w, out)
                   : end;
    }
    if (found == CFI_NONE && mode == UNWIND_TABLES)
        return UNWIND_UNTOLD;
    /* the word there is not the return address of a call */
    if (w->has_code && w->code.is_interrupt &&
        (found == CFI_NONE || !row.is_signal))
        return by_interrupt(u, w, out);
    /* the entries of vectors, one after the other, say nothing about the stack
     */
    if (found == CFI_NONE && !w->has_code && w->is_exact)
        return by_interrupt(u, w, out);
    if (found == CFI_NONE)
        return by_code(w, out);
    end = by_tables(w, &row, out);
    return end == UNWIND_FULL && !row.is_signal ? compare_with_code(u, w, out)
                                                : end;
}

/* Move to the caller. */
static outcome step(const struct unwinder *u, enum unwind_mode mode,
                    struct walk *w)
{
    uint64_t pc = w->r.value[w->cpu->pc] - !w->is_exact;
    struct caller caller;
    outcome end;

    if (w->is_waiting)
        return w->is_root ? UNWIND_WHOLE : UNWIND_UNTOLD;
    w->in = place_of(u, pc);
    if (w->in == NULL)
        return UNWIND_OUTSIDE;
    w->address = pc - w->in->slide;
    w->has_code = code_rows_find(w->in->code, w->address, &w->code);
    end = find_caller(u, mode, w, &caller);
    if (end == UNWIND_FULL)
        end = check(u, w, &caller);
    if (end == UNWIND_UNTOLD && is_entry(w))
        return UNWIND_WHOLE;
    if (end != UNWIND_FULL)
        return end;
    w->r = caller.r;
    w->is_exact = caller.is_exact;
    w->is_waiting = caller.is_waiting;
    w->is_root = caller.is_waiting && !is_called(w);
    return UNWIND_FULL;
}

size_t unwind_callers(struct unwinder *u, enum unwind_mode mode,
                      const uint64_t *general, uint64_t pc,
                      const struct guest_memory *memory, uint64_t *out,
                      size_t room, enum unwind_end *end)
{
    struct walk w = {.cpu = u->cpu,
                     .memory = memory,
                     .r.count = u->cpu->pc + 1,
                     .is_exact = true};
    size_t n = 0;

    for (unsigned i = 0; i < u->cpu->generals; i++)
        set(&w.r, i, general[i]);
    set(&w.r, u->cpu->pc, pc);
    while ((*end = step(u, mode, &w)) == UNWIND_FULL && n < room)
        out[n++] = w.r.value[u->cpu->pc] + w.is_exact;
    return n;
}
