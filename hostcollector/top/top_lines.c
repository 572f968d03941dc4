/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows lines and blocks of a function on the screen of collector top. */
#include "top/top_lines.h"

#include "top/pages.h"

int top_lines_show(struct top_session *s, struct err *e)
{
    const struct report look = {.profile = s->top.profile,
                                .view = s->view,
                                .remarks = &s->run->remarks,
                                .columns = s->top.width,
                                .of_all = !s->top.of_busy};
    uint32_t function = s->view != NULL ? top_function(&s->top) : 0;
    char *text;

    if (function == 0)
        return err_set(e, "there is no function yet");
    text = s->lines(s->run, &look, function, e);
    if (text == NULL)
        return -1;
    pages_open(&s->top, text);
    return 0;
}
