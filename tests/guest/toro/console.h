/* SPDX-License-Identifier: BSD-2-Clause */
/* Toro's way to print: a line with interrupts off, port write by port write. */
#ifndef TORO_CONSOLE_H
#define TORO_CONSOLE_H

/*
 * Print one line of at most 120 characters, formatted as by printf(). Any
 * core; waits while another one prints.
 */
void WriteConsoleF(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
