/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "annotate/builder.h"
#include "image/file/image.h"
#include "image/names/source_file.h"
#include "util/text.h"

#define LINES_MAX 4096u /* of a function */
#define LINE_MAX  256u  /* bytes */
#define TAB       8u
#define FILES_MAX 64u /* files that are opened, at most */
#define TEXT_PART 8u  /* part of the memory for text, plus one file */

/* Returns a copy of the (len) bytes at (text) that is safe to print, with
 * blanks for tabulators. */
static const char *line_text(struct arena *arena, const char *text, size_t len)
{
    char plain[LINE_MAX + 1], shown[4 * LINE_MAX + 1];
    size_t used = 0;

    for (size_t i = 0; i < len && used + TAB < LINE_MAX; i++) {
        if (text[i] == '\t')
            do
                plain[used++] = ' ';
            while (used % TAB != 0);
        else if (text[i] != '\r' || i + 1 < len)
            plain[used++] = text[i];
    }
    while (used != 0 && plain[used - 1] == ' ')
        used--;
    plain[used] = '\0';
    (void)text_escape(shown, sizeof shown, plain);
    return arena_strndup(arena, shown, strlen(shown));
}

/* Give (body) its lines of (text), from (first) to (last). */
static int keep_lines(struct builder *b, struct annotated_body *body,
                      const char *text, uint32_t first, uint32_t last)
{
    const char **lines =
        arena_alloc(b->arena, (last - first + 1) * sizeof *lines);

    if (lines == NULL)
        return -1;
    body->text = lines;
    body->text_first = first;
    for (uint32_t number = 1; number <= last && *text != '\0'; number++) {
        size_t len = strcspn(text, "\n");

        if (number >= first) {
            lines[number - first] = line_text(b->arena, text, len);
            if (lines[number - first] == NULL)
                return -1;
            body->text_count++;
        }
        text += len + (text[len] == '\n');
    }
    return 0;
}

/* Copy the lines from (first) to (last) that (source) has into (lines). Stores
 * in (*count) the number of lines up to the last known line. */
static int put_told(struct builder *b, const struct image_source *source,
                    uint32_t first, uint32_t last, const char **lines,
                    uint32_t *count)
{
    const char *text = source->lines;

    for (uint32_t i = 0; i < source->count; i++) {
        size_t len = strlen(text);
        uint32_t at = source->first + i - first;

        if (at <= last - first) {
            lines[at] = line_text(b->arena, text, len);
            if (lines[at] == NULL)
                return -1;
            *count = at < *count ? *count : at + 1;
        }
        text += len + 1;
    }
    return 0;
}

/* Give (body) those of its lines (first) to (last) that the recording has. */
static int keep_told(struct builder *b, struct annotated_body *body,
                     uint32_t first, uint32_t last)
{
    const struct image_source *source;
    const char **lines =
        arena_alloc(b->arena, (last - first + 1) * sizeof *lines);

    if (lines == NULL)
        return -1;
    for (uint32_t i = 0; i <= last - first; i++)
        lines[i] = "";
    for (size_t i = 0; i < b->job->told_count; i++)
        for (size_t j = 0;
             (source = image_source_at(b->job->told[i], j)) != NULL; j++)
            if (strcmp(source->path, body->file) == 0 &&
                put_told(b, source, first, last, lines, &body->text_count) != 0)
                return -1;
    body->text = lines;
    body->text_first = first;
    b->out->source_told |= body->text_count != 0;
    return 0;
}

/* Find the first and last known line of (body). Returns false if no line is
 * known. */
static bool find_span(const struct annotated_body *body, uint32_t *first,
                      uint32_t *last)
{
    *first = 0;
    for (size_t i = 0; *first == 0 && i < body->line_count; i++)
        *first = body->lines[i].number;
    if (*first == 0)
        return false;
    *last = body->lines[body->line_count - 1].number;
    if (*last - *first >= LINES_MAX)
        *last = *first + LINES_MAX - 1;
    return true;
}

/* Read the file of (body): from the folder that the user named, or from the
 * path where the file was compiled. If the path comes only from the recording,
 * no file outside the folder is read: a foreign recording could otherwise copy
 * the user's files into a report. */
static char *read_file(const struct builder *b,
                       const struct annotated_body *body)
{
    if (!image_is_told(b->image))
        return source_file_read(b->job->folder, body->file);
    if (b->job->folder == NULL)
        return NULL;
    return source_file_read_below(b->job->folder, body->file);
}

/* Give (body) its lines from (first) to (last), from the recording or a file.
 * The folder that the user named is searched first. */
static int add_lines(struct builder *b, struct annotated_body *body,
                     uint32_t first, uint32_t last)
{
    char *text;
    int result = 0;

    if (b->job->folder == NULL)
        result = keep_told(b, body, first, last);
    if (result != 0 || body->text_count != 0)
        return result;
    text = read_file(b, body);
    if (text != NULL)
        result = keep_lines(b, body, text, first, last);
    else if (b->job->folder != NULL)
        result = keep_told(b, body, first, last);
    free(text);
    return result;
}

int builder_add_text(struct builder *b)
{
    size_t before = arena_bytes(b->arena);
    unsigned opened = 0;

    for (size_t i = 0; i < b->out->body_count && opened < FILES_MAX; i++) {
        struct annotated_body *body = &b->out->bodies[i];
        uint32_t first, last;

        if (arena_bytes(b->arena) - before > b->job->memory / TEXT_PART)
            break;
        if (body->sum.amount.samples == 0 || !find_span(body, &first, &last))
            continue;
        opened++;
        if (add_lines(b, body, first, last) != 0)
            return -1;
    }
    return 0;
}
