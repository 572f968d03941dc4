/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers, against the truth: a program is carried out instruction by
 * instruction (ptrace), its calls and returns make a shadow stack, and at each
 * instruction the stack is walked. Not one caller may be wrong.
 *
 * So it is with the walks that --unwind auto and tables choose (unwind/), and
 * with the one of an agent and of --unwind fp: along frame pointers, of which
 * the collector finds what that has missed (image/names/hidden_callers.h), or
 * marks it.
 *
 * WALKS in the environment: how many there are of each program. The guests of
 * tests/accuracy have the same truth by QEMU's plugin; it reads no registers.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/host/machine.h"
#include "check.h"
#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/hidden_callers.h"
#include "image/names/image_map.h"
#include "input.h"
#include "outside/unwind/unwinder.h"
#include "sample/unwind.h"
#include "util/cpu/x86_64/x86.h"
#include "util/cpu/x86_64/x86_registers.h"
#include "util/err.h"

#define DEPTH_MAX   256u
#define STACK_BYTES 16384u
#define BELOW       4096u /* RSP */
#define ENDS        (UNWIND_ODD + 1u)
#define ALONG_FP    ENDS /* a mode that is not the unwinder's */

/* The program, and where it is. */
static struct {
    pid_t pid;
    struct image *img;
    struct user_regs_struct regs;
    uint64_t shadow[DEPTH_MAX]; /* return addresses, outermost first */
    size_t depth;
    uint8_t stack[STACK_BYTES]; /* from RSP on */
    size_t stack_size;
    bool overwritten; /* below RSP, as by an interrupt */
} it;

/* --- The program ---------------------------------------------------------- */

static void begin(const char *path)
{
    struct err e = {""};
    int status;

    if (image_open(&it.img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    it.depth = 0;
    it.pid = fork();
    if (it.pid == 0) {
        (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        (void)execl(path, path, (char *)NULL);
        _exit(127);
    }
    CHECK(it.pid > 0);
    CHECK_EQ(waitpid(it.pid, &status, 0), it.pid);
    if (!WIFSTOPPED(status))
        SKIP("ptrace is not allowed here");
    CHECK_EQ(ptrace(PTRACE_SETOPTIONS, it.pid, NULL, PTRACE_O_EXITKILL), 0);
    CHECK_EQ(ptrace(PTRACE_GETREGS, it.pid, NULL, &it.regs), 0);
}

static void end(void)
{
    (void)kill(it.pid, SIGKILL);
    (void)waitpid(it.pid, NULL, 0);
    image_close(it.img);
}

/* The instruction that comes next. */
static enum insn_kind kind_of_next(void)
{
    size_t have;
    const uint8_t *code = image_code(it.img, it.regs.rip, &have);
    struct insn in;

    CHECK(code != NULL);
    CHECK(x86_insn_decode(code, have, &in) != 0);
    return in.kind;
}

/* Carry out one instruction. The CPU says where a call and a return lead. */
static void step(void)
{
    enum insn_kind kind = kind_of_next();
    uint64_t pushed;
    int status;

    CHECK_EQ(ptrace(PTRACE_SINGLESTEP, it.pid, NULL, NULL), 0);
    CHECK_EQ(waitpid(it.pid, &status, 0), it.pid);
    CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
    CHECK_EQ(ptrace(PTRACE_GETREGS, it.pid, NULL, &it.regs), 0);
    if (kind == INSN_CALL || kind == INSN_CALL_NEXT) {
        pushed = (uint64_t)ptrace(PTRACE_PEEKDATA, it.pid, it.regs.rsp, NULL);
        CHECK(it.depth < DEPTH_MAX);
        it.shadow[it.depth++] = pushed;
    } else if (kind == INSN_RETURN) {
        CHECK(it.depth > 0);
        CHECK_EQ(it.shadow[--it.depth], it.regs.rip);
    }
}

/* --- The walks ------------------------------------------------------------ */

static size_t read_stack(void *context, uint64_t address, void *to, size_t size)
{
    uint64_t at = address - it.regs.rsp;

    (void)context;
    if (at > UINT64_MAX - BELOW) {
        memset(to, 0x5a, size);
        return it.overwritten ? size : 0;
    }
    if (at > it.stack_size || size > it.stack_size - at)
        return 0;
    memcpy(to, it.stack + at, size);
    return size;
}

static void copy_stack(void)
{
    struct iovec here = {it.stack, STACK_BYTES}, there;
    ssize_t n = 0;

    for (size_t size = STACK_BYTES; n <= 0 && size >= 64; size /= 2) {
        union {
            uint64_t address;
            void *base;
        } at = {.address = it.regs.rsp};

        there = (struct iovec){at.base, size};
        n = process_vm_readv(it.pid, &here, 1, &there, 1, 0);
    }
    it.stack_size = n > 0 ? (size_t)n : 0;
}

struct tally {
    uint64_t walks, callers, wrong, whole, ends[ENDS];
};

/* One word for (end). */
static const char *end_text(enum unwind_end end)
{
    static const char *const text[] = {
        [UNWIND_FULL] = "full",       [UNWIND_WHOLE] = "whole",
        [UNWIND_OUTSIDE] = "outside", [UNWIND_UNTOLD] = "untold",
        [UNWIND_UNREAD] = "unread",   [UNWIND_ODD] = "odd",
    };

    return text[end];
}

static void tell_wrong(const uint64_t *found, size_t n, enum unwind_end why)
{
    printf("at %llx, %s:", it.regs.rip, end_text(why));
    for (size_t i = 0; i < n; i++)
        printf(" %" PRIx64 "%s", found[i],
               i < it.depth && found[i] == it.shadow[it.depth - 1 - i] ? ""
                                                                       : "!");
    printf(" of %zu\n", it.depth);
}

/* Walk now, and compare each caller. */
static void walk(struct unwinder *u, enum unwind_mode mode, struct tally *t)
{
    const uint64_t general[X86_PC] = {
        it.regs.rax, it.regs.rdx, it.regs.rcx, it.regs.rbx,
        it.regs.rsi, it.regs.rdi, it.regs.rbp, it.regs.rsp,
        it.regs.r8,  it.regs.r9,  it.regs.r10, it.regs.r11,
        it.regs.r12, it.regs.r13, it.regs.r14, it.regs.r15};
    const struct guest_memory memory = {.read = read_stack};
    uint64_t found[DEPTH_MAX], wrong = 0;
    enum unwind_end why;
    size_t n = unwind_callers(u, mode, general, it.regs.rip, &memory, found,
                              DEPTH_MAX, &why);

    for (size_t i = 0; i < n; i++)
        wrong += i >= it.depth || found[i] != it.shadow[it.depth - 1 - i];
    wrong += why == UNWIND_WHOLE && n < it.depth; /* it only says so */
    if (wrong != 0 && t->wrong < 20)
        tell_wrong(found, n, why);
    t->walks++;
    t->callers += n;
    t->wrong += wrong;
    t->whole += why == UNWIND_WHOLE && n == it.depth;
    t->ends[why]++;
}

/* --- Along frame pointers ------------------------------------------------- */

static uint64_t load_word(uint64_t address)
{
    uint64_t word = 0;

    (void)read_stack(NULL, address, &word, sizeof word);
    return word;
}

/* The agent's walk. */
static void walk_along(struct tprof_chain *chain)
{
    static const struct tprof_machine_hooks hooks = {.load = load_word};
    const struct image_text *text = image_text_at(it.img, 0);
    const struct tprof_bounds bounds = {
        .image.text = {text->address, text->size, TPROF_REACH_MAX, .seed = 1},
        .readable = {{BELOW, UINT64_MAX - BELOW}}};
    struct tprof_span span = {.bounds = &bounds};

    tprof_machine.hooks = &hooks;
    (void)tprof_unwind_locate(&span, it.regs.rip, it.regs.rsp);
    (void)tprof_unwind_frames(&span, it.regs.rsp, it.regs.rbp,
                              WIRE_STACK_FRAMES_MAX, chain);
}

/* A stack while it is compared, outward. */
struct compared {
    struct tally *tally;
    size_t at;   /* the caller that comes next */
    bool marked; /* there may be others before the next one */
};

static void compare(struct compared *c, uint64_t back)
{
    size_t at = c->at;

    while (c->marked && at < it.depth && back != it.shadow[it.depth - 1 - at])
        at++;
    c->tally->callers++;
    if (at < it.depth && back == it.shadow[it.depth - 1 - at]) {
        c->at = at + 1;
    } else if (c->tally->wrong++ < 20) {
        printf("at %llx: %" PRIx64 " is not caller %zu of %zu\n", it.regs.rip,
               back, c->at + 1, it.depth);
    }
    c->marked = false;
}

static void compare_missed(struct compared *c,
                           const struct hidden_callers *missed)
{
    for (uint32_t i = 0; i < missed->count; i++)
        compare(c, missed->address[i]);
    c->marked = missed->missing;
}

/* Walk now, and compare each caller; whoever is left out must be marked. */
static void walk_fp(const struct image_map *map, struct tally *t)
{
    struct compared c = {.tally = t};
    struct tprof_chain chain;
    struct hidden_callers missed;

    walk_along(&chain);
    struct stack stack = {.frames = chain.frame,
                          .depth = chain.count,
                          .end = (uint8_t)chain.end,
                          .slot_mask = (uint8_t)chain.slots};

    for (unsigned i = 0; i < WIRE_STACK_SLOTS; i++)
        stack.words[i] = (chain.slots >> i & 1) != 0 ? chain.word[i] : 0;
    missed = hidden_callers_of_leaf(map, it.regs.rip, &stack);
    compare_missed(&c, &missed);
    for (uint32_t i = 0; i < chain.count; i++) {
        compare(&c, chain.frame[i]);
        if (i + 1 == chain.count)
            break;
        missed = hidden_callers_of_frame(map, chain.frame[i]);
        compare_missed(&c, &missed);
    }
    t->walks++;
    t->whole += c.at == it.depth;
}

static uint64_t walks(void)
{
    const char *text = getenv("WALKS");

    return text != NULL ? strtoull(text, NULL, 10) : 3000;
}

/* Walk (path) in (mode) from the (skip)th instruction on. At least (whole)
 * of 1,000 walks must reach the outermost function. */
static void walked(const char *what, const char *path, unsigned mode,
                   unsigned skip, unsigned whole)
{
    static const char *const modes[] = {"auto", "code",
                                        "tables", [ALONG_FP] = "fp"};
    struct tally t = {0};

    begin(path);
    struct unwinder *u =
        unwinder_new(&(struct unwind_image){.image = it.img}, 1);
    const struct mapped_image kernel = {.frame_places =
                                            frame_places_new(it.img, 0)};
    struct image_map *map = image_map_new(&kernel, 0);

    CHECK(u != NULL && kernel.frame_places != NULL && map != NULL);
    for (unsigned i = 0; i < skip; i++)
        step();
    while (t.walks < walks()) {
        copy_stack();
        it.overwritten = t.walks % 2 == 0;
        if (mode == ALONG_FP)
            walk_fp(map, &t);
        else
            walk(u, (enum unwind_mode)mode, &t);
        step();
    }
    printf("%s, %s: %" PRIu64 " walks, %" PRIu64 " callers, %" PRIu64
           " wrong, %" PRIu64 " whole;",
           what, modes[mode], t.walks, t.callers, t.wrong, t.whole);
    for (unsigned i = 0; mode != ALONG_FP && i < ENDS; i++)
        printf(" %s %" PRIu64, end_text((enum unwind_end)i), t.ends[i]);
    printf("\n");
    unwinder_free(u);
    image_map_free(map);
    frame_places_free(kernel.frame_places);
    end();
    CHECK_EQ(t.wrong, 0);
    CHECK(t.whole * 1000 >= t.walks * whole);
}

#define WALKED " -g0 -nostdlib -static -fno-pie $IN/walked.c -o $OUT"

static void c_walked(const char *compiler, const char *flags, unsigned mode,
                     unsigned whole)
{
    char command[512], what[128];

    (void)snprintf(command, sizeof command, "%s -O2 %s" WALKED, compiler,
                   flags);
    (void)snprintf(what, sizeof what, "%s %s", compiler, flags);
    walked(what, input_build(compiler, "walked", command), mode, 0, whole);
}

/* Catches, as all that follow: a caller that is not the true one. */
#define CASE(NAME, COMPILER, FLAGS, MODE, WHOLE)                               \
    TEST(NAME)                                                                 \
    {                                                                          \
        c_walked(COMPILER, FLAGS, MODE, WHOLE);                                \
    }

CASE(gcc_tables, "gcc", "-fomit-frame-pointer", UNWIND_TABLES, 1000)
CASE(gcc_auto, "gcc", "-fomit-frame-pointer", UNWIND_AUTO, 1000)
CASE(gcc_frames_tables, "gcc", "-fno-omit-frame-pointer", UNWIND_TABLES, 1000)
CASE(gcc_frames_code, "gcc", "-fno-omit-frame-pointer", UNWIND_CODE, 990)
CASE(gcc_frames_fp, "gcc", "-fno-omit-frame-pointer", ALONG_FP, 990)
CASE(gcc_bare_code, "gcc", "-fomit-frame-pointer", UNWIND_CODE, 990)
CASE(clang_tables, "clang", "-fomit-frame-pointer", UNWIND_TABLES, 1000)
CASE(clang_auto, "clang", "-fomit-frame-pointer", UNWIND_AUTO, 1000)
CASE(clang_frames_tables, "clang", "-fno-omit-frame-pointer", UNWIND_TABLES,
     1000)
CASE(clang_frames_code, "clang", "-fno-omit-frame-pointer", UNWIND_CODE, 990)
CASE(clang_frames_fp, "clang", "-fno-omit-frame-pointer", ALONG_FP, 990)
CASE(clang_bare_code, "clang", "-fomit-frame-pointer", UNWIND_CODE, 990)

static const char *rust(const char *frames)
{
    char command[512];

    (void)snprintf(command, sizeof command,
                   "rustc -O -C panic=abort -C force-unwind-tables=yes "
                   "-C force-frame-pointers=%s -C relocation-model=static "
                   "-C link-args='-nostdlib -static -no-pie' --edition 2021 "
                   "$IN/walked.rs -o $OUT",
                   frames);
    return input_build("rustc", "walked_rs", command);
}

TEST(rust_tables)
{
    walked("rustc", rust("no"), UNWIND_TABLES, 0, 1000);
}

TEST(rust_frames_code)
{
    walked("rustc, frame pointers", rust("yes"), UNWIND_CODE, 0, 990);
}

static const char *pascal(const char *flags)
{
    char command[512];

    (void)snprintf(command, sizeof command,
                   "fpc %s -Xs- -FU. -FE. $IN/walked.pas -o$OUT >/dev/null",
                   flags);
    return input_build("fpc", "walked_pas", command);
}

TEST(pascal_auto)
{
    walked("fpc -O2", pascal("-O2"), UNWIND_AUTO, 3000, 990);
}

TEST(pascal_frames_code)
{
    walked("fpc -O2 -OoNOSTACKFRAME", pascal("-O2 -OoNOSTACKFRAME"),
           UNWIND_CODE, 3000, 990);
}

TEST(rust_frames_fp)
{
    walked("rustc, frame pointers", rust("yes"), ALONG_FP, 0, 990);
}

/* The run-time library, which calls the program, has no frames. */
TEST(pascal_frames_fp)
{
    walked("fpc -O2 -OoNOSTACKFRAME", pascal("-O2 -OoNOSTACKFRAME"), ALONG_FP,
           3000, 0);
}
