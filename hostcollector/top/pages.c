/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows a long text in place of the list, page by page. */
#include "top/pages.h"

#include <stdlib.h>
#include <string.h>

void pages_open(struct top *t, char *text)
{
    bool again = t->pages.text != NULL;

    pages_close(t);
    t->pages.text = text;
    t->pages.first = again ? t->pages.first : 0;
}

void pages_close(struct top *t)
{
    free(t->pages.text);
    t->pages.text = NULL;
}

/* Return the start of line (n) of (text), counted from 0, or of the last
 * line. */
static const char *skip_lines(const char *text, size_t n)
{
    for (; n > 0; n--) {
        const char *end = strchr(text, '\n');

        if (end == NULL || end[1] == '\0')
            break;
        text = end + 1;
    }
    return text;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text != '\0')
        n++;
    return n;
}

bool pages_key(struct top *t, uint32_t key)
{
    struct top_pages *p = &t->pages;
    size_t lines = count_lines(p->text);
    size_t last = lines > t->page ? lines - t->page : 0;
    size_t page = t->page > 1 ? t->page - 1 : 1;

    switch (key) {
    case TOP_KEY_UP:
    case 'k':
        p->first -= p->first > 0;
        break;
    case TOP_KEY_DOWN:
    case 'j':
        p->first++;
        break;
    case TOP_KEY_PAGE_UP:
        p->first -= p->first > page ? page : p->first;
        break;
    case TOP_KEY_PAGE_DOWN:
    case ' ':
        p->first += page;
        break;
    case TOP_KEY_HOME:
    case 'g':
        p->first = 0;
        break;
    case TOP_KEY_END:
    case 'G':
        p->first = last;
        break;
    case 'q':
    case TOP_KEY_ESCAPE:
        pages_close(t);
        break;
    default:
        return false;
    }
    if (p->first > last)
        p->first = last;
    return true;
}

void pages_draw(struct top *t, struct screen *s, unsigned keep)
{
    const char *line = skip_lines(t->pages.text, t->pages.first);

    t->page = screen_left(s) > keep ? screen_left(s) - keep : 1;
    while (screen_left(s) > keep && *line != '\0') {
        int len = (int)strcspn(line, "\n");
        bool head = strncmp(line, "  SELF", 6) == 0;

        (void)screen_row(s);
        screen_put(s, head ? SCREEN_HEAD : SCREEN_PLAIN, "%.*s", len, line);
        if (head)
            screen_mark_row(s, SCREEN_HEAD);
        line += len + (line[len] == '\n');
    }
}
