/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes bytes as base64. */
#include "report/base64.h"

#define PIECE 4096u /* characters */

void base64_write(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[PIECE] = "";
    size_t length = 0;

    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16;

        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        text[length++] = digits[group >> 18];
        text[length++] = digits[group >> 12 & 63];
        text[length++] = left > 1 ? digits[group >> 6 & 63] : '=';
        text[length++] = left > 2 ? digits[group & 63] : '=';
        if (length == PIECE) {
            (void)fwrite(text, 1, length, out);
            length = 0;
        }
    }
    (void)fwrite(text, 1, length, out);
}
