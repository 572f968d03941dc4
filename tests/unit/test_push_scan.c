/* SPDX-License-Identifier: BSD-2-Clause */
/* When push looks again: what it was told of, and what nobody will tell of. */
#include "fleet/push/push_scan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "check.h"

#define TAG "0123abcd"

static struct err e;

static void enter_dir(void)
{
    static char path[] = "/tmp/test_push_scan.XXXXXX";

    CHECK(mkdtemp(path) != NULL && chdir(path) == 0);
}

/* Make the file (name), which is open and has a writer's lock. */
static int begin_file(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    return fd;
}

/* Only the watch of (l) says what comes next. */
static void check_rests(const struct push_scan *l, const struct queue *q)
{
    int fd;

    CHECK(push_scan_ms(l, q, &fd) > 1000);
    CHECK(fd >= 0);
}

static void check_looks_on(const struct push_scan *l, const struct queue *q)
{
    int fd;

    CHECK_EQ(push_scan_ms(l, q, &fd), 0);
}

/* Catches: a window that waits for half a minute, since its close was heard of
 * while another one waited, and before the kernel had unlocked it. Here its
 * writer has it locked for longer. */
TEST(what_was_told_of_is_looked_at_until_it_is_unlocked)
{
    const struct push_config o = {.inputs = {{"."}, 1}, .follow = true};
    struct push_scan l;
    struct queue q = {0};

    enter_dir();
    (void)close(begin_file("waits.tprof"));
    push_scan_begin(&l, &o, TAG);
    CHECK_EQ(push_scan_collect(&l, &q, &e), 0);
    CHECK_EQ(q.count, 1);
    check_looks_on(&l, &q); /* the receiver may take it now */
    int writer = begin_file("closing.tprof");

    push_scan_next(&l, &q);
    CHECK_EQ(push_scan_collect(&l, &q, &e), 0);
    CHECK_EQ(q.open, 1);
    CHECK_EQ(queue_mark(&q.items[0], TAG, QUEUE_EMPTY, 0, "", &e), 0);
    check_looks_on(&l, &q);
    push_scan_next(&l, &q); /* it is still written: its end will be told */
    CHECK_EQ(push_scan_collect(&l, &q, &e), 0);
    CHECK_EQ(q.open, 1);
    check_rests(&l, &q);
    (void)close(writer);
    push_scan_next(&l, &q);
    CHECK_EQ(push_scan_collect(&l, &q, &e), 0);
    CHECK_EQ(q.count, 1);
    queue_fini(&q);
    push_scan_end(&l);
    CHECK(unlink("closing.tprof") == 0 && unlink("waits.tprof") == 0);
    CHECK_EQ(system("rm *.sent-" TAG " && rmdir \"$PWD\""), 0);
}
