/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/mcp/mcp_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "recording/spool/each_name.h"
#include "recording/spool/spool_name.h"
#include "util/text.h"
#include "util/vec.h"

#define FILES_MAX 1000 /* in a folder with more, only the first are read */
#define SHOWN_MAX 40   /* recordings, and guests, in a list */
#define DEPTH_MAX 4    /* folders below those that the user names */

static bool is_recording(const FTSENT *f)
{
    size_t suffix = sizeof SPOOL_SUFFIX - 1;

    return f->fts_info == FTS_F && f->fts_namelen > suffix &&
           f->fts_name[0] != '.' &&
           strcmp(f->fts_name + f->fts_namelen - suffix, SPOOL_SUFFIX) == 0;
}

/* Returns 0; -1 if there is no memory. */
static int add(struct mcp_files *f, const FTSENT *found)
{
    /* "./a" is written as "a" */
    const char *path = strncmp(found->fts_path, "./", 2) == 0
                           ? found->fts_path + 2
                           : found->fts_path;

    if (f->count == FILES_MAX) {
        f->left++;
        return 0;
    }
    if (vec_grow(&f->list, &f->room, f->count, sizeof f->list[0]) != 0)
        return -1;
    f->list[f->count] = (struct mcp_file){
        .path = strdup(path),
        .written = found->fts_statp->st_mtime,
        .bytes = (uint64_t)found->fts_statp->st_size,
    };
    return f->list[f->count++].path != NULL ? 0 : -1;
}

/* Leave out hidden folders, those that lie too deep, and the spool, whose
 * windows belong to guests. */
static void choose_folder(FTS *tree, FTSENT *folder, const char *spool)
{
    if (folder->fts_level > DEPTH_MAX ||
        (folder->fts_level > 0 && folder->fts_name[0] == '.') ||
        (spool != NULL && strcmp(folder->fts_path, spool) == 0))
        (void)fts_set(tree, folder, FTS_SKIP);
}

static int newest_first(const void *a, const void *b)
{
    const struct mcp_file *x = a, *y = b;

    return x->written != y->written
               ? (x->written < y->written) - (x->written > y->written)
               : strcmp(x->path, y->path);
}

int mcp_files_find(struct mcp_files *f, const struct mcp_config *c,
                   struct err *e)
{
    char *roots[OPTION_WORDS + 1] = {NULL};
    int result = 0;

    for (unsigned i = 0; i < c->folders.count; i++)
        roots[i] = (char *)(uintptr_t)c->folders.list[i];
    if (roots[0] == NULL)
        return 0;
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

    if (tree == NULL)
        return err_sys(e, roots[0]);
    for (FTSENT *t; result == 0 && (t = fts_read(tree)) != NULL;) {
        if (t->fts_info == FTS_D)
            choose_folder(tree, t, c->spool);
        else if (is_recording(t) && add(f, t) != 0)
            result = err_memory(e);
        else if (t->fts_level == 0 && t->fts_info != FTS_DP &&
                 t->fts_info != FTS_F)
            result = err_set(e, "%s: %s", t->fts_path,
                             t->fts_errno != 0 ? strerror(t->fts_errno)
                                               : "not a folder");
    }
    (void)fts_close(tree);
    if (f->count != 0)
        qsort(f->list, f->count, sizeof f->list[0], newest_first);
    return result;
}

const char *mcp_files_path(const struct mcp_files *f, const char *name,
                           struct err *e)
{
    if (f->count == 0)
        (void)err_set(e, "there is no recording in the folders that the user "
                         "named");
    else if (name == NULL)
        return f->list[0].path;
    else
        (void)err_set(e, "no recording '%s': list_recordings has the names",
                      name);
    for (size_t i = 0; name != NULL && i < f->count; i++)
        if (strcmp(f->list[i].path, name) == 0)
            return f->list[i].path;
    return NULL;
}

void mcp_files_fini(struct mcp_files *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->list[i].path);
    free(f->list);
    *f = (struct mcp_files){0};
}

/* The guests of a spool, with the times of their windows. */
struct guests_seen {
    struct guest_seen {
        char name[SPOOL_GUEST_MAX + 1];
        uint64_t first_ms, last_ms;
    } list[SHOWN_MAX];
    size_t count, left;
};

static int see(void *context, const char *file, struct err *e)
{
    struct guests_seen *g = context;
    struct spool_name n;
    size_t i = 0;
    (void)e;

    if (!spool_name_parse(file, &n) || n.guest_length > SPOOL_GUEST_MAX)
        return 0;
    while (i < g->count &&
           (strncmp(g->list[i].name, file, n.guest_length) != 0 ||
            g->list[i].name[n.guest_length] != '\0'))
        i++;
    if (i == SHOWN_MAX) {
        g->left = 1;
        return 0;
    }
    struct guest_seen *guest = &g->list[i];
    uint64_t last = n.last_ms != 0 ? n.last_ms : n.start_ms;

    if (i == g->count) {
        g->count++;
        memcpy(guest->name, file, n.guest_length);
        guest->first_ms = n.start_ms;
    }
    if (n.start_ms < guest->first_ms)
        guest->first_ms = n.start_ms;
    if (last > guest->last_ms)
        guest->last_ms = last;
    return 0;
}

static void write_time(FILE *out, time_t seconds)
{
    char text[32] = "";
    struct tm t;

    if (gmtime_r(&seconds, &t) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &t);
    (void)fputs(text, out);
}

static void write_guests(FILE *out, const char *spool)
{
    struct guests_seen *g = calloc(1, sizeof *g);
    int fd = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct err e = {""};

    if (fd < 0 || g == NULL || each_name(fd, see, g, &e) != 0)
        (void)fprintf(out, "The spool cannot be read: %s\n",
                      e.text[0] != '\0' ? e.text : strerror(errno));
    else
        (void)fputs("Guests of the spool (argument: guest):\n", out);
    for (size_t i = 0; g != NULL && i < g->count; i++) {
        (void)fprintf(out, "  %s  ", g->list[i].name);
        write_time(out, (time_t)(g->list[i].first_ms / 1000));
        (void)fputs(" to ", out);
        write_time(out, (time_t)(g->list[i].last_ms / 1000));
        (void)fputc('\n', out);
    }
    if (g != NULL && g->left != 0)
        (void)fputs("  and more guests\n", out);
    if (fd >= 0)
        (void)close(fd);
    free(g);
}

void mcp_files_write(FILE *out, const struct mcp_files *f,
                     const struct mcp_config *c)
{
    char name[1024];

    (void)fputs(f->count != 0 ? "Recordings, the newest first (argument: "
                                "recording):\n"
                              : "No recordings.\n",
                out);
    for (size_t i = 0; i < f->count && i < SHOWN_MAX; i++) {
        (void)fprintf(out, "  %s  %" PRIu64 " bytes  ",
                      text_escape(name, sizeof name, f->list[i].path),
                      f->list[i].bytes);
        write_time(out, f->list[i].written);
        (void)fputc('\n', out);
    }
    if (f->count > SHOWN_MAX || f->left != 0)
        (void)fprintf(out, "  and %zu more\n", f->left + f->count - SHOWN_MAX);
    if (c->spool != NULL)
        write_guests(out, c->spool);
    if (c->from.guests.elfs != NULL)
        (void)fputs("Images (argument: image):\n", out);
    for (const struct elf_path *p = c->from.guests.elfs; p != NULL; p = p->next)
        (void)fprintf(out, "  %s\n", text_escape(name, sizeof name, p->path));
}
