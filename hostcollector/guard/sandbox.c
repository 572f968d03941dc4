/* SPDX-License-Identifier: BSD-2-Clause */
/* Least privilege: gives up capabilities, new privileges and files. */
#include "guard/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/landlock.h>

/* Constants that the kernel headers of Debian 12 (6.1) lack. The collector is
 * built with these headers and runs on newer kernels. */
#define FS_REFER        (1ull << 13) /* from version 2 of Landlock on */
#define FS_TRUNCATE     (1ull << 14) /* from version 3 on */
#define FS_IOCTL_DEVICE (1ull << 15) /* from version 5 on */
#define NET_TCP_BIND    1ull         /* from version 4 on */
#define NET_TCP_CONNECT 2ull
#define SCOPE_SOCKETS   1ull /* from version 6 on: abstract Unix sockets */
/* from version 6 on: signals to processes outside */
#define SCOPE_SIGNALS   2ull

/* Accesses that Landlock can refuse for a single file. */
#define OF_FILES                                                               \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |              \
     LANDLOCK_ACCESS_FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEVICE)

struct ruleset { /* struct landlock_ruleset_attr as of version 6 */
    uint64_t files, net, scoped;
};

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#else
#define SANITIZED false
#endif

const char *const sandbox_words[SANDBOX_MODES] = {[SANDBOX_AUTO] = "auto",
                                                  [SANDBOX_REQUIRED] =
                                                      "required",
                                                  [SANDBOX_OFF] = "off"};

bool sandbox_wanted(enum sandbox_mode mode)
{
    return mode == SANDBOX_REQUIRED || (mode == SANDBOX_AUTO && !SANITIZED);
}

/* Returns all accesses that version (abi) of Landlock can refuse. */
static struct ruleset everything(long abi)
{
    struct ruleset all = {
        .files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                 LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                 LANDLOCK_ACCESS_FS_REMOVE_DIR |
                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM};

    all.files |= abi >= 2 ? FS_REFER : 0;
    all.files |= abi >= 3 ? FS_TRUNCATE : 0;
    all.files |= abi >= 5 ? FS_IOCTL_DEVICE : 0;
    all.net = abi >= 4 ? NET_TCP_BIND | NET_TCP_CONNECT : 0;
    all.scoped = abi >= 6 ? SCOPE_SOCKETS | SCOPE_SIGNALS : 0;
    return all;
}

long sandbox_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0,
                   LANDLOCK_CREATE_RULESET_VERSION);
}

/* Keep the first error in (s). */
static void note_error(struct sandbox *s, long result)
{
    if (result < 0 && s->error == 0)
        s->error = errno;
}

/* Begin a sandbox that allows the network accesses (net). */
static void begin_rules(struct sandbox *s, uint64_t net)
{
    long abi = sandbox_landlock();
    struct ruleset all = everything(abi);

    all.net &= ~net;
    *s = (struct sandbox){.rules = -1};
    note_error(s, abi);
    if (abi >= 1) {
        /* older kernels accept a longer structure if its end is 0 */
        s->rules =
            (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
        note_error(s, s->rules);
    }
}

void sandbox_init(struct sandbox *s)
{
    begin_rules(s, 0);
}

void sandbox_init_network(struct sandbox *s)
{
    begin_rules(s, NET_TCP_CONNECT);
}

void sandbox_fini(struct sandbox *s)
{
    if (s->rules >= 0)
        (void)close(s->rules);
    s->rules = -1;
}

static uint64_t access_of(unsigned uses)
{
    uint64_t access = 0;

    if ((uses & SANDBOX_READ) != 0)
        access |= LANDLOCK_ACCESS_FS_READ_FILE;
    if ((uses & (SANDBOX_WRITE | SANDBOX_ADD)) != 0)
        access |= LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
    if ((uses & SANDBOX_WRITE) != 0)
        access |= FS_TRUNCATE;
    if ((uses & SANDBOX_REMOVE) != 0)
        access |= LANDLOCK_ACCESS_FS_REMOVE_FILE;
    if ((uses & SANDBOX_LIST) != 0)
        access |= LANDLOCK_ACCESS_FS_READ_DIR;
    if ((uses & SANDBOX_FOLDERS) != 0)
        access |= LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR;
    if ((uses & SANDBOX_DEVICE) != 0)
        access |= FS_IOCTL_DEVICE;
    return access & everything(sandbox_landlock()).files;
}

/* Allow (access) for the file that (path) leads to, and below it if it is a
 * folder. */
static void allow_itself(struct sandbox *s, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access = access, .parent_fd = open(path, O_PATH | O_CLOEXEC)};

    if (rule.parent_fd < 0)
        return; /* then nothing can be opened there, either */
    if (access != 0 &&
        syscall(SYS_landlock_add_rule, s->rules, LANDLOCK_RULE_PATH_BENEATH,
                &rule, 0) != 0 &&
        errno != EBADFD) /* Landlock never restricts pipes without names */
        note_error(s, -1);
    (void)close(rule.parent_fd);
}

/* Copy the folder of the file (path) into (folder), which has PATH_MAX bytes.
 */
static bool folder_of(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    size_t size = slash == NULL ? 0 : (size_t)(slash - path) + 1;

    if (size >= PATH_MAX)
        return false;
    memcpy(folder, path, size);
    folder[size] = '\0';
    if (size == 0)
        memcpy(folder, ".", 2);
    return true;
}

void sandbox_allow_alone(struct sandbox *s, const char *path, unsigned uses)
{
    struct stat st;

    if (s->rules >= 0 && path != NULL && stat(path, &st) == 0)
        allow_itself(s, path,
                     S_ISDIR(st.st_mode) ? access_of(uses)
                                         : access_of(uses) & OF_FILES);
}

/* Is a rule for the target of (path) enough? Not for a regular file, which may
 * be replaced, or a socket, which may be removed and created again: these need
 * a rule for their folder. */
static bool stays(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
           !S_ISSOCK(st.st_mode);
}

void sandbox_allow(struct sandbox *s, const char *path, unsigned uses)
{
    uint64_t access = access_of(uses);
    char target[PATH_MAX], folder[PATH_MAX];

    if (s->rules < 0)
        return;
    if (stays(path)) {
        sandbox_allow_alone(s, path, uses);
        return;
    }
    if (folder_of(path, folder))
        allow_itself(s, folder, access);
    if (realpath(path, target) != NULL && folder_of(target, folder))
        allow_itself(s, folder, access);
}

static uint32_t kept_capabilities(unsigned needs)
{
    uint32_t kept = 1u << CAP_DAC_READ_SEARCH;

    if ((needs & SANDBOX_OPENER) != 0)
        kept |= 1u << CAP_DAC_OVERRIDE;
    if ((needs & SANDBOX_LOW_PORT) != 0)
        kept |= 1u << CAP_NET_BIND_SERVICE;
    return kept;
}

/* Drop all capabilities that (needs) do not require. Returns 0; -1 with errno
 * set if capabilities stay. The bounding set matters only for programs that are
 * executed, and cannot be changed without CAP_SETPCAP. */
static int drop_capabilities(unsigned needs)
{
    struct __user_cap_header_struct header = {.version =
                                                  _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

    for (unsigned long c = 0; prctl(PR_CAPBSET_DROP, c, 0, 0, 0) == 0; c++)
        continue;
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capget, &header, data) != 0)
        return -1;
    for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        uint32_t kept = i == 0 ? kept_capabilities(needs) : 0;

        data[i].effective &= kept;
        data[i].permitted &= kept;
        data[i].inheritable = 0;
    }
    return (int)syscall(SYS_capset, &header, data);
}

/* Prevent core files and tracing by other processes of the user. seccomp and
 * Landlock both require that the process gets no new privileges. */
static int drop_privileges(unsigned needs)
{
    const struct rlimit none = {0, 0};

    return setrlimit(RLIMIT_CORE, &none) != 0 ||
                   prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
                   drop_capabilities(needs) != 0 ||
                   prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
               ? -1
               : 0;
}

static int confine_files(struct sandbox *s)
{
    if (s->rules >= 0)
        note_error(s, syscall(SYS_landlock_restrict_self, s->rules, 0));
    sandbox_fini(s);
    errno = s->error;
    return s->error == 0 ? 0 : -1;
}

/* Append to the line in (e): (what) is missing because of errno, so (stays). */
static void add_lack(struct err *e, const char *what, const char *stays)
{
    struct err before = *e;

    (void)err_set(e, "%s%s%s (%s): %s", before.text,
                  before.text[0] != '\0' ? "; " : "", what, strerror(errno),
                  stays);
}

int sandbox_enter(struct sandbox *s, unsigned needs, struct err *e)
{
    e->text[0] = '\0';
    if (drop_privileges(needs) != 0)
        add_lack(e, "privileges cannot be dropped",
                 "calls stay allowed that reading does not need");
    if (confine_files(s) != 0)
        add_lack(e, "no Landlock",
                 "files, sockets and signals are confined by "
                 "seccomp alone");
    if (sandbox_confine_calls(needs) != 0)
        add_lack(e, "no seccomp",
                 "system calls stay allowed that are not needed");
    return e->text[0] == '\0' ? 0 : -1;
}
