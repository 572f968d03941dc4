/* SPDX-License-Identifier: BSD-2-Clause */
/* unwind/callers: stacks laid out by hand, right ones and impossible ones. What
 * programs really do, unit.stepped compares with the truth. */
#include "outside/unwind/unwinder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "check.h"
#include "image/file/image.h"
#include "input.h"
#include "util/cpu/x86_64/x86_registers.h"
#include "util/err.h"

#define STACK 0x700000u /* where the words are */
#define WORDS 32u
#define OWN_CALL                                                               \
    11u /* bytes of own_common with its call: no label is there                \
         */
#define SLIDE 0xffffffff80000000u

static struct image *img;
static struct unwinder *u;
static uint64_t slide;
static uint64_t words[WORDS];
static uint64_t general[X86_PC];
static uint64_t found[WORDS];
static enum unwind_end end;

/* Code that memory has, and the file has not: 5 bytes at (patch_at). */
static const uint8_t *patch;
static uint64_t patch_at;

static size_t read_words(void *context, uint64_t address, void *to, size_t size)
{
    uint64_t at = address - STACK;

    (void)context;
    if (patch != NULL && address <= patch_at &&
        address + size == patch_at + 5) {
        memset(to, 0x90, size);
        memcpy((uint8_t *)to + size - 5, patch, 5);
        return size;
    }
    if (at >= sizeof words || size > sizeof words - at)
        return 0;
    memcpy(to, (const uint8_t *)words + at, size);
    return size;
}

static void open_at(uint64_t moved, const char *path)
{
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    slide = moved;
    u = unwinder_new(&(struct unwind_image){img, slide}, 1);
    CHECK(u != NULL);
    general[X86_RSP] = STACK;
}

static void begin_at(uint64_t moved)
{
    open_at(moved,
            input_build("cc", "chains",
                        "cc -nostdlib -static -no-pie $IN/chains.S -o $OUT"));
}

static void begin(void)
{
    begin_at(0);
}

static void finish(void)
{
    unwinder_free(u);
    image_close(img);
}

/* The run-time address (offset) bytes behind symbol (name). */
static uint64_t at(const char *name, uint64_t offset)
{
    uint64_t address;

    CHECK(image_find_symbol(img, name, &address));
    return address + offset + slide;
}

static uint64_t stack_at(unsigned word)
{
    return STACK + 8 * (uint64_t)word;
}

static size_t walk(enum unwind_mode mode, uint64_t pc)
{
    const struct guest_memory memory = {.read = read_words};

    return unwind_callers(u, mode, general, pc, &memory, found, WORDS, &end);
}

/* Two words of (caller)'s frame, from (word) on, and all that is below it. */
static void lay_caller(unsigned word, const char *back)
{
    words[word] = at(back, 0);
    words[word + 1] = 0x1111; /* 8 bytes of its own */
    words[word + 2] = at("start_back", 0);
}

static void check_both(size_t n, const char *back)
{
    CHECK_EQ(n, 2);
    CHECK_EQ(found[0], at(back, 0));
    CHECK_EQ(found[1], at("start_back", 0));
    CHECK_EQ(end, UNWIND_WHOLE);
}

TEST(tables_lead_to_the_outermost_function) /* catches: offsets, slides */
{
    begin_at(SLIDE);
    words[0] = 0x2222; /* the caller's RBP */
    lay_caller(1, "back_framed");
    general[X86_RBP] = stack_at(0);
    check_both(walk(UNWIND_AUTO, at("in_framed", 0)), "back_framed");
    check_both(walk(UNWIND_TABLES, at("in_framed", 0)), "back_framed");
    /* where it is entered, RBP means nothing yet */
    lay_caller(0, "back_framed");
    general[X86_RBP] = 0;
    check_both(walk(UNWIND_AUTO, at("framed", 0)), "back_framed");
    finish();
}

TEST(code_tells_where_there_are_no_tables) /* catches: modes mixed up */
{
    begin();
    words[0] = 0x2222; /* RBX */
    lay_caller(1, "back");
    check_both(walk(UNWIND_AUTO, at("plain", 1)), "back");
    check_both(walk(UNWIND_CODE, at("plain", 1)), "back");
    CHECK_EQ(walk(UNWIND_TABLES, at("plain", 1)), 0);
    CHECK_EQ(end, UNWIND_UNTOLD);
    /* the ret of a label without size shows the return address */
    check_both(walk(UNWIND_AUTO, at("unsized", 1)), "back");
    CHECK_EQ(walk(UNWIND_AUTO, at("unsized_middle", 0)), 0);
    CHECK_EQ(end, UNWIND_UNTOLD);
    finish();
}

TEST(a_call_may_end_its_function) /* catches: pc instead of the call */
{
    begin();
    words[0] = at("behind", 0);
    words[4] = at("start_back", 0);
    check_both(walk(UNWIND_AUTO, at("never", 0)), "behind");
    CHECK_EQ(walk(UNWIND_CODE, at("never", 0)), 2);
    finish();
}

TEST(a_wrong_table_is_not_believed) /* catches: tables for exceptions alone */
{
    begin();
    lay_caller(0, "back_late");
    /* the tables want RBP, which is the caller's already: one frame too far */
    words[8] = 0;
    words[9] = at("start_back", 0);
    general[X86_RBP] = stack_at(8);
    check_both(walk(UNWIND_AUTO, at("at_ret", 0)), "back_late");
    check_both(walk(UNWIND_TABLES, at("at_ret", 0)), "back_late");
    /* called through a pointer: nobody can say which is right */
    words[0] = at("back_indirect", 0);
    CHECK_EQ(walk(UNWIND_AUTO, at("at_ret", 0)), 0);
    CHECK_EQ(end, UNWIND_ODD);
    finish();
}

TEST(interrupts_are_passed_where_tables_say_so) /* catches: pc minus one */
{
    begin();
    words[0] = at("framed", 0); /* its first instruction */
    words[3] = stack_at(10);
    lay_caller(10, "back_framed");
    CHECK_EQ(walk(UNWIND_AUTO, at("signal", 0)), 3);
    CHECK_EQ(found[0], at("framed", 1));
    CHECK_EQ(found[1], at("back_framed", 0));
    CHECK_EQ(end, UNWIND_WHOLE);
    words[3] = stack_at(0); /* an endless one */
    words[0] = at("signal", 0);
    CHECK_EQ(walk(UNWIND_AUTO, at("signal", 0)), WORDS);
    CHECK_EQ(end, UNWIND_FULL);
    finish();
}

/* What the CPU pushes when it interrupts (framed) before its first instruction,
 * from (word) on; its caller's words are at 20. */
static void lay_interrupt(unsigned word)
{
    const uint64_t pushed[] = {at("framed", 0), 0x8, 0x10246, stack_at(20),
                               0x10};

    memset(words, 0, sizeof words);
    memcpy(words + word, pushed, sizeof pushed);
    lay_caller(20, "back_framed");
}

static void check_interrupted(size_t n, size_t from)
{
    CHECK_EQ(n, from + 3);
    CHECK_EQ(found[from], at("framed", 1)); /* as if behind it */
    CHECK_EQ(found[from + 1], at("back_framed", 0));
    CHECK_EQ(end, UNWIND_WHOLE);
}

/* catches: a handler's entry as the end of the stack; the instruction before
 * the interrupted one, which may be another function's */
TEST(interrupted_code_is_the_caller_of_an_entry)
{
    begin_at(SLIDE);
    for (unsigned below = 0; below <= 2; below++) {
        lay_interrupt(below);
        check_interrupted(walk(UNWIND_AUTO, at("interrupt", 0)), 0);
        check_interrupted(walk(UNWIND_CODE, at("interrupt", 0)), 0);
        lay_interrupt(3 + below); /* RAX, RBP, the handler's way back */
        words[0] = at("back_taken", 0);
        general[X86_RBP] = stack_at(2);
        check_interrupted(walk(UNWIND_AUTO, at("framed", 0)), 1);
        CHECK_EQ(found[0], at("back_taken", 0));
    }
    lay_interrupt(3); /* no entry pushes so much */
    CHECK_EQ(walk(UNWIND_AUTO, at("interrupt", 0)), 0);
    CHECK_EQ(end, UNWIND_UNTOLD);
    finish();
}

/* catches: the end of the stack where the CPU has just interrupted */
TEST(an_entry_may_be_one_of_many_under_a_name)
{
    begin_at(SLIDE);
    for (unsigned below = 0; below <= 2; below++) {
        lay_interrupt(below);
        check_interrupted(walk(UNWIND_AUTO, at("second_vector", 0)), 0);
    }
    lay_interrupt(0);
    words[0] = at("in_framed", 0); /* by RBP */
    words[20] = 0x2222;
    lay_caller(21, "back_framed");
    general[X86_RBP] = stack_at(20);
    CHECK_EQ(walk(UNWIND_AUTO, at("second_vector", 0)), 3);
    CHECK_EQ(found[1], at("back_framed", 0));
    general[X86_RBP] = stack_at(6); /* which the entry has set */
    CHECK_EQ(walk(UNWIND_AUTO, at("second_vector", 0)), 1);
    CHECK_EQ(end, UNWIND_UNTOLD);
    lay_interrupt(3);
    CHECK_EQ(walk(UNWIND_AUTO, at("second_vector", 0)), 0);
    CHECK_EQ(end, UNWIND_UNTOLD);
    finish();
}

/* catches: the end of a stack at the handler of a kernel that names its gates
 * by labels: what they have pushed is not known, and the frame is behind it */
TEST(gates_of_labels_are_passed)
{
    begin_at(SLIDE);
    lay_interrupt(1 + 3 + 2);
    words[0] = at("own_common", OWN_CALL);
    check_interrupted(walk(UNWIND_AUTO, at("framed", 0)), 1);
    CHECK_EQ(found[0], at("own_common", OWN_CALL));
    lay_interrupt(1 + 25); /* too far to be sure */
    words[0] = at("own_common", OWN_CALL);
    CHECK_EQ(walk(UNWIND_AUTO, at("framed", 0)), 1);
    CHECK_EQ(end, UNWIND_UNTOLD);
    finish();
}

/* catches: a number that the gate has pushed, taken for the way back to where
 * no code is, though the frame is next to it */
TEST(gates_that_return_elsewhere_are_passed)
{
    begin_at(SLIDE);
    lay_interrupt(1 + 1 + 2);
    words[0] = at("back_own_begin", 0);
    words[2] = 14;
    check_interrupted(walk(UNWIND_AUTO, at("framed", 0)), 1);
    CHECK_EQ(found[0], at("back_own_begin", 0));
    finish();
}

/* catches: a mark above the first function of each thread, in a kernel that
 * lays a function's address there */
TEST(thread_that_returns_to_a_function_ends_there)
{
    begin_at(SLIDE);
    words[1] = at("cleanup", 0);
    CHECK_EQ(walk(UNWIND_AUTO, at("in_begin_thread", 0)), 1);
    CHECK_EQ(found[0], at("cleanup", 1)); /* as if behind its first byte */
    CHECK_EQ(end, UNWIND_WHOLE);
    /* of a function that is called somewhere, too, more may be above */
    words[0] = at("cleanup", 0);
    CHECK_EQ(walk(UNWIND_AUTO, at("framed", 0)), 1);
    CHECK_EQ(end, UNWIND_UNTOLD);
    finish();
}

/* catches: a return address, or whatever lies there, taken for what the CPU has
 * pushed; a stack that is told to be whole */
TEST(what_no_cpu_pushes_was_not_interrupted)
{
    static const struct {
        unsigned word;
        uint64_t value;
    } wrong[] = {{0, 0x12345678},         /* no code */
                 {1, 0},                  /* no CS is 0, */
                 {1, 0x2},                /* or is with another level */
                 {1, 0x9},                /* than SS */
                 {1, 0xc},                /* of no local table */
                 {1, 0x10008},            /* and is of 16 bits */
                 {2, 0x10244},            /* bit 1 */
                 {2, 0x1024e},            /* bit 3 */
                 {2, 0x500010246},        /* bits above 21 */
                 {3, 0x0000800000000000}, /* not canonical */
                 {3, 0xffff7ffffffffff8}, /* likewise */
                 {4, 0x13},               /* another level than CS */
                 {4, 0x10010}};

    begin();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        lay_interrupt(0);
        words[wrong[i].word] = wrong[i].value;
        CHECK_EQ(walk(UNWIND_AUTO, at("interrupt", 0)), 0);
        CHECK_EQ(end, UNWIND_UNTOLD);
    }
    lay_interrupt(0);
    memcpy(words + WORDS - 4, words, sizeof words[0] * 4); /* cut */
    general[X86_RSP] = stack_at(WORDS - 4);
    CHECK_EQ(walk(UNWIND_AUTO, at("interrupt", 0)), 0);
    CHECK_EQ(end, UNWIND_UNTOLD);
    finish();
}

/* catches: the first of two. Where code lies low its addresses may be flags. */
TEST(of_two_that_fit_neither_was_interrupted)
{
    uint64_t flags;

    begin_at(-(uint64_t)0x300000);
    flags = at("_start", 0);
    while ((flags & 0x802a) != 2)
        flags++;
    lay_interrupt(2);
    words[0] = at("framed", 0);
    words[1] = 0x1b;
    words[2] = flags;
    words[3] = 0x1b;
    words[4] = 0x203;
    words[6] = 0x23;
    CHECK_EQ(walk(UNWIND_AUTO, at("interrupt", 0)), 0);
    CHECK_EQ(end, UNWIND_UNTOLD);
    words[6] = 0; /* another level: not this one */
    CHECK(walk(UNWIND_AUTO, at("interrupt", 0)) > 0);
    finish();
}

static void check_none(const char *name, enum unwind_end why)
{
    CHECK_EQ(walk(UNWIND_AUTO, at(name, 0)), 0);
    CHECK_EQ(end, why);
}

TEST(what_cannot_be_ends_the_walk) /* catches: a caller that is a guess */
{
    begin();
    words[0] = at("framed", 1); /* behind no call */
    check_none("framed", UNWIND_ODD);
    words[0] = 0x12345678;
    check_none("framed", UNWIND_OUTSIDE);
    words[0] = 0;
    check_none("framed", UNWIND_WHOLE);
    check_none("damaged", UNWIND_ODD);
    general[X86_RSP] = 0x10;
    check_none("framed", UNWIND_UNREAD);
    general[X86_RSP] = UINT64_MAX - 7; /* the stack's end is the memory's */
    check_none("framed", UNWIND_UNREAD);
    general[X86_RSP] = STACK;
    words[0] = at("back_framed", 0);
    words[2] = 0x12345678;
    CHECK_EQ(walk(UNWIND_AUTO, at("framed", 0)), 1);
    CHECK_EQ(end, UNWIND_OUTSIDE);
    CHECK_EQ(walk(UNWIND_AUTO, 0x12345678), 0);
    CHECK_EQ(end, UNWIND_OUTSIDE);
    finish();
}

/* catches: callers missing above a thread's first function; a caller in code of
 * which there is no image taken for none */
TEST(a_thread_may_begin_where_no_code_calls)
{
    static const uint8_t call[] = {0xe8, 0x12, 0x34, 0x56, 0x78};

    begin();
    words[0] = 0x12345678; /* nothing can be read there, */
    check_none("indirect", UNWIND_WHOLE);
    words[0] = stack_at(20); /* or no call */
    check_none("indirect", UNWIND_WHOLE);
    memcpy((uint8_t *)(words + 20) - sizeof call, call, sizeof call);
    check_none("indirect", UNWIND_OUTSIDE);
    words[0] = 0x12345678;
    check_none("signal", UNWIND_OUTSIDE); /* it was interrupted */
    finish();
}

TEST(a_stack_may_begin_in_a_function) /* catches: a mark for nothing */
{
    begin();
    words[0] = at("start_back", 0);
    CHECK_EQ(walk(UNWIND_AUTO, at("begins", 0)), 1); /* not yet there */
    check_none("in_begins", UNWIND_WHOLE);
    words[0] = at("back_begun", 0);
    CHECK_EQ(walk(UNWIND_AUTO, at("framed", 0)), 1);
    CHECK_EQ(end, UNWIND_WHOLE);
    check_none("in_switched", UNWIND_UNTOLD); /* it comes back */
    check_none("in_aligned", UNWIND_UNTOLD);  /* on the same stack */
    finish();
}

static void begin_orc(const char *options)
{
    char command[128];

    (void)snprintf(command, sizeof command,
                   "cc -nostdlib -static -no-pie %s $IN/orc.S -o $OUT",
                   options);
    open_at(SLIDE, input_build("cc", "orc", command));
    memset(words, 0, sizeof words);
}

/* The address behind the call that is (offset) bytes into (middle). */
#define BACK_LEAF    9u
#define BACK_THROUGH 14u

/* The frames of middle and root, from (word) on, where middle's RBP points. */
static void lay_middle(unsigned word)
{
    words[word] = stack_at(31); /* root's RBP */
    words[word + 1] = at("_start", 5);
}

static void check_middle(size_t n, uint64_t offset)
{
    CHECK_EQ(n, 2);
    CHECK_EQ(found[0], at("middle", offset));
    CHECK_EQ(found[1], at("_start", 5));
    CHECK_EQ(end, UNWIND_WHOLE);
}

/* catches: wrong offsets, registers and types; one format taken for another */
TEST(tables_of_linux_lead_to_their_end)
{
    static const char *const formats[] = {"", "-DHEADER"};

    for (size_t i = 0; i < 2; i++) {
        begin_orc(formats[i]);
        words[0] = at("middle", BACK_LEAF);
        lay_middle(4);
        general[X86_RBP] = stack_at(4);
        check_middle(walk(UNWIND_AUTO, at("leaf", 0)), BACK_LEAF);
        check_middle(walk(UNWIND_TABLES, at("leaf", 0)), BACK_LEAF);
        /* by R13, and by what is in memory where RBP and RSP say */
        words[9] = at("middle", BACK_THROUGH);
        lay_middle(12);
        general[X86_RBP] = stack_at(12);
        general[X86_R12 + 1] = stack_at(8);
        check_middle(walk(UNWIND_AUTO, at("through", 0)), BACK_THROUGH);
        general[X86_RBP] = stack_at(11);
        words[12] = stack_at(10);
        (void)walk(UNWIND_AUTO, at("through", 1));
        CHECK_EQ(found[0], at("middle", BACK_THROUGH));
        words[0] = stack_at(9);
        (void)walk(UNWIND_AUTO, at("through", 2));
        CHECK_EQ(found[0], at("middle", BACK_THROUGH));
        CHECK_EQ(walk(UNWIND_AUTO, at("entry", 2)), 0);
        CHECK_EQ(end, UNWIND_UNTOLD);
        finish();
    }
}

/* catches: registers of the interrupted code that are not restored; a program's
 * code as the kernel's caller */
TEST(tables_of_linux_lead_through_interrupts)
{
    begin_orc("");
    words[4] = stack_at(26);   /* RBP */
    words[16] = at("leaf", 0); /* RIP, */
    words[17] = 0x10;          /* CS, */
    words[18] = 0x246;         /* RFLAGS, */
    words[19] = stack_at(24);  /* RSP, */
    words[20] = 0x18;          /* SS */
    words[24] = at("middle", BACK_LEAF);
    lay_middle(26);
    CHECK_EQ(walk(UNWIND_AUTO, at("entry", 0)), 3);
    CHECK_EQ(found[0], at("leaf", 1));
    CHECK_EQ(found[1], at("middle", BACK_LEAF));
    CHECK_EQ(end, UNWIND_WHOLE);
    words[17] = 0x33; /* a program was interrupted */
    CHECK_EQ(walk(UNWIND_AUTO, at("entry", 0)), 0);
    CHECK_EQ(end, UNWIND_WHOLE);
    words[17] = 0x10;
    memmove(words, words + 16, 5 * sizeof words[0]);
    general[X86_RBP] = stack_at(26);
    CHECK_EQ(walk(UNWIND_AUTO, at("entry", 1)), 3);
    CHECK_EQ(end, UNWIND_WHOLE);
    finish();
}

/* catches: a stack that ends where the kernel has patched its code */
TEST(call_that_is_in_memory_alone_is_one)
{
    static const uint8_t call[] = {0xe8, 0x12, 0x34, 0x56, 0x78};

    begin_orc("");
    words[0] = at("middle", BACK_THROUGH + 7); /* no call is there */
    lay_middle(4);
    general[X86_RBP] = stack_at(4);
    CHECK_EQ(walk(UNWIND_AUTO, at("leaf", 0)), 0);
    CHECK_EQ(end, UNWIND_ODD);
    patch_at = words[0] - sizeof call;
    patch = call;
    CHECK_EQ(walk(UNWIND_AUTO, at("leaf", 0)), 2);
    CHECK_EQ(end, UNWIND_WHOLE);
    patch = NULL;
    finish();
}

TEST(table_that_is_not_sorted_tells_nothing)
{
    begin_orc("-DUNSORTED");
    words[0] = at("middle", BACK_LEAF);
    CHECK_EQ(walk(UNWIND_TABLES, at("leaf", 0)), 0);
    CHECK_EQ(end, UNWIND_UNTOLD);
    finish();
}

TEST(a_stack_must_rise) /* catches: a walk in circles */
{
    begin();
    general[X86_RSP] = stack_at(8);
    general[X86_RBP] = stack_at(2); /* below RSP */
    lay_caller(3, "back_framed");
    check_none("in_framed", UNWIND_ODD);
    CHECK_EQ(walk(UNWIND_CODE, at("in_framed", 0)), 0);
    CHECK_EQ(end, UNWIND_ODD);
    finish();
}

TEST(without_images_nothing_is_told) /* catches: an empty list refused */
{
    u = unwinder_new(NULL, 0);
    CHECK(u != NULL);
    CHECK_EQ(walk(UNWIND_AUTO, 0x401000), 0);
    CHECK_EQ(end, UNWIND_OUTSIDE);
    unwinder_free(u);
}

TEST(every_allocation_may_fail) /* catches: a crash without memory */
{
    unsigned n = 0;
    bool failed;

    begin();
    unwinder_free(u);
    words[0] = 0x2222;
    lay_caller(1, "back");
    do {
        const struct unwind_image images[2] = {{img, 0}, {img, 0x1000000}};

        alloc_fail_at(++n);
        u = unwinder_new(images, 2);
        if (u != NULL && walk(UNWIND_AUTO, at("plain", 1)) == 0)
            CHECK_EQ(end, UNWIND_UNTOLD);
        unwinder_free(u);
        failed = alloc_failed();
    } while (failed);
    CHECK(n > 8);
    check_both(2, "back");
    image_close(img);
}
