/* SPDX-License-Identifier: BSD-2-Clause */
/* A vsock packet's header: virtio 1.2, 5.10.6. Little-endian. */
#ifndef TPROF_BRIDGE_PACKET_H
#define TPROF_BRIDGE_PACKET_H

#include <stdint.h>

#include "util/bytes.h"

#define PACKET_SRC_CID   0u  /* u64 */
#define PACKET_DST_CID   8u  /* u64 */
#define PACKET_SRC_PORT  16u /* u32 */
#define PACKET_DST_PORT  20u /* u32 */
#define PACKET_LENGTH    24u /* u32 bytes of data after the header */
#define PACKET_TYPE      28u /* u16 */
#define PACKET_OP        30u /* u16 */
#define PACKET_FLAGS     32u /* u32 for OP_SHUTDOWN */
#define PACKET_BUF_ALLOC 36u /* u32 size of the sender's buffer */
/* u32  bytes of data that it took so far, wrapping */
#define PACKET_FWD_CNT   40u
#define PACKET_HEADER    44u

#define TYPE_STREAM 1u

#define OP_REQUEST        1u
#define OP_RESPONSE       2u
#define OP_RST            3u
#define OP_SHUTDOWN       4u
#define OP_RW             5u
#define OP_CREDIT_UPDATE  6u
#define OP_CREDIT_REQUEST 7u

#define SHUT_NO_RECEIVE 1u /* the sender will take no more bytes */
#define SHUT_NO_SEND    2u /* the sender will send no more bytes */
#define SHUT_BOTH       3u

#define CID_HOST 2u

struct packet {
    uint64_t src_cid, dst_cid;
    uint32_t src_port, dst_port;
    uint32_t length;
    uint16_t type, op;
    uint32_t flags, buf_alloc, fwd_cnt;
};

static inline struct packet packet_load(const uint8_t p[PACKET_HEADER])
{
    return (struct packet){
        .src_cid = load_u64(p + PACKET_SRC_CID),
        .dst_cid = load_u64(p + PACKET_DST_CID),
        .src_port = load_u32(p + PACKET_SRC_PORT),
        .dst_port = load_u32(p + PACKET_DST_PORT),
        .length = load_u32(p + PACKET_LENGTH),
        .type = load_u16(p + PACKET_TYPE),
        .op = load_u16(p + PACKET_OP),
        .flags = load_u32(p + PACKET_FLAGS),
        .buf_alloc = load_u32(p + PACKET_BUF_ALLOC),
        .fwd_cnt = load_u32(p + PACKET_FWD_CNT),
    };
}

static inline void packet_store(const struct packet *k,
                                uint8_t p[PACKET_HEADER])
{
    store_u64(p + PACKET_SRC_CID, k->src_cid);
    store_u64(p + PACKET_DST_CID, k->dst_cid);
    store_u32(p + PACKET_SRC_PORT, k->src_port);
    store_u32(p + PACKET_DST_PORT, k->dst_port);
    store_u32(p + PACKET_LENGTH, k->length);
    store_u16(p + PACKET_TYPE, k->type);
    store_u16(p + PACKET_OP, k->op);
    store_u32(p + PACKET_FLAGS, k->flags);
    store_u32(p + PACKET_BUF_ALLOC, k->buf_alloc);
    store_u32(p + PACKET_FWD_CNT, k->fwd_cnt);
}

#endif
