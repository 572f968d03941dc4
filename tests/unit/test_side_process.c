/* SPDX-License-Identifier: BSD-2-Clause */
/* A side process is waited for, whatever signals come meanwhile. */
#include "check.h"

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/side_process.h"

static int interruptions; /* waits that a signal is still to interrupt */

pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    if (options == 0 && interruptions > 0) {
        interruptions--;
        errno = EINTR;
        return -1;
    }
    return __real_waitpid(pid, status, options);
}

TEST(interrupted_wait_goes_on) /* catches: a zombie after a signal */
{
    pid_t child = side_process_fork();

    if (child == 0)
        for (;;)
            (void)pause();
    interruptions = 3;
    side_process_end(child);
    CHECK_EQ(interruptions, 0);
    CHECK_EQ(__real_waitpid(child, NULL, WNOHANG), -1);
    CHECK_EQ(errno, ECHILD);
}
