/* SPDX-License-Identifier: BSD-2-Clause */
/* Confines the processes that communicate with servers. */
#include <stdlib.h>
#include <sys/resource.h>

#include "cli/confine/confine.h"
#include "guard/sandbox.h"

/* Files of name servers and certificate authorities, in the places that
 * distributions use. Keys of the host's own services are beside these files, so
 * no whole folder is allowed. */
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

int confine_network(const void *sandbox, const char *const *files, size_t count,
                    struct err *e)
{
    enum sandbox_mode mode = *(const enum sandbox_mode *)sandbox;
    struct sandbox s;

    if (!sandbox_wanted(mode))
        return 0;
    begin(&s);
    for (size_t i = 0; i < count; i++)
        sandbox_allow_alone(&s, files[i], SANDBOX_READ);
    return enter(&s, SANDBOX_NETWORK, mode, e);
}

/* Limit of memory, because a server can send headers without end to
 * libdebuginfod. */
#define FETCH_MEMORY (256u << 20)

int confine_fetcher(const void *sandbox, struct err *e)
{
    const struct rlimit most = {FETCH_MEMORY, FETCH_MEMORY};
    enum sandbox_mode mode = *(const enum sandbox_mode *)sandbox;
    struct sandbox s;

    if (!sandbox_wanted(mode))
        return 0;
    begin(&s);
    sandbox_allow_alone(&s, getenv("DEBUGINFOD_CACHE_PATH"),
                        SANDBOX_READ | SANDBOX_WRITE | SANDBOX_REMOVE |
                            SANDBOX_LIST | SANDBOX_FOLDERS);
    sandbox_allow_alone(&s, getenv("DEBUGINFOD_HEADERS_FILE"), SANDBOX_READ);
    if (mode == SANDBOX_AUTO) /* a sanitizer needs much more */
        (void)setrlimit(RLIMIT_DATA, &most);
    return enter(&s, SANDBOX_NETWORK | SANDBOX_CACHE, mode, e);
}
