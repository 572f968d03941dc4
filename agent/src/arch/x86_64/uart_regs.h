/* SPDX-License-Identifier: BSD-2-Clause */
/* 16550 UART: PC16550D data sheet, section 8. Offsets from its first port */
#ifndef TPROF_UART_REGS_H
#define TPROF_UART_REGS_H

#define UART_DATA      0    /* w   while DLAB is off */
#define UART_DIVISOR   0    /* rw  low byte, while DLAB is on */
#define UART_IER       1    /* rw  interrupts; DLAB: divisor's high byte */
#define UART_IIR       2    /* r */
#define UART_FIFO_ON   0xc0 /* there is one, and it works */
#define UART_FCR       2    /* w */
#define UART_FIFO      0x07 /* on, and both FIFOs cleared */
#define UART_LCR       3    /* rw */
#define UART_8N1       0x03
#define UART_DLAB      0x80
#define UART_MCR       4 /* rw */
#define UART_DTR_RTS   0x03
#define UART_LSR       5    /* r */
#define UART_THRE      0x20 /* room for a whole FIFO */
#define UART_SCRATCH   7    /* rw  a byte without any effect */
#define UART_FIFO_SIZE 16u

#endif
