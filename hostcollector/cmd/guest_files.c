/* SPDX-License-Identifier: BSD-2-Clause */
/* Images that a recording knows: by their names in it, or by their paths. */
#include "cmd/guest_files.h"

/* Is file (i) a kernel's? Then the agent is in it. */
static bool is_kernel(const struct guest_run *r, size_t i)
{
    uint64_t address;

    return image_find_symbol(shared_image(r->images.files[i]), "tprof_anchor",
                             &address);
}

/* The last file was added since a recording names it, or told of it. If --elf
 * gave a kernel, another one goes: the user knows better. */
static void keep_given_kernel(struct guest_run *r)
{
    bool given = false;

    for (size_t i = 0; i < r->given; i++)
        given |= is_kernel(r, i);
    if (given && is_kernel(r, r->images.count - 1))
        r->images.count--;
}

/* Add the file (path), which a recording names. Returns 0; -1 with (e) filled.
 */
static int add_recorded(struct guest_run *r, const char *path, struct err *e)
{
    if (guest_images_add(&r->images, r->config.images, path, e) != 0)
        return -1;
    keep_given_kernel(r);
    return 0;
}

/* Add the images of which a recording has the names. Are they all that a report
 * needs? */
static bool add_named(struct guest_run *r)
{
    struct guest_names *n = &r->names;
    struct err why;

    if (guest_names_read(n, r->pipeline, r->config.images,
                         r->config.view_max / 2, &why) != 0) {
        remarks_warn(&r->remarks,
                     "The names in the recording are of no use: %s. The "
                     "guest's image is read instead, by its path or --elf.",
                     why.text);
        return false;
    }
    for (size_t i = 0; i < n->named.count; i++) {
        if (guest_images_add_file(&r->images, n->files[i]) == 0)
            keep_given_kernel(r);
    }
    if (n->named.partial && r->given == 0)
        remarks_warn(&r->remarks,
                     "The recording has names for some of its addresses only, "
                     "or --memory has no room for all: give the guest's image "
                     "by --elf.");
    if (n->named.count == 0)
        return false;
    r->images.first_missing = r->given == 0 && guest_names_lack_kernel(n);
    return true;
}

/* Add the files that a recording names by their paths. */
static void add_paths(struct guest_run *r, const struct recording_info *info)
{
    bool alone = r->given == 0; /* else what is missing was given instead */
    struct err why;

    if (add_recorded(r, info->elf, &why) != 0 && alone) {
        r->images.first_missing = true;
        remarks_warn(&r->remarks,
                     "Addresses have no names, and what is idle time is not "
                     "known: %s. Give the guest's image by --elf.",
                     why.text);
    }
    for (size_t i = 0; i < info->more_elf_count; i++)
        if (add_recorded(r, info->more_elfs[i], &why) != 0 && alone)
            remarks_warn(&r->remarks,
                         "%s. Give all of the guest's images by --elf.",
                         why.text);
}

void guest_files_find(struct guest_run *r)
{
    enum recording_end end;
    const struct recording_info *info = pipeline_recording(r->pipeline, &end);

    if (r->images_sought)
        return;
    r->images_sought = true;
    /* names are no code, and not all that its debug information tells */
    if (info != NULL && !r->config.options->annotate &&
        !r->config.options->pgo && add_named(r))
        return;
    if (info != NULL && info->elf[0] != '\0')
        add_paths(r, info);
    else if (r->given == 0)
        remarks_warn(&r->remarks,
                     "Addresses have no names, and what is idle time is not "
                     "known: give the guest's image by --elf.");
}
