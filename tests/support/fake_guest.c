/* SPDX-License-Identifier: BSD-2-Clause */
/* A child process that plays a guest; see fake_guest.h. */
#include "fake_guest.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tprof_wire.h"

#define TEXT 0x400000u

static char dir[] = "/tmp/test_pipeline.XXXXXX";
char socket_path[64], record_path[64];

void make_dir(void)
{
    CHECK(mkdtemp(dir) != NULL);
    snprintf(socket_path, sizeof socket_path, "%s/port", dir);
    snprintf(record_path, sizeof record_path, "%s/x.tprof", dir);
}

void remove_dir(void)
{
    unlink(socket_path);
    unlink(record_path);
    rmdir(dir);
}

static int listen_there(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(address.sun_path, socket_path, sizeof socket_path);
    CHECK_EQ(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_EQ(listen(fd, 1), 0);
    return fd;
}

void say(struct guest_side *g)
{
    CHECK_EQ(write(g->fd, g->w.bytes, g->w.size), (ssize_t)g->w.size);
    g->w.size = 0;
}

void say_hello(struct guest_side *g, uint8_t boot)
{
    wiregen_hello(&g->w, &(struct wiregen_hello){.boot = boot,
                                                 .cores = 1,
                                                 .tsc_hz = g->tsc_hz,
                                                 .features = g->features,
                                                 .text_start = TEXT});
    say(g);
    g->expected_seq = 0;
}

void say_samples(struct guest_side *g, uint64_t n, uint64_t before)
{
    wiregen_samples_begin(
        &g->w, &(struct wiregen_samples){
                   .shift = 4, .period = 8000, .epoch = 1, .time = 1000});
    wiregen_stack(&g->w, &(struct wiregen_stack){.id = 1});
    for (uint64_t i = 0; i < n; i++)
        wiregen_short(&g->w, 1, 8000, 0x100, 0);
    wiregen_samples_end(&g->w, (uint64_t[4]){before + n, 0, 0, 0});
    say(g);
}

void say_status(struct guest_side *g, uint8_t state, uint8_t refusal)
{
    wiregen_open(&g->w, WIRE_STATUS);
    wiregen_field(&g->w, WIRE_CONTROL_STATE, state, 1);
    wiregen_field(&g->w, WIRE_CONTROL_ERROR, refusal, 1);
    wiregen_close(&g->w);
    say(g);
}

int hear(struct guest_side *g, uint8_t type, uint8_t *body)
{
    uint8_t frame[64];

    if (recv(g->fd, frame, 8, MSG_WAITALL) != 8)
        return -1;
    CHECK_MEM(frame, "\x54\x9d", 2);
    int length = frame[6];
    bool is_late = frame[2] == WIRE_GREET; /* this guest was, with HELLO */

    if (!is_late) {
        CHECK_EQ(frame[2], type);
        CHECK_EQ(frame[4] | frame[5] << 8, g->expected_seq);
        g->expected_seq++;
    }

    CHECK_EQ(recv(g->fd, frame + 8, (size_t)length + 4, MSG_WAITALL),
             length + 4);
    uint32_t crc = wiregen_crc(frame, 8 + (size_t)length);

    CHECK_MEM(frame + 8 + length, &crc, 4);
    if (is_late)
        return hear(g, type, body);
    memcpy(body, frame + 8, (size_t)length);
    return length;
}

pid_t start_guest(void (*play)(struct guest_side *), struct guest_side side)
{
    side.listener = listen_there();
    fflush(stdout);
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(30);
        side.fd = accept(side.listener, NULL, NULL);
        CHECK(side.fd >= 0);
        play(&side);
        wiregen_fini(&side.w);
        _exit(0);
    }
    close(side.listener);
    return pid;
}

void join_guest(pid_t pid)
{
    int status;

    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}
