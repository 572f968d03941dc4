/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said at a Unix socket that leads to a guest's vsock. Leaf. */
#ifndef TPROF_UTIL_UDS_WORDS_H
#define TPROF_UTIL_UDS_WORDS_H

/* Where a client asks for a port, "CONNECT port\n", QEMU is expected: the
 * bridge's line, which its own collector understands. */
#define UDS_ASKS_FOR  "CONNECT "
#define UDS_QEMU_ONLY "QEMU's side, not --uds"

#endif
