/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console driver alone, as the pump uses it: attached and left again by
 * peer.c, which says what to do. Fails where a byte is wrong, where send()
 * blocks, or where what was announced is not what came.
 */
#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/probe.h"
#include "cpu.h"
#include "guest.h"
#include "kit.h"
#include "mem.h"
#include "peer.h"
#include "state/reach.h"
#include "transport/transport.h"
#include "transport/transport_console.h"

#define FRAMES     8u
#define FRAME_SIZE 4096u

/* Frames being sent: (frame_sizes) of those in use, the oldest first */
static uint8_t frames[FRAMES][FRAME_SIZE];
static uint32_t frame_sizes[FRAMES];
static uint32_t frame_first, frame_next, frame_bytes;

static struct tprof_console console;
static struct tprof_channel channel;
static bool attached;
static unsigned attachments, detachments, busy;

/* What the host wants: its command, as far as it came, and what is left */
static struct peer_message command;
static uint32_t command_have;
static uint32_t to_send, sent;
static uint32_t to_take, taken, right;
static struct peer_message answer; /* to be sent first; letter 0: none */

static void forget(void)
{
    command_have = 0;
    to_send = sent = 0;
    to_take = taken = 0;
    answer.letter = 0;
}

static void reply(uint8_t letter, uint32_t count)
{
    answer.letter = letter;
    answer.attachment = (uint16_t)attachments;
    answer.count = count;
}

static void check(int result, const char *what)
{
    if (result == TPROF_ERR_CLOSED) {
        attached = false;
        detachments++;
        forget();
    } else if (result < 0) {
        guest_fail(what);
    }
}

/* Take frames back that the device has read. */
static void free_frames(void)
{
    uint32_t pending = channel.pending(channel.context);

    while (frame_first != frame_next) {
        uint32_t size = frame_sizes[frame_first % FRAMES];

        if (frame_bytes - size < pending)
            return;
        frame_bytes -= size;
        frame_first++;
    }
}

/* The next frame: the answer that is due, or more of the pattern. */
static void send_frame(void)
{
    free_frames();
    if (frame_next - frame_first == FRAMES) {
        busy++;
        return;
    }
    uint8_t *frame = frames[frame_next % FRAMES];
    uint32_t size = sizeof answer;

    if (answer.letter) {
        for (uint32_t i = 0; i < size; i++)
            frame[i] = ((const uint8_t *)&answer)[i];
    } else {
        size = to_send - sent < FRAME_SIZE ? to_send - sent : FRAME_SIZE;
        for (uint32_t i = 0; i < size; i++)
            frame[i] = peer_pattern(sent + i);
    }
    int done = channel.send(channel.context, frame, size);

    check(done, "send");
    if (done <= 0) {
        busy++;
        return;
    }
    if (done != (int)size)
        guest_fail("a part was sent");
    frame_sizes[frame_next++ % FRAMES] = size;
    frame_bytes += size;
    if (answer.letter)
        answer.letter = 0;
    else
        sent += size;
}

static void act(void)
{
    command_have = 0;
    if (command.attachment != attachments)
        guest_fail("told what was meant for another");
    switch (command.letter) {
    case PEER_SEND:
        to_send = command.count;
        sent = 0;
        reply(PEER_SENDING, to_send);
        break;
    case PEER_TAKE:
        to_take = command.count;
        taken = 0;
        right = 0;
        break;
    case PEER_BYE:
        con_printf("console: %u attached, %u left, busy %s\n", attachments,
                   detachments, busy ? "at times" : "never");
        if (attachments != detachments + 1)
            guest_fail("attached twice or left twice");
        guest_exit(0);
    default:
        guest_fail("unknown command");
    }
}

static void consume(const uint8_t *data, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        if (taken < to_take) {
            right += data[i] == peer_pattern(taken);
            if (++taken == to_take)
                reply(PEER_TOOK, right);
        } else {
            ((uint8_t *)&command)[command_have++] = data[i];
            if (command_have == PEER_MESSAGE_SIZE)
                act();
        }
    }
}

/* One turn, as the pump's. */
static void turn(void)
{
    uint8_t data[100]; /* no divisor of the driver's buffers */

    if (!attached) {
        int state = channel.open(channel.context);

        check(state, "open");
        attached = state == 1;
        /* each look is an exit to QEMU, whose own work must have a chance */
        for (int i = 0; !attached && i < 10000; i++)
            cpu_pause();
        if (attached) {
            attachments++;
            reply(PEER_HELLO, 0);
        }
        return;
    }
    int got = channel.receive(channel.context, data, sizeof data);

    check(got, "receive");
    if (got > 0)
        consume(data, (uint32_t)got);
    if (attached && (answer.letter || sent < to_send))
        send_frame();
}

/* The machine's own command line, with its virtio_mmio.device= entries. */
static const char *machine_line(void)
{
    return *(const char *const *)(uintptr_t)(boot_info + 24);
}

/* Instead of the agent's: all memory is where it is. */
uintptr_t tprof_reach(uint64_t physical, uint64_t size)
{
    (void)size;
    return (uintptr_t)physical;
}

int guest_main(void)
{
    const struct tprof_device where = {
        .bus = (uint32_t)opt_u64("bus", TPROF_BUS_AUTO),
        .flags = opt_u64("scan", 1) ? 0 : TPROF_DEVICE_NO_SCAN,
        .address = opt_u64("address", 0),
        .command_line = opt_u64("list", 1) ? machine_line() : NULL,
    };

    tprof_probe_begin();
    const struct tprof_transport_setup setup = {.memory = &console,
                                                .where = &where};
    int error = tprof_console_init(&setup, &channel);

    if (error < 0) {
        con_printf("console: none (%d)\n", error);
        return opt_u64("none", 0) == 1 ? 0 : 1;
    }
    con_printf("console: port %u, %s\n", console.port,
               console.device.legacy ? "legacy" : "modern");
    for (;;)
        turn();
}
