/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the images that a recording names. */
#include "session/guest_run_parts.h"

#include <stdio.h>
#include <string.h>

#include "image/match/fetch.h"
#include "image/match/identity.h"
#include "image/match/seek.h"

/* Is file (i) a kernel? A kernel contains the agent. */
static bool is_kernel(const struct guest_run *r, size_t i)
{
    uint64_t address;

    return image_find_symbol(shared_image_get(r->images.files[i]),
                             "tprof_anchor", &address);
}

/* If --elf gave a kernel, remove the kernel that was just added from the
 * recording: the user's choice counts. */
static void keep_given_kernel(struct guest_run *r)
{
    bool given = false;

    for (size_t i = 0; i < r->given; i++)
        given |= is_kernel(r, i);
    if (given && is_kernel(r, r->images.count - 1))
        r->images.count--;
}

/* Add the file (path), which a recording names. Returns 0; -1 with (e)
 * filled. */
static int add_recorded(struct guest_run *r, const char *path, struct err *e)
{
    if (guest_images_add(&r->images, r->config.images, path, e) != 0)
        return -1;
    keep_given_kernel(r);
    return 0;
}

/* Read the names in the recording. */
static bool read_names(struct guest_run *r)
{
    struct err why;

    if (guest_names_read(&r->names, r->pipeline, r->config.images,
                         r->config.view_max / 2, &why) == 0)
        return true;
    remarks_warn(&r->remarks,
                 "The names in the recording cannot be used: %s. The "
                 "guest's image is read instead, by its path or --elf.",
                 why.text);
    return false;
}

/* Add image (i) whose names are in the recording. */
static void add_told(struct guest_run *r, size_t i)
{
    if (guest_images_add_file(&r->images, r->names.files[i]) == 0)
        keep_given_kernel(r);
}

/* Add the images whose names are in the recording. Returns whether these are
 * all that a report needs. */
static bool add_named(struct guest_run *r)
{
    struct guest_names *n = &r->names;

    if (!read_names(r))
        return false;
    for (size_t i = 0; i < n->named.count; i++)
        add_told(r, i);
    if (n->named.partial && r->given == 0)
        remarks_warn(&r->remarks,
                     "The recording has names for only some of its addresses, "
                     "or --memory has no room for all names: name the guest's "
                     "image with --elf.");
    if (n->named.count == 0)
        return false;
    r->images.first_missing = r->given == 0 && guest_names_lack_kernel(n);
    return true;
}

/* Add all images of the names in the recording if the kernel is one of them.
 * Returns whether the kernel is. */
static bool add_told_kernel(struct guest_run *r)
{
    if (r->given != 0 || guest_names_lack_kernel(&r->names))
        return false;
    for (size_t i = 0; i < r->names.named.count; i++)
        add_told(r, i);
    return true;
}

/* Add the image of the file (path) from the names in the recording. Returns
 * whether the recording has the image. */
static bool add_told_file(struct guest_run *r, const char *path)
{
    const struct named *named = &r->names.named;

    for (size_t i = 0; i < named->count; i++) {
        if (strcmp(image_path(shared_image_get(r->names.files[i])), path) != 0)
            continue;
        add_told(r, i);
        return true;
    }
    return false;
}

/* Is the first file that the recording names another build now? If a guest
 * sends its build-id, the build-id decides instead. */
static bool is_rebuilt(struct guest_run *r, const struct recording_info *info,
                       const struct guest *g, struct err *e)
{
    char then[IDENTITY_TEXT], now[IDENTITY_TEXT];
    struct shared_image *file = NULL;
    size_t len;

    if (info->build_id_len != 0 && g->build_id_len == 0)
        file = images_open(r->config.images, info->elf, e);
    if (file == NULL)
        return false;
    const uint8_t *id = image_build_id(shared_image_get(file), &len);

    if (len == info->build_id_len && memcmp(id, info->build_id, len) == 0)
        return false;
    (void)err_set(e, "%s is %s now, and was %s when the guest was recorded",
                  info->elf, identity_text(now, id, len),
                  identity_text(then, info->build_id, info->build_id_len));
    return true;
}

/* Add the files whose paths the recording names: the kernel and other
 * images. */
static void add_kernel(struct guest_run *r, const struct recording_info *info,
                       const struct guest *g)
{
    struct err why;

    if (r->given != 0) {
        (void)add_recorded(r, info->elf, &why);
        return;
    }
    if (!is_rebuilt(r, info, g, &why) && add_recorded(r, info->elf, &why) == 0)
        return;
    r->images.first_missing = true;
    remarks_warn(&r->remarks,
                 "Addresses have no names, and idle time is unknown: %s. Name "
                 "the guest's image with --elf.",
                 why.text);
}

static void add_others(struct guest_run *r, const struct recording_info *info)
{
    bool alone = r->given == 0; /* otherwise --elf gave the missing image */
    struct err why;

    for (size_t i = 0; i < info->more_elf_count; i++)
        if (add_recorded(r, info->more_elfs[i], &why) != 0 && alone &&
            !add_told_file(r, info->more_elfs[i]))
            remarks_warn(&r->remarks,
                         "%s. Name all of the guest's images with --elf.",
                         why.text);
}

/* Is the file (path) the kernel of (g)? */
static bool is_kernel_of(struct guest_run *r, const char *path,
                         const struct guest *g)
{
    struct err why;
    struct shared_image *file = images_open(r->config.images, path, &why);

    return file != NULL &&
           identity_kernel(g, shared_image_get(file)) != IDENTITY_OTHER;
}

/* Is the kernel of (g) still at a path in the recording? A kernel without a
 * build-id can be found nowhere else. */
static bool kernel_is_there(struct guest_run *r,
                            const struct recording_info *info,
                            const struct guest *g)
{
    struct err why;
    bool there = !is_rebuilt(r, info, g, &why) && is_kernel_of(r, info->elf, g);

    for (size_t i = 0; !there && i < info->more_elf_count; i++)
        there = is_kernel_of(r, info->more_elfs[i], g);
    return there;
}

/* Print which servers are contacted, since their answers may take long. */
static void say_asking(struct guest_run *r, const struct guest *g)
{
    char line[256], id[IDENTITY_TEXT];

    (void)snprintf(line, sizeof line,
                   "for %s, if no folder has it, debuginfod is asked: %.120s",
                   identity_text(id, g->build_id, g->build_id_len),
                   fetch_urls());
    r->config.say(r->config.context, r, line);
}

/* Add the kernel of (g) by its build-id. Returns whether it was found. */
static bool add_sought(struct guest_run *r, const struct guest *g)
{
    struct err why = {""};
    struct shared_image *file = NULL;

    if (r->given != 0 || g->build_id_len == 0)
        return false;
    if (fetch_urls() != NULL)
        say_asking(r, g);
    file = images_seek(r->config.images, g->build_id, g->build_id_len, &why);
    if (file == NULL && why.text[0] != '\0')
        remarks_warn(&r->remarks, "%s", why.text);
    return file != NULL && guest_images_add_file(&r->images, file) == 0;
}

void guest_files_find(struct guest_run *r, const struct guest *g)
{
    enum recording_end end;
    const struct recording_info *info = pipeline_recording(r->pipeline, &end);
    bool named = info != NULL && info->elf[0] != '\0';

    if (r->images_sought)
        return;
    r->images_sought = true;
    r->images.set = r->config.images;
    /* names do not replace code and debug information */
    if (info != NULL && !r->config.needs_code && add_named(r))
        return;
    if (info != NULL && r->config.takes_told)
        (void)read_names(r);
    bool there = named && kernel_is_there(r, info, g);

    if (there || !add_sought(r, g)) {
        if (!there && add_told_kernel(r))
            return;
        if (named)
            add_kernel(r, info, g);
        else if (r->given == 0)
            remarks_warn(&r->remarks,
                         "Addresses have no names, and idle time is unknown: "
                         "name the guest's image with --elf.");
    }
    if (named)
        add_others(r, info);
}
