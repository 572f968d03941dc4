/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's serial port: QEMU's Unix socket, a pty, or another tty. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "guard/opener.h"
#include "guest/source/source.h"
#include "guest/source/stream.h"

struct serial {
    struct source source; /* first member: the callbacks get a pointer to it */
    char absence[STREAM_PATH_MAX + 64]; /* text of source.absence, if set */
};

static int fail_serial(const struct serial *s, const char *what, struct err *e)
{
    return err_set(e, "%s: %s: %s", s->source.path, what, strerror(errno));
}

static enum source_state connect_socket(struct serial *s, struct err *e)
{
    int fd = opener_open(OPENER_CONNECT, s->source.path);

    if (fd < 0 && stream_absent(errno))
        return SOURCE_ABSENT;
    if (fd < 0) {
        fail_serial(s, "connect", e);
        return SOURCE_FAILED;
    }
    if (peer_check(&s->source.peers, fd, s->source.path, e) != 0) {
        close(fd);
        return SOURCE_FAILED;
    }
    s->source.fd = fd;
    return SOURCE_OPEN;
}

/* Set the terminal to pass bytes unchanged: no echo, no line editing, no
 * signals. */
static int make_raw(int fd)
{
    struct termios t;

    if (tcgetattr(fd, &t) < 0)
        return -1;
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    return tcsetattr(fd, TCSANOW, &t);
}

/* Check that (fd) is a terminal of a trusted user, and make it raw. */
static int judge_tty(const struct serial *s, int fd, struct err *e)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return fail_serial(s, "stat", e);
    if (peer_judge(&s->source.peers, st.st_uid, s->source.path, e) < 0)
        return -1;
    return make_raw(fd) < 0 ? fail_serial(s, "not a terminal", e) : 0;
}

static enum source_state open_tty(struct serial *s, struct err *e)
{
    int fd = opener_open(OPENER_TERMINAL, s->source.path);

    if (fd < 0 && stream_absent(errno))
        return SOURCE_ABSENT;
    if (fd < 0) {
        fail_serial(s, "open", e);
        return SOURCE_FAILED;
    }
    if (judge_tty(s, fd, e) < 0) {
        close(fd);
        return SOURCE_FAILED;
    }
    s->source.fd = fd;
    return SOURCE_OPEN;
}

/* The folder of (path) if it does not exist; else NULL. */
static const char *missing_folder(const char *path, char folder[])
{
    const char *slash = strrchr(path, '/');
    struct stat st;

    if (slash == NULL || slash == path)
        return NULL;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return stat(folder, &st) != 0 && errno == ENOENT ? folder : NULL;
}

/* Report that the guest is not there yet. The report says so if even the
 * folder does not exist. */
static enum source_state wait_for_guest(struct serial *s)
{
    char folder[STREAM_PATH_MAX];

    s->source.absence = NULL;
    if (missing_folder(s->source.path, folder) != NULL) {
        (void)snprintf(s->absence, sizeof s->absence, "there is no folder %s",
                       folder);
        s->source.absence = s->absence;
    }
    return SOURCE_ABSENT;
}

static enum source_state serial_open(struct source *source, struct err *e)
{
    struct serial *s = (struct serial *)source;
    struct stat st;

    if (stat(s->source.path, &st) < 0) {
        if (stream_absent(errno))
            return wait_for_guest(s);
        fail_serial(s, "stat", e);
        return SOURCE_FAILED;
    }
    if (S_ISSOCK(st.st_mode))
        return connect_socket(s, e);
    if (S_ISCHR(st.st_mode))
        return open_tty(s, e);
    err_set(e,
            "%s: is neither a Unix socket, nor a terminal, nor a file: name "
            "the path of QEMU's -chardev socket,path=... or of its pty",
            s->source.path);
    return SOURCE_FAILED;
}

static const struct source_ops serial_ops = {
    .name = "serial",
    .open = serial_open,
    .read = stream_read,
    .write = stream_write,
    .close = source_free,
};

/* Does (path) have the form HOST:PORT, which other tools accept? */
static bool is_tcp(const char *path)
{
    const char *colon = strrchr(path, ':');
    uint32_t port;

    return colon != NULL && strchr(path, '/') == NULL &&
           stream_number(colon + 1, UINT16_MAX, &port);
}

struct source *source_serial(const char *path, struct err *e)
{
    struct stat st;
    bool there = stat(path, &st) == 0;

    if (there && S_ISREG(st.st_mode))
        return source_replay(path, e);
    if (!there && is_tcp(path)) {
        err_set(e,
                "--serial takes a Unix socket, a pty or a file, not TCP: type "
                "'socat UNIX-LISTEN:/tmp/port TCP:%s', and --serial /tmp/port",
                path);
        return NULL;
    }
    if (strlen(path) >= STREAM_PATH_MAX) {
        err_set(e, "%s: longer than a socket's path may be", path);
        return NULL;
    }
    struct serial *s = source_new(sizeof *s, &serial_ops, path, e);

    if (s == NULL)
        return NULL;
    s->source.live = true;
    return &s->source;
}
