/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows lines and blocks of a function on the screen of collector top. */
#include "top/top_lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "annotate/annotate_output.h"
#include "annotate/annotate_part.h"
#include "top/pages.h"

/* Return the text that collector annotate prints for (a), as wide as the
 * screen. The caller frees the text. NULL if there is no memory. */
static char *text_of(const struct top_session *s, struct annotation *a)
{
    const struct report report = {.profile = s->top.profile,
                                  .view = s->view,
                                  .remarks = &s->run->remarks,
                                  .columns = s->top.width,
                                  .of_all = !s->top.of_busy,
                                  .annotation = a};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    annotate_text(out, &report);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

int top_lines_show(struct top_session *s, struct err *e)
{
    uint32_t function = s->view != NULL ? top_function(&s->top) : 0;
    struct annotation *a;
    bool unfound;
    char *text;

    if (function == 0)
        return err_set(e, "there is no function yet");
    a = annotate_run(s->run, s->top.profile, s->view, function, &unfound, e);
    if (a == NULL)
        return -1;
    text = text_of(s, a);
    annotation_free(a);
    if (text == NULL)
        return err_set(e, "out of memory");
    pages_open(&s->top, text);
    return 0;
}
