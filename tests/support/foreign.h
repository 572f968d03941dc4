/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TPROF_TEST_FOREIGN_H
#define TPROF_TEST_FOREIGN_H

#include <stdbool.h>
#include <sys/types.h>

/* Do bytes of others come from the descriptor (fd) of the process (pid): from a
 * recording, an image, a dump, or a socket of another program? */
bool foreign_fd(pid_t pid, int fd);

#endif
