/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives up capabilities, privileges to come, and files. */
#include "cmd/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/landlock.h>

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ull << 14) /* since version 3 */
#endif

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#else
#define SANITIZED false
#endif

#define CAPABILITIES 64 /* more than any kernel knows */

static bool switched_off(void)
{
    const char *wish = getenv("TPROF_SANDBOX");

    if (wish != NULL && strcmp(wish, "on") == 0)
        return false;
    return SANITIZED || (wish != NULL && strcmp(wish, "off") == 0);
}

/* All that version (abi) of Landlock can refuse, but to look into folders. */
static uint64_t everything(long abi)
{
    uint64_t all =
        LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
        LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
        LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
        LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
        LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
        LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

    return abi >= 3 ? all | LANDLOCK_ACCESS_FS_TRUNCATE : all;
}

static long landlock_version(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0,
                   LANDLOCK_CREATE_RULESET_VERSION);
}

void sandbox_init(struct sandbox *s)
{
    long abi = landlock_version();
    struct landlock_ruleset_attr attr = {.handled_access_fs = everything(abi)};

    s->rules = -1;
    if (abi >= 1 && !switched_off())
        s->rules =
            (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
}

static void allow_below(struct sandbox *s, const char *folder, unsigned uses)
{
    struct landlock_path_beneath_attr rule = {
        .parent_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC)};

    if ((uses & SANDBOX_READ) != 0)
        rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_FILE;
    if ((uses & SANDBOX_WRITE) != 0)
        rule.allowed_access |= LANDLOCK_ACCESS_FS_WRITE_FILE |
                               LANDLOCK_ACCESS_FS_MAKE_REG |
                               LANDLOCK_ACCESS_FS_TRUNCATE;
    if ((uses & SANDBOX_REMOVE) != 0)
        rule.allowed_access |= LANDLOCK_ACCESS_FS_REMOVE_FILE;
    rule.allowed_access &= everything(landlock_version());
    if (rule.parent_fd < 0)
        return; /* nothing can be opened there, then */
    (void)syscall(SYS_landlock_add_rule, s->rules, LANDLOCK_RULE_PATH_BENEATH,
                  &rule, 0);
    (void)close(rule.parent_fd);
}

/* The folder that (path) is in, in (folder) of PATH_MAX bytes. */
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

void sandbox_allow(struct sandbox *s, const char *path, unsigned uses)
{
    char target[PATH_MAX], folder[PATH_MAX];

    if (s->rules < 0)
        return;
    if (folder_of(path, folder))
        allow_below(s, folder, uses);
    if (realpath(path, target) != NULL && folder_of(target, folder))
        allow_below(s, folder, uses);
}

/* What needs no capability is not asked for it. Errors mean that there was
 * nothing to give up. */
static void drop_capabilities(unsigned needs)
{
    struct __user_cap_header_struct header = {.version =
                                                  _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

    for (unsigned long c = 0; c < CAPABILITIES; c++)
        (void)prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capget, &header, data) != 0)
        return;
    for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        uint32_t kept = i == 0 ? 1u << CAP_DAC_OVERRIDE : 0;

        if (i == 0 && needs & SANDBOX_LOW_PORT)
            kept |= 1u << CAP_NET_BIND_SERVICE;

        data[i].effective &= kept;
        data[i].permitted &= kept;
        data[i].inheritable = 0;
    }
    (void)syscall(SYS_capset, &header, data);
}

int sandbox_enter(struct sandbox *s, unsigned needs, struct err *e)
{
    drop_capabilities(needs);
    /* both of the following want it */
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (s->rules >= 0) {
        (void)syscall(SYS_landlock_restrict_self, s->rules, 0);
        (void)close(s->rules);
        s->rules = -1;
    }
    if (switched_off() || sandbox_confine_calls(needs) == 0)
        return 0;
    return err_set(e,
                   "this kernel has no seccomp (%s): system calls stay allowed "
                   "that are not needed",
                   strerror(errno));
}
