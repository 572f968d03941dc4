/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: COM1, or the debug port where COM1 is somebody else's. */
#include <stdarg.h>
#include <stdatomic.h>

#include "cpu.h"
#include "guest.h"
#include "kit.h"

/* 16550 UART; PC16550D data sheet, 8.0. */
#define COM1         0x3f8
#define UART_DATA    (COM1 + 0) /* rw  divisor's low byte while DLAB is on */
#define UART_IER     (COM1 + 1) /* rw  divisor's high byte likewise */
#define UART_FCR     (COM1 + 2) /* w */
#define UART_FIFO    0x07       /* on, and both of them cleared */
#define UART_LCR     (COM1 + 3) /* rw */
#define UART_DLAB    0x80
#define UART_8N1     0x03
#define UART_MCR     (COM1 + 4) /* rw */
#define UART_DTR_RTS 0x03
#define UART_LSR     (COM1 + 5) /* r */
#define UART_THRE    0x20       /* room for a byte */

static uint16_t debug_port; /* 0 means COM1 */
static atomic_flag locked = ATOMIC_FLAG_INIT;
static atomic_bool panicked;

void con_init(void)
{
    debug_port = (uint16_t)opt_u64("console", 0);
    if (debug_port != 0)
        return;
    cpu_out8(UART_IER, 0);
    cpu_out8(UART_LCR, UART_DLAB);
    cpu_out8(UART_DATA, 1); /* 115200 baud */
    cpu_out8(UART_IER, 0);
    cpu_out8(UART_LCR, UART_8N1);
    cpu_out8(UART_FCR, UART_FIFO);
    cpu_out8(UART_MCR, UART_DTR_RTS);
}

void con_panic(void)
{
    atomic_store_explicit(&panicked, true, memory_order_relaxed);
}

/* One line's turn: interrupts off, and the other cores wait. */
static uint64_t con_lock(void)
{
    uint64_t flags = cpu_irq_save();

    /* acquire: pairs with the release in con_unlock() */
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire) &&
           !atomic_load_explicit(&panicked, memory_order_relaxed))
        cpu_pause();
    return flags;
}

static void con_unlock(uint64_t flags)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
    cpu_irq_restore(flags);
}

static void put_byte(char c)
{
    if (debug_port != 0) {
        cpu_out8(debug_port, (uint8_t)c);
        return;
    }
    while (!(cpu_in8(UART_LSR) & UART_THRE))
        cpu_pause();
    cpu_out8(UART_DATA, (uint8_t)c);
}

static void put(char c)
{
    if (c == '\n')
        put_byte('\r');
    put_byte(c);
}

void con_write(const char *text, size_t len)
{
    uint64_t flags = con_lock();

    for (size_t i = 0; i < len; i++)
        put(text[i]);
    con_unlock(flags);
}

/* One conversion of a format: its flags, and where its number comes from. */
struct spec {
    unsigned width;
    char fill;
    bool wide; /* l, ll and z are all 64 bits */
};

static void put_text(const struct spec *spec, const char *text, size_t len)
{
    for (size_t i = len; i < spec->width; i++)
        put(' ');
    for (size_t i = 0; i < len; i++)
        put(text[i]);
}

static void put_number(const struct spec *spec, uint64_t val, unsigned radix,
                       bool negative)
{
    char digits[24];
    size_t len = 0;

    do {
        digits[len++] = "0123456789abcdef"[val % radix];
        val /= radix;
    } while (val != 0);
    if (negative && spec->fill == '0')
        put('-');
    for (size_t i = len + negative; i < spec->width; i++)
        put(spec->fill);
    if (negative && spec->fill == ' ')
        put('-');
    while (len > 0)
        put(digits[--len]);
}

static const char *parse_spec(const char *format, struct spec *spec)
{
    *spec = (struct spec){.fill = ' '};
    if (*format == '0')
        spec->fill = *format++;
    while (*format >= '0' && *format <= '9')
        spec->width = spec->width * 10 + (unsigned)(*format++ - '0');
    while (*format == 'l' || *format == 'z') {
        spec->wide = true;
        format++;
    }
    return format;
}

/* va_list travels by pointer, so that what is taken here is taken there. */
struct args {
    va_list list;
};

static void put_signed(const struct spec *spec, struct args *args)
{
    int64_t val =
        spec->wide ? va_arg(args->list, int64_t) : va_arg(args->list, int);

    put_number(spec, val < 0 ? -(uint64_t)val : (uint64_t)val, 10, val < 0);
}

static void put_unsigned(const struct spec *spec, struct args *args,
                         unsigned radix)
{
    uint64_t val = spec->wide ? va_arg(args->list, uint64_t)
                              : va_arg(args->list, unsigned);

    put_number(spec, val, radix, false);
}

static void put_conversion(char conversion, struct spec *spec,
                           struct args *args)
{
    char c = conversion;
    const char *text = &c;
    size_t len = 1;

    switch (conversion) {
    case 'd':
        put_signed(spec, args);
        return;
    case 'p':
        spec->wide = true;
        /* fall through */
    case 'x':
        put_unsigned(spec, args, 16);
        return;
    case 'u':
        put_unsigned(spec, args, 10);
        return;
    case 'c':
        c = (char)va_arg(args->list, int);
        break;
    case 's':
        text = va_arg(args->list, const char *);
        for (len = 0; text[len] != '\0';)
            len++;
        break;
    default: /* %% */
        break;
    }
    put_text(spec, text, len);
}

void con_printf(const char *format, ...)
{
    uint64_t flags = con_lock();
    struct args args;

    va_start(args.list, format);
    for (; *format != '\0'; format++) {
        struct spec spec;

        if (*format != '%') {
            put(*format);
            continue;
        }
        format = parse_spec(format + 1, &spec);
        if (*format == '\0')
            break;
        put_conversion(*format, &spec, &args);
    }
    va_end(args.list);
    con_unlock(flags);
}
