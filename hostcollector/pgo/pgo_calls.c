/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds calls through pointers in stacks. */
#include "pgo/pgo_parts.h"

#include <stdbool.h>
#include <stdlib.h>

#include "image/code/only_call.h"
#include "image/file/image.h"
#include "util/cpu/cpu.h"
#include "util/vec.h"
#include "view/view_build.h"

#define KERNEL 0u /* of view.images */

/* Lengths of a call through a pointer, and of any other call. */

static bool is_call(const struct image *image, uint64_t address, size_t size,
                    struct insn *in)
{
    size_t have = size;
    const uint8_t *code = image_code(image, address, &have);
    const struct cpu *cpu = image_cpu(image);

    return code != NULL && have >= size &&
           cpu->decode(code, size, in) == size && in->kind == INSN_CALL;
}

/* Is the call whose last byte is at (site) a call of (callee) through a
 * pointer? */
static bool is_by_pointer(const struct image *image, uint64_t site,
                          uint64_t callee)
{
    uint64_t back = site + 1;
    struct insn in;

    const struct cpu *cpu = image_cpu(image);
    bool by_pointer = false;

    for (size_t size = cpu->call_min; size <= cpu->call_max; size++) {
        if (!is_call(image, back - size, size, &in))
            continue;
        if (in.value != 0 && back + (uint64_t)in.value == callee)
            return false;
        by_pointer |= in.value == 0;
    }
    return by_pointer;
}

/* Returns 0; -1 if there is no memory. */
static int add(struct pgo_calls *c, uint64_t site, uint64_t callee,
               uint64_t samples)
{
    uint32_t *at = map_put(&c->by_place, site, callee);

    if (at == NULL ||
        vec_grow(&c->list, &c->room, c->count, sizeof *c->list) != 0)
        return -1;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)c->count;
        c->list[c->count++] = (struct pgo_call){.site = site, .callee = callee};
    }
    c->list[*at].samples += samples;
    return 0;
}

static bool is_code(const struct view_step *step)
{
    return step->function >= VIEW_MARKS && step->image == KERNEL;
}

static int gather_path(struct pgo_calls *c, const struct view_path *path,
                       const struct image *image, const struct only_calls *only)
{
    uint64_t samples = path->amount.samples;

    for (size_t i = 1; i < path->count; i++) {
        const struct view_step *caller = &path->steps[i - 1];
        const struct view_step *callee = &path->steps[i];
        const struct image_function *f;

        if (callee->inlined || !is_code(callee) || !is_code(caller))
            continue;
        f = image_find_function(image, callee->address);
        if (f == NULL || !only_call_stored(only, f->start))
            continue;
        if (hits_add(&c->callees, f->start, samples) != 0)
            return -1;
        if (is_by_pointer(image, caller->address, f->start) &&
            add(c, caller->address, f->start, samples) != 0)
            return -1;
    }
    return 0;
}

static int gather_core(struct pgo_calls *c, const struct profile *p,
                       size_t core, const struct view *v,
                       const struct image *image, const struct only_calls *only)
{
    for (size_t i = 0; i < p->cores[core].entry_count; i++) {
        struct view_path path;

        if (p->cores[core].entries[i].tally.samples == 0)
            continue; /* left out */
        if (!view_path_of(v, core, i, &path))
            return -1;
        if (!path.idle && !path.unseen &&
            gather_path(c, &path, image, only) != 0)
            return -1;
    }
    return 0;
}

int pgo_calls_gather(struct pgo_calls *out, struct hits *h,
                     const struct profile *p, const struct view *v,
                     const struct image *image)
{
    struct only_calls *only = only_calls_new(image);
    int result = only != NULL ? 0 : -1;

    *out = (struct pgo_calls){0};
    for (size_t i = 0; result == 0 && i < p->core_count; i++)
        result = gather_core(out, p, i, v, image, only);
    only_calls_free(only);
    for (size_t i = 0; result == 0 && i < out->count; i++)
        if (hits_add(h, out->list[i].site, 0) != 0 ||
            hits_add(h, out->list[i].callee, 0) != 0)
            result = -1;
    return result;
}

double pgo_calls_share(const struct pgo_calls *c, const struct pgo_call *call)
{
    uint64_t all = hits_at(&c->callees, call->callee);

    return all != 0 ? (double)call->samples / (double)all : 0;
}

void pgo_calls_fini(struct pgo_calls *c)
{
    free(c->list);
    map_fini(&c->by_place);
    hits_fini(&c->callees);
}
