/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists sections that no loader loads, each with its remedy. */
#include "check/report.h"

#include <inttypes.h>

#include "util/text.h"

#define LINE 1024
#define NAME 240

/* Write the remedy for memory at a bad place. Such a kernel has its heap there,
 * or nothing. */
static void misplaced_memory(struct remedy_out *r, const struct check_facts *s)
{
    bool memory = s->agent.memory == CHECK_MEMORY_BEHIND;
    char line[LINE];

    if (s->agent.memory == CHECK_MEMORY_UNLOADED)
        say_remedy(r,
                   "A place for the memory of the agent, __tprof_memory: no "
                   "segment has this place, so the kernel may use it for other "
                   "things. Let the linker script put .bss into a segment, or "
                   "omit tprof_memory.ld and set config.memory.");
    if (!memory && s->agent.memory != CHECK_MEMORY_VARIABLES)
        return;
    (void)snprintf(
        line, sizeof line,
        "A place for the %s after the symbol %s, where the kernel may have its "
        "heap. Let the linker script define that symbol after all of .bss%s.",
        memory ? "memory of the agent, __tprof_memory: it ends"
               : "variables of the agent: they lie",
        s->agent.kernel_end,
        memory ? ", or omit tprof_memory.ld and set config.memory" : "");
    say_remedy(r, line);
}

/* Write "160 bytes of .behind", and the reason why they are not loaded. */
static void describe(char *line, size_t size, const struct check_gap *g,
                     const struct check_loading_facts *l)
{
    char bytes[TEXT_NUMBER], name[NAME];

    text_escape(name, sizeof name, g->section);
    text_count(bytes, g->bytes);
    if (g->why == CHECK_GAP_SEGMENT)
        (void)snprintf(line, size,
                       "%s bytes of section %s are in no segment of the file",
                       bytes, name);
    else
        (void)snprintf(
            line, size,
            "%s bytes of section %s lie after %s, 0x%" PRIx64
            " in the multiboot header, where the loader stops %s",
            bytes, name,
            g->why == CHECK_GAP_LOAD_END ? "load_end_addr" : "bss_end_addr",
            g->why == CHECK_GAP_LOAD_END ? l->load_end : l->bss_end,
            g->why == CHECK_GAP_LOAD_END ? "to load" : "to zero memory");
}

static void say_gap(struct remedy_out *r, const struct check_gap *g,
                    const struct check_loading_facts *l)
{
    static const char *const remedies[] = {
        [CHECK_GAP_SEGMENT] = "Let PHDRS of the linker script give that "
                              "section a PT_LOAD segment.",
        [CHECK_GAP_LOAD_END] =
            "In the linker script, write *(.text .text.*), *(.rodata "
            ".rodata.*) and *(.data .data.*) before the symbol that the header "
            "has for load_end_addr.",
        [CHECK_GAP_BSS_END] =
            "In the linker script, write *(.bss .bss.*) *(COMMON) before the "
            "symbol that the header has for bss_end_addr."};
    char line[LINE], what[LINE / 2];

    describe(what, sizeof what, g, l);
    (void)snprintf(line, sizeof line, "%s: %s. %s %s",
                   g->agent ? "A part of tprof" : "A part of the kernel", what,
                   g->agent
                       ? "tprof_init() fails (TPROF_ERR_IMAGE), or the agent "
                         "runs on wrong values: all stacks are lost, or memory "
                         "of the kernel is overwritten."
                       : "At run time these bytes differ from the file.",
                   remedies[g->why]);
    say_remedy(r, line);
}

/* Write the remedy for a missing header. An application needs none, because no
 * loader boots an application, and only a kernel has the agent. */
static void missing_header(struct remedy_out *r, const struct check_facts *s)
{
    if (s->loading.loaders != 0 || !s->agent.linked || !s->has_code)
        return;
    say_remedy(r,
               "A boot header: neither QEMU -kernel nor GRUB boots this file. "
               "If another loader boots it, nothing is missing. Otherwise "
               "--gc-sections may have dropped the header, since no code "
               "refers to it: write KEEP(*(.multiboot)) in the linker script, "
               "with the name of the header's section. A multiboot header has "
               "to be in the first 8192 bytes of the file.");
}

void say_loading(struct remedy_out *r, const struct check_facts *s)
{
    misplaced_memory(r, s);
    for (size_t i = 0; i < CHECK_GAPS && s->loading.gaps[i].section != NULL;
         i++)
        say_gap(r, &s->loading.gaps[i], &s->loading);
    missing_header(r, s);
}
