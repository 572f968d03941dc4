/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the tables of threads on the screen of collector top. */
#include "top/top_session.h"

#include <stdlib.h>

#include "report/table.h"
#include "top/pages.h"

/* The tables of (look) as text, for free(). NULL if there is no memory. */
static char *write_tables(const struct report *look)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    table_threads(out, look);
    table_thread_waits(out, look);
    table_scheduling(out, look);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void top_threads_show(struct top_session *s)
{
    const struct report look = {.profile = s->top.profile,
                                .view = s->view,
                                .remarks = &s->run->remarks,
                                .columns = s->top.width,
                                .whole = true};
    char *text = NULL;
    struct err e;

    if (s->view == NULL)
        (void)err_set(&e, "there is no thread yet");
    else if (look.profile->thread_count == 0)
        (void)err_set(&e, "the kernel reports no threads");
    else if ((text = write_tables(&look)) == NULL)
        (void)err_memory(&e);
    if (text != NULL)
        pages_open(&s->top, text);
    else
        top_session_note(s, e.text);
}
