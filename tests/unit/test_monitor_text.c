/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of QEMU 7.2, and such as no QEMU writes. That a whole one is understood
 * is tests/system/outside.
 */
#include "outside/monitor_text.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

#define WIDE                                                                   \
    "RAX=0000000000000001 RBX=0000000000000002 RCX=0000000000000003 "          \
    "RDX=0000000000000004\r\nRSI=0000000000000005 RDI=0000000000000006 "       \
    "RBP=0000000000000007 RSP=0000000000000008\r\nR8 =0000000000000009 "       \
    "R9 =000000000000000a R10=000000000000000b R11=000000000000000c\r\n"       \
    "R12=000000000000000d R13=000000000000000e R14=000000000000000f "          \
    "R15=fedcba9876543210\r\nRIP=ffffffff80203052 RFL=00000246 [---Z-P-] "     \
    "CPL=0 II=0 A20=1 SMM=0 HLT=1\r\nES =0010 0 ffffffff 00cf9300\r\n"         \
    "CS =0008 0000000000000000 ffffffff 00af9a00 DPL=0 CS64 [-R-]\r\n"         \
    "CR0=80010013 CR2=0000000000000000 CR3=0000000000213000 CR4=00000620\r\n"  \
    "DR6=00000000ffff0ff0 DR7=0000000000000400\r\nEFER=0000000000000500\r\n"
#define NARROW                                                                 \
    "EAX=00000001 EBX=00000002 ECX=00000003 EDX=00000663\r\nESI=00000005 "     \
    "EDI=00000006 EBP=00000007 ESP=00000008\r\nEIP=0000fff0 EFL=00000002 "     \
    "[-------] CPL=0 II=0 A20=1 SMM=0 HLT=0\r\nES =0000 00000000 0000ffff\r\n" \
    "CS =f000 ffff0000 0000ffff 00009b00\r\nCR0=60000010 CR2=00000000 "        \
    "CR3=00000000 CR4=00000000\r\n"

static const uint32_t indices[] = {0, 2};
static struct outside_registers to[2];
static struct err e;

TEST(cores_are_found_by_their_numbers)
{
    CHECK_EQ(monitor_text_registers("\r\nCPU#0\r\n" WIDE "\r\nCPU#1\r\n" NARROW
                                    "\r\nCPU#2\r\n" WIDE,
                                    indices, 2, to, &e),
             0);
    for (int i = 0; i < 2; i++) {
        static const uint64_t dwarf[] = {1, 4,  3,  2,  5,  6,  7, 8,
                                         9, 10, 11, 12, 13, 14, 15};

        CHECK(to[i].is_wide);
        CHECK_MEM(to[i].general, dwarf, sizeof dwarf);
        CHECK_EQ(to[i].general[OUTSIDE_R15], 0xfedcba9876543210);
        CHECK_EQ(to[i].pc, 0xffffffff80203052);
        CHECK_EQ(to[i].flags, 0x246);
        CHECK_EQ(to[i].cs, 8);
        CHECK_EQ(to[i].cr0, 0x80010013);
        CHECK_EQ(to[i].cr3, 0x213000);
        CHECK_EQ(to[i].cr4, 0x620);
        CHECK_EQ(to[i].efer, 0x500);
    }
}

TEST(code_that_is_not_64_bits_wide_is_told)
{
    to[0].general[OUTSIDE_R8] = 1; /* of the last look */
    CHECK_EQ(monitor_text_registers("CPU#0\r\n" NARROW, indices, 1, to, &e), 0);
    CHECK(!to[0].is_wide);
    CHECK_EQ(to[0].general[OUTSIDE_RDX], 0x663);
    CHECK_EQ(to[0].general[OUTSIDE_R8], 0);
    CHECK_EQ(to[0].pc, 0xfff0);
    CHECK_EQ(to[0].cs, 0xf000);
    CHECK_EQ(to[0].cr0, 0x60000010);
}

TEST(what_is_missing_is_told)
{
    char text[sizeof WIDE + 8] = "CPU#0\r\n" WIDE;

    *strstr(text, "CR3") = 'X';
    CHECK_EQ(monitor_text_registers(text, indices, 1, to, &e), -1);
    CHECK_STR(e.text, "qmp: QEMU does not tell CR3 of core 0");
    CHECK_EQ(monitor_text_registers("CPU#0\r\n" WIDE "CPU#1\r\n" WIDE, indices,
                                    2, to, &e),
             -1);
    CHECK_STR(e.text, "qmp: QEMU tells no registers of core 1");
    CHECK_EQ(monitor_text_registers("", indices, 1, to, &e), -1);
}

TEST(one_core_does_not_lend_another_its_registers)
{
    CHECK_EQ(monitor_text_registers("CPU#0\r\nRIP=1\r\nCPU#1\r\n" WIDE, indices,
                                    1, to, &e),
             -1);
}

TEST(memory_ends_where_a_line_says_so)
{
    static const char text[] =
        "0000000003ffffe0: 0x0807060504030201 0x100f0e0d0c0b0a09\r\n"
        "0000000003fffff0: 0x1817161514131211 0x201f1e1d1c1b1a19\r\n"
        "0000000004000000: Cannot access memory\r\n";
    uint8_t bytes[64];

    CHECK_EQ(monitor_text_memory(text, 0x3ffffe0, bytes, sizeof bytes), 32);
    for (unsigned i = 0; i < 32; i++)
        CHECK_EQ(bytes[i], i + 1);
    CHECK_EQ(monitor_text_memory(text, 0x3ffffe0, bytes, 24), 24);
    CHECK_EQ(monitor_text_memory(text, 0x3ffffe0, bytes, 3), 3);
    CHECK_EQ(monitor_text_memory(text, 0x3fffff0, bytes, 32), 0);
}

TEST(text_that_is_no_memory_gives_none)
{
    static const char *const texts[] = {
        "",
        "10",
        "10:",
        "10: 0x",
        "10: 0x123",
        "10: 0x012345678901234567",
        "10: Cannot access memory\r\n",
        "invalid char 'z' in expression",
        ":::",
    };
    uint8_t bytes[32];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK_EQ(monitor_text_memory(texts[i], 0x10, bytes, sizeof bytes), 0);
}

TEST(ranges_are_those_of_memory) /* as q35 with 5 GiB has them, shortened */
{
    static const char tree[] =
        "FlatView #0\r\n AS \"I/O\", root: io\r\n Root memory region: io\r\n"
        "  0000000000000000-0000000000000007 (prio 0, ram): io\r\n\r\n"
        "FlatView #1\r\n AS \"memory\", root: system\r\n"
        " AS \"cpu-memory-0\", root: system\r\n Root memory region: system\r\n"
        "  0000000000000000-000000000009ffff (prio 0, ram): mem\r\n"
        "  00000000000a0000-00000000000bffff (prio 1, i/o): vga-lowmem\r\n"
        "  00000000000c0000-00000000000dffff (prio 1, rom): mem "
        "@00000000000c0000 KVM\r\n"
        "  00000000000e0000-00000000000dffff (prio 1, ram): mem\r\n"
        "  0000000100000000-00000001bfffffff (prio 0, ram): mem "
        "@0000000080000000\r\n\r\n"
        "FlatView #2\r\n AS \"other\", root: other\r\n"
        "  0000000000000000-ffffffffffffffff (prio 0, ram): mem\r\n";
    static const uint64_t ranges[][3] = {
        {0, 0x9ffff, 0},
        {0xc0000, 0xdffff, 0xc0000},
        {0x100000000, 0x1bfffffff, 0x80000000},
    };
    const char *at = monitor_text_ranges(tree);
    struct monitor_text_range r;

    for (size_t i = 0; i < 3; i++) {
        at = monitor_text_next_range(at, &r);
        CHECK(at != NULL);
        CHECK_EQ(r.start, ranges[i][0]);
        CHECK_EQ(r.last, ranges[i][1]);
        CHECK_EQ(r.offset, ranges[i][2]);
        CHECK_EQ(r.name_size, 3);
        CHECK_MEM(r.name, "mem", 3);
    }
    CHECK(monitor_text_next_range(at, &r) == NULL);
    CHECK(monitor_text_next_range("", &r) == NULL);
    CHECK(monitor_text_ranges("") == NULL);
    CHECK(monitor_text_ranges(NULL) == NULL);
}
