/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio devices on a kernel's command line, in the format of Linux, QEMU and
 * Firecracker: virtio_mmio.device=SIZE@0xADDRESS:IRQ
 */
#ifndef TPROF_VIRTIO_MMIO_LINE_H
#define TPROF_VIRTIO_MMIO_LINE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number at (text), 0x and hexadecimal digits; 0 without 0x. */
static inline uint64_t tprof_mmio_line_address(const char *text)
{
    uint64_t val = 0;

    if (text[0] != '0' || text[1] != 'x')
        return 0;
    for (text += 2;; text++) {
        uint32_t digit = (uint32_t)*text - '0';

        if (digit > 9) {
            digit = (uint32_t)*text - 'a';
            if (digit > 5)
                return val;
            digit += 10;
        }
        val = val << 4 | digit;
    }
}

/* Returns the place after the next "virtio_mmio.device=SIZE@" in (text), or
 * NULL. */
static inline const char *tprof_mmio_line_next(const char *text)
{
    static const char key[] = "virtio_mmio.device=";
    uint32_t matched = 0;

    for (; *text != '\0'; text++) {
        if (key[matched] == '\0') {
            if (*text == '@')
                return text + 1;
        } else if (*text == key[matched]) {
            matched++;
        } else {
            matched = *text == key[0]; /* the only v in it is the first */
        }
    }
    return NULL;
}

#endif
