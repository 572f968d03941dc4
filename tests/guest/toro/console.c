/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial console. */
#include "console.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cpu.h"

#define LINE_BYTES 122
#define BASE_COM   0x3f8
#define COM_STATUS (BASE_COM + 5)
#define COM_EMPTY  0x20

static atomic_flag locked = ATOMIC_FLAG_INIT;

static void write_portb(uint8_t data, uint16_t port)
{
    cpu_out8(port, data);
}

static void WriteSerial(char c)
{
    while (!(cpu_in8(COM_STATUS) & COM_EMPTY))
        cpu_pause();
    write_portb((uint8_t)c, BASE_COM);
}

void WriteConsoleF(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);

    uint64_t flags = cpu_irq_save();

    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        cpu_pause();
    for (const char *c = line; *c != '\0'; c++)
        WriteSerial(*c);
    atomic_flag_clear_explicit(&locked, memory_order_release);
    cpu_irq_restore(flags);
}
