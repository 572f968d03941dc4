/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as unwind tables, code and stack: rows and callers. The input is
 *
 *   u16 bytes of code, its highest bit says that they are for aarch64; u16
 *   bytes of .eh_frame, both little-endian; the code; .eh_frame; .debug_frame
 * is what is left, and so are tables of Linux
 *
 * and the stack is the whole of it. What the unwinder asks of an image is
 * answered from there (--wrap, CMakeLists.txt).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/file/image.h"
#include "outside/unwind/cfi.h"
#include "outside/unwind/unwinder.h"
#include "util/cpu/cpu.h"

#define TEXT      0x401000u
#define TABLES    0x403000u
#define STACK     0x7ffff000u
#define HEAD      4u
#define CODE_MAX  512u
#define ROOM      64u
#define FUNCTIONS 3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    const uint8_t *all, *code, *eh, *debug;
    size_t size, code_size, eh_size, debug_size;
    const struct cpu *cpu;
    struct image_text text;
    struct image_function functions[FUNCTIONS];
} in;

/* --- The image ------------------------------------------------------------ */

struct image_part __wrap_image_section_part(const struct image *img,
                                            const char *name);
struct image_part __wrap_image_section_part(const struct image *img,
                                            const char *name)
{
    size_t rows = in.debug_size / 10;

    (void)img;
    if (strcmp(name, ".eh_frame") == 0)
        return (struct image_part){TABLES, in.eh_size, in.eh};
    if (strcmp(name, ".orc_unwind_ip") == 0)
        return (struct image_part){TEXT, rows * 4, in.debug};
    if (strcmp(name, ".orc_unwind") == 0)
        return (struct image_part){TABLES, rows * 6, in.debug + rows * 4};
    if (strcmp(name, ".orc_header") == 0)
        return (struct image_part){0, in.debug_size & 1, in.debug};
    return (struct image_part){0, in.debug_size, in.debug};
}

const struct cpu *__wrap_image_cpu(const struct image *img);
const struct cpu *__wrap_image_cpu(const struct image *img)
{
    (void)img;
    return in.cpu;
}

const uint8_t *__wrap_image_code(const struct image *img, uint64_t address,
                                 size_t *len);
const uint8_t *__wrap_image_code(const struct image *img, uint64_t address,
                                 size_t *len)
{
    (void)img;
    *len = 0;
    if (address - TEXT >= in.code_size)
        return NULL;
    *len = in.code_size - (size_t)(address - TEXT);
    return in.code + (address - TEXT);
}

const struct image_text *__wrap_image_text_at(const struct image *img,
                                              size_t i);
const struct image_text *__wrap_image_text_at(const struct image *img, size_t i)
{
    (void)img;
    return i == 0 ? &in.text : NULL;
}

const struct image_function *__wrap_image_function_at(const struct image *img,
                                                      size_t i);
const struct image_function *__wrap_image_function_at(const struct image *img,
                                                      size_t i)
{
    (void)img;
    return i < FUNCTIONS ? &in.functions[i] : NULL;
}

const struct image_function *__wrap_image_find_function(const struct image *img,
                                                        uint64_t address);
const struct image_function *__wrap_image_find_function(const struct image *img,
                                                        uint64_t address)
{
    (void)img;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (address - in.functions[i].start < in.functions[i].size)
            return &in.functions[i];
    }
    return NULL;
}

uint64_t __wrap_image_entry(const struct image *img);
uint64_t __wrap_image_entry(const struct image *img)
{
    (void)img;
    return TEXT;
}

/* A function, its cold part, and a label. */
static void name_functions(void)
{
    static const char *const names[FUNCTIONS] = {"f", "f.cold", "label"};
    uint64_t third = in.code_size / FUNCTIONS;

    for (size_t i = 0; i < FUNCTIONS; i++)
        in.functions[i] = (struct image_function){
            .start = TEXT + third * i, .size = third, .name = names[i]};
    in.functions[0].sized = in.functions[1].sized = true;
    in.functions[2].size = in.code_size - 2 * third;
}

/* --- What is done with it ------------------------------------------------- */

static size_t read_stack(void *context, uint64_t address, void *to, size_t size)
{
    uint64_t at = address - STACK;

    (void)context;
    if (at > in.size)
        return 0;
    if (size > in.size - at)
        size = in.size - (size_t)at;
    memcpy(to, in.all + at, size);
    return size;
}

/* A row is about the place that is asked for, and the same all over. */
static void look_up(const struct cfi *c, uint64_t address)
{
    struct cfi_row row, first;

    if (cfi_find(c, address, &row) != CFI_FOUND)
        return;
    if (address < row.low || address >= row.high)
        abort();
    if (cfi_find(c, row.low, &first) != CFI_FOUND ||
        first.cfa.how != row.cfa.how || first.cfa.offset != row.cfa.offset ||
        (row.cfa.how != CFI_OTHER && row.cfa.how != CFI_IS_EXPRESSION))
        abort();
}

static void walk(struct unwinder *u, enum unwind_mode mode, uint64_t pc)
{
    const struct guest_memory memory = {.read = read_stack};
    uint64_t general[CPU_GENERALS], found[ROOM];
    enum unwind_end end;
    size_t n;

    for (unsigned i = 0; i < CPU_GENERALS; i++)
        general[i] = STACK + 8 * i;
    general[in.cpu->sp] = STACK;
    n = unwind_callers(u, mode, general, pc, &memory, found, ROOM, &end);
    if (n > ROOM || end > UNWIND_ODD || (end == UNWIND_FULL && n != ROOM))
        abort();
    for (size_t i = 0; i < n; i++) {
        if (found[i] - TEXT > in.code_size)
            abort();
    }
}

static void use(void)
{
    const struct image *img = (const struct image *)(const void *)&in;
    struct cfi *c = cfi_new(img);
    struct unwinder *u = unwinder_new(&(struct unwind_image){img, 0}, 1);

    if (c == NULL || u == NULL)
        abort();
    for (size_t at = 0; at < in.code_size; at += 1 + in.code_size / 32) {
        look_up(c, TEXT + at);
        walk(u, UNWIND_AUTO, TEXT + at);
        walk(u, UNWIND_CODE, TEXT + at);
    }
    cfi_free(c);
    unwinder_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    in.all = data;
    in.size = size;
    in.cpu = (data[1] & 0x80) != 0 ? &cpu_aarch64 : &cpu_x86_64;
    in.code_size = (data[0] | (size_t)(data[1] & 0x7f) << 8) % (CODE_MAX + 1);
    in.eh_size = data[2] | (size_t)data[3] << 8;
    data += HEAD;
    size -= HEAD;
    if (in.code_size > size || in.eh_size > size - in.code_size)
        return 0;
    in.code = data;
    in.text = (struct image_text){.address = TEXT,
                                  .size = in.code_size,
                                  .bytes = in.code,
                                  .bytes_len = in.code_size};
    in.eh = data + in.code_size;
    in.debug = in.eh + in.eh_size;
    in.debug_size = size - in.code_size - in.eh_size;
    name_functions();
    use();
    return 0;
}
