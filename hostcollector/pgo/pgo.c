/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the profile from addresses, by DWARF. */
#include "pgo/pgo.h"

#include <stdlib.h>

#include "image/dwarf/dwarf.h"
#include "image/file/image.h"
#include "pgo/bodies.h"
#include "pgo/hits.h"
#include "pgo/pgo_parts.h"
#include "util/arena.h"

/* A profile, and the memory that it uses. */
struct owned {
    struct sample_profile profile; /* first */
    struct bodies bodies;          /* with the names */
    struct arena arena;
};

/* Samples and calls of the kernel's code. */
struct gathered {
    struct hits hits;
    struct pgo_calls calls;
};

static int gather(struct gathered *g, const struct pgo_job *job)
{
    int result = hits_gather(&g->hits, job->profile, job->view, job->image);

    return result == 0 ? pgo_calls_gather(&g->calls, &g->hits, job->profile,
                                          job->view, job->image)
                       : result;
}

/* Make the targets for dwarf_resolve() of the (h->count) addresses of (h). NULL
 * if there is no memory. */
static struct dwarf_target *targets_of(const struct hits *h)
{
    struct dwarf_target *t = calloc(h->count + 1, sizeof *t);

    for (size_t i = 0; t != NULL && i < h->count; i++)
        t[i] = (struct dwarf_target){.address = h->list[i].address,
                                     .in_function = true};
    return t;
}

/* Add the samples at the (h->count) resolved addresses (t). */
static int fill(struct bodies *b, const struct hits *h,
                const struct dwarf_target *t, uint64_t memory)
{
    for (size_t i = 0; i < h->count; i++) {
        uint64_t samples = hits_at(h, t[i].address);

        if (samples != 0 && bodies_add(b, &t[i], samples) != 0)
            return -1;
        if (memory != 0 && bodies_bytes(b) > memory)
            return -1;
    }
    for (size_t i = 0; i < h->count; i++)
        bodies_begin(b, &t[i]);
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct dwarf_target *left = a, *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

/* Add the calls of (c), whose addresses are among the (count) targets at
 * (t). */
static int fill_calls(struct bodies *b, const struct pgo_calls *c,
                      struct dwarf_target *t, size_t count)
{
    int result = 0;

    qsort(t, count, sizeof *t, by_address);
    for (size_t i = 0; result == 0 && i < c->count; i++) {
        const struct dwarf_target site = {.address = c->list[i].site};
        const struct dwarf_target callee = {.address = c->list[i].callee};

        result = bodies_call(b, bsearch(&site, t, count, sizeof *t, by_address),
                             bsearch(&callee, t, count, sizeof *t, by_address),
                             pgo_calls_share(c, &c->list[i]));
    }
    return result;
}

static int build(const struct pgo_job *job, struct dwarf *d,
                 const struct gathered *g, struct owned *out, struct err *e)
{
    const struct hits *h = &g->hits;
    struct dwarf_target *t = targets_of(h);
    int result = -1;

    if (t == NULL)
        return err_memory(e);
    dwarf_resolve(d, t, h->count);
    if (judge_units(d, h, e) != 0)
        goto end;
    result = fill(&out->bodies, h, t, job->memory);
    if (result == 0)
        result = fill_calls(&out->bodies, &g->calls, t, h->count);
    if (result != 0)
        (void)err_set(e, "--memory is too small");
    else
        result = judge_samples(job->profile, &out->bodies, e);
end:
    free(t);
    return result;
}

static int build_of_dwarf(const struct pgo_job *job, const struct gathered *g,
                          struct owned *out, struct err *e)
{
    struct dwarf *d;
    int result;

    if (g->hits.samples == 0)
        return err_set(e, "no busy sample is in the kernel's own code");
    d = dwarf_open(job->image);
    if (d == NULL)
        return err_set(e, "the kernel's image has no lines: compile it by "
                          "'clang -g -fdebug-info-for-profiling', and do not "
                          "strip it");
    result = build(job, d, g, out, e);
    dwarf_close(d);
    if (result == 0 &&
        bodies_finish(&out->bodies, &out->arena, &out->profile) != 0)
        result = err_memory(e);
    out->profile.samples = g->hits.samples;
    return result;
}

static int build_by_address(const struct pgo_job *job, const struct hits *h,
                            struct owned *out, struct err *e)
{
    if (image_is_pe(job->image))
        return err_set(e, "BOLT reads only ELF files, and the kernel is none");
    out->profile.samples = h->samples;
    if (judge_total(job->profile, h->samples, e) != 0)
        return -1;
    if (pgo_addresses_finish(&out->profile, &out->arena, &out->bodies.names, h,
                             job->image) != 0)
        return err_memory(e);
    return 0;
}

struct sample_profile *pgo_profile(const struct pgo_job *job, struct err *e)
{
    struct owned *owned;
    struct gathered gathered = {0};
    int result;

    if (job->image == NULL) {
        (void)err_set(e, "a recording lacks facts that a compiler needs: name "
                         "the guest's image with --elf");
        return NULL;
    }
    owned = calloc(1, sizeof *owned);
    if (owned == NULL || gather(&gathered, job) != 0)
        result = err_memory(e);
    else if (job->by_address)
        result = build_by_address(job, &gathered.hits, owned, e);
    else
        result = build_of_dwarf(job, &gathered, owned, e);
    hits_fini(&gathered.hits);
    pgo_calls_fini(&gathered.calls);
    if (result == 0)
        return &owned->profile;
    if (owned != NULL)
        sample_profile_free(&owned->profile);
    return NULL;
}

void sample_profile_free(struct sample_profile *s)
{
    struct owned *owned = (struct owned *)s;

    if (owned == NULL)
        return;
    bodies_fini(&owned->bodies);
    arena_fini(&owned->arena);
    free(owned);
}
