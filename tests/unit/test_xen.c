/* SPDX-License-Identifier: BSD-2-Clause */
/* A domain of Xen behind the process that reads it, which a thread plays.
 * tests/system/xen has a real one. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "outside/outside_guest.h"
#include "outside/xen_keeper.h"
#include "util/io.h"

#define RSP 0x7000u

/* What the played process does. */
static struct {
    int socket;
    pthread_t thread;
    struct xen_state state; /* of each answer */
    uint32_t extra;         /* added to the size of an answer to XEN_READ */
    bool ends_at_read;
    unsigned asked[4]; /* by question */
} keeper;

static void answer_stop(void)
{
    static struct xen_core cores[2];

    for (uint32_t i = 0; i < 2; i++) {
        cores[i].registers = (struct cpu_registers){
            .cpu = &cpu_x86_64, .pc = 0x1000 + i, .is_wide = true};
        cores[i].registers.general[cpu_x86_64.sp] = RSP;
        cores[i].stack_size = 16;
        memset(cores[i].stack, 0x50 + (int)i, sizeof cores[i].stack);
    }
    (void)io_write(keeper.socket, cores, sizeof cores);
}

static void *play(void *unused)
{
    static const uint8_t bytes[2 * XEN_MEMORY] = {1, 2, 3, 4};
    struct xen_ask ask;

    while (recv(keeper.socket, &ask, sizeof ask, MSG_WAITALL) ==
           (ssize_t)sizeof ask) {
        struct xen_state state = keeper.state;

        keeper.asked[ask.question]++;
        if (ask.question == XEN_READ && keeper.ends_at_read)
            break;
        if (ask.question == XEN_READ)
            state.size = (ask.address < 0x9000 ? ask.size : 0) + keeper.extra;
        (void)io_write(keeper.socket, &state, sizeof state);
        if (ask.question == XEN_STOP && state.error == 0 && state.cores == 2)
            answer_stop();
        (void)io_write(keeper.socket, bytes, state.size);
    }
    (void)close(keeper.socket);
    return unused;
}

static struct outside_guest *begin(struct xen_state state, struct err *e)
{
    int ends[2];

    memset(&keeper, 0, sizeof keeper);
    (void)signal(SIGPIPE, SIG_IGN); /* a test may end before its answers */
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    keeper.socket = ends[1];
    keeper.state = state;
    CHECK_EQ(pthread_create(&keeper.thread, NULL, play, NULL), 0);
    return outside_xen(ends[0], e);
}

static void end(struct outside_guest *g)
{
    if (g != NULL)
        g->ops->close(g);
    CHECK_EQ(pthread_join(keeper.thread, NULL), 0);
}

static const struct xen_state two = {.cores = 2};

TEST(registers_are_those_of_the_stop)
{
    struct cpu_registers r;
    struct err e;
    struct outside_guest *g = begin(two, &e);

    CHECK(g->stands == NULL);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_EQ(g->ops->stop(g, &e), 0); /* it stands already */
    CHECK_EQ(g->core_count, 2);
    CHECK_EQ(g->ops->registers(g, 1, &r, &e), 0);
    CHECK_EQ(r.pc, 0x1001);
    CHECK_EQ(g->ops->registers(g, 2, &r, &e), -1);
    CHECK_EQ(g->ops->run(g, &e), 0);
    CHECK_EQ(g->ops->run(g, &e), 0);
    end(g);
    CHECK_EQ(keeper.asked[XEN_STOP], 1);
    CHECK_EQ(keeper.asked[XEN_RUN], 1);
}

/* Catches: a question for each word of a stack. */
TEST(the_beginning_of_a_stack_is_there_already)
{
    uint8_t bytes[32];
    struct cpu_registers r = {.pc = 0};
    struct err e;
    struct outside_guest *g = begin(two, &e);

    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_EQ(g->ops->memory(g, 1, &r, RSP + 8, bytes, 8, &e), 8);
    CHECK_EQ(bytes[7], 0x51);
    CHECK_EQ(keeper.asked[XEN_READ], 0);
    /* the half that is not there is asked for */
    CHECK_EQ(g->ops->memory(g, 1, &r, RSP + 8, bytes, 16, &e), 16);
    CHECK_EQ(bytes[7], 0x51);
    CHECK_EQ(bytes[8], 1);
    CHECK_EQ(keeper.asked[XEN_READ], 1);
    CHECK_EQ(g->ops->memory(g, 0, &r, 0xa000, bytes, 8, &e), 0);
    CHECK_EQ(g->ops->memory(g, 2, &r, RSP, bytes, 8, &e), -1);
    end(g);
}

TEST(reads_of_many_bytes_are_several_questions)
{
    static uint8_t bytes[3 * XEN_MEMORY];
    struct cpu_registers r = {.pc = 0};
    struct err e;
    struct outside_guest *g = begin(two, &e);

    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_EQ(g->ops->memory(g, 0, &r, 0x100, bytes, sizeof bytes, &e),
             (long)sizeof bytes);
    CHECK_EQ(keeper.asked[XEN_READ], 3);
    end(g);
}

TEST(a_domain_that_stands_still_is_told)
{
    struct xen_state state = two;
    struct err e;

    state.stands = XEN_CRASHED;
    struct outside_guest *g = begin(state, &e);
    CHECK_STR(g->stands, "it has crashed");
    end(g);
    state.stands = 99;
    g = begin(state, &e);
    CHECK(g->stands == NULL);
    end(g);
}

/* Catches: answers that lead beyond a buffer, or nowhere. */
TEST(answers_without_sense_are_errors)
{
    uint8_t bytes[8];
    struct cpu_registers r = {.pc = 0};
    struct xen_state state = {.cores = OUTSIDE_CORES_MAX + 1};
    struct err e;

    CHECK(begin(state, &e) == NULL);
    CHECK_STR(e.text, "xen: an answer without sense");
    end(NULL);

    struct outside_guest *g = begin(two, &e);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    keeper.extra = 1;
    CHECK_EQ(g->ops->memory(g, 0, &r, 0x100, bytes, 8, &e), -1);
    CHECK_STR(e.text, "xen: an answer without sense");
    end(g);

    g = begin(two, &e);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    keeper.ends_at_read = true;
    CHECK_EQ(g->ops->memory(g, 0, &r, 0x100, bytes, 8, &e), -1);
    CHECK_STR(e.text, "xen: the process that reads the domain has ended");
    end(g);

    state = (struct xen_state){.error = ESRCH};
    CHECK(begin(state, &e) == NULL);
    CHECK_STR(e.text, "xen: the domain has ended");
    end(NULL);
}
