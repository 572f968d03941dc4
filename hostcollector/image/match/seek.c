/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches the folders in turn, then the servers. */
#include "image/match/seek.h"

#include <string.h>
#include <sys/stat.h>

#include "guard/opener.h"
#include "image/file/folders.h"
#include "image/match/fetch.h"
#include "image/match/identity.h"
#include "model/guest.h"
#include "util/vec.h"

struct sought {
    uint8_t id[GUEST_BUILD_ID_MAX];
    size_t len;
    struct shared_image *found; /* NULL: none */
    bool asked;                 /* servers, too */
};

/* Open the image at (path), if it is that build; else returns NULL with (e)
 * filled. */
static struct shared_image *open_build(struct images *set, const char *path,
                                       const uint8_t *id, size_t len,
                                       struct err *e)
{
    char theirs[IDENTITY_TEXT], ours[IDENTITY_TEXT];
    struct shared_image *file = images_open(set, path, e);
    size_t have = 0;
    const uint8_t *build_id =
        file != NULL ? image_build_id(shared_image_get(file), &have) : NULL;

    if (file == NULL ||
        (build_id != NULL && have == len && memcmp(build_id, id, len) == 0))
        return file;
    (void)err_set(e,
                  "%s is %s and not %s: it is not used. Put the right file "
                  "there, or name the guest's image with --elf",
                  path, identity_text(ours, build_id, have),
                  identity_text(theirs, id, len));
    return NULL;
}

/* Search the folders for files with (suffix). Leaves (e) unchanged if there are
 * none. */
static struct shared_image *seek_suffix(struct images *set, const uint8_t *id,
                                        size_t len, const char *suffix,
                                        struct err *e)
{
    struct shared_image *file = NULL;
    char path[PATH_MAX];
    struct stat st;

    for (unsigned i = 0;
         file == NULL && image_folder_path(i, id, len, suffix, path); i++)
        if (stat(path, &st) == 0)
            file = open_build(set, path, id, len, e);
    return file;
}

/* Search the folder of kept images. Leaves (e) unchanged if there is none. */
static struct shared_image *seek_kept(struct images *set, const uint8_t *id,
                                      size_t len, struct err *e)
{
    char path[PATH_MAX];
    struct stat st;

    return image_kept_path(id, len, path) && stat(path, &st) == 0
               ? open_build(set, path, id, len, e)
               : NULL;
}

static struct shared_image *seek(struct images *set, const uint8_t *id,
                                 size_t len, struct err *e)
{
    char text[IDENTITY_TEXT];
    struct shared_image *file = seek_suffix(set, id, len, "", e);

    if (file == NULL)
        file = seek_kept(set, id, len, e);
    if (file == NULL)
        file = seek_suffix(set, id, len, ".debug", e);
    if (file == NULL && e->text[0] == '\0' && image_folders_added() != 0)
        (void)err_set(e,
                      "the guest runs %s, which .build-id in %s%s does not "
                      "have: name the guest's image with --elf",
                      identity_text(text, id, len), image_folder(0),
                      image_folders_added() > 1 ? " and the others" : "");
    return file;
}

/* Fetch the file (kind) from a server; NULL with (e) filled. A wrong file stays
 * in the cache until the user removes the file. */
static struct shared_image *fetch(struct images *set, enum fetch_kind kind,
                                  const uint8_t *id, size_t len, struct err *e)
{
    char path[PATH_MAX], text[IDENTITY_TEXT];
    struct shared_image *file;
    struct err why;
    int fd = fetch_file(kind, id, len, path, &why);

    if (fd < 0) {
        (void)err_set(e, "debuginfod has no %s (%s): name it with --elf",
                      identity_text(text, id, len), why.text);
        return NULL;
    }
    opener_preopen(path, fd);
    file = open_build(set, path, id, len, &why);
    opener_preopen("", -1);
    if (file == NULL)
        (void)err_set(e, "debuginfod sent another file than %s: remove %s",
                      identity_text(text, id, len), path);
    return file;
}

/* Fetch the debug information of (file) from a server, if (file) was
 * stripped. */
static void fetch_debug(struct shared_image *file, const uint8_t *id,
                        size_t len)
{
    const unsigned missing = IMAGE_NO_DEBUG | IMAGE_NO_DEBUG_FILE;
    char path[PATH_MAX];
    struct err ignored; /* a remark says that lines are missing */

    if ((image_flaws(shared_image_get(file)) & missing) == 0)
        return;
    int fd = fetch_file(FETCH_DEBUG, id, len, path, &ignored);

    if (fd < 0)
        return;
    opener_preopen(path, fd);
    (void)image_take_debug(shared_image_get(file), path);
    opener_preopen("", -1);
}

/* Search the servers for (s). */
static void ask_servers(struct images *set, struct sought *s, struct err *e)
{
    s->asked = true;
    if (s->found == NULL)
        s->found = fetch(set, FETCH_EXECUTABLE, s->id, s->len, e);
    if (s->found != NULL)
        fetch_debug(s->found, s->id, s->len);
    else
        s->found = fetch(set, FETCH_DEBUG, s->id, s->len, e);
}

/* The entry for (id), added if there is none; NULL if there is no memory. */
static struct sought *find(struct images *set, const uint8_t *id, size_t len,
                           struct err *e)
{
    for (size_t i = 0; i < set->sought_count; i++)
        if (set->sought[i].len == len &&
            memcmp(set->sought[i].id, id, len) == 0)
            return &set->sought[i];
    if (len > GUEST_BUILD_ID_MAX ||
        vec_grow(&set->sought, &set->sought_room, set->sought_count,
                 sizeof *set->sought) != 0)
        return NULL;
    struct sought *s = &set->sought[set->sought_count++];

    *s = (struct sought){.len = len, .found = seek(set, id, len, e)};
    memcpy(s->id, id, len);
    return s;
}

struct shared_image *images_seek(struct images *set, const uint8_t *id,
                                 size_t len, struct err *e)
{
    e->text[0] = '\0';
    struct sought *s = find(set, id, len, e);

    if (s == NULL)
        return NULL;
    if (!s->asked && fetch_urls() != NULL)
        ask_servers(set, s, e);
    return s->found;
}
