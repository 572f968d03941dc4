/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the parts of tprof that are linked into an image, by their symbols. */
#include <string.h>

#include "check/gather.h"
#include "image/file/image.h"
#include "image/file/loading.h"
#include "util/spans.h"

/* Limit of sections, more than any kernel has. */
#define MAX_SECTIONS 1024u
/* Limit of code, more than libtprof.a has. */
#define MAX_CODE     65536u

const char *const check_capabilities[] = {"tprof_vsock", "tprof_debugcon",
                                          "tprof_uart", "tprof_kvm", NULL};

static bool has(const struct image *img, const char *name)
{
    uint64_t address;

    return image_find_symbol(img, name, &address);
}

/* Find the range from symbol (start) to (end). False if the range is empty, or
 * if a symbol is missing. */
static bool between(const struct image *img, const char *start, const char *end,
                    uint64_t *low, uint64_t *high)
{
    return image_find_symbol(img, start, low) &&
           image_find_symbol(img, end, high) && *low < *high;
}

/* Returns the string at (address), if it begins like a version of tprof. */
static const char *version_at(const struct image *img, uint64_t address)
{
    size_t len;
    const uint8_t *s = image_loaded(img, address, &len);

    return s != NULL && len > 6 && memcmp(s, "tprof ", 6) == 0 &&
                   memchr(s, '\0', len) != NULL
               ? (const char *)s
               : NULL;
}

/* Returns the end of the loaded bytes of the file below (address). A symbol for
 * a kernel's end does not lie before this place, but other symbols called `end`
 * do. */
static uint64_t data_end(const struct image *img, uint64_t address)
{
    const struct image_text *s;
    uint64_t last = 0;

    for (size_t i = 0; (s = image_segment(img, i)) != NULL; i++) {
        uint64_t end = s->address + s->bytes_len;

        if (s->address < address && end > last)
            last = end;
    }
    return last;
}

/* Is the whole range from (low) to (high) in one loaded segment? */
static bool is_loaded(const struct image *img, uint64_t low, uint64_t high)
{
    const struct image_text *s;

    for (size_t i = 0; (s = image_segment(img, i)) != NULL; i++) {
        if (low >= s->address && high - s->address <= s->size)
            return true;
    }
    return false;
}

/* Will the kernel use the memory from (low) to (high), or tprof's variables, as
 * its own? */
static void check_memory(struct check_agent_facts *out, const struct image *img,
                         uint64_t low, uint64_t high)
{
    /* usual symbols for the end of a kernel, where its heap may begin */
    static const char *const ends[] = {"_end",       "end",   "__bss_end",
                                       "__bss_stop", "_ebss", "__ebss"};
    uint64_t at, variable;

    if (image_text_at(img, 0) == NULL) /* debug information alone */
        return;
    if (low < high && !is_loaded(img, low, high))
        out->memory = CHECK_MEMORY_UNLOADED;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (!image_find_mark(img, ends[i], &at))
            continue;
        if (low < high && at >= data_end(img, low) && at < high)
            out->memory = CHECK_MEMORY_BEHIND;
        else if (image_find_named(img, "tprof_", at, UINT64_MAX, &variable) &&
                 at >= data_end(img, variable))
            out->memory = CHECK_MEMORY_VARIABLES;
        else
            continue;
        out->kernel_end = ends[i];
        return;
    }
}

int check_refuse(const struct check_facts *s, const char *path, struct err *e)
{
    if (s->agent.memory != CHECK_MEMORY_GOOD)
        return err_set(
            e, "%s: tprof would damage this kernel: its memory, above", path);
    if (s->loading.gaps[0].agent)
        return err_set(
            e, "%s: tprof would not be loaded whole: its parts, above", path);
    if (s->agent.linked && !s->agent.has_bounds && !s->agent.efi)
        return err_set(e,
                       "%s: tprof_init() fails unless the kernel sets "
                       "config.text: text bounds, above",
                       path);
    return 0;
}

static bool is_named_so(const struct image_function *f)
{
    return strncmp(f->name, "tprof_", 6) == 0;
}

/* Add the agent's code. libtprof.a is linked as one object, so no other
 * functions lie between two functions of tprof. All its names except tprof_*
 * are local, so a run of local functions may belong to tprof only up to its
 * last tprof_* name. */
int check_agent_code(const struct image *img, struct spans *out)
{
    const struct image_function *f;
    uint64_t low = 0, high = 0;

    for (size_t i = 0; (f = image_function_at(img, i)) != NULL; i++) {
        bool ours = is_named_so(f);

        if (low < high && ((!ours && !f->local) || f->start - low > MAX_CODE)) {
            if (spans_add(out, low, high) != 0)
                return -1;
            high = 0;
        }
        if (ours && low >= high)
            low = f->start;
        if (ours)
            high = f->start + f->size;
    }
    return low < high ? spans_add(out, low, high) : 0;
}

/* Find the section of (img) that holds (address). Returns false if there is
 * none. */
static bool find_section(const struct image *img, uint64_t address,
                         struct loading_section *out)
{
    for (size_t i = 0; i < MAX_SECTIONS && image_section_at(img, i, out); i++)
        if (address - out->address < out->size && out->loaded != 0)
            return true;
    return false;
}

/*
 * Count the code that runs before paging is on. A kernel needs paging if it is
 * linked for other addresses than it is loaded to. Its code at the load
 * addresses runs before paging, when no interrupt comes.
 */
static uint64_t count_boot_code(const struct image *img, uint64_t text,
                                const struct spans *code)
{
    struct loading_section s;
    uint64_t bytes = 0;

    if (!find_section(img, text, &s) || s.physical == s.address)
        return 0;
    for (size_t i = 0; i < MAX_SECTIONS && image_section_at(img, i, &s); i++)
        if (s.loaded != 0 && s.physical == s.address)
            bytes += spans_within(code, s.address, s.address + s.size);
    return bytes;
}

void check_agent(struct check_agent_facts *out, const struct image *img,
                 const struct spans *code)
{
    uint64_t low, high;

    *out = (struct check_agent_facts){0};
    out->linked = image_find_symbol(img, "tprof_anchor", &low);
    if (out->linked)
        out->version = version_at(img, low);
    out->has_init = has(img, "tprof_init_image");
    out->has_start = has(img, "tprof_start_cpu");
    if (image_find_symbol(img, "tprof_wire_version", &low))
        out->wire = (uint32_t)low & 0xffff;
    out->has_bounds =
        between(img, "__tprof_text_start", "__tprof_text_end", &low, &high);
    if (out->has_bounds) {
        out->text_start = low;
        out->text_size = high - low;
        out->text_bytes = spans_within(code, low, high);
        out->boot_bytes = count_boot_code(img, low, code);
    }
    if (between(img, "__tprof_memory", "__tprof_memory_end", &low, &high))
        out->memory_size = high - low;
    else
        low = high = 0;
    check_memory(out, img, low, high);
    out->has_note =
        between(img, "__tprof_build_id", "__tprof_build_id_end", &low, &high);
    for (unsigned i = 0; check_capabilities[i] != NULL; i++)
        out->capabilities |= (uint32_t)has(img, check_capabilities[i]) << i;
    out->efi = has(img, "tprof_init_efi");
}
