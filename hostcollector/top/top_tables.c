/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the tables of threads, requests and locks on the screen of top. */
#include "top/top_session.h"

#include <stdlib.h>

#include "report/table.h"
#include "top/pages.h"

static void write_threads(FILE *out, const struct report *look)
{
    table_threads(out, look);
    table_thread_waits(out, look);
    table_scheduling(out, look);
}

/* The text of (write) for free(). NULL if there is no memory. */
static char *text_of(const struct report *look,
                     void (*write)(FILE *out, const struct report *look))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    write(out, look);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void top_tables_show(struct top_session *s, enum top_wish wish)
{
    const struct profile *p = s->top.profile;
    const struct report look = {.profile = p,
                                .view = s->view,
                                .remarks = &s->run->remarks,
                                .columns = s->top.width,
                                .whole = true};
    char *text = NULL;
    struct err e;

    if (s->view == NULL)
        (void)err_set(&e, "there are no samples yet");
    else if (wish == TOP_THREADS && p->thread_count == 0)
        (void)err_set(&e, "the kernel reports no threads");
    else if (wish == TOP_REQUESTS && p->request_count == 0)
        (void)err_set(&e, "the kernel reports no requests");
    else if (wish == TOP_LOCKS && p->lock_count == 0)
        (void)err_set(&e, "the kernel reports no locks");
    else if ((text = text_of(&look, wish == TOP_THREADS    ? write_threads
                                    : wish == TOP_REQUESTS ? table_requests
                                                           : table_locks)) ==
             NULL)
        (void)err_memory(&e);
    if (text != NULL)
        pages_open(&s->top, text);
    else
        top_session_note(s, e.text);
}
