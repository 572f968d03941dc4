/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides who may ask. */
#include "fleet/web/web_gate.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define TOKEN_MIN 16u /* bytes: shorter tokens could be guessed */
#define ADDRESS   64u
#define UNIX      "unix:"

static bool is_loopback(const struct sockaddr_storage *a)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (a->ss_family == AF_INET) {
        memcpy(&v4, a, sizeof v4);
        return ntohl(v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    }
    memcpy(&v6, a, sizeof v6);
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

/* Copy the address part of (text), without the brackets of IPv6, into the
 * ADDRESS bytes at (host). Returns the beginning of the port; NULL if (text)
 * is not an address. */
static const char *split(const char *text, char *host)
{
    const char *end = strrchr(text, ':');
    bool brackets = text[0] == '[';
    size_t length = end == NULL ? 0 : (size_t)(end - text);

    if (brackets && (length < 2 || text[length - 1] != ']'))
        return NULL;
    if (brackets)
        length -= 2;
    if (length == 0 || length >= ADDRESS)
        return NULL;
    memcpy(host, text + brackets, length);
    host[length] = '\0';
    return end + 1;
}

static int read_address(struct web_gate *g, const char *listen, struct err *e)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV |
                                               AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    char host[ADDRESS];
    const char *port = split(listen, host);

    if (port == NULL || *port == '\0' ||
        getaddrinfo(host, port, &hints, &found) != 0)
        return err_set(e,
                       "--listen %s: not an address; type 127.0.0.1:9797, "
                       "[::1]:9797 or unix:PATH",
                       listen);
    memcpy(&g->address, found->ai_addr, found->ai_addrlen);
    g->size = found->ai_addrlen;
    g->loopback = is_loopback(&g->address);
    freeaddrinfo(found);
    return 0;
}

static int read_token(struct web_gate *g, const char *path, struct err *e)
{
    FILE *in = fopen(path, "re");
    bool read;

    if (in == NULL)
        return err_sys(e, path);
    read = fgets(g->token, sizeof g->token, in) != NULL;
    (void)fclose(in);
    if (read)
        g->token[strcspn(g->token, "\r\n")] = '\0';
    if (!read || strlen(g->token) < TOKEN_MIN)
        return err_set(e, "%s: the token needs at least %u characters", path,
                       TOKEN_MIN);
    if (strlen(g->token) == sizeof g->token - 1)
        return err_set(e, "%s: the token must have less than %u characters",
                       path, WEB_GATE_TOKEN_MAX - 1);
    return 0;
}

const char *web_gate_path(const char *listen)
{
    return strncmp(listen, UNIX, sizeof UNIX - 1) == 0
               ? listen + sizeof UNIX - 1
               : NULL;
}

int web_gate_init(struct web_gate *g, const char *listen,
                  const char *token_file, struct err *e)
{
    *g = (struct web_gate){.path = web_gate_path(listen), .own = geteuid()};
    if (g->path == NULL && read_address(g, listen, e) != 0)
        return -1;
    if (token_file != NULL)
        return read_token(g, token_file, e);
    if (g->loopback || g->path != NULL)
        return 0;
    return err_set(e,
                   "--listen %s: other machines reach that address: name a "
                   "token's file with --token-file",
                   listen);
}

/* Length of the name in (host), of a request: letters, digits, periods,
 * hyphens, or an IPv6 address in brackets. 0 if (host) is anything else than a
 * name with or without a port. */
static size_t name_of(const char *host)
{
    static const char digits[] = "0123456789";
    static const char name[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    bool brackets = host[0] == '[';
    size_t n = brackets ? 1 + strspn(host + 1, "abcdefABCDEF0123456789:.")
                        : strspn(host, name);
    size_t port;

    if (brackets && host[n++] != ']')
        return 0;
    if (host[n] == '\0')
        return n;
    port = host[n] == ':' ? strspn(host + n + 1, digits) : 0;
    return port >= 1 && port <= 5 && host[n + 1 + port] == '\0' ? n : 0;
}

/* Do the (n) bytes at (name) name this machine? */
static bool names_us(const char *name, size_t n)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    struct in_addr numeric;
    char address[ADDRESS];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == n && strncasecmp(name, names[i], n) == 0)
            return true;
    /* others of 127.0.0.0/8 */
    (void)snprintf(address, sizeof address, "%.*s", (int)n, name);
    return inet_pton(AF_INET, address, &numeric) == 1 &&
           ntohl(numeric.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Compare the token in constant time: all bytes of its buffer are compared. */
static bool is_token(const struct web_gate *g, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    char given[WEB_GATE_TOKEN_MAX] = "";
    unsigned differ = 0;

    if (authorization == NULL ||
        strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return false;
    (void)snprintf(given, sizeof given, "%s",
                   authorization + sizeof scheme - 1);
    for (size_t i = 0; i < WEB_GATE_TOKEN_MAX; i++)
        differ |= (unsigned)(given[i] ^ g->token[i]);
    return differ == 0;
}

enum web_gate_answer web_gate_judge(const struct web_gate *g,
                                    const struct web_request *r)
{
    size_t name = r->host != NULL ? name_of(r->host) : 0;

    if (name == 0)
        return WEB_GATE_BAD_HOST;
    if (g->path != NULL && (r->uid == g->own || r->uid == 0))
        return WEB_GATE_OPEN;
    if (g->token[0] != '\0')
        return is_token(g, r->authorization) ? WEB_GATE_OPEN
                                             : WEB_GATE_NO_TOKEN;
    if (g->path != NULL)
        return WEB_GATE_WRONG_USER;
    return names_us(r->host, name) ? WEB_GATE_OPEN : WEB_GATE_WRONG_HOST;
}
