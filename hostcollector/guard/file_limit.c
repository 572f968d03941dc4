/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit of open files of this process. */
#include "guard/file_limit.h"

#include <sys/resource.h>

/* Files besides those of guests: an image being read, outputs, epoll, signals,
 * the helper's socket, standard descriptors, and some left open by the caller.
 */
#define FILES_ELSE 32u

int file_limit_raise(size_t guests, bool recorded, struct err *e)
{
    rlim_t wanted = guests * (recorded ? 2 : 1) + FILES_ELSE;
    struct rlimit limit;

    if (guests == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        limit.rlim_cur >= wanted)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max >= wanted)
        return 0;
    return err_set(
        e,
        "%zu guests need %llu open files, but the limit is %llu: type 'ulimit "
        "-n %llu' first (as root, or raise LimitNOFILE= or limits.conf)",
        guests, (unsigned long long)wanted, (unsigned long long)limit.rlim_max,
        (unsigned long long)wanted);
}
