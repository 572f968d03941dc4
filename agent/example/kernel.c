/* SPDX-License-Identifier: BSD-2-Clause */
/* The smallest kernel that can be profiled. README.md has the command lines. */
#include <stdint.h>

#include <tprof/tprof.h>

#define WORDS 512

/* --- Console -------------------------------------------------------------- */

#define COM1 0x3f8

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void print(const char *text)
{
    for (; *text; text++) {
        while (!(in8(COM1 + 5) & 0x20)) /* until it can take a byte */
            ;
        out8(COM1, (uint8_t)*text);
    }
}

/* --- Interrupts ----------------------------------------------------------- */

#define LAPIC_SPURIOUS ((volatile uint32_t *)0xfee000f0)
#define LAPIC_ENABLED  0x100

/* Gates of 16 bytes. The agent takes one that is 0, which means free. */
static uint64_t idt[256][2];

static const struct __attribute__((packed)) {
    uint16_t limit;
    const void *base;
} idt_pointer = {sizeof idt - 1, idt};

void spurious(void); /* boot.S */

static void init_interrupts(void)
{
    uint64_t entry = (uintptr_t)spurious;

    /* selector 8, present, an interrupt gate */
    idt[0xff][0] = (entry & 0xffff) | 8 << 16 | 0x8eull << 40 |
                   (entry >> 16 & 0xffff) << 48;
    idt[0xff][1] = entry >> 32;
    __asm__ volatile("lidt %0" : : "m"(idt_pointer));
    out8(0x21, 0xff); /* no interrupts from the old controllers */
    out8(0xa1, 0xff);
    *LAPIC_SPURIOUS = LAPIC_ENABLED | 0xff;
}

/* --- The profiler --------------------------------------------------------- */

static void start_profiler(void)
{
    static struct tprof_config config; /* 0 is the default of every field */

    config.version = TPROF_CONFIG_VERSION;
#ifdef VSOCK
    config.transport = &tprof_vsock;
#endif
    int error = tprof_init(&config);

    if (error == TPROF_OK)
        error = tprof_start_cpu();
    print("tprof: ");
    print(error == TPROF_OK ? "ready" : tprof_strerror(error));
    print("\n");
}

/* --- Work ----------------------------------------------------------------- */

static uint32_t words[WORDS];
static volatile uint32_t result;

__attribute__((noinline)) static void fill(void)
{
    static uint32_t x = 1;

    for (int i = 0; i < WORDS; i++)
        words[i] = x = x * 1664525 + 1013904223;
}

__attribute__((noinline)) static void sort(void)
{
    for (int i = 1; i < WORDS; i++) {
        uint32_t word = words[i];
        int at = i;

        for (; at > 0 && words[at - 1] > word; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

__attribute__((noinline)) static uint32_t checksum(void)
{
    uint32_t sum = 0;

    for (int i = 0; i < 100 * WORDS; i++)
        sum = (sum ^ words[i % WORDS]) * 16777619;
    return sum;
}

__attribute__((noinline)) static void request(void)
{
    fill();
    sort();
    result = checksum();
}

void kernel_main(void);
void kernel_main(void)
{
    init_interrupts();
    start_profiler();
    __asm__ volatile("sti");
    for (;;)
        request();
}
