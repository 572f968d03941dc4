/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "diff/diff.h"
#include "report/html/html_pack.h"
#include "report/html/html_page.h"

void diff_html(struct render *to, const struct diff *d)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    struct pack *p = NULL;

    (void)fwrite(html_page, 1, html_page_size, to->out);
    if (memory != NULL) {
        diff_json(memory, d);
        if (fclose(memory) == 0)
            p = pack_begin(to->out, "diff");
    }
    if (p != NULL)
        pack_text(p, text, length);
    if (p == NULL || pack_end(p) != 0)
        to->no_memory = true;
    free(text);
}
