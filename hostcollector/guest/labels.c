/* SPDX-License-Identifier: BSD-2-Clause */
/* The user's labels of samples: zone=a. */
#include "guest/labels.h"

#include <string.h>

#include "util/text.h"

static bool is_value(const char *text)
{
    size_t length = 0;

    for (size_t n;
         length < ORIGIN_VALUE && (n = text_character(text + length)) != 0;)
        length += n;
    return length < ORIGIN_VALUE && text[length] == '\0';
}

bool labels_read(struct origin_label *label, const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

    if (text[length] != '=' || length == 0 || length >= ORIGIN_NAME ||
        (text[0] >= '0' && text[0] <= '9') || !is_value(text + length + 1))
        return false;
    memcpy(label->key, text, length);
    label->key[length] = '\0';
    label->value = text + length + 1;
    return true;
}

void labels_add(struct origin *o, const char *text)
{
    struct origin_label label;

    if (o->label_count == ORIGIN_LABELS || !labels_read(&label, text))
        return;
    for (unsigned i = 0; i < o->label_count; i++)
        if (strcmp(o->labels[i].key, label.key) == 0)
            return;
    o->labels[o->label_count++] = label;
}
