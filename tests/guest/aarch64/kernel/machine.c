/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine.h"

#include <stddef.h>

#define UART      0x09000000u
#define GICD      0x08000000u
#define GICC      0x08010000u
#define GICR      0x080a0000u
#define GICR_STEP 0x20000u
#define GICR_SGI  0x10000u

#define PSCI_CPU_ON     0xc4000003u
#define PSCI_SYSTEM_OFF 0x84000008u

#define TREE_BYTES (1u << 20) /* QEMU gives its tree so much room */

extern const char boot_second[];

/* The compiler calls them by itself. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

static unsigned gic_version;

/* By volatile bytes, of which no compiler makes a call of memcpy() */
void *memcpy(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile uint8_t *)to)[i] = (uint8_t)byte;
    return to;
}

static volatile uint32_t *at(uint64_t address)
{
    return (volatile uint32_t *)(uintptr_t)address;
}

void machine_print(const char *text)
{
    for (; *text; text++)
        *at(UART) = (uint8_t)*text;
}

void machine_print_number(uint64_t value)
{
    char digit[24];
    unsigned count = 0;

    do
        digit[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (count > 0)
        *at(UART) = (uint8_t)digit[--count];
}

static uint64_t psci(uint64_t what, uint64_t a, uint64_t b, uint64_t c)
{
    register uint64_t x0 __asm__("x0") = what;
    register uint64_t x1 __asm__("x1") = a;
    register uint64_t x2 __asm__("x2") = b;
    register uint64_t x3 __asm__("x3") = c;

    __asm__ volatile("hvc #0"
                     : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
                     :
                     : "memory");
    return x0;
}

_Noreturn void machine_off(void)
{
    psci(PSCI_SYSTEM_OFF, 0, 0, 0);
    for (;;)
        __asm__ volatile("wfi");
}

void machine_start_core(unsigned index)
{
    psci(PSCI_CPU_ON, index, (uintptr_t)boot_second, index);
}

static const char *find(const char *text, const char *name)
{
    for (; *text; text++) {
        unsigned i = 0;

        while (name[i] && text[i] == name[i])
            i++;
        if (name[i] == 0 && text[i] == '=')
            return text + i + 1;
    }
    return 0;
}

/* The tree has the command line as a text that begins with "guest:". */
uint64_t machine_option(const char *name, uint64_t absent)
{
    const char *tree = (const char *)(uintptr_t)MACHINE_TREE;
    const char *value = 0;
    uint64_t number = 0;

    for (unsigned i = 0; i < TREE_BYTES - 6 && !value; i++)
        if (tree[i] == 'g' && tree[i + 1] == 'u' && tree[i + 2] == 'e' &&
            tree[i + 3] == 's' && tree[i + 4] == 't' && tree[i + 5] == ':')
            value = find(tree + i, name);
    if (!value)
        return absent;
    for (; *value >= '0' && *value <= '9'; value++)
        number = number * 10 + (uint64_t)(*value - '0');
    return number;
}

/* --- The interrupt controller --------------------------------------------- */

void machine_gic(unsigned version)
{
    gic_version = version;
    *at(GICD) = version == 2 ? 1 : 0x12; /* version 3: Group 1, affinities */
}

void machine_gic_core(unsigned index)
{
    uint64_t redistributor = GICR + (uint64_t)index * GICR_STEP;

    if (gic_version == 2) {
        *at(GICC + 4) = 0xff;
        *at(GICC) = 1;
        return;
    }
    *at(redistributor + 0x14) &= ~2u; /* awake */
    while (*at(redistributor + 0x14) & 4)
        ;
    *at(redistributor + GICR_SGI + 0x80) = UINT32_MAX; /* all in Group 1 */
    __asm__ volatile("msr S3_0_C12_C12_5, %0\n"        /* ICC_SRE_EL1 */
                     "isb\n"
                     "msr S3_0_C4_C6_0, %1\n"   /* ICC_PMR_EL1 */
                     "msr S3_0_C12_C12_7, %2\n" /* ICC_IGRPEN1_EL1 */
                     "isb"
                     :
                     : "r"(7ul), "r"(0xfful), "r"(1ul)
                     : "memory");
}

uint32_t machine_gic_acknowledge(void)
{
    uint64_t intid;

    if (gic_version == 2)
        return *at(GICC + 0xc);
    __asm__ volatile("mrs %0, S3_0_C12_C12_0" : "=r"(intid) : : "memory");
    __asm__ volatile("dsb sy" : : : "memory");
    return (uint32_t)intid;
}

void machine_gic_end(uint32_t intid)
{
    if (gic_version == 2) {
        *at(GICC + 0x10) = intid;
        return;
    }
    __asm__ volatile("msr S3_0_C12_C12_1, %0\n"
                     "isb"
                     :
                     : "r"((uint64_t)intid)
                     : "memory");
}
