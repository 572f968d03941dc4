/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AF_VSOCK as the source sees it, without any: its system calls are played
 * here, so that nothing leaves this machine. tests/system/nested has the real
 * ones.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "alloc.h"
#include "guest/source/source.h"

static struct err error;

/* The host that is played. */
static bool no_vhost;              /* there is no /dev/vhost-vsock */
static int own_cid = -1;           /* -1: there is no /dev/vsock */
static int socket_error;           /* 0: a socket is given */
static int connect_error;          /* 0: at once */
static bool pending;               /* connect() has come to no end yet */
static int pending_error;          /* and to which */
static int sockets, peer;          /* given; the other end of the last one */
static struct sockaddr_vm address; /* last connected to */
static unsigned bound;             /* the port of the last socket; 0: any */
static unsigned lowest_in_use;     /* of the privileged ports */
static int bind_error;             /* 0: as that says */

int __wrap_socket(int domain, int type, int protocol);
int __wrap_bind(int fd, const struct sockaddr *a, socklen_t size);
int __wrap_connect(int fd, const struct sockaddr *a, socklen_t size);
int __wrap_getsockopt(int fd, int level, int name, void *value,
                      socklen_t *size);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms);
int __wrap_access(const char *path, int mode);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

static int result(int error_number)
{
    errno = error_number;
    return error_number == 0 ? 0 : -1;
}

int __wrap_socket(int domain, int type, int protocol)
{
    int pair[2];

    CHECK_EQ(domain, AF_VSOCK);
    CHECK_EQ(type, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
    CHECK_EQ(protocol, 0);
    if (socket_error != 0)
        return result(socket_error);
    CHECK_EQ(socketpair(AF_UNIX, type, 0, pair), 0);
    sockets++;
    peer = pair[1];
    bound = 0;
    return pair[0];
}

int __wrap_bind(int fd, const struct sockaddr *a, socklen_t size)
{
    struct sockaddr_vm own;

    CHECK(fd >= 0);
    CHECK_EQ(size, sizeof own);
    memcpy(&own, a, sizeof own);
    CHECK_EQ(own.svm_family, AF_VSOCK);
    CHECK_EQ(own.svm_cid, VMADDR_CID_ANY);
    CHECK(own.svm_port > 0 && own.svm_port < 1024);
    if (bind_error != 0)
        return result(bind_error);
    if (own.svm_port >= lowest_in_use)
        return result(EADDRINUSE);
    bound = own.svm_port;
    return 0;
}

int __wrap_connect(int fd, const struct sockaddr *a, socklen_t size)
{
    CHECK(fd >= 0);
    CHECK_EQ(size, sizeof address);
    memcpy(&address, a, sizeof address);
    CHECK_EQ(address.svm_family, AF_VSOCK);
    return result(connect_error);
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
    CHECK(fd >= 0);
    CHECK_EQ(level, SOL_SOCKET);
    CHECK_EQ(name, SO_ERROR);
    CHECK_EQ(*size, sizeof pending_error);
    memcpy(value, &pending_error, sizeof pending_error);
    return 0;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    CHECK_EQ(n, 1);
    CHECK_EQ(fds->events, POLLOUT);
    CHECK_EQ(timeout_ms, 0); /* never waits */
    return pending ? 0 : 1;
}

int __wrap_access(const char *path, int mode)
{
    CHECK_STR(path, "/dev/vhost-vsock");
    CHECK_EQ(mode, F_OK);
    return result(no_vhost ? ENOENT : 0);
}

int __wrap_open(const char *path, int flags, ...)
{
    CHECK_STR(path, "/dev/vsock");
    CHECK_EQ(flags & (O_ACCMODE | O_CLOEXEC), O_RDONLY | O_CLOEXEC);
    return own_cid < 0 ? result(ENOENT) : dup(STDOUT_FILENO);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list args;

    CHECK(fd >= 0);
    CHECK_EQ(request, IOCTL_VM_SOCKETS_GET_LOCAL_CID);
    va_start(args, request);
    *va_arg(args, unsigned *) = (unsigned)own_cid;
    va_end(args);
    return 0;
}

/* A source that (where) is good for. */
static struct source *made(const char *where, unsigned how)
{
    struct source *s = source_vsock(where, how, &error);

    CHECK(s != NULL);
    CHECK(s->live && s->reconnects && s->fd == -1);
    CHECK_STR(s->path, where);
    CHECK_EQ(sockets, 0); /* not before open() */
    return s;
}

static enum source_state open_again(struct source *s)
{
    return s->ops->open(s, &error);
}

static void leads_to(const char *where, unsigned cid, unsigned port)
{
    struct source *s = made(where, 0);

    CHECK_EQ(open_again(s), SOURCE_OPEN);
    CHECK_EQ(address.svm_cid, cid);
    CHECK_EQ(address.svm_port, port);
    sockets = 0;
    source_close(s);
}

TEST(cid_and_port_are_what_was_typed) /* catches: a connection to another */
{
    leads_to("3", 3, 7077);
    leads_to("3:1", 3, 1);
    leads_to("4294967294:4294967294", 4294967294, 4294967294);
    leads_to("1", 1, 7077);
}

TEST(privileged_port_is_bound_before_connecting)
{
    struct source *s =
        source_vsock("3", SOURCE_VSOCK_FORCE | SOURCE_VSOCK_PRIVILEGED, &error);

    CHECK(s != NULL);
    lowest_in_use = 1020;
    connect_error = ECONNREFUSED;
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    CHECK_EQ(bound, 1019); /* the highest that is free */
    lowest_in_use = 1024;
    connect_error = 0;
    CHECK_EQ(open_again(s), SOURCE_OPEN); /* each attempt binds anew */
    CHECK_EQ(bound, 1023);
    source_close(s);
    s = source_vsock("3", SOURCE_VSOCK_FORCE | SOURCE_VSOCK_PRIVILEGED, &error);
    lowest_in_use = 1;
    CHECK_EQ(open_again(s), SOURCE_FAILED); /* there are no others */
    lowest_in_use = 1024;
    bind_error = EACCES;
    CHECK_EQ(open_again(s), SOURCE_FAILED);
    CHECK_STR(error.text,
              "vsock: --privileged: cannot use a port below 1024 (Permission "
              "denied): run as root, or with CAP_NET_BIND_SERVICE");
    source_close(s);
}

static void refuses(const char *where, const char *why)
{
    error.text[0] = '\0';
    CHECK(source_vsock(where, SOURCE_VSOCK_FORCE, &error) == NULL);
    CHECK(strstr(error.text, why) != NULL);
}

TEST(nonsense_is_refused) /* catches: a number that wraps to another guest */
{
    static const char *const words[] = {"",
                                        "x",
                                        "3x",
                                        " 3",
                                        "+3",
                                        "-1",
                                        "0x3",
                                        ":7077",
                                        "4294967296",
                                        "18446744073709551619",
                                        "3,4",
                                        "vm.sock",
                                        "00000000000000003"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        refuses(words[i], "is not a guest: type its CID");
    refuses("3:", "'' is not a port");
    refuses("3:0", "'0' is not a port");
    refuses("3:4294967295", "'4294967295' is not a port");
    refuses("3:7077:1", "'7077:1' is not a port");
    refuses("3:x", "'x' is not a port");
    CHECK_EQ(sockets, 0);
}

TEST(reserved_cids_are_refused) /* catches: speaking with the host itself */
{
    refuses("0", "CID 0 means the hypervisor; a guest's CID is 3 or more");
    refuses("2", "CID 2 means this host");
    refuses("4294967295", "CID 4294967295 means any guest");
}

/* Catches: a connection that leaves the machine */
TEST(host_without_vhost_is_refused)
{
    no_vhost = true;
    CHECK(source_vsock("3", 0, &error) == NULL);
    CHECK(strstr(error.text, "/dev/vhost-vsock") != NULL);
    CHECK(strstr(error.text, "collector bridge") != NULL);
    CHECK(strstr(error.text, "--vsock-uds") != NULL);
    CHECK(strstr(error.text, "--force-vsock") != NULL);
    CHECK(strlen(error.text) < sizeof error.text - 1); /* not cut */
    CHECK_EQ(sockets, 0);
    source_close(made("1", 0)); /* loopback needs no vhost */
    source_close(made("3", SOURCE_VSOCK_FORCE));
}

TEST(own_cid_is_warned_of) /* catches: a machine that waits for itself */
{
    own_cid = 3;
    struct source *s = made("3", 0);

    CHECK(strstr(s->warning, "CID 3 is also the CID of this machine") != NULL);
    source_close(s);
    s = made("4", 0);
    CHECK(s->warning == NULL);
    source_close(s);
    own_cid = -1;
    s = made("3", 0);
    CHECK(s->warning == NULL);
    source_close(s);
}

TEST(kernel_without_vsock_fails) /* catches: waiting for what cannot come */
{
    struct source *s = made("3", 0);

    socket_error = EAFNOSUPPORT;
    CHECK_EQ(open_again(s), SOURCE_FAILED);
    CHECK(strstr(error.text, "no vsock sockets") != NULL);
    CHECK(strstr(error.text, "--vsock-uds") != NULL);
    source_close(s);
}

/* What connect() says leads to (why), be it said at once or later. */
static void absent(const char *where, int number, const char *why)
{
    struct source *s = made(where, 0);

    connect_error = number;
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    CHECK(strstr(s->absence, why) != NULL);

    connect_error = EINPROGRESS;
    CHECK_EQ(open_again(s), SOURCE_ABSENT); /* a socket of its own */
    CHECK_EQ(sockets, 2);
    pending_error = number;
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    CHECK(strstr(s->absence, why) != NULL);
    sockets = 0;
    source_close(s);
}

TEST(absence_says_why) /* catches: one text for every trouble */
{
    absent("5", ENODEV, "no guest with CID 5 runs");
    absent("1", ENODEV, "modprobe vsock_loopback");
    absent("5:80", ECONNRESET, "guest 5 runs, but nothing listens on port 80");
    absent("5", ECONNRESET, "another collector");
    absent("5", ETIMEDOUT, "guest 5 runs, but does not answer");
}

TEST(other_errors_fail) /* catches: trying for ever what is not allowed */
{
    struct source *s = made("3", 0);

    connect_error = EACCES;
    CHECK_EQ(open_again(s), SOURCE_FAILED);
    CHECK(strstr(error.text, "vsock: 3: connect: Permission denied") != NULL);
    connect_error = EINPROGRESS;
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    pending_error = ENOBUFS;
    CHECK_EQ(open_again(s), SOURCE_FAILED);
    source_close(s);
}

TEST(pending_connection_is_polled) /* catches: one socket more at each look */
{
    struct source *s = made("3", 0);

    connect_error = EINPROGRESS;
    pending = true;
    for (int i = 0; i < 5; i++)
        CHECK_EQ(open_again(s), SOURCE_ABSENT);
    CHECK_EQ(sockets, 1);
    CHECK_EQ(s->fd, -1);
    CHECK(s->absence == NULL);
    pending = false;
    CHECK_EQ(open_again(s), SOURCE_OPEN);
    CHECK_EQ(sockets, 1);
    CHECK(s->fd >= 0);
    source_close(s);
}

TEST(guest_comes_back) /* catches: descriptors left over from earlier lives */
{
    struct source *s = made("3", 0);
    uint64_t arrival;
    char got[8];
    int first = -1;

    for (int i = 0; i < 3; i++) {
        CHECK_EQ(open_again(s), SOURCE_OPEN);
        CHECK(first < 0 || s->fd == first);
        first = s->fd;
        CHECK_EQ(s->ops->write(s, "xyz", 3, &error), 3);
        CHECK_EQ(read(peer, got, 8), 3);
        CHECK_MEM(got, "xyz", 3);
        CHECK_EQ(write(peer, "ab", 2), 2);
        close(peer);
        CHECK_EQ(s->ops->read(s, got, 8, &arrival, &error), 2);
        CHECK_EQ(s->ops->read(s, got, 8, &arrival, &error), SOURCE_END);
        CHECK_EQ(s->fd, -1);
        CHECK(s->absence == NULL);
    }
    CHECK_EQ(open_again(s), SOURCE_OPEN);
    close(peer);
    CHECK_EQ(s->ops->read(s, got, 8, &arrival, &error), SOURCE_END);
    CHECK(strstr(s->absence, "another collector") != NULL);
    source_close(s);
}

TEST(pending_connection_is_closed) /* catches: a leak when the user is tired */
{
    struct source *s = made("3", 0);
    char got;

    connect_error = EINPROGRESS;
    pending = true;
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    source_close(s);
    CHECK_EQ(read(peer, &got, 1), 0);
}

TEST(memory_may_be_short) /* catches: a crash, a leak */
{
    for (unsigned n = 1;; n++) {
        alloc_fail_at(n);
        struct source *s = source_vsock("3:12", 0, &error);

        if (!alloc_failed()) {
            CHECK(s != NULL);
            source_close(s);
            break;
        }
        CHECK(s == NULL);
        CHECK(strstr(error.text, "out of memory") != NULL);
    }
}
