/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines for people. */
#include "cmd/push_tell.h"

#include <stdio.h>

#include "cmd/cmd.h"
#include "util/text.h"

void push_tell_error(const char *path, struct err *e)
{
    (void)fprintf(stderr, "collector push: %s: %s\n", path, e->text);
    e->text[0] = '\0';
}

int push_tell_sums(struct push_tell *t)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER];

    queue_count_gone(&t->queue);
    size_t left = queue_waiting(&t->queue);

    (void)printf("%s samples in %zu recordings delivered",
                 text_count(a, t->delivered.samples), t->delivered.recordings);
    if (t->lost != 0)
        (void)printf("; %s lost before", text_count(b, t->lost));
    if (t->refused.recordings != 0)
        (void)printf("; %s in %zu refused, set aside",
                     text_count(b, t->refused.samples), t->refused.recordings);
    if (t->unreadable != 0)
        (void)printf("; %zu recordings unreadable, set aside", t->unreadable);
    if (t->empty != 0)
        (void)printf("; %zu without samples", t->empty);
    if (t->queue.gone != 0)
        (void)printf("; %zu removed before they were sent", t->queue.gone);
    if (t->queue.open != 0)
        (void)printf("; %zu still being written", t->queue.open);
    if (left != 0)
        (void)printf("; %zu left in the queue", left);
    (void)putchar('\n');
    return t->refused.recordings + t->unreadable + left != 0 ? EXIT_FAILED
                                                             : EXIT_DONE;
}
