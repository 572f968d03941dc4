/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the protocol on a Unix socket that leads to a guest's vsock. Leaf.
 */
#ifndef TPROF_UTIL_UDS_WORDS_H
#define TPROF_UTIL_UDS_WORDS_H

/* A client asks for a port with "CONNECT port
 * ". If the client has connected to the socket meant for QEMU, `collector
 * bridge` answers with the second text, which the collector recognizes. */
#define UDS_ASKS_FOR  "CONNECT "
#define UDS_QEMU_ONLY "QEMU's side, not --uds"

#endif
