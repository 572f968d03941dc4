/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives the rights that a process keeps in the sandbox from the options. */
#include <limits.h>
#include <stdio.h>

#include "cli/confine/confine.h"
#include "guard/opener.h"
#include "guard/sandbox.h"

int confine_lacks(enum sandbox_mode mode, const struct err *why, struct err *e)
{
    if (mode == SANDBOX_REQUIRED)
        return err_set(e, "%s; --sandbox=required ends here", why->text);
    *e = *why;
    return 0;
}

/* Enter the sandbox. The process keeps file access to (spool) only, or to
 * nothing if (spool) is NULL. */
static int enter(enum sandbox_mode mode, const char *spool, unsigned needs,
                 struct err *e)
{
    struct sandbox files;
    char folder[PATH_MAX];
    struct err why;

    e->text[0] = '\0';
    if (!sandbox_wanted(mode))
        return 0;
    sandbox_init(&files);
    if (spool != NULL) {
        (void)snprintf(folder, sizeof folder, "%s/", spool);
        sandbox_allow(&files, folder,
                      SANDBOX_READ | SANDBOX_ADD | SANDBOX_REMOVE |
                          SANDBOX_LIST);
    }
    return sandbox_enter(&files, needs, &why) == 0 &&
                   (!opener_started() || opener_confined(&why) == 0)
               ? 0
               : confine_lacks(mode, &why, e);
}

static unsigned sampling_needs(const struct guest_config *o)
{
    unsigned needs = SANDBOX_READER;

    if (o->privileged)
        needs |= SANDBOX_LOW_PORT;
    for (size_t i = 0; i < o->guests.count; i++)
        if (source_kind_find(o->guests.list[i].kind)->need ==
            SOURCE_NEEDS_VSOCK)
            needs |= SANDBOX_VSOCK;
    return needs;
}

int confine_sampling(const struct guest_config *o, struct err *e)
{
    return enter(o->sandbox, NULL, sampling_needs(o), e);
}

int confine_top(const struct guest_config *o, struct err *e)
{
    return enter(o->sandbox, NULL, sampling_needs(o) | SANDBOX_SCREEN, e);
}

int confine_serve(const struct guest_config *o, const char *spool,
                  struct err *e)
{
    return enter(o->sandbox, spool,
                 sampling_needs(o) | SANDBOX_FOLDER |
                     (spool != NULL ? SANDBOX_SPOOL : 0u),
                 e);
}

int confine_reader(enum sandbox_mode mode, struct err *e)
{
    return enter(mode, NULL, SANDBOX_READER, e);
}

int confine_bridge(enum sandbox_mode mode, struct err *e)
{
    return enter(mode, NULL, SANDBOX_SERVE, e);
}

int confine_compact(enum sandbox_mode mode, const char *folder, struct err *e)
{
    return enter(mode, folder, SANDBOX_READER | SANDBOX_FOLDER | SANDBOX_SPOOL,
                 e);
}
