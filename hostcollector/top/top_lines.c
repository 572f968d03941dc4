/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows lines and blocks of a function on the screen of collector top. */
#include "top/top_session.h"

#include "top/pages.h"

void top_lines_show(struct top_session *s)
{
    const struct report look = {.profile = s->top.profile,
                                .view = s->view,
                                .remarks = &s->run->remarks,
                                .columns = s->top.width,
                                .of_all = !s->top.of_busy};
    uint32_t function = s->view != NULL ? top_function(&s->top) : 0;
    char *text = NULL;
    struct err e;

    if (function == 0)
        (void)err_set(&e, "there is no function yet");
    else
        text = s->lines(s->run, &look, function, &e);
    if (text != NULL)
        pages_open(&s->top, text);
    else
        top_session_note(s, e.text);
}
