/* SPDX-License-Identifier: BSD-2-Clause */
/* How a process is confined that hears servers. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/confine.h"
#include "cmd/sandbox.h"

/* Name servers, and certificates of authorities, as distributions lay them out.
 * Keys of the host's own services lie beside these. */
static const char *const network_files[] = {"/etc/resolv.conf",
                                            "/etc/hosts",
                                            "/etc/nsswitch.conf",
                                            "/etc/gai.conf",
                                            "/etc/host.conf",
                                            "/etc/services",
                                            "/etc/ssl/cert.pem",
                                            "/etc/ssl/ca-bundle.pem",
                                            "/etc/ssl/certs",
                                            "/etc/pki/tls/cert.pem",
                                            "/etc/pki/tls/certs",
                                            "/etc/pki/ca-trust/extracted",
                                            "/etc/ca-certificates/extracted",
                                            "/usr/share/ca-certificates",
                                            "/usr/local/share/ca-certificates",
                                            "/usr/share/pki",
                                            "/var/lib/ca-certificates"};

static void begin(struct sandbox *s)
{
    const char *const named[] = {getenv("SSL_CERT_FILE"),
                                 getenv("SSL_CERT_DIR")};

    sandbox_init_network(s);
    for (size_t i = 0; i < sizeof network_files / sizeof *network_files; i++)
        sandbox_allow_alone(s, network_files[i], SANDBOX_READ);
    for (size_t i = 0; i < 2; i++)
        sandbox_allow_alone(s, named[i], SANDBOX_READ);
}

static int enter(struct sandbox *s, unsigned needs, enum sandbox_mode mode,
                 struct err *e)
{
    struct err why;

    return sandbox_enter(s, needs, &why) == 0 || mode != SANDBOX_REQUIRED
               ? 0
               : err_set(e, "%s; --sandbox=required ends here", why.text);
}

int confine_network(const void *options, const char *const *files, size_t count,
                    struct err *e)
{
    enum sandbox_mode mode = ((const struct options *)options)->sandbox;
    struct sandbox s;

    if (!sandbox_wanted(mode))
        return 0;
    begin(&s);
    for (size_t i = 0; i < count; i++)
        sandbox_allow_alone(&s, files[i], SANDBOX_READ);
    return enter(&s, SANDBOX_NETWORK, mode, e);
}

/* The folder where libdebuginfod keeps files, in (cache); it is made, since a
 * rule for it needs it. */
static void make_cache(char cache[PATH_MAX])
{
    const char *given = getenv("DEBUGINFOD_CACHE_PATH");
    const char *home = getenv("HOME"), *below = getenv("XDG_CACHE_HOME");

    home = home != NULL ? home : "/";
    (void)snprintf(cache, PATH_MAX, "%s/.debuginfod_client_cache", home);
    if (given != NULL) {
        (void)snprintf(cache, PATH_MAX, "%s", given);
    } else if (access(cache, F_OK) != 0 && below != NULL) {
        (void)snprintf(cache, PATH_MAX, "%s/debuginfod_client", below);
    } else if (access(cache, F_OK) != 0) {
        (void)snprintf(cache, PATH_MAX, "%s/.cache", home);
        (void)mkdir(cache, 0700);
        (void)snprintf(cache, PATH_MAX, "%s/.cache/debuginfod_client", home);
    }
    (void)mkdir(cache, 0700);
}

int confine_fetcher(const void *options, struct err *e)
{
    enum sandbox_mode mode = ((const struct options *)options)->sandbox;
    char cache[PATH_MAX];
    struct sandbox s;

    if (!sandbox_wanted(mode))
        return 0;
    make_cache(cache);
    begin(&s);
    sandbox_allow_alone(&s, cache,
                        SANDBOX_READ | SANDBOX_WRITE | SANDBOX_REMOVE |
                            SANDBOX_LIST | SANDBOX_FOLDERS);
    sandbox_allow_alone(&s, getenv("DEBUGINFOD_HEADERS_FILE"), SANDBOX_READ);
    return enter(&s, SANDBOX_NETWORK | SANDBOX_CACHE, mode, e);
}
