/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's vsock over this host's own (AF_VSOCK). */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "guard/opener.h"
#include "guest/source/source.h"
#include "guest/source/stream.h"

/* exists if guests of this host can have vsock */
#define VHOST_DEVICE "/dev/vhost-vsock"
#define OWN_DEVICE   SOURCE_VSOCK_DEVICE

/* end of the privileged ports, for which <linux/vm_sockets.h> has no name */
#define PRIVILEGED_END 1024u

struct vsock {
    struct stream stream; /* first member; pending: connect() is on its way */
    uint32_t cid;
    bool privileged; /* connects from a port below PRIVILEGED_END */
    char warning[160];
};

/* Handle (error) of connect(), which came at once or later. */
static enum source_state judge_connect(struct vsock *v, int error,
                                       struct err *e)
{
    struct stream *s = &v->stream;

    stream_drop(s);
    switch (error) {
    case ENODEV:
    case ENETUNREACH:
    case EHOSTUNREACH:
        if (v->cid == VMADDR_CID_LOCAL)
            return stream_wait(s, "this host has no vsock loopback: "
                                  "modprobe vsock_loopback");
        return stream_wait(s, "no guest with CID %" PRIu32 " runs", v->cid);
    case ECONNRESET:
    case ECONNREFUSED:
        return stream_wait(s,
                           "guest %" PRIu32
                           " runs, but nothing listens on port %" PRIu32
                           " yet, or another collector is attached",
                           v->cid, s->port);
    case ETIMEDOUT:
        return stream_wait(s,
                           "guest %" PRIu32 " runs, but does not answer: its "
                           "vsock driver is not up yet, or it is paused",
                           v->cid);
    default:
        err_set(e, "vsock: %s: connect: %s", s->where, strerror(error));
        return SOURCE_FAILED;
    }
}

/* Gives the pending socket a privileged port that is free. Returns 0; -1 with
 * (e) filled. */
static int bind_low(struct stream *s, struct err *e)
{
    struct sockaddr_vm own = {.svm_family = AF_VSOCK,
                              .svm_cid = VMADDR_CID_ANY,
                              .svm_port = PRIVILEGED_END};

    while (--own.svm_port > 0) {
        if (bind(s->pending, (struct sockaddr *)&own, sizeof own) == 0)
            return 0;
        if (errno != EADDRINUSE)
            break;
    }
    return err_set(e,
                   "vsock: --privileged: cannot use a port below 1024 (%s): "
                   "run as root, or with CAP_NET_BIND_SERVICE",
                   strerror(errno));
}

static enum source_state begin_connect(struct vsock *v, struct err *e)
{
    struct stream *s = &v->stream;
    struct sockaddr_vm address = {
        .svm_family = AF_VSOCK, .svm_cid = v->cid, .svm_port = s->port};

    s->pending =
        socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->pending < 0) {
        err_set(e,
                "vsock: this kernel offers no vsock sockets (%s): modprobe "
                "vhost_vsock, or use --vsock-uds and 'collector bridge'",
                strerror(errno));
        return SOURCE_FAILED;
    }
    if (v->privileged && bind_low(s, e) < 0) {
        stream_drop(s);
        return SOURCE_FAILED;
    }
    if (connect(s->pending, (struct sockaddr *)&address, sizeof address) == 0)
        return stream_opened(s);
    return errno == EINPROGRESS ? SOURCE_ABSENT : judge_connect(v, errno, e);
}

/* Check whether connect() has finished. */
static enum source_state look_for_listener(struct vsock *v, struct err *e)
{
    struct stream *s = &v->stream;
    struct pollfd fd = {.fd = s->pending, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;

    if (poll(&fd, 1, 0) <= 0)
        return SOURCE_ABSENT;
    if (getsockopt(s->pending, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    return error == 0 ? stream_opened(s) : judge_connect(v, error, e);
}

static enum source_state vsock_open(struct source *s, struct err *e)
{
    struct vsock *v = (struct vsock *)s;

    return v->stream.pending < 0 ? begin_connect(v, e)
                                 : look_for_listener(v, e);
}

static void vsock_close(struct source *s)
{
    stream_fini((struct stream *)s);
    free(s);
}

static const struct source_ops vsock_ops = {
    .name = "vsock",
    .open = vsock_open,
    .read = stream_hear,
    .write = stream_write,
    .close = vsock_close,
};

/* Check that (cid) is one that a guest can have, or loopback. */
static int check_cid(uint32_t cid, struct err *e)
{
    switch (cid) {
    case VMADDR_CID_HYPERVISOR:
    case VMADDR_CID_HOST:
    case VMADDR_CID_ANY:
        return err_set(
            e,
            "--vsock: CID %" PRIu32
            " means %s; a guest's CID is 3 or more (QEMU's guest-cid=)",
            cid,
            cid == VMADDR_CID_HYPERVISOR ? "the hypervisor"
            : cid == VMADDR_CID_HOST     ? "this host"
                                         : "any guest");
    default:
        return 0;
    }
}

static int parse(struct vsock *v, struct err *e)
{
    const char *where = v->stream.where;
    const char *colon = strchr(where, ':');
    char cid[16] = "";
    size_t size = colon != NULL ? (size_t)(colon - where) : strlen(where);

    if (size < sizeof cid)
        (void)snprintf(cid, sizeof cid, "%.*s", (int)size, where);
    if (!stream_number(cid, UINT32_MAX, &v->cid))
        return err_set(e,
                       "--vsock: '%s' is not a guest: type its CID, a number "
                       "from 3 on, or CID:PORT",
                       where);
    if (check_cid(v->cid, e) < 0)
        return -1;
    return stream_port(&v->stream, colon != NULL ? colon + 1 : NULL, e);
}

int source_vsock_check(const char *where, struct err *e)
{
    struct vsock v = {0};
    int good =
        stream_init(&v.stream, &vsock_ops, where, e) == 0 ? parse(&v, e) : -1;

    stream_fini(&v.stream);
    return good;
}

/* Check that a connection would lead to a guest of this host. Without
 * vhost-vsock, a machine that is virtual itself would send the CID to its own
 * host. */
static int check_host(const struct vsock *v, struct err *e)
{
    if (v->cid == VMADDR_CID_LOCAL || access(VHOST_DEVICE, F_OK) == 0)
        return 0;
    return err_set(e,
                   "vsock: this host has no " VHOST_DEVICE ": modprobe "
                   "vhost_vsock; without root run 'collector bridge' and use "
                   "--vsock-uds PATH; in a container on a host that has it, "
                   "add --force-vsock");
}

/* Warn about a machine's own CID in place of a guest's: easily mistyped, hard
 * to see. */
static void check_own(struct vsock *v)
{
    uint32_t own = VMADDR_CID_ANY;
    int fd = opener_open(OPENER_READ, OWN_DEVICE);

    if (fd < 0)
        return;
    if (ioctl(fd, IOCTL_VM_SOCKETS_GET_LOCAL_CID, &own) == 0 && own == v->cid) {
        (void)snprintf(v->warning, sizeof v->warning,
                       "CID %" PRIu32 " is also the CID of this machine on its "
                       "own host: give the guest another one",
                       own);
        v->stream.source.warning = v->warning;
    }
    close(fd);
}

struct source *source_vsock(const char *where, unsigned how, struct err *e)
{
    struct vsock *v = calloc(1, sizeof *v);
    int error = EINVAL;

    if (v == NULL) {
        err_memory(e);
        return NULL;
    }
    if (stream_init(&v->stream, &vsock_ops, where, e) != 0 || parse(v, e) != 0)
        goto fail;
    error = ENODEV;
    if ((how & SOURCE_VSOCK_FORCE) == 0 && check_host(v, e) != 0)
        goto fail;
    v->privileged = (how & SOURCE_VSOCK_PRIVILEGED) != 0;
    check_own(v);
    return &v->stream.source;

fail:
    vsock_close(&v->stream.source);
    errno = error;
    return NULL;
}
