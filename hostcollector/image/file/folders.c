/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of folders with images, and the names of files in them. */
#include "image/file/folders.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SYSTEM     "/usr/lib/debug/"
#define ID_MIN     2u
#define ID_MAX     64u
#define FOLDER_MAX (PATH_MAX - 2 * ID_MAX - sizeof ".build-id//.debug")

static struct {
    char list[IMAGE_FOLDERS][FOLDER_MAX];
    unsigned count;
} folders;

int image_folders_add(const char *folder, struct err *e)
{
    size_t length = strlen(folder);
    const char *slash = length != 0 && folder[length - 1] == '/' ? "" : "/";
    struct stat st;

    if (folders.count == IMAGE_FOLDERS)
        return err_set(e, "--symbols %s: more than %u folders", folder,
                       IMAGE_FOLDERS);
    if (length + 1 >= FOLDER_MAX || stat(folder, &st) != 0 ||
        !S_ISDIR(st.st_mode))
        return err_set(e,
                       "--symbols %s: neither a list of symbols nor a folder; "
                       "name the folder that contains .build-id",
                       folder);
    (void)snprintf(folders.list[folders.count++], FOLDER_MAX, "%s%s", folder,
                   slash);
    return 0;
}

unsigned image_folders_added(void)
{
    return folders.count;
}

const char *image_folder(unsigned i)
{
    return i < folders.count    ? folders.list[i]
           : i == folders.count ? SYSTEM
                                : NULL;
}

bool image_folder_path(unsigned i, const uint8_t *id, size_t len,
                       const char *suffix, char path[PATH_MAX])
{
    const char *folder = image_folder(i);

    if (folder == NULL || len < ID_MIN || len > ID_MAX)
        return false;
    int n = snprintf(path, PATH_MAX, "%s.build-id/", folder);

    for (size_t j = 0; j < len; j++)
        n += snprintf(path + n, PATH_MAX - (size_t)n, "%02x%s", id[j],
                      j == 0 ? "/" : "");
    (void)snprintf(path + n, PATH_MAX - (size_t)n, "%s", suffix);
    return true;
}

static char kept[FOLDER_MAX]; /* "": none */

bool image_kept_name(const uint8_t *id, size_t len, char name[IMAGE_KEPT_NAME])
{
    size_t n = 0;

    if (len < ID_MIN || len > ID_MAX)
        return false;
    for (size_t i = 0; i < len; i++)
        n += (size_t)snprintf(name + n, IMAGE_KEPT_NAME - n, "%02x", id[i]);
    (void)snprintf(name + n, IMAGE_KEPT_NAME - n, ".image");
    return true;
}

void image_kept_in(const char *folder)
{
    if (strlen(folder) < sizeof kept)
        (void)snprintf(kept, sizeof kept, "%s", folder);
}

bool image_kept_path(const uint8_t *id, size_t len, char path[PATH_MAX])
{
    char name[IMAGE_KEPT_NAME];

    if (kept[0] == '\0' || !image_kept_name(id, len, name))
        return false;
    (void)snprintf(path, PATH_MAX, "%s/%s", kept, name);
    return true;
}
