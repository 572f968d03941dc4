/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a list of symbols line by line, and skips lines that are no symbol. */
#include "image/file/symbols_file.h"

#include <string.h>

#include "image/file/file.h"
#include "image/file/listed.h"

#define ADDRESS_MAX 16u  /* digits */
#define SYMBOL_MAX  512u /* bytes of a name */

static const char *used;

int symbols_file_use(const char *path, struct err *e)
{
    if (used != NULL && strcmp(used, path) != 0)
        return err_set(
            e,
            "--symbols %s: only one list of symbols can be used, and %s is one",
            path, used);
    used = path;
    return 0;
}

const char *symbols_file(void)
{
    return used;
}

/* Read the number at the start of (line), which ends at (end), and the blank
 * after the number. Returns the rest of the line; NULL if there is no
 * number. */
static const char *read_address(const char *line, const char *end,
                                uint64_t *address)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = line, *digit;

    *address = 0;
    for (; at < end && (size_t)(at - line) < ADDRESS_MAX; at++) {
        digit = memchr(digits, *at, sizeof digits - 1);
        if (digit == NULL)
            break;
        *address = *address << 4 | (uint64_t)(digit - digits);
    }
    return at > line && end - at > 3 && at[0] == ' ' && at[2] == ' ' ? at + 1
                                                                     : NULL;
}

/* The length of the name. A line of a module has the module's name after the
 * symbol's. */
static size_t name_length(const char *name, const char *end)
{
    size_t length = 0;

    while (name + length < end && name[length] > ' ' && name[length] <= '~')
        length++;
    return length <= SYMBOL_MAX && name + length == end ? length : 0;
}

int symbols_file_parse(struct object *o, const uint8_t *text, size_t size)
{
    static const char begins[] =
        "_text"; /* the first address of Linux's code */
    const char *at = (const char *)text, *all = at + size, *end;
    struct listed l = {0};
    uint64_t slide = 0;

    for (; at < all; at = end + 1) {
        uint64_t address;
        const char *type;
        size_t length;

        end = memchr(at, '\n', (size_t)(all - at));
        if (end == NULL)
            end = all;
        type = read_address(at, end, &address);
        length = type != NULL ? name_length(type + 2, end) : 0;
        if (length == sizeof begins - 1 && o->text_count != 0 &&
            memcmp(type + 2, begins, length) == 0)
            slide = address - o->segments[0].address;
        if (length != 0 &&
            listed_add(&l, o, address, *type, type + 2, length) != 0) {
            listed_fini(&l);
            return -1;
        }
    }
    return listed_fill(&l, o, slide);
}

int symbols_file_read(struct object *o, struct err *e)
{
    struct file f = {0};
    int result = 0;

    if (used == NULL)
        return 0;
    result = file_read(&f, used, e);
    if (result == 0 && symbols_file_parse(o, f.bytes, (size_t)f.size) != 0)
        result = err_sys(e, used);
    file_fini(&f);
    return result;
}
