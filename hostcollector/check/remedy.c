/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the things that an image lacks, each with its remedy. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "check/gather.h"
#include "check/report.h"
#include "image/names/names.h"
#include "image/names/red_zone.h"
#include "util/cpu/cpu.h"
#include "util/text.h"

#define LINE       1024
#define NAME_SHOWN 60
/* Less than this share of the code is not worth a paragraph. */
#define WORTH      .01
#define WORTH_LEAF .05

/* Options for the compiler; NULL: none. */
struct remedy {
    const char *frames, *lines;
};

#define KEEP_FRAMES "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"

static const struct remedy remedies[CHECK_LANGUAGES] = {
    [CHECK_C] = {"Compile with " KEEP_FRAMES, "-g"},
    [CHECK_CXX] = {"Compile with " KEEP_FRAMES, "-g"},
    [CHECK_RUST] = {"Compile with -C force-frame-pointers=yes (core and alloc "
                    "come compiled; -Z build-std compiles them with this "
                    "option)",
                    "-g (debug = true in Cargo.toml)"},
    [CHECK_PASCAL] = {"Compile with -OoNOSTACKFRAME",
                      "-gw2 (-gw3 keeps names as they are written)"},
    [CHECK_GO] = {NULL, "no -ldflags=-w"},
    [CHECK_ASSEMBLER] = {"", /* depends on the CPU */
                         "-g (nasm: -g -F dwarf)"},
    [CHECK_OTHER] = {"Compile with the option that keeps frame pointers",
                     "the option for DWARF"},
};

void say_remedy(struct remedy_out *r, const char *text)
{
    if (!r->begun)
        (void)fputs("\nWhat is missing\n", r->to->file);
    r->begun = true;
    text_wrap(r->to->file, "  - ", text, r->to->columns);
}

static bool worth(uint64_t part, uint64_t whole, double share)
{
    return (double)part > share * (double)whole;
}

/* Sum of the frames in all units of (language) that compiler options may
 * change. */
static struct check_unit sum_of(const struct check_facts *s,
                                enum check_language language)
{
    struct check_unit sum = {.language = language};

    for (size_t i = 0; i < s->unit_count; i++) {
        const struct check_unit *u = &s->units[i];

        if (u->language != language || check_keeps_frames(u))
            continue;
        for (int f = 0; f < CHECK_FRAMES; f++) {
            sum.frames.functions[f] += u->frames.functions[f];
            sum.frames.bytes[f] += u->frames.bytes[f];
        }
    }
    return sum;
}

/* Returns the remedy for missing frames. clang for Windows lets the frame
 * pointer point into the middle of larger frames. */
static const char *frame_remedy(const struct check_facts *s,
                                enum check_language language)
{
    if (s->pe && (language == CHECK_C || language == CHECK_CXX))
        return "Compile with " KEEP_FRAMES ", and with clang for target "
               "x86_64-unknown-windows-gnu with -fdwarf-exceptions: frames of "
               "its other Windows targets cannot be followed";
    return remedies[language].frames;
}

/* Append printf's (fmt) to the (size) bytes at (line). */
__attribute__((format(printf, 3, 4))) static void
append(char *line, size_t size, const char *fmt, ...)
{
    size_t used = strlen(line);
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(line + used, size - used, fmt, args);
    va_end(args);
}

/* Append " The largest: a, b, c." */
static void name_largest(char *line, const struct check_named *list)
{
    struct names names = {0};

    for (size_t i = 0; i < CHECK_NAMED && list[i].name != NULL; i++) {
        const char *name = names_get(&names, list[i].name);
        int shown = name != NULL && strlen(name) > NAME_SHOWN ? NAME_SHOWN : -1;

        if (name != NULL)
            append(line, LINE, "%s%.*s%s", i == 0 ? " The largest: " : ", ",
                   shown, name, shown < 0 ? "" : "...");
    }
    if (list[0].name != NULL)
        append(line, LINE, ".");
    names_fini(&names);
}

static void missing_frames(struct remedy_out *r, const struct check_facts *s,
                           const struct check_unit *u)
{
    const uint64_t *n = u->frames.functions, *bytes = u->frames.bytes;
    uint64_t bare = n[CHECK_BARE] + n[CHECK_CUTTING];
    uint64_t bare_bytes = bytes[CHECK_BARE] + bytes[CHECK_CUTTING];
    const char *remedy = frame_remedy(s, u->language);
    char line[LINE] = "", number[TEXT_NUMBER], percent[TEXT_PERCENT];
    bool leaves = u->language != CHECK_ASSEMBLER &&
                  worth(bytes[CHECK_LEAF], s->own_bytes, WORTH_LEAF);

    if (remedy == NULL || !(leaves || worth(bare_bytes, s->own_bytes, WORTH)))
        return;
    append(line, LINE, "Callers in %s code:", check_language_name(u->language));
    if (bare != 0)
        append(line, LINE,
               bare == 1 ? " %s function (%s of the code) calls others without "
                           "a frame, and is missing above them."
                         : " %s functions (%s of the code) call others without "
                           "a frame, and are missing above them.",
               text_count(number, bare),
               text_percent(percent, bare_bytes, s->own_bytes));
    if (n[CHECK_CUTTING] != 0)
        append(line, LINE,
               " %s of them use%s %s for other things, and stacks end there.",
               text_count(number, n[CHECK_CUTTING]),
               n[CHECK_CUTTING] == 1 ? "s" : "", s->cpu->fp_name);
    if (bare != 0)
        name_largest(line, s->bare[u->language]);
    if (leaves)
        append(
            line, LINE,
            " %s (%s) call%s nothing: at most the direct caller is uncertain.",
            text_count(number, n[CHECK_LEAF]),
            text_percent(percent, bytes[CHECK_LEAF], s->own_bytes),
            n[CHECK_LEAF] == 1 ? "s" : "");
    if (u->language == CHECK_ASSEMBLER)
        append(line, LINE,
               " Begin functions that call others with %s, and end them with "
               "%s.",
               s->cpu->begin_frame, s->cpu->end_frame);
    else
        append(line, LINE, " %s.", remedy);
    if (!s->agent.linked)
        append(line, LINE,
               " Without an agent (--gdb, --qmp) and with --unwind auto these "
               "callers are found, too: by unwind tables (-g) and by "
               "instructions.");
    if (u->language == CHECK_PASCAL &&
        worth(s->runtime_bytes, bare_bytes, WORTH_LEAF))
        append(line, LINE,
               " %s of these bytes are in the precompiled run-time library: "
               "compile the units of the library (RTL) with that option, too.",
               text_percent(percent, s->runtime_bytes, bare_bytes));
    say_remedy(r, line);
}

/* Write the paragraph about red zones. */
static void say_red_zone(struct remedy_out *r, const struct check_facts *s)
{
    char line[LINE] = "", number[TEXT_NUMBER];
    struct red_zone zone = {0};

    for (size_t i = 0; i < s->unit_count && !s->pe && s->cpu->has_red_zone;
         i++) {
        const struct check_unit *u = &s->units[i];
        bool is_c = u->language == CHECK_C || u->language == CHECK_CXX;

        if (red_zone_is_allowed(is_c, u->producer))
            red_zone_add(&zone, u->name);
    }
    if (zone.units == 0)
        return;
    append(line, LINE,
           "Stacks without a red zone: %s unit%s may keep values below %s, "
           "which an interrupt on the same stack destroys: %s. Compile with "
           "-mno-red-zone, or give the gate of the agent a stack of its own "
           "(PORTING.md), as all other gates need.",
           text_count(number, zone.units), text_plural(zone.units),
           s->cpu->sp_name, zone.names);
    say_remedy(r, line);
}

/* Returns the bytes of code without lines for which there is a remedy.
 * Compilers leave some instructions of every unit without a line. */
static uint64_t lineless_bytes(const struct check_facts *s,
                               enum check_language language)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < s->unit_count; i++) {
        const struct check_unit *u = &s->units[i];

        if (u->language == language && u->line_bytes < u->code_bytes / 2)
            bytes += u->code_bytes;
    }
    return bytes;
}

static void missing_lines(struct remedy_out *r, const struct check_facts *s,
                          enum check_language language)
{
    char line[LINE], percent[TEXT_PERCENT];
    uint64_t bytes = lineless_bytes(s, language);

    if (!s->has_dwarf || remedies[language].lines == NULL ||
        !worth(bytes, s->own_bytes, WORTH))
        return;
    (void)snprintf(line, sizeof line,
                   "Lines of %s code (%s of the code). Compile with %s.",
                   check_language_name(language),
                   text_percent(percent, bytes, s->own_bytes),
                   s->pe ? "-gdwarf" : remedies[language].lines);
    say_remedy(r, line);
}

static void missing_names(struct remedy_out *r, const struct check_facts *s)
{
    if (s->has_symbols)
        return;
    say_remedy(
        r,
        s->pe ? "Symbols: functions are addresses. Link with /debug:dwarf, "
                "or check the ELF that objcopy made this image from."
              : "Symbols: functions are addresses, and whether tprof is linked "
                "in is unknown. Check the kernel as it was before strip.");
}

static void missing_code(struct remedy_out *r, const struct check_facts *s)
{
    if (!s->has_code)
        say_remedy(r, "Code: the file holds none, as after objcopy "
                      "--only-keep-debug. Check the kernel as it was before "
                      "strip, and give that file to the collector, too.");
}

static void missing_dwarf(struct remedy_out *r, const struct check_facts *s)
{
    char line[LINE] = "Lines: there is no DWARF. ", name[NAME_SHOWN * 4];

    if (s->packed_dwarf)
        say_remedy(
            r,
            "Lines: the DWARF is damaged, or compressed by an unknown method. "
            "Uncompress it with objcopy --decompress-debug-sections FILE NEW.");
    /* otherwise the DWARF was there before strip */
    if (s->has_dwarf || s->packed_dwarf || !s->has_symbols)
        return;
    if (s->stripped_file != NULL)
        append(line, LINE,
               "It was stripped into %s. No such file of this build is beside "
               "the image, in .debug there, or below /usr/lib/debug. Put the "
               "file there, or check the kernel as it was before strip.",
               text_escape(name, sizeof name, s->stripped_file));
    else
        append(line, LINE, "%s",
               s->pe
                   ? "Check the ELF that objcopy made this image from, or "
                     "compile with -gdwarf and link with lld-link /debug:dwarf."
                   : "Compile with -g (Free Pascal: -gw2).");
    say_remedy(r, line);
}

static void split_dwarf(struct remedy_out *r, const struct check_facts *s)
{
    char line[LINE], name[NAME_SHOWN * 4];

    if (!s->split_dwarf)
        return;
    (void)snprintf(
        line, sizeof line,
        "Inlined functions: the DWARF of functions is in separate files, %s "
        "and others, which are not read. Compile with -gno-split-dwarf.",
        text_escape(name, sizeof name,
                    s->split_file != NULL ? s->split_file : ".dwo"));
    say_remedy(r, line);
}

static void missing_bounds(struct remedy_out *r, const struct check_facts *s)
{
    const struct check_agent_facts *a = &s->agent;
    char line[LINE], percent[TEXT_PERCENT];
    uint64_t outside = s->code_bytes - a->text_bytes;

    if (!a->linked || (!a->has_bounds && a->efi))
        return;
    if (!a->has_bounds) {
        say_remedy(r, "Text bounds: tprof_init() fails unless the kernel sets "
                      "config.text. Link with -T tprof_bounds.ld.");
        return;
    }
    if (outside <= a->boot_bytes)
        return;
    outside -= a->boot_bytes;
    (void)snprintf(line, sizeof line,
                   "Text bounds: %s of the code lies outside of the text that "
                   "tprof_bounds.ld marks (0x%" PRIx64 " to 0x%" PRIx64
                   "), and stacks end there. Let the linker script put that "
                   "code into .text, or set config.text.",
                   text_percent(percent, outside, s->code_bytes), a->text_start,
                   a->text_start + a->text_size);
    say_remedy(r, line);
}

static void missing_identity(struct remedy_out *r, const struct check_facts *s)
{
    if (s->build_id == NULL)
        say_remedy(
            r, s->pe ? "A build-id: the collector will compare the code "
                       "instead. Link with lld-link -lldmingw /debug:dwarf "
                       "(newer ones: /build-id), or have objcopy keep it with "
                       "-j .note.gnu.build-id."
                     : "A build-id: the collector will compare the code "
                       "instead. Link with --build-id and -T tprof_note.ld.");
    else if (s->agent.linked && !s->agent.has_note && !s->agent.efi)
        say_remedy(r, "The agent does not send the build-id. Link with -T "
                      "tprof_note.ld.");
}

static void missing_agent(struct remedy_out *r, const struct check_facts *s)
{
    if (s->agent.linked || !s->has_symbols)
        return;
    say_remedy(r, "tprof: there is no tprof_anchor. Link with -ltprof, and let "
                  "the kernel call tprof_init() and tprof_start_cpu(). Or "
                  "sample the kernel without the agent: start QEMU with -gdb "
                  "unix:/tmp/gdb,server=on,wait=off, and type collector --gdb "
                  "/tmp/gdb --elf FILE; or use a monitor, -qmp "
                  "unix:/tmp/qmp,server=on,wait=off, and --qmp.");
}

/* Write the remedy for a kernel without the two calls. A linker that drops
 * unused code drops the function that is not called. */
static void missing_calls(struct remedy_out *r, const struct check_facts *s)
{
    const struct check_agent_facts *a = &s->agent;
    char line[LINE];

    if (!a->linked || !s->has_symbols || (a->has_init && a->has_start))
        return;
    (void)snprintf(line, sizeof line,
                   "Calls: nothing calls %s, so no core is sampled. Call "
                   "tprof_init() on the boot core, and tprof_start_cpu() on "
                   "every core.",
                   a->has_init    ? "tprof_start_cpu()"
                   : a->has_start ? "tprof_init()"
                                  : "tprof_init() and tprof_start_cpu()");
    say_remedy(r, line);
}

static void missing_memory(struct remedy_out *r, const struct check_facts *s)
{
    if (s->agent.linked && s->agent.has_init && !s->agent.efi &&
        s->agent.memory_size == 0)
        say_remedy(r,
                   "Memory of the agent: tprof_init() fails unless the kernel "
                   "sets config.memory. If the kernel sets it, nothing is "
                   "missing. Otherwise link with -T tprof_memory.ld.");
}

void check_report_remedies(const struct check_out *to,
                           const struct check_facts *s)
{
    struct remedy_out r = {to, false};

    say_loading(&r, s);
    missing_agent(&r, s);
    missing_calls(&r, s);
    missing_memory(&r, s);
    missing_names(&r, s);
    missing_code(&r, s);
    missing_dwarf(&r, s);
    split_dwarf(&r, s);
    for (int i = 0; i < CHECK_LANGUAGES; i++) {
        struct check_unit sum = sum_of(s, (enum check_language)i);

        missing_frames(&r, s, &sum);
        missing_lines(&r, s, (enum check_language)i);
    }
    say_red_zone(&r, s);
    if (s->bad_dwarf)
        say_remedy(
            &r, "A part of the DWARF, which is damaged. Rebuild the kernel.");
    missing_bounds(&r, s);
    missing_identity(&r, s);
    if (!r.begun)
        (void)fputs("\nNothing is missing.\n", to->file);
}
