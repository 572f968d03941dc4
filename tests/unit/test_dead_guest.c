/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF core laid by hand, as Linux and QEMU have them: the registers of two
 * cores, and page tables. That a real guest's stacks are found so is
 * tests/system/stacks.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "outside/outside_guest.h"
#include "util/bytes.h"
#include "util/cpu/x86_64/x86_registers.h"

/* Offsets in the file, and sizes of notes with their heads. */
#define NOTES  176u
#define STATUS 356u
#define QEMU   460u
#define MEMORY (NOTES + 2 * STATUS + 2 * QEMU)
#define SIZE   (MEMORY + 0x4000u)
#define HIGH   UINT64_C(0xffffff8000000000) /* the top table's last entry */

static uint8_t file[SIZE];

static void put_note(size_t at, const char *name, uint32_t type, uint32_t size)
{
    store_u32(file + at, 5);
    store_u32(file + at + 4, size);
    store_u32(file + at + 8, type);
    memcpy(file + at + 12, name, 4);
}

/* Core (core): register i of PRSTATUS is 0x1000 * (core) + i. */
static void put_core(uint32_t core, uint32_t cs_flags)
{
    size_t status = NOTES + (size_t)core * STATUS;
    size_t qemu = NOTES + 2 * STATUS + (size_t)core * QEMU;

    put_note(status, "CORE", 1, 336);
    for (uint32_t i = 0; i < 27; i++)
        store_u64(file + status + 20 + 112 + 8 * (size_t)i, 0x1000 * core + i);
    put_note(qemu, "QEMU", 0, 440);
    store_u32(file + qemu + 20, 1);
    store_u32(file + qemu + 20 + 160, cs_flags);
    store_u64(file + qemu + 20 + 392, UINT64_C(0x80000001)); /* CR0 */
    store_u64(file + qemu + 20 + 424, 0x20);                 /* CR4 */
}

static void put_program(size_t at, uint32_t type, uint64_t from, uint64_t size)
{
    store_u32(file + at, type);
    store_u64(file + at + 8, from);
    store_u64(file + at + 32, size);
    store_u64(file + at + 40, size);
}

static void lay(void)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    uint8_t *memory = file + MEMORY;

    memset(file, 0, sizeof file);
    memcpy(file, magic, sizeof magic);
    store_u16(file + 16, 4);
    store_u16(file + 18, 62);
    store_u64(file + 32, 64);
    store_u16(file + 54, 56);
    store_u16(file + 56, 2);
    put_program(64, 4, NOTES, MEMORY - NOTES);
    put_program(120, 1, MEMORY, SIZE - MEMORY);
    put_core(0, 1u << 21);
    put_core(1, 0);
    /* the last 512 GiB begin with a page of 2 MiB at 0 */
    store_u64(memory + 511 * 8, 0x1003);
    store_u64(memory + 0x1000, 0x2003);
    store_u64(memory + 0x2000, 0x83);
    store_u32(memory + 0x3000, 0x65726568);
}

static struct outside_guest *begin(size_t size, struct err *e)
{
    int fd = memfd_create("core", MFD_CLOEXEC);

    CHECK(fd >= 0);
    CHECK(write(fd, file, size) == (ssize_t)size);
    return outside_dump(fd, e);
}

TEST(registers_of_all_cores_are_those_of_the_notes)
/* catches: registers that are mixed up, a core that is taken for another */
{
    /* where elf_prstatus has rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8... */
    static const uint64_t places[X86_GENERALS] = {10, 12, 11, 5, 13, 14, 4, 19,
                                                  9,  8,  7,  6, 3,  2,  1, 0};
    struct cpu_registers r;
    struct err e = {""};

    lay();

    struct outside_guest *g = begin(SIZE, &e);

    CHECK(g != NULL);
    CHECK_EQ(g->core_count, 2);
    CHECK(g->warning == NULL);
    for (uint32_t core = 0; core < 2; core++) {
        CHECK(g->ops->registers(g, core, &r, &e) == 0);
        for (unsigned i = 0; i < X86_GENERALS; i++)
            CHECK_EQ(r.general[i], 0x1000 * core + places[i]);
        CHECK_EQ(r.pc, 0x1000 * core + 16);
        CHECK_EQ(r.system[X86_CS], 0x1000 * core + 17);
        CHECK_EQ(r.flags, 0x1000 * core + 18);
        CHECK_EQ(r.system[X86_EFER], 0); /* not in the file */
        CHECK_EQ(r.is_wide, core == 0);
    }
    CHECK(g->ops->registers(g, 2, &r, &e) != 0);
    g->ops->close(g);
}

TEST(memory_is_what_the_page_tables_say)
/* catches: physical for virtual addresses, a read beyond the file */
{
    struct cpu_registers r;
    struct err e = {""};
    uint8_t here[4];
    static uint8_t more[0x2000];

    lay();

    struct outside_guest *g = begin(SIZE, &e);

    CHECK(g != NULL && g->ops->registers(g, 0, &r, &e) == 0);
    CHECK_EQ(g->ops->memory(g, 0, &r, HIGH + 0x3000, here, 4, &e), 4);
    CHECK_EQ(load_u32(here), 0x65726568);
    CHECK_EQ(g->ops->memory(g, 0, &r, 0x3000, here, 4, &e), 0);
    CHECK_EQ(g->ops->memory(g, 0, &r, HIGH + 0x3000, more, sizeof more, &e),
             0x1000);
    g->ops->close(g);
}

TEST(file_that_is_cut_is_told)
/* catches: stacks that end where the file does, as if that were all */
{
    struct err e = {""};

    lay();

    struct outside_guest *g = begin(SIZE - 0x1000, &e);

    CHECK(g != NULL && g->warning != NULL);
    CHECK_STR(g->warning, "is cut: 12,288 of 16,384 bytes of memory are in it");
    g->ops->close(g);
}

TEST(file_without_registers_is_told)
/* catches: cores whose registers are all 0 */
{
    struct err e = {""};

    lay();
    store_u32(file + NOTES + 8, 7);
    store_u32(file + NOTES + STATUS + 8, 7);
    CHECK(begin(SIZE, &e) == NULL);
    CHECK(strstr(e.text, "registers") != NULL);
    lay();
    store_u32(file + NOTES + 4, UINT32_MAX); /* a note without an end */
    store_u32(file + NOTES, UINT32_MAX);
    e.text[0] = '\0';
    CHECK(begin(SIZE, &e) == NULL);
    CHECK(e.text[0] != '\0');
}
