/* SPDX-License-Identifier: BSD-2-Clause */
/* collector check, as it is typed: what it says, and with which exit status. */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checked.h"
#include "command.h"
#include "input.h"

#define KEEP  "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"
#define LINK  " -O2 -fno-pie -no-pie -nostdlib -static -Wl,--build-id=sha1 "
#define AGENT "-DAGENT -Wl,--section-start=.init.text=0x500000 "
#define FRAGMENTS                                                              \
    "-DMEMORY -Wl,-T,$HOST/../linker/tprof_bounds.ld "                         \
    "-Wl,-T,$HOST/../linker/tprof_memory.ld "                                  \
    "-Wl,-T,$HOST/../linker/tprof_note.ld "

/* A kernel whose units "bare" and "framed" are compiled with these flags. */
static const char *build(const char *bare, const char *link)
{
    char command[1024];

    (void)snprintf(command, sizeof command,
                   "cc -O2 -fno-pie -g " KEEP " -DPART=framed -c $IN/mix.c -o "
                   "$OUT.framed.o && cc -O2 -fno-pie -DPART=bare %s -c "
                   "$IN/mix.c -o $OUT.bare.o && cc -g " KEEP LINK
                   "%s $IN/mix_main.c $OUT.framed.o $OUT.bare.o -o $OUT",
                   bare, link);
    return input_build("cc", "mix", command);
}

/* Catches: advice for nothing */
TEST(check_finds_nothing_missing_in_a_good_kernel)
{
    char *text = check(build("-g " KEEP,
                             "-DAGENT " FRAGMENTS "-Wl,-z,max-page-size=4096 "
                             "-Wl,--sort-section=name"));

    says(text, "A profile of ./input.", true);
    says(text,
         "tprof 9.8.7 (wire 2.3); 0 bytes of code; virtio-serial, tprof_vsock;",
         true);
    says(text, "memory for 2 cores", true);
    says(text, "sends its build-id", true);
    says(text, "Callers", false);
    says(text, "Calls:", false);
    says(text, "Lines", false);
    says(text, "exit status 0", true);
    free(text);
}

/* Catches: a bare complaint */
TEST(check_says_what_to_type_for_what_is_missing)
{
    char command[128];
    char *text = check(build("-fomit-frame-pointer -DOTHER_RBP",
                             AGENT "-Wl,-T,$HOST/../linker/tprof_bounds.ld"));

    says(text, "Callers in C code: 2 functions", true);
    says(text, "1 of them uses RBP for other things", true);
    says(text, "Compile with " KEEP, true);
    says(text, "--unwind auto", false); /* it has the agent */
    says(text, "% of the code (--gdb and --qmp walk", true);
    says(text, "Lines of C code", true);
    says(text, "Compile with -g.", true);
    says(text, "Text bounds:", true);
    says(text, "set config.text", true);
    says(text, "The agent does not send the build-id", true);
    says(text, "Calls: nothing calls tprof_init() and tprof_start_cpu(), so ",
         true);
    says(text, "no memory linked in, so the kernel must set config.memory",
         true);
    says(text, "exit status 0", true);
    free(text);
    text = check(build("-fomit-frame-pointer", ""));
    says(text,
         "Compile with " KEEP
         ". Without an agent (--gdb, --qmp) and with --unwind auto",
         true);
    free(text);
    text = check(build("-g " KEEP, "-Wl,--build-id=none"));
    says(text, "tprof_anchor", true);
    says(text, "Link with --build-id", true);
    free(text);
    text = check(build("-g " KEEP, "-s"));
    says(text, "no function names", true);
    says(text, "as it was before strip", true);
    says(text, "unknown without symbols", true);
    says(text, "Compile with -g", false); /* who knows? */
    free(text);
    (void)snprintf(command, sizeof command, "objcopy --only-keep-debug %s $OUT",
                   build("-g " KEEP, ""));
    text = check(input_build("cc", "debug", command));
    says(text, "function names for ", true);
    says(text, "callers: unknown, since the file has no code", true);
    says(text, "Code: the file holds none", true);
    free(text);
}

/* A kernel without a script of its own; (more) goes into .bss, before the
 * agent's memory. */
static char *check_kernel(const char *name, const char *more, const char *link)
{
    char command[1024];

    (void)snprintf(
        command, sizeof command,
        "printf '%%s\\n' '.globl _start, tprof_anchor; _start: jmp "
        "end' 'end: ret; .globl __tprof_text_start, "
        "__tprof_text_end; __tprof_text_start = _start; "
        "__tprof_text_end = .; .data; tprof_anchor: .quad 1; .bss' '%s' "
        ">$OUT.s && cc -nostdlib -static -no-pie "
        "-Wl,--build-id=sha1 $OUT.s %s -o $OUT",
        more, link);
    return check(input_build("cc", name, command));
}

#define MEMORY                                                                 \
    ".globl __tprof_memory, __tprof_memory_end; __tprof_memory: .skip "        \
    "0x90000; __tprof_memory_end:"

/* Catches: a heap in the same place, which damages both */
TEST(check_refuses_memory_that_is_not_the_kernels)
{
    char *text = check_kernel("inside", MEMORY, "");

    says(text, "memory for 4 cores", true);
    says(text, "A place for the memory", false);
    says(text, "exit status 0", true);
    free(text);
    text = check_kernel("behind", MEMORY,
                        "-Wl,--defsym=__bss_end=__tprof_memory+0x1000");
    says(text, "it ends after the symbol __bss_end, where", true);
    says(text, "tprof would damage this kernel", true);
    says(text, "exit status 1", true);
    free(text);
    text = check_kernel("nowhere", "",
                        "-Wl,--defsym=__tprof_memory=0x1000 "
                        "-Wl,--defsym=__tprof_memory_end=0x91000");
    says(text, "no segment has this place", true);
    says(text, "exit status 1", true);
    free(text);
}

/* Catches: a kernel that is praised, and whose tprof_init() fails */
TEST(check_refuses_a_kernel_without_text_bounds)
{
    char *text = check(input_build(
        "cc", "boundless",
        "printf '%s\\n' '.globl _start, tprof_anchor; _start: ret; .data; "
        "tprof_anchor: .quad 1' >$OUT.s && cc -nostdlib -static -no-pie "
        "-Wl,--build-id=sha1 $OUT.s -o $OUT"));

    says(text, "Link with -T tprof_bounds.ld.", true);
    says(text,
         "tprof_init() fails unless the kernel sets config.text: text "
         "bounds, above",
         true);
    says(text, "exit status 1", true);
    free(text);
}

/* Catches: a kernel refused for a variable's name */
TEST(check_knows_the_end_from_other_ends)
{
    char *text = check_kernel("variables",
                              ".globl _ebss; .size _ebss, 8; _ebss: .skip 8; "
                              "__bss_end: .skip 8; " MEMORY,
                              "");

    says(text, "A place for the memory", false);
    says(text, "exit status 0", true);
    free(text);
}

/* Catches: gcc's options for what the compiler came with */
TEST(check_says_that_pascals_runtime_came_compiled)
{
    char *text = check(input_build(
        "fpc", "pas",
        "fpc -gw2 -OoNOSTACKFRAME -FU. -FE. $IN/nested.pas -o$OUT >/dev/null"));

    says(text, "Callers in C code", false);
    says(text, "Callers in Pascal code", true);
    says(text, "The largest: System.", true);
    says(text, "compile the units of the library (RTL) with that option, too",
         true);
    free(text);
}

/* catches: 0 inlined functions without a word */
TEST(check_tells_of_dwarf_in_files_of_its_own)
{
    char *text = check(build("-g -gsplit-dwarf " KEEP, ""));

    says(text,
         "Inlined functions: the DWARF of functions is in separate files, ",
         true);
    says(text,
         ".dwo and others, which are not read. Compile with "
         "-gno-split-dwarf.",
         true);
    free(text);
}

/* Catches: registers and variables that an interrupt destroys, in silence; in
 * functions with a frame, too, of which -O0 makes some */
TEST(check_names_units_with_a_red_zone)
{
    static const char *const flags[] = {"-mno-red-zone", "", "-O0"};
    char command[512], *text;

    for (int with = 0; with < 3; with++) {
        (void)snprintf(
            command, sizeof command,
            "for p in framed bare; do cc -O2 -g -fno-pie -mno-red-zone "
            "-DPART=$p -c $IN/mix.c -o $OUT.$p.o; done; cc -O2 -g -fno-pie %s "
            "-DPART=leafy -c $IN/mix.c -o $OUT.leafy.o && cp $IN/mix_main.c "
            "$OUT.c && cc -g -O2 -fno-pie -no-pie -nostdlib -static "
            "-mno-red-zone $OUT.c $OUT.*.o -o $OUT",
            flags[with]);
        text = check(input_build("cc", "zone", command));
        says(text, "Stacks without a red zone: 1 unit may", with != 0);
        says(text, "destroys: mix.c. Compile with -mno-red-zone", with != 0);
        free(text);
    }
}

/* Catches: frames that cannot be followed */
TEST(check_names_a_better_target_for_windows_code)
{
    char *text;

    input_need("clang");
    text = check(input_build(
        "lld-link", "efi",
        "clang -target x86_64-unknown-windows -ffreestanding -gdwarf -O2 "
        "-fomit-frame-pointer -c $IN/efi.c -o $OUT.obj && lld-link "
        "/subsystem:efi_application /entry:efi_main /nodefaultlib "
        "/ignore:longsections /debug:dwarf /out:$OUT $OUT.obj"));
    says(text, "x86_64-unknown-windows-gnu with -fdwarf-exceptions", true);
    says(text, "-lldmingw", true);
    says(text, "PE, position independent, entry 0x14000", true);
    free(text);
    /* what the linker calls it is told by tprof_init_efi() */
    text = check(input_build(
        "lld-link", "told",
        "clang -target x86_64-unknown-windows-gnu -ffreestanding -gdwarf -O2 "
        "-c $IN/efi.c -o $OUT.obj && echo '.globl tprof_init_efi; .set "
        "tprof_init_efi, 1' | clang -target x86_64-unknown-windows-gnu -c -x "
        "assembler - -o $OUT.2.obj && lld-link -lldmingw /debug:dwarf "
        "/subsystem:efi_application /entry:efi_main /nodefaultlib /out:$OUT "
        "$OUT.obj $OUT.2.obj"));
    says(text, "sends its build-id by tprof_init_efi()", true);
    says(text, "tprof_note.ld", false);
    free(text);
}

/* 40 units of a byte of code each, and as many compilers, by hand. */
#define MANY                                                                   \
    "{ echo '.section .debug_abbrev; .byte 1, 0x11, 0, 0x25, 8, 0x13, 0xb, "   \
    "3, "                                                                      \
    "8, 0x11, 1, 0x12, 6, 0, 0, 0'; echo '.text; .globl _start; _start:'; "    \
    "for i in $(seq 10 49); do echo \".text; .type f$i,@function; f$i: ret; "  \
    ".size f$i,1; .section .debug_info; .long e$i-b$i; b$i: .value 4; .long "  \
    "0; .byte 8, 1; .asciz \\\"cc $i -O2 -Wall\\\"; .byte 12; .asciz "         \
    "\\\"u$i.c\\\"; .quad f$i; .long 1; e$i:\"; done; } > $OUT.s && "          \
    "cc -nostdlib -static -no-pie $OUT.s -o $OUT"

TEST(check_shows_all_units_on_request) /* catches: a list that overflows */
{
    const char *path = input_build("cc", "many", MANY);
    char words[300], *text = check(path);

    says(text, "20 more: --all", true);
    says(text, "(others)", true);
    says(text, " -O2 ", true);
    says(text, "-Wall", false);
    free(text);
    (void)snprintf(words, sizeof words, "--all %s", path);
    text = check(words);
    says(text, "more: --all", false);
    for (unsigned i = 10; i < 50; i++) {
        (void)snprintf(words, sizeof words, " C u%u.c ", i);
        says(text, words, true);
    }
    free(text);
}

/* Catches: scripts that go on */
TEST(check_fails_only_for_files_it_cannot_read)
{
    const char *good = build("-g", "");
    char words[300], *text = check("");

    says(text, "which image? type: collector check --elf FILE", true);
    says(text, "exit status 2", true);
    free(text);
    text = check("--elf /dev/null");
    says(text, "exit status 1", true);
    free(text);
    (void)snprintf(words, sizeof words, "$0 %s", good);
    text = check(words); /* $0 is the shell's name, and no file here */
    says(text, "collector check: sh", true);
    says(text, "A profile of", true);
    says(text, "exit status 1", true);
    free(text);
    text = check("--help");
    says(text, "--elf FILE", true);
    says(text, "exit status 0", true);
    free(text);
}

/* Catches: hostile files met unconfined */
TEST(check_reads_files_in_its_sandbox)
{
    const char *path = build("-g", "");
    static char program[] = COLLECTOR, command[] = "check";
    char *argv[24] = {program, command};
    char more[4096];
    int pipes[2];

    if (SANITIZED) /* whose run-time library would not live in it */
        return;
    for (size_t i = 2; i < 22; i++)
        argv[i] = (char *)(uintptr_t)path;
    CHECK_EQ(pipe(pipes), 0);
    CHECK(fcntl(pipes[1], F_SETPIPE_SZ, 4096) > 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        (void)execv(COLLECTOR, argv);
        _exit(127);
    }
    close(pipes[1]);
    struct pollfd p = {.fd = pipes[0], .events = POLLIN};
    CHECK_EQ(poll(&p, 1, 20000), 1); /* it waits to say the rest */
    const char *status = status_of(child);
    CHECK(strstr(status, "Seccomp:\t2\n") != NULL);
    CHECK(strstr(status, "NoNewPrivs:\t1\n") != NULL);
    while (read(pipes[0], more, sizeof more) > 0)
        ;
    CHECK_EQ(join_collector(child), 0);
}
