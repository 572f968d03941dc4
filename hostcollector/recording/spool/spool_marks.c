/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks of sent files in a spool. */
#include "recording/spool/spool_marks.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SENT       ".sent-"
#define UNFINISHED "~" /* suffix of an unfinished mark */

/* The tag in (name); NULL if (name) is not a mark. */
static const char *tag_of(const char *name)
{
    size_t length = strlen(name), middle = sizeof SPOOL_SUFFIX SENT - 1;
    const char *tag = name + length - SPOOL_TAG;

    return length > SPOOL_TAG + middle &&
                   memcmp(tag - middle, SPOOL_SUFFIX SENT, middle) == 0 &&
                   strspn(tag, "0123456789abcdef") == SPOOL_TAG
               ? tag
               : NULL;
}

/* The name of the file whose mark for (tag) is (name), in (file). Returns
 * (file). */
static const char *file_of(char file[NAME_MAX + 1], const char *name,
                           const char *tag)
{
    (void)snprintf(file, NAME_MAX + 1, "%.*s",
                   (int)(tag - name - (ptrdiff_t)strlen(SENT)), name);
    return file;
}

static bool is_there(int fd, const char *name)
{
    struct stat ignored;

    return fstatat(fd, name, &ignored, AT_SYMLINK_NOFOLLOW) == 0;
}

int spool_tags_take(struct spool_tags *tags, int fd, const char *name,
                    struct err *e)
{
    const char *tag = tag_of(name);
    char file[NAME_MAX + 1];

    if (tag == NULL)
        return 0;
    for (size_t i = 0; i < tags->count; i++)
        if (strcmp(tags->list[i], tag) == 0)
            return 0;
    if (!is_there(fd, file_of(file, name, tag)))
        return 0;
    if (tags->count == SPOOL_TAGS)
        return err_set(e, "spool: more than %u receivers have marks there",
                       SPOOL_TAGS);
    memcpy(tags->list[tags->count++], tag, SPOOL_TAG + 1);
    return 0;
}

bool spool_mark_is_left(int fd, const char *name)
{
    const char *tag = tag_of(name);
    char file[NAME_MAX + 1];
    struct spool_name n;

    return tag != NULL && spool_name_parse(file_of(file, name, tag), &n) &&
           n.last_ms != 0 && !is_there(fd, file);
}

const char *spool_mark_name(char mark[SPOOL_MARK], const char *name,
                            const char *tag)
{
    (void)snprintf(mark, SPOOL_MARK, "%s" SENT "%s", name, tag);
    return mark;
}

bool spool_is_marked(int fd, const char *name, const char *tag)
{
    char mark[SPOOL_MARK];

    return is_there(fd, spool_mark_name(mark, name, tag));
}

bool spool_marks_remove(int fd, const char *name, const struct spool_tags *tags)
{
    char mark[SPOOL_MARK];
    bool all = true;

    for (size_t i = 0; i < tags->count; i++) {
        (void)spool_mark_name(mark, name, tags->list[i]);
        all &= unlinkat(fd, mark, 0) == 0;
        memcpy(mark + strlen(mark), UNFINISHED, sizeof UNFINISHED);
        (void)unlinkat(fd, mark, 0);
    }
    return all;
}
