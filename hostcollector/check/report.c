/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the verdict on an image, and its facts. */
#include "check/report.h"

#include <inttypes.h>
#include <string.h>

#include "check/gather.h"
#include "image/file/image.h"
#include "util/text.h"

/* Sizes of tprof_memory.ld: for all cores, and for each core. */
#define MEMORY_SHARED   (32u << 10)
#define MEMORY_PER_CORE (128u << 10)
#define ID_SHOWN        20u
#define LINE            512

static uint64_t frame_bytes(const struct check_frames *f)
{
    uint64_t sum = 0;

    for (int i = 0; i < CHECK_FRAMES; i++)
        sum += f->bytes[i];
    return sum;
}

/* Write "function names for 90 % of the code", or (none) if (part) is 0. */
static void promise(FILE *out, const char *what, const char *none,
                    uint64_t part, uint64_t whole)
{
    char percent[TEXT_PERCENT];

    if (part == 0)
        (void)fprintf(out, "  %s\n", none);
    else
        (void)fprintf(out, "  %-17s for %s of the code\n", what,
                      text_percent(percent, part, whole));
}

static void write_verdict(FILE *out, const char *path,
                          const struct check_facts *s)
{
    char name[LINE];

    (void)fprintf(out, "A profile of %s will show\n",
                  text_escape(name, sizeof name, path));
    promise(out, "function names", "no function names: addresses",
            s->named_bytes, s->code_bytes);
    promise(out, "files and lines", "neither files nor lines", s->line_bytes,
            s->code_bytes);
    if (!s->has_code) {
        (void)fputs("  callers: unknown, since the file has no code\n", out);
    } else if (s->functions == 0) {
        (void)fputs("  callers: unknown, since the file has no symbols\n", out);
    } else {
        promise(out, "direct callers", "no direct callers",
                s->frames.bytes[CHECK_FRAMED] + s->frames.told,
                frame_bytes(&s->frames));
        promise(out, "whole stacks",
                "no whole stacks: no function sets up a frame",
                s->frames.bytes[CHECK_FRAMED] + s->frames.told_leaf,
                frame_bytes(&s->frames));
    }
    if (!s->agent.linked && s->has_symbols)
        (void)fputs("  ... once tprof is linked in\n", out);
}

static void fact(const struct check_out *to, const char *what, const char *text)
{
    char first[24];

    (void)snprintf(first, sizeof first, "  %-15s", what);
    text_wrap(to->file, first, text, to->columns);
}

static void write_format(const struct check_out *to,
                         const struct check_facts *s)
{
    char line[LINE], code[TEXT_NUMBER], functions[TEXT_NUMBER];
    char labels[TEXT_NUMBER], percent[TEXT_PERCENT];
    int n = snprintf(
        line, sizeof line,
        "%s, %s, entry 0x%" PRIx64 "; %s bytes of code in %s functions",
        s->pe ? "PE" : "ELF",
        s->moves ? "position independent" : "linked for fixed addresses",
        s->entry, text_count(code, s->code_bytes),
        text_count(functions, s->functions));

    if (s->labels != 0 && !s->pe && n > 0 && n < LINE)
        (void)snprintf(line + n, sizeof line - (size_t)n,
                       ", %s of them labels without a size (%s of the code)",
                       text_count(labels, s->labels),
                       text_percent(percent, s->label_bytes, s->code_bytes));
    fact(to, "image", line);
}

static void write_loaders(const struct check_out *to,
                          const struct check_facts *s)
{
    static const char *const names[] = {
        "QEMU -kernel (PVH)",
        "QEMU -kernel (multiboot)",
        "QEMU -kernel (multiboot, after objcopy -O elf32-i386)",
        "GRUB (multiboot)",
        "GRUB (multiboot2)",
        "UEFI",
        "QEMU -kernel (ELF)"};
    char line[LINE] = "";
    size_t n = 0;

    if (!s->has_code)
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((s->loading.loaders >> i & 1) != 0)
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s",
                                  n != 0 ? ", " : "", names[i]);
    fact(to, "boots by",
         n != 0 ? line : "neither QEMU -kernel nor GRUB: no boot header");
}

static void write_build_id(const struct check_out *to,
                           const struct check_facts *s)
{
    char line[LINE] = "none";
    size_t n = 0;

    for (size_t i = 0; i < s->build_id_len && i < ID_SHOWN; i++, n += 2)
        (void)snprintf(line + n, 3, "%02x", s->build_id[i]);
    fact(to, "build-id", line);
}

static void write_debug_file(const struct check_out *to,
                             const struct check_facts *s)
{
    char line[LINE];

    if (s->debug_path != NULL)
        fact(to, "debug file", text_escape(line, sizeof line, s->debug_path));
}

static void write_tables(const struct check_out *to,
                         const struct check_facts *s)
{
    static const char *const names[CHECK_TABLES] = {".eh_frame", ".debug_frame",
                                                    ".pdata"};
    char line[LINE] = "none";
    size_t n = 0;

    for (size_t i = 0; i < CHECK_TABLES; i++) {
        char percent[TEXT_PERCENT];

        if (!s->table[i])
            continue;
        n += (size_t)snprintf(
            line + n, sizeof line - n, "%s%s for %s of the code",
            n != 0 ? ", " : "", names[i],
            text_percent(percent, s->table_bytes[i], s->code_bytes));
    }
    (void)snprintf(line + (n != 0 ? n : 4), sizeof line - (n != 0 ? n : 4),
                   " (--gdb and --qmp walk stacks by .eh_frame and "
                   ".debug_frame, the agent by frame pointers)");
    fact(to, "unwind tables", line);
}

/* Append ", tprof_vsock" and so on for each capability in (set) to (text) of
 * LINE / 2 bytes. */
static const char *list_capabilities(char *text, uint32_t set)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; check_capabilities[i] != NULL; i++)
        if ((set >> i & 1) != 0 && used < LINE / 2)
            used += (size_t)snprintf(text + used, LINE / 2 - used, ", %s",
                                     check_capabilities[i]);
    return text;
}

static void write_agent(const struct check_out *to, const struct check_facts *s)
{
    const struct check_agent_facts *a = &s->agent;
    char line[LINE], code[TEXT_NUMBER], version[64], capabilities[LINE / 2],
        wire[24] = "",
        memory[96] =
            "no memory linked in, so the kernel must set config.memory";

    if (!a->linked) {
        fact(to, "tprof",
             s->has_symbols ? "not linked in" : "unknown without symbols");
        return;
    }
    if (a->wire != 0)
        (void)snprintf(wire, sizeof wire, " (wire %" PRIu32 ".%" PRIu32 ")",
                       a->wire >> 8, a->wire & 0xff);
    if (a->memory_size > MEMORY_SHARED)
        (void)snprintf(memory, sizeof memory, "memory for %" PRIu64 " cores",
                       (a->memory_size - MEMORY_SHARED) / MEMORY_PER_CORE);
    (void)snprintf(
        line, sizeof line,
        "%s%s; %s bytes of code; virtio-serial%s; %s; %s; %s",
        text_escape(version, sizeof version,
                    a->version != NULL ? a->version : "of no known version"),
        wire, text_count(code, a->code_bytes),
        list_capabilities(capabilities, a->capabilities),
        a->has_bounds ? "text by tprof_bounds.ld"
        : a->efi
            ? "text by tprof_init_efi() or config.text"
            : "no text bounds linked in, so the kernel must set config.text",
        memory,
        a->has_note ? "sends its build-id"
        : a->efi    ? "sends its build-id by tprof_init_efi()"
                    : "does not send its build-id");
    fact(to, "tprof", line);
}

void check_report(const struct check_out *to, const char *path,
                  const struct check_facts *s, bool all)
{
    write_verdict(to->file, path, s);
    check_report_remedies(to, s);
    (void)fputs("\nWhat is there\n", to->file);
    write_format(to, s);
    write_loaders(to, s);
    write_build_id(to, s);
    write_debug_file(to, s);
    write_tables(to, s);
    write_agent(to, s);
    check_report_units(to, s, all);
}

int check_file(const char *path, size_t columns, bool all, struct err *e)
{
    const struct check_out to = {stdout, columns};
    struct image *img;
    struct check_facts facts;

    if (image_open(&img, path, e) != 0)
        return -1;
    if (check_gather(&facts, img) != 0) {
        image_close(img);
        return err_set(e, "%s: out of memory", path);
    }
    check_report(&to, path, &facts, all);
    int status = fflush(stdout) == 0 ? check_refuse(&facts, path, e)
                                     : err_sys(e, "standard output");
    check_facts_fini(&facts);
    image_close(img);
    return status;
}
