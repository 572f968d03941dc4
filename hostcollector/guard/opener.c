/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens files and sockets by name for a confined process. */
#include "guard/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "guard/claim.h"
#include "guard/descriptor.h"
#include "guard/side_process.h"
#include "util/bytes.h"

#define COMMON  (O_CLOEXEC | O_NOCTTY)
#define LOOK_MS 50 /* between two checks for a reader of the pipe */

static struct {
    int fd;      /* socket to the other process; 0: none */
    int control; /* socket to a shared helper; 0: none */
    pid_t pid;   /* last helper that this process started */
    /* the helper's first message, about its confinement, was read */
    bool heard;
    struct err lacks;
} opener;

static const char ended[] = "the helper that opens files has ended";

int opener_is_shared(void)
{
    struct pollfd p = {.fd = opener.control};

    if (opener.control == 0 || poll(&p, 1, 0) == 0)
        return opener.control != 0;
    (void)close(opener.control);
    opener.control = 0;
    return 0;
}

int opener_started(void)
{
    return opener.fd != 0;
}

/* Opening */

static int connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);

    if (length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int error = errno;

    (void)close(fd);
    errno = error;
    return -1;
}

static bool is_pipe(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Wait a little. Returns true if the process that the helper serves has exited.
 */
static bool served_has_ended(void)
{
    struct pollfd p = {.fd = opener.fd};

    return poll(&p, 1, LOOK_MS) > 0;
}

/* Open a named pipe, which needs a reader. The helper does not wait inside
 * open(), because nothing could interrupt it there. */
static int open_to_write(const char *path)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | COMMON;
    int fd;

    if (!opener_started())
        return open(path, flags, 0666);
    do
        fd = open(path, flags | O_NONBLOCK, 0666);
    while (fd < 0 && errno == ENXIO && is_pipe(path) && !served_has_ended());
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, O_WRONLY);
    return fd;
}

static bool opens_nothing(enum opener_how how)
{
    return how == OPENER_REMOVE || how == OPENER_SETTLE || how == OPENER_DROP ||
           how == OPENER_UNDO;
}

/* Open a regular file. Opening a device could have an effect. */
static int open_source(const char *path)
{
    struct stat st;

    if (!opener_rules_source_name(path)) {
        errno = EACCES;
        return -1;
    }
    if (stat(path, &st) != 0)
        return -1;
    if (S_ISREG(st.st_mode))
        return open(path, O_RDONLY | O_NONBLOCK | COMMON);
    errno = EACCES;
    return -1;
}

/* Open a regular file that is not a link, which could lead anywhere. */
static int open_window(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return -1;
    if (S_ISREG(st.st_mode))
        return open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | COMMON);
    errno = EACCES;
    return -1;
}

/* Claim a file. An error of the claim is in (e). */
static int open_name(enum opener_how how, const char *path, struct err *e)
{
    switch (how) {
    case OPENER_READ:
        return open(path, O_RDONLY | O_NONBLOCK | COMMON);
    case OPENER_WRITE:
        return open_to_write(path);
    case OPENER_TERMINAL:
        return open(path, O_RDWR | O_NONBLOCK | COMMON);
    case OPENER_CONNECT:
        return connect_unix(path);
    case OPENER_REMOVE:
        return unlink(path);
    case OPENER_REPORT:
        return claim_file(path, 0666, CLAIM_REPORT, e);
    case OPENER_RECORDING:
        return claim_file(path, 0600, CLAIM_RECORDING, e);
    case OPENER_UNDO:
        return claim_undo(path);
    case OPENER_FRESH:
        return claim_fresh(path, e);
    case OPENER_SETTLE:
        return claim_settle(path, true);
    case OPENER_DROP:
        return claim_settle(path, false);
    case OPENER_SOURCE:
        return open_source(path);
    case OPENER_WINDOW:
        return open_window(path);
    }
    errno = EINVAL;
    return -1;
}

/* Does (fd) begin like an image, ELF or PE? */
static bool is_image(int fd)
{
    uint8_t start[64] = {0}, mark[4] = {0};

    if (pread(fd, start, sizeof start, 0) != sizeof start)
        return false;
    if (memcmp(start, "\177ELF", 4) == 0)
        return true;
    return memcmp(start, "MZ", 2) == 0 &&
           pread(fd, mark, sizeof mark, load_u32(start + 60)) == sizeof mark &&
           memcmp(mark, "PE\0", sizeof mark) == 0;
}

/* Open an image, which is a regular file. Opening a device could have an
 * effect. */
static int open_image(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return -1;
    int fd = S_ISREG(st.st_mode) ? open_name(OPENER_READ, path, NULL) : -1;

    if (fd >= 0 && is_image(fd))
        return fd;
    if (fd >= 0 || !S_ISREG(st.st_mode))
        errno = ENOEXEC;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

/* Helper process */

/* Open (path) by (how), if the rules allow it. A rule by name allows any kind
 * of file in any folder. Returns -1 with errno set on failure. */
static int open_allowed(enum opener_how how, const char *path, struct err *e)
{
    if (opener_rules_name(how, path))
        return open_name(how, path, e);
    if (opener_rules_image(how, path))
        return open_image(path);
    if (opener_rules_source(how))
        return open_source(path);
    errno = EACCES;
    return err_sys(e, path);
}

struct opener_answer {
    int error; /* errno; 0: success */
    struct err e;
};

/* Answer requests until the other process has exited. The first message says
 * what the helper's confinement lacks. */
static void serve(const struct err *lacks)
{
    char request[1 + PATH_MAX + 1];
    ssize_t size;

    if (descriptor_send(opener.fd, lacks, sizeof *lacks, -1) != 0)
        return;
    while ((size = recv(opener.fd, request, sizeof request - 1, 0)) > 1) {
        enum opener_how how = (enum opener_how)request[0];
        struct opener_answer a = {0};

        request[size] = '\0';
        int fd = open_allowed(how, request + 1, &a.e);

        if (fd < 0) /* the refusal of a claim has no descriptor */
            a.error = errno != 0 ? errno : EACCES;
        if (opens_nothing(how))
            fd = -1;
        if (descriptor_send(opener.fd, &a, sizeof a, fd) != 0)
            break;
        if (fd >= 0)
            (void)close(fd);
    }
}

_Noreturn void opener_serve(const struct err *lacks)
{
    char none;

    if (opener.control == 0)
        serve(lacks);
    while (opener.control != 0 &&
           descriptor_receive(opener.control, &none, sizeof none, &opener.fd) >
               0) {
        serve(lacks);
        (void)close(opener.fd);
    }
    _exit(0);
}

/* Start the helper. Each of the two processes gets its end of the socket
 * between them in (*end). Returns as opener_fork(). */
static int fork_helper(int *end, struct err *e)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(e, "socketpair");
    pid_t child = side_process_fork();

    if (child < 0) {
        (void)err_sys(e, "fork");
        (void)close(ends[0]);
        (void)close(ends[1]);
        return -1;
    }
    *end = ends[child == 0];
    opener.heard = false;
    opener.pid = child;
    (void)close(ends[child != 0]);
    return child == 0;
}

int opener_fork(struct err *e)
{
    return fork_helper(&opener.fd, e);
}

/* Close the open descriptors of a helper that outlives this process's work:
 * folders are locked by descriptors, and unnamed files disappear with them. A
 * helper of one process keeps the descriptors, because a user may name
 * /dev/fd/63. */
int opener_fork_shared(struct err *e)
{
    side_process_end(opener.pid);
    int who = fork_helper(&opener.control, e);

    if (who == 1)
        side_process_keep(opener.control);
    return who;
}

/* Connect to the shared helper, which serves one socket after the other.
 * Returns the socket; -1 with (e) filled. */
static int connect_shared(struct err *e)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(e, "socketpair");
    bool there = descriptor_send(opener.control, "", 1, ends[1]) == 0;

    (void)close(ends[1]);
    if (there)
        return ends[0];
    (void)close(ends[0]);
    return err_set(e, "%s", ended);
}

void opener_keep(int fd)
{
    side_process_keep_both(fd, opener.control != 0 ? opener.control : fd);
}

int opener_join(struct err *e)
{
    int fd = connect_shared(e);

    (void)close(opener.control);
    opener.control = 0;
    if (fd < 0)
        return -1;
    opener.fd = fd;
    opener.heard = false;
    return 0;
}

/* Read the helper's first message from (fd), unless it was read before. */
static void hear_lacks(int fd)
{
    int none;

    if (opener.heard)
        return;
    opener.heard = true;
    if (descriptor_receive(fd, &opener.lacks, sizeof opener.lacks, &none) !=
        sizeof opener.lacks)
        (void)err_set(&opener.lacks, "%s", ended);
    opener.lacks.text[sizeof opener.lacks.text - 1] = '\0';
}

int opener_confined(struct err *e)
{
    int fd = opener_started() ? opener.fd : connect_shared(e);

    if (fd < 0)
        return -1;
    hear_lacks(fd);
    if (!opener_started())
        (void)close(fd);
    return opener.lacks.text[0] == '\0' ? 0
                                        : err_set(e, "%s", opener.lacks.text);
}

/* Confined process */

static int hear_answer(enum opener_how how, struct err *e)
{
    struct opener_answer a = {0};
    int fd;

    hear_lacks(opener.fd);
    ssize_t n = descriptor_receive(opener.fd, &a, sizeof a, &fd);

    if (n != sizeof a) {
        errno = EPIPE;
        return err_sys(e, ended);
    }
    if (a.error == 0 && opens_nothing(how))
        return 0;
    if (fd < 0) { /* no error, but no free descriptor */
        errno = a.error != 0 ? a.error : EMFILE;
        (void)err_set(e, "%s", a.error != 0 ? a.e.text : strerror(EMFILE));
    }
    return fd;
}

/* Send a request. Returns 0 if an answer will come; -1 with (e) filled. */
static int send_request(enum opener_how how, const char *path, struct err *e)
{
    char request[1 + PATH_MAX];
    size_t length = strlen(path);

    if (length == 0 || length >= PATH_MAX) {
        errno = length == 0 ? ENOENT : ENAMETOOLONG;
        return err_sys(e, path);
    }
    request[0] = (char)how;
    memcpy(request + 1, path, length);
    if (send(opener.fd, request, length + 1, MSG_NOSIGNAL) < 0) {
        errno = EPIPE;
        return err_sys(e, ended);
    }
    return 0;
}

/* Do the work of opener_open() and opener_claim(). */
static int ask(enum opener_how how, const char *path, struct err *e)
{
    if (!opener_started())
        return open_name(how, path, e);
    return send_request(how, path, e) == 0 ? hear_answer(how, e) : -1;
}

void opener_open_windows(const char *const *paths, size_t count, int *fds)
{
    bool sent[OPENER_WINDOWS] = {false};

    for (size_t i = 0; i < count && opener_started(); i++)
        sent[i] = send_request(OPENER_WINDOW, paths[i], NULL) == 0;
    for (size_t i = 0; i < count; i++) {
        fds[i] = sent[i] ? hear_answer(OPENER_WINDOW, NULL)
                         : ask(OPENER_WINDOW, paths[i], NULL);
        if (fds[i] < 0)
            fds[i] = -errno;
    }
}

static struct {
    const char *path; /* NULL: no descriptor is kept */
    int fd;
} lent;

void opener_preopen(const char *path, int fd)
{
    if (lent.path != NULL)
        (void)close(lent.fd);
    lent.path = fd >= 0 ? path : NULL;
    lent.fd = fd;
}

int opener_open(enum opener_how how, const char *path)
{
    if (how == OPENER_READ && lent.path != NULL &&
        strcmp(path, lent.path) == 0) {
        lent.path = NULL;
        return lent.fd;
    }
    return ask(how, path, NULL);
}

int opener_claim(enum opener_how how, const char *path, struct err *e)
{
    return ask(how, path, e);
}
