/* SPDX-License-Identifier: BSD-2-Clause */
/* collector check: who boots a kernel, and what of it is not loaded then. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "command.h"
#include "input.h"

/* A kernel for loaders, with these headers and parts of tprof. */
static const char *build_loaded(const char *name, const char *words)
{
    char command[1024];

    (void)snprintf(command, sizeof command,
                   "cc -nostdlib -static -no-pie -DBAD=0 "
                   "-Wl,--build-id=none,-z,max-page-size=4096 -T "
                   "$IN/loaded.ld %s $IN/loaded.S -o $OUT",
                   words);
    return input_build("cc", name, command);
}

#define BY_SYMBOLS "-DMULTIBOOT=0x10000 -DAGENT "

/* Catches: all stacks lost, with nothing said before */
TEST(check_names_parts_of_tprof_that_no_loader_loads)
{
    static const struct {
        const char *words, *says, *status;
    } cases[] = {
        {BY_SYMBOLS "-DNAMED=tprof_mix -DDATA=.data.tprof_mix",
         "A part of tprof: 8 bytes of section .data.tprof_mix lie after "
         "load_end_addr, 0x20",
         "exit status 1"},
        {BY_SYMBOLS "-DNAMED=tprof_mix -DDATA=.data", NULL, "exit status 0"},
        {BY_SYMBOLS "-DNAMED=own_data -DDATA=.data.own",
         "A part of the kernel: 8 bytes of section .data.own lie after ",
         "exit status 0"},
        {BY_SYMBOLS "-DNAMED=tprof_cpu -DBSS=.bss.tprof_cpu",
         "A part of tprof: 24 bytes of section .bss.tprof_cpu lie after "
         "bss_end_addr, 0x20",
         "exit status 1"},
        {BY_SYMBOLS "-DNAMED=tprof_cpu -DBSS=.bss", NULL, "exit status 0"},
        /* a kernel zeroes its own memory */
        {BY_SYMBOLS "-DNAMED=own_bss -DBSS=.bss.own", NULL, "exit status 0"},
        /* segments bring all of it */
        {"-DPVH=18 -DAGENT -DNAMED=tprof_mix -DDATA=.data.tprof_mix", NULL,
         "exit status 0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = check(build_loaded("parts", cases[i].words));

        if (cases[i].says != NULL)
            says(text, cases[i].says, true);
        else
            says(text, "A part of ", false);
        says(text, cases[i].status, true);
        says(text, "would not be loaded whole",
             strstr(cases[i].status, "1") != NULL);
        free(text);
    }
}

/* Catches: what a script gives no segment */
TEST(check_names_sections_without_a_segment)
{
    char *text = check(input_build(
        "cc", "segments",
        "sed 's/^SECTIONS/PHDRS { all PT_LOAD; }\\n&/; s/(.rodata) }/& "
        ":NONE/; s/(.text) }/& :all/; s/load_end = .; }/& :all/' "
        "$IN/loaded.ld >$OUT.ld && cc -nostdlib -static -no-pie -DBAD=0 "
        "-DAGENT -Wl,--build-id=none -T $OUT.ld $IN/loaded.S -o $OUT"));

    says(text,
         "A part of tprof: 12 bytes of section .rodata are in no segment of "
         "the file. tprof_init() fails",
         true);
    says(text, "exit status 1", true);
    free(text);
}

/* Catches: the kernel's heap over variables, where config.memory is used */
TEST(check_finds_variables_behind_the_kernels_end)
{
    static const char *const ends[] = {"own_end", "end"};
    char words[200];

    for (int behind = 0; behind < 2; behind++) {
        (void)snprintf(words, sizeof words,
                       "-DPVH=18 -DAGENT -DNAMED=tprof_cpu "
                       "-DBSS=.bss.tprof_cpu -Wl,--defsym=%s=bss_end",
                       ends[behind]);
        char *text = check(build_loaded("variables", words));

        says(text, "variables of the agent: they lie after the symbol end,",
             behind);
        says(text, behind ? "exit status 1" : "exit status 0", true);
        free(text);
    }
}

/* Does QEMU boot the file (path)? */
static bool is_booted(const char *path)
{
    char *said = input_run("timeout 30 qemu-system-x86_64 -accel tcg "
                           "-nodefaults -display none -no-reboot -device "
                           "isa-debug-exit,iobase=0xf4,iosize=1 -kernel %s "
                           "</dev/null >/dev/null 2>&1; echo status $?",
                           path);
    bool booted = strcmp(said, "status 33\n") == 0;

    CHECK(booted || strcmp(said, "status 1\n") == 0);
    free(said);
    return booted;
}

#define AS_ELF32 "QEMU -kernel (multiboot, after objcopy -O elf32-i386)"

/* Catches: a loader that is told, and does not boot; QEMU itself is the judge
 */
TEST(check_knows_what_boots)
{
    static const struct {
        const char *words, *says;
        bool boots;
    } cases[] = {
        {"-DPVH=18", "QEMU -kernel (PVH) ", true},
        {"-DPVH=17", "neither QEMU -kernel nor GRUB: no boot header", false},
        {"-DMULTIBOOT=0x10000", "QEMU -kernel (multiboot), GRUB (multiboot)",
         true},
        {"-DMULTIBOOT=0x10000 -UBAD -DBAD=1", "neither QEMU", false},
        {"-DMULTIBOOT=0x10000 -DLATE=8000", "neither QEMU", false},
        {"-DMULTIBOOT=0", AS_ELF32 ", GRUB (multiboot)", false},
        {"-DMULTIBOOT=0 -DPVH=18", AS_ELF32 ", GRUB (multiboot)", false},
        {"-DMULTIBOOT2", "GRUB (multiboot2)", false},
        {"-DMULTIBOOT2 -UBAD -DBAD=1", "neither QEMU", false},
        {"-DMULTIBOOT2 -DPVH=18", "QEMU -kernel (PVH), GRUB (multiboot2)",
         true},
        {"-DMULTIBOOT=0x10000 -Wl,--gc-sections", "neither QEMU", false},
    };

    input_need("qemu-system-x86_64");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = build_loaded("boots", cases[i].words);
        char *text = check(path), line[128];

        (void)snprintf(line, sizeof line, " boots by %s", cases[i].says);
        says(text, line, true);
        if (is_booted(path) != cases[i].boots)
            check_failed(__FILE__, __LINE__, "%s", cases[i].words);
        says(text, "A boot header:", false); /* no agent: who knows? */
        free(text);
    }
    CHECK(is_booted(input_build("objcopy", "elf32",
                                "cc -nostdlib -static -no-pie -DBAD=0 "
                                "-DMULTIBOOT=0 -Wl,--build-id=none -T "
                                "$IN/loaded.ld $IN/loaded.S -o $OUT.64 && "
                                "objcopy -O elf32-i386 $OUT.64 $OUT")));
}

/* Catches: a kernel that --gc-sections left without a header */
TEST(check_tells_how_a_boot_header_is_dropped)
{
    char *text =
        check(build_loaded("dropped", BY_SYMBOLS "-Wl,--gc-sections "
                                                 "-Wl,-u,tprof_anchor"));

    says(text, "A boot header: neither QEMU -kernel nor GRUB boots this", true);
    says(text, "KEEP(*(.multiboot))", true);
    says(text, "exit status 0", true);
    free(text);
    text = check(build_loaded("kept", BY_SYMBOLS));
    says(text, "A boot header:", false);
    free(text);
}

/* Catches: "runs where it is linked", of a kernel that moves itself */
TEST(check_says_what_the_file_says_of_places)
{
    char *text = check(build_loaded("fixed", ""));

    says(text, "ELF, linked for fixed addresses, entry 0x200", true);
    free(text);
    text = check(input_build("cc", "pie",
                             "cc -O2 -g -fpie -pie -nostdlib -Wl,-e,_start "
                             "$IN/inline.c -o $OUT"));
    says(text, "ELF, position independent, entry 0x", true);
    free(text);
}

/* Catches: blame for code that only runs before paging is on, and silence about
 * other code outside of the bounds */
TEST(check_knows_boot_code)
{
    static const struct {
        const char *low, *text;
        bool blamed;
    } cases[] = {
        {"AT(0x100000)", "0xffffffff80200000 : AT(0x200000)", false},
        {"AT(0x180000)", "0xffffffff80200000 : AT(0x200000)", true},
        {"AT(0x100000)", "0x200000 : AT(0x200000)", true},
    };
    char command[1024];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)snprintf(
            command, sizeof command,
            "echo 'SECTIONS { .low 0x100000 : %s { *(.low) } .text %s { "
            "__tprof_text_start = .; *(.text) __tprof_text_end = .; } .data : "
            "{ *(.data) } }' >$OUT.ld && printf '%%s\\n' '.section .low, "
            "\"ax\"; .globl _start, tprof_anchor; _start: hlt; .data; "
            "tprof_anchor: .quad 1' '.text; ret' >$OUT.s && cc -nostdlib "
            "-static -no-pie -T $OUT.ld $OUT.s -o $OUT",
            cases[i].low, cases[i].text);
        char *text = check(input_build("cc", "low", command));

        says(text, "Text bounds: ", cases[i].blamed);
        free(text);
    }
}
