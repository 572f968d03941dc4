/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives the files that the helper may open from the options. */
#include "cli/confine/confine.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "guard/opener.h"
#include "guard/sandbox.h"
#include "image/file/folders.h"
#include "image/file/image.h"
#include "image/file/symbols_file.h"
#include "image/match/fetch.h"
#include "recording/spool/spool_list.h"

struct helper_plan {
    struct sandbox files; /* the helper's */
    bool failed;          /* no memory */
    /* guests that processes may sample; NULL: none */
    const struct guests *guests;
};

/* Rights that the helper's own sandbox needs for each enum opener_how. Landlock
 * does not restrict connecting to Unix sockets by their names. A claim reads
 * the file that it would overwrite, and renames it. */
static const unsigned uses[] = {
    [OPENER_READ] = SANDBOX_READ,
    [OPENER_WRITE] = SANDBOX_WRITE,
    [OPENER_TERMINAL] = SANDBOX_READ | SANDBOX_WRITE | SANDBOX_DEVICE,
    [OPENER_CONNECT] = 0,
    [OPENER_REMOVE] = SANDBOX_REMOVE,
    [OPENER_REPORT] = SANDBOX_READ | SANDBOX_WRITE,
    [OPENER_RECORDING] = SANDBOX_READ | SANDBOX_WRITE | SANDBOX_REMOVE,
    [OPENER_FRESH] = SANDBOX_WRITE,
    [OPENER_SETTLE] = SANDBOX_WRITE | SANDBOX_REMOVE,
    [OPENER_DROP] = SANDBOX_REMOVE,
    [OPENER_SOURCE] = SANDBOX_READ,
    [OPENER_WINDOW] = SANDBOX_READ,
};

static void allow(struct helper_plan *p, enum opener_how how, const char *path)
{
    p->failed |= opener_allow(how, path) != 0;
    if (uses[how] != 0)
        sandbox_allow(&p->files, path, uses[how]);
}

/* Allow the folders that may hold the debug data of the image (path). */
static void allow_debug_files(struct helper_plan *p, const char *path)
{
    char folder[PATH_MAX];

    for (unsigned i = 0; image_debug_folder(path, i, folder, sizeof folder);
         i++) {
        p->failed |= opener_allow_images_below(folder) != 0;
        sandbox_allow(&p->files, folder, SANDBOX_READ);
    }
}

static void allow_elfs(struct helper_plan *p, const struct elf_path *elf)
{
    for (; elf != NULL; elf = elf->next) {
        allow(p, OPENER_READ, elf->path);
        allow_debug_files(p, elf->path);
    }
}

static void allow_symbols_file(struct helper_plan *p)
{
    if (symbols_file() != NULL)
        allow(p, OPENER_READ, symbols_file());
}

/* Allow folders with images by build-id. Such a folder may have links to the
 * places where images were built, so the helper may open images only. */
static void allow_symbols(struct helper_plan *p)
{
    const char *folder;

    for (unsigned i = 0; (folder = image_folder(i)) != NULL; i++) {
        p->failed |= opener_allow_images_below(folder) != 0;
        sandbox_allow(&p->files, folder, SANDBOX_READ);
    }
    if (image_folders_added() != 0)
        sandbox_allow(&p->files, "/", SANDBOX_READ);
    allow_symbols_file(p);
}

/* Add the folders and files in which images and symbols are searched, with or
 * without a sandbox. Each path is added once in a process. */
static int use_folders(const struct guest_config *o, struct err *e)
{
    static unsigned used;

    if (o->listed != NULL)
        image_kept_in(o->listed->folder);
    for (; used < o->symbols_count; used++) {
        const char *path = o->symbols[used];
        struct stat st;
        bool is_list = stat(path, &st) == 0 && S_ISREG(st.st_mode);

        if ((is_list ? symbols_file_use : image_folders_add)(path, e) != 0)
            return -1;
    }
    return 0;
}

/* Add these folders, and start the process that requests images from servers;
 * with or without a sandbox. */
static int use_symbols(const struct guest_config *o, struct err *e)
{
    return use_folders(o, e) == 0 ? fetch_start(confine_fetcher, &o->sandbox, e)
                                  : -1;
}

/* PATH or PATH:PORT. */
static void allow_socket(struct helper_plan *p, const char *where)
{
    const char *colon = strrchr(where, ':');
    char path[PATH_MAX];

    allow(p, OPENER_CONNECT, where);
    if (colon == NULL)
        return;
    (void)snprintf(path, sizeof path, "%.*s", (int)(colon - where), where);
    allow(p, OPENER_CONNECT, path);
}

/* Allow the terminal (path). A device that does not exist yet may appear only
 * below /dev. A pty may be a link anywhere. */
static void allow_terminal(struct helper_plan *p, const char *path)
{
    struct stat st;
    bool device = stat(path, &st) == 0 && S_ISCHR(st.st_mode);

    p->failed |= opener_allow(OPENER_TERMINAL, path) != 0;
    if (device || strncmp(path, "/dev/", 5) == 0)
        sandbox_allow(&p->files, path, uses[OPENER_TERMINAL]);
    sandbox_allow(&p->files, "/dev/pts/", uses[OPENER_TERMINAL]);
}

static void allow_guest(struct helper_plan *p, const struct guest_spec *g)
{
    allow_elfs(p, g->elfs);
    switch (source_kind_find(g->kind)->need) {
    case SOURCE_NEEDS_VSOCK:
        allow(p, OPENER_READ, SOURCE_VSOCK_DEVICE);
        sandbox_allow(&p->files, SOURCE_VSOCK_DEVICE, SANDBOX_DEVICE);
        break;
    case SOURCE_NEEDS_UNIX:
        allow_socket(p, g->where);
        break;
    case SOURCE_NEEDS_TTY:
        allow(p, OPENER_CONNECT, g->where);
        allow(p, OPENER_READ, g->where); /* a recording */
        allow_terminal(p, g->where);
        break;
    case SOURCE_NEEDS_SAMPLER:
        break;
    }
}

/* Allow the recording (path), and the recordings of (g) and of its later
 * runs. */
static void allow_recording(struct helper_plan *p, const char *path,
                            const struct guest_spec *g)
{
    char first[PATH_MAX], later[PATH_MAX];
    int stem = outputs_stem(path);

    (void)snprintf(first, sizeof first, "%.*s.%s%s", stem, path, g->name,
                   path + stem);
    (void)snprintf(later, sizeof later, "%.*s.%s.", stem, path, g->name);
    allow(p, OPENER_RECORDING, path);
    allow(p, OPENER_RECORDING, first);
    p->failed |=
        opener_allow_numbered(OPENER_RECORDING, later, path + stem) != 0;
}

static void allow_outputs(struct helper_plan *p, const struct outputs *out)
{
    for (unsigned i = 0; i < out->count; i++) {
        if (out->list[i].given != NULL || strcmp(out->list[i].path, "-") == 0)
            continue;
        allow(p, OPENER_REPORT, out->list[i].path);
        allow(p, OPENER_WRITE, out->list[i].path); /* no file, a pipe */
        allow(p, OPENER_FRESH, out->list[i].path);
        allow(p, OPENER_SETTLE, out->list[i].path);
        allow(p, OPENER_DROP, out->list[i].path);
    }
}

static void allow_windows(struct helper_plan *p, const struct spool_list *list)
{
    char folder[PATH_MAX];

    (void)snprintf(folder, sizeof folder, "%s/", list->folder);
    p->failed |= opener_allow_images_below(folder) != 0;
    p->failed |= opener_allow_windows_in(folder) != 0;
    sandbox_allow(&p->files, folder, SANDBOX_READ);
}

/* Allow a recording, or the windows of a spool. */
static void allow_input(struct helper_plan *p, const struct guest_config *o)
{
    if (o->listed == NULL)
        allow(p, OPENER_READ, o->input);
    else
        allow_windows(p, o->listed);
}

/* Begin the plan (p), if a sandbox is wanted. */
static bool begin(struct helper_plan *p, enum sandbox_mode mode)
{
    *p = (struct helper_plan){.files = {.rules = -1}};
    if (!sandbox_wanted(mode))
        return false;
    sandbox_init(&p->files);
    return true;
}

/* Be the helper. */
static _Noreturn void serve(struct helper_plan *p)
{
    struct err lacks = {""};

    (void)sandbox_enter(&p->files, SANDBOX_OPENER, &lacks);
    opener_serve(&lacks);
}

/* Close the ends of sampling processes (outside/sampler_process.h) in the
 * helper, which keeps all other descriptors. A sampling process ends when all
 * these ends are closed. */
static void leave_samplers(const struct guests *g)
{
    for (size_t i = 0; g != NULL && i < g->count; i++) {
        if (g->list[i].bytes <= STDERR_FILENO)
            continue;
        (void)close(g->list[i].bytes);
        (void)close(g->list[i].words);
    }
}

/* Start the helper. The call does not return in the helper. */
static int start(struct helper_plan *p, struct err *e)
{
    int who = p->failed ? err_memory(e) : opener_fork(e);

    if (who == 1) {
        fetch_leave();
        leave_samplers(p->guests);
        serve(p);
    }
    sandbox_fini(&p->files);
    return who;
}

/* Recordings name images. */
static void allow_images(struct helper_plan *p, const struct guest_config *o)
{
    allow_elfs(p, o->guests.elfs);
    p->failed |= opener_allow_images() != 0;
    sandbox_allow(&p->files, "/", SANDBOX_READ);
}

/* Serve the processes of push as their helper, without this process's open
 * descriptors. */
static _Noreturn void serve_push(const struct guest_config *o)
{
    struct helper_plan p;

    (void)begin(&p, o->sandbox);
    allow_symbols(&p);
    allow_images(&p, o);
    if (p.failed)
        _exit(1);
    serve(&p);
}

int confine_prepare_push(const struct guest_config *o, struct err *e)
{
    struct err why;
    int who;

    if (opener_is_shared())
        return 0;
    if (use_folders(o, e) != 0)
        return -1;
    if (!sandbox_wanted(o->sandbox))
        return 0;
    who = opener_fork_shared(e);
    if (who == 1)
        serve_push(o);
    /* each process reports a missing optional part itself */
    return who == 0 && o->sandbox == SANDBOX_REQUIRED &&
                   opener_confined(&why) != 0
               ? confine_lacks(o->sandbox, &why, e)
               : who;
}

int confine_prepare_sampling(const struct guest_config *o,
                             const struct outputs *out, struct err *e)
{
    const struct guests *g = &o->guests;
    struct helper_plan p;

    if (use_symbols(o, e) != 0)
        return -1;
    if (opener_is_shared() && opener_join(e) == 0)
        return 0;
    if (!begin(&p, o->sandbox))
        return 0;
    allow_symbols(&p);
    for (size_t i = 0; i < g->count; i++) {
        allow_guest(&p, &g->list[i]);
        if (out->recording != NULL)
            allow_recording(&p, out->recording, &g->list[i]);
    }
    if (o->reads_sources)
        opener_allow_sources();
    if (o->sources != NULL)
        sandbox_allow(&p.files, o->sources, SANDBOX_READ);
    if (g->count == 0) {
        allow_input(&p, o);
        allow_images(&p, o);
        if (out->recording != NULL)
            allow(&p, OPENER_RECORDING, out->recording);
    }
    allow_outputs(&p, out);
    p.guests = g;
    return start(&p, e);
}

int confine_prepare_sampler(const struct guest_config *o,
                            const struct guest_spec *spec, struct err *e)
{
    struct helper_plan p;

    if (use_folders(o, e) != 0)
        return -1;
    if (!begin(&p, o->sandbox))
        return 0;
    allow_elfs(&p, spec->elfs);
    allow_symbols_file(&p);
    return start(&p, e);
}

int confine_prepare_diff(const struct guest_config *o,
                         const struct option_words *inputs,
                         const struct outputs *out, struct err *e)
{
    struct helper_plan p;

    if (use_symbols(o, e) != 0)
        return -1;
    if (!begin(&p, o->sandbox))
        return 0;
    for (unsigned i = 0; i < inputs->count && o->listed == NULL; i++)
        allow(&p, OPENER_READ, inputs->list[i]);
    if (o->listed != NULL)
        allow_windows(&p, o->listed);
    /* images that recordings without names mention */
    p.failed |= opener_allow_images() != 0;
    sandbox_allow(&p.files, "/", SANDBOX_READ);
    allow_outputs(&p, out);
    return start(&p, e);
}

int confine_prepare_check(enum sandbox_mode mode, const struct elf_path *elfs,
                          struct err *e)
{
    struct helper_plan p;

    if (!begin(&p, mode))
        return 0;
    allow_elfs(&p, elfs);
    return start(&p, e);
}

int confine_prepare_serve(const struct guest_config *o, const char *watch,
                          struct err *e)
{
    const struct guests *g = &o->guests;
    char folder[PATH_MAX];
    struct helper_plan p;

    if (use_folders(o, e) != 0)
        return -1;
    if (!begin(&p, o->sandbox))
        return 0;
    if (o->symbols_count != 0)
        allow_symbols(&p);
    for (size_t i = 0; i < g->count; i++)
        allow_guest(&p, &g->list[i]);
    allow_elfs(&p, g->elfs);
    if (g->path != NULL) {
        allow(&p, OPENER_READ, g->path);
        p.failed |= opener_allow_listed(g->path) != 0;
    }
    if (watch != NULL) {
        (void)snprintf(folder, sizeof folder, "%s/", watch);
        p.failed |= opener_allow_sockets_in(folder) != 0;
    }
    return start(&p, e);
}

int confine_prepare_bridge(enum sandbox_mode mode, const char *vhost_user,
                           const char *uds, struct err *e)
{
    char socket[PATH_MAX];
    struct helper_plan p;

    if (!begin(&p, mode))
        return 0;
    allow(&p, OPENER_REMOVE, vhost_user);
    allow(&p, OPENER_REMOVE, uds);
    /* the guest connects to sockets with this name */
    (void)snprintf(socket, sizeof socket, "%s_", uds);
    p.failed |= opener_allow_numbered(OPENER_CONNECT, socket, "") != 0;
    return start(&p, e);
}
