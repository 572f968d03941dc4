/* SPDX-License-Identifier: BSD-2-Clause */
/* frame_place, insn: against objdump, call frame information, and by hand. */
#include "image/code/frame_place.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/file/image.h"
#include "input.h"
#include "util/cpu/x86_64/x86.h"
#include "util/err.h"

#define LINK "-nostdlib -static -no-pie "

static struct image *img;
static struct frame_places *ops;

static void begin(const char *path, uint64_t slide)
{
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    ops = frame_places_new(img, slide);
    CHECK(ops != NULL);
}

static void end(void)
{
    frame_places_free(ops);
    image_close(img);
}

static const char *place_name(enum code_place place)
{
    static const char *const names[] = {"body",    "prologue", "epilogue",
                                        "noframe", "idle",     "unknown",
                                        "bareidle"};

    return names[place];
}

/* Each label at_PLACE_WHAT says where it stands. Returns how many there are. */
static unsigned check_labels(const char *path, uint64_t slide)
{
    char *list = input_run("nm %s | grep ' at_'", path), *rest;
    unsigned n = 0;

    begin(path, slide);
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *label = strstr(line, "at_") + 3;
        const char *place =
            place_name(frame_place_at(ops, strtoull(line, NULL, 16) + slide));

        if (strncmp(label, place, strlen(place)) != 0)
            check_failed(__FILE__, __LINE__, "%s: %s", label, place);
        n++;
    }
    end();
    free(list);
    return n;
}

TEST(frames_by_hand_are_recognised) /* catches: any of frames.S taken wrong */
{
    const char *path =
        input_build("cc", "frames", "cc " LINK "$IN/frames.S -o $OUT");

    CHECK(check_labels(path, 0) >= 39);
    CHECK(check_labels(path, 0xffffffff80000000u) >= 39);
}

TEST(idle_is_seen_without_symbols) /* catches: 0xf4 taken for a hlt */
{
    const char *path =
        input_build("cc", "frames", "cc " LINK "$IN/frames.S -o $OUT");
    uint64_t hlt, mwait, f4;

    begin(path, 0);
    CHECK(image_find_symbol(img, "at_idle_hlt", &hlt));
    CHECK(image_find_symbol(img, "at_idle_mwait", &mwait));
    CHECK(image_find_symbol(img, "at_body_after_f4", &f4));
    end();
    free(input_run("strip %s", path));
    begin(path, 0);
    CHECK_EQ(frame_place_at(ops, hlt), CODE_IDLE); /* after an sti */
    CHECK_EQ(frame_place_at(ops, mwait), CODE_IDLE);
    CHECK_EQ(frame_place_at(ops, f4), CODE_UNKNOWN);
    CHECK_EQ(frame_place_at(ops, 0), CODE_UNKNOWN);
    end();
}

/* The address of symbol (name). */
static uint64_t at(const char *name)
{
    uint64_t address;

    CHECK(image_find_symbol(img, name, &address));
    return address;
}

TEST(calls_without_a_frame_are_told) /* catches: callers of callers invented */
{
    begin(input_build("cc", "frames", "cc " LINK "$IN/frames.S -o $OUT"), 0);
    CHECK_EQ(frame_place_of_call(ops, at("at_body_call")), CODE_BODY);
    CHECK_EQ(frame_place_of_call(ops, at("at_noframe_call")), CODE_NO_FRAME);
    CHECK(frame_place_caller_missing(CODE_NO_FRAME));
    CHECK(!frame_place_caller_missing(CODE_BODY));
    /* a call that never returns ends its function: no word on the next one */
    CHECK_EQ(frame_place_of_call(ops, at("at_prologue_behind_call")),
             CODE_UNKNOWN);
    CHECK_EQ(frame_place_of_call(ops, 0), CODE_UNKNOWN);
    CHECK(!frame_place_caller_missing(CODE_UNKNOWN));
    end();
}

TEST(only_body_and_idle_have_a_certain_caller) /* catches: a new place */
{
    CHECK(!frame_place_caller_uncertain(CODE_BODY));
    CHECK(!frame_place_caller_uncertain(CODE_IDLE));
    CHECK(frame_place_caller_uncertain(CODE_IDLE_BARE));
    CHECK(frame_place_caller_uncertain(CODE_PROLOGUE));
    CHECK(frame_place_caller_uncertain(CODE_EPILOGUE));
    CHECK(frame_place_caller_uncertain(CODE_NO_FRAME));
    CHECK(frame_place_caller_uncertain(CODE_UNKNOWN));
}

/* What objdump shows in ways of its own: data, and two as one. */
static bool odd(const char *text)
{
    static const char *const parts[] = {"(bad)", "rex", ".byte", "fwait", "fs",
                                        "fl",    "fn",  "fc",    "fi"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(text, parts[i]) != NULL)
            return true;
    }
    return false;
}

/* Compare all lengths in (path) with the distances that objdump shows. */
static unsigned check_lengths(const char *path)
{
    char *list = input_run("objdump -dw --no-show-raw-insn %s", path), *rest;
    uint64_t last = 0;
    const char *last_text = "";
    unsigned n = 0;

    begin(path, 0);
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *text;
        uint64_t at = strtoull(line, &text, 16);
        size_t len, have;
        const uint8_t *code;
        struct insn in;

        if (line[0] != ' ' || *text != ':') {
            last = 0;
            continue;
        }
        code = image_code(img, last, &have);
        if (last != 0 && code != NULL && !odd(last_text)) {
            len = x86_insn_decode(code, have, &in);
            if (len != at - last)
                check_failed(__FILE__, __LINE__, "%" PRIx64 "%s: %zu", last,
                             last_text, len);
            n++;
        }
        last = at;
        last_text = text;
    }
    end();
    free(list);
    return n;
}

#define OURS                                                                   \
    " -shared -fPIC -nostdlib -D_GNU_SOURCE -w -g -I$HOST "                    \
    "$HOST/image/dwarf/*.c $HOST/util/cpu/x86_64/x86_insn.c "                  \
    "$HOST/util/arena.c "                                                      \
    "-fno-omit-frame-pointer -o $OUT"

TEST(lengths_are_those_of_objdump) /* catches: a wrong table entry */
{
    char *libc = input_run("ldd /bin/sh | sed -n 's/.*=> \\(.*libc[.].*\\) "
                           "(.*/\\1/p'");

    CHECK(check_lengths(input_build("cc", "ours", "cc -O2" OURS)) > 3000);
    libc[strcspn(libc, "\n")] = '\0';
    if (libc[0] == '\0')
        SKIP("no libc.so to take apart");
    CHECK(check_lengths(libc) > 100000); /* has SSE to AVX-512 */
    free(libc);
}

TEST(an_instruction_is_never_longer_than_the_bytes) /* catches: overreads */
{
    uint32_t random = 1;
    struct insn in;

    for (unsigned n = 0; n < 2000000; n++) {
        uint8_t *code = malloc(n % 16 + 1); /* a sanitizer sees its end */

        CHECK(code != NULL);
        for (unsigned i = 0; i < n % 16; i++) {
            random = random * 1664525u + 1013904223u;
            code[i] = (uint8_t)(random >> 24);
        }
        CHECK(x86_insn_decode(code, n % 16, &in) <= n % 16);
        free(code);
    }
}

/* How the places of a file compare with its call frame information. */
struct tally {
    unsigned right, in_frame_missed, false_body;
    unsigned exits, exits_missed, false_exits; /* where RSP tells the way */
};

/* A row of call frame information. */
struct rule {
    bool frame;     /* the CFA is 16 above RBP: return address, caller's RBP */
    uint64_t above; /* RSP: the CFA; 0: it is told by something else */
};

/* Does the way out at (at) agree with (above)? */
static void check_exit(struct tally *t, uint64_t at, uint64_t above)
{
    struct code_exit out = frame_place_exit(ops, at);
    bool near = above < 8 * (CODE_FAR + 1);

    if (above == 0)
        return;
    if (out.words == CODE_FAR) {
        t->exits_missed += near;
        return;
    }
    t->exits++;
    if (8 * (out.words + 1) != above) {
        printf("0x%" PRIx64 ": %u words of %" PRIu64 "\n", at, out.words,
               above / 8 - 1);
        t->false_exits++;
    }
}

/* Alignment, which nobody executes and nothing is true of. */
static bool padding(const uint8_t *c, size_t len)
{
    while (len > 1 && (*c == 0x66 || *c == 0x2e)) {
        c++;
        len--;
    }
    return *c == 0x90 || (len > 1 && c[0] == 0x0f && c[1] == 0x1f);
}

/* In [from, to) (rule) holds, says the compiler. */
static void check_range(struct tally *t, uint64_t from, uint64_t to,
                        struct rule rule)
{
    while (from < to) {
        size_t have, len;
        const uint8_t *code = image_code(img, from, &have);
        struct insn in;
        bool body = frame_place_at(ops, from) == CODE_BODY;

        len = code != NULL ? x86_insn_decode(code, have, &in) : 0;
        if (len == 0)
            return;
        if (!padding(code, len)) {
            t->right += body == rule.frame;
            t->in_frame_missed += rule.frame && !body;
            t->false_body += body && !rule.frame;
            if (body && !rule.frame)
                printf("0x%" PRIx64 " is outside the frame\n", from);
            check_exit(t, from, rule.above);
        }
        from += len;
    }
}

/*
 * readelf shows rows of address and rule; one holds up to the next.
 */
static struct tally check_frames(const char *path)
{
    char *list =
        input_run("readelf --debug-dump=frames-interp %s 2>/dev/null", path);
    struct tally t = {0};
    uint64_t at = 0, limit = 0;
    struct rule rule = {0};
    char *rest;

    begin(path, 0);
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *pc = strstr(line, "pc=");
        uint64_t next;
        char *end_of_number;

        if (pc != NULL || strstr(line, " CIE ") != NULL) {
            check_range(&t, at, limit, rule);
            at = limit = 0;
            rule = (struct rule){0}; /* and so it stays where no row follows */
            if (pc != NULL) {
                at = strtoull(pc + 3, &end_of_number, 16);
                limit = strtoull(end_of_number + 2, NULL, 16);
            }
        } else if (limit != 0 && strspn(line, "0123456789abcdef") == 16 &&
                   line[16] == ' ') {
            next = strtoull(line, &end_of_number, 16);
            check_range(&t, at, next, rule);
            at = next;
            rule.frame = strncmp(end_of_number, " rbp+16 ", 8) == 0;
            rule.above = strncmp(end_of_number, " rsp+", 5) == 0
                             ? strtoull(end_of_number + 5, NULL, 10)
                             : 0;
        }
    }
    check_range(&t, at, limit, rule);
    end();
    free(list);
    return t;
}

static void agrees(const char *compiler, const char *flags)
{
    char command[512];
    struct tally t;

    (void)snprintf(command, sizeof command, "%s %s" OURS, compiler, flags);
    t = check_frames(input_build(compiler, "ours", command));
    printf("%s %s: %u agree, %u missed, %u false\n", compiler, flags, t.right,
           t.in_frame_missed, t.false_body);
    CHECK_EQ(t.false_body, 0);
    CHECK_EQ(t.in_frame_missed, 0);
    CHECK_EQ(t.false_exits, 0);
    CHECK(t.right > 2000);
}

TEST(frames_are_where_the_compiler_says_gcc) /* catches: a false body */
{
    agrees("gcc", "-O0");
    agrees("gcc", "-O1");
    agrees("gcc", "-O2");
    agrees("gcc", "-O3 -fcf-protection -march=x86-64-v3");
    agrees("gcc", "-Os");
    agrees("gcc", "-O2 -fstack-clash-protection -fno-plt");
}

TEST(frames_are_where_the_compiler_says_clang) /* catches: likewise */
{
    agrees("clang", "-O0");
    agrees("clang", "-O2");
    agrees("clang", "-Os");
}

/* Catches: landing pads, cold parts */
TEST(frames_are_where_the_compiler_says_cpp)
{
    const char *path = input_build(
        "g++", "cpp",
        "g++ -O2 -g -fno-omit-frame-pointer $IN/throws.cpp -o $OUT");
    struct tally t = check_frames(path);

    printf("%u agree, %u missed, %u false\n", t.right, t.in_frame_missed,
           t.false_body);
    CHECK_EQ(t.false_body, 0);
    CHECK(t.in_frame_missed * 10 <= t.right); /* exceptions caught */
}

TEST(exits_are_where_the_compiler_says) /* catches: a wrong way to the caller */
{
    struct tally t = check_frames(input_build(
        "gcc", "bare",
        "gcc -O2 -fomit-frame-pointer -shared -fPIC -nostdlib -D_GNU_SOURCE -w "
        "-g -I$HOST $HOST/image/dwarf/*.c $HOST/util/cpu/x86_64/x86_insn.c "
        "$HOST/util/arena.c -o $OUT"));

    printf("%u exits agree, %u missed, %u false\n", t.exits, t.exits_missed,
           t.false_exits);
    CHECK_EQ(t.false_exits, 0);
    CHECK(t.exits > 1000);
}
