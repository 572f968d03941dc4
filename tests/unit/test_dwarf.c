/* SPDX-License-Identifier: BSD-2-Clause */
/* dwarf: what a compiler wants to know of code that was sampled, against
 * llvm-symbolizer: linkage names, first lines, discriminators. */
#include "image/dwarf/dwarf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/file/image.h"
#include "input.h"

#define MAX_ADDRESSES (1u << 16)

static struct image *img;
static struct dwarf *dwarf;
static struct dwarf_target *targets;
static size_t count;

static int by_address(const void *a, const void *b)
{
    const struct dwarf_target *left = a, *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

/* Ask for all addresses of all functions. */
static void resolve(const char *path)
{
    const struct image_function *f;
    struct err e = {""};

    count = 0;
    CHECK_EQ(image_open(&img, path, &e), 0);
    dwarf = dwarf_open(img);
    targets = calloc(MAX_ADDRESSES, sizeof *targets);
    CHECK(dwarf != NULL && targets != NULL);
    for (size_t i = 0; (f = image_function_at(img, i)) != NULL; i++)
        for (uint64_t at = 0; f->sized && at < f->size; at++) {
            CHECK(count < MAX_ADDRESSES);
            targets[count++] = (struct dwarf_target){.address = f->start + at,
                                                     .in_function = true};
        }
    CHECK(count > 100);
    dwarf_resolve(dwarf, targets, count);
    qsort(targets, count, sizeof *targets, by_address);
}

static void end(void)
{
    free(targets);
    dwarf_close(dwarf);
    image_close(img);
}

/* What llvm-symbolizer says of all targets. */
static char *asked(const char *path)
{
    char list[256];
    FILE *addresses;

    (void)snprintf(list, sizeof list, "%s.list", path);
    addresses = fopen(list, "w");
    CHECK(addresses != NULL);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(addresses, "0x%" PRIx64 "\n", targets[i].address);
    CHECK(fclose(addresses) == 0);
    return input_run("llvm-symbolizer --verbose --inlines --no-demangle -e %s "
                     "<%s",
                     path, list);
}

/* Has (*at) a line (name)? Then its number, and (*at) is behind it; else 0. */
static unsigned long number(char **at, const char *name)
{
    size_t len = strlen(name);
    char *end;
    unsigned long value;

    if (strncmp(*at, name, len) != 0)
        return 0;
    value = strtoul(*at + len, &end, 10);
    *at = end + 1;
    return value;
}

static void skip_line(char **at, const char *begin)
{
    CHECK(strncmp(*at, begin, strlen(begin)) == 0);
    *at += strcspn(*at, "\n") + 1;
}

/* The answer at (*said) to one address, of which (f) is a frame, and (line) and
 * (discriminator) its place. */
static void same_frame(char **said, const struct dwarf_frame *f, uint32_t line,
                       uint32_t discriminator)
{
    size_t len = strlen(f->name);

    if (strncmp(*said, f->name, len) != 0 || (*said)[len] != '\n')
        check_failed(__FILE__, __LINE__, "%s is not %.30s", f->name, *said);
    *said += len + 1;
    skip_line(said, "  Filename:");
    if (strncmp(*said, "  Function start filename:", 26) == 0)
        skip_line(said, "");
    CHECK_EQ(f->home_line, number(said, "  Function start line: "));
    if (strncmp(*said, "  Function start address:", 25) == 0)
        skip_line(said, "");
    CHECK_EQ(line, number(said, "  Line: "));
    skip_line(said, "  Column:");
    CHECK_EQ(discriminator, number(said, "  Discriminator: "));
}

/* Returns how many discriminators there are that are not 0, in lines in the low
 * and in calls in the high half. */
static unsigned same_as_llvm(const char *path)
{
    char *all, *said;
    unsigned found = 0;

    resolve(path);
    all = said = asked(path);
    for (size_t i = 0; i < count; i++) {
        uint32_t line = targets[i].line;
        uint32_t discriminator = targets[i].discriminator;

        found += discriminator != 0;
        CHECK(targets[i].frames != NULL);
        for (struct dwarf_frame *f = targets[i].frames; f != NULL;
             f = f->outer) {
            same_frame(&said, f, line, discriminator);
            line = f->line;
            discriminator = f->discriminator;
            found += discriminator != 0 ? 1u << 16 : 0;
        }
        CHECK(*said == '\n');
        said++;
    }
    free(all);
    end();
    return found;
}

static const char *build(const char *how)
{
    char command[512];

    input_need("llvm-symbolizer");
    (void)snprintf(command, sizeof command,
                   "clang %s -nostdlib -static "
                   "-fno-pie -o $OUT",
                   how);
    return input_build("clang", "dwarf", command);
}

#define FOR_PROFILING "-O2 -fdebug-info-for-profiling "

/* catches: one that stays for the next row, another version's form of it */
TEST(places_equal_llvm_symbolizers)
{
    unsigned found =
        same_as_llvm(build(FOR_PROFILING "-gdwarf-5 $IN/inline.c"));

    CHECK((found & 0xffff) > 20 && found >> 16 > 20);
    CHECK_EQ(same_as_llvm(build(FOR_PROFILING "-gdwarf-4 $IN/inline.c")),
             found);
    CHECK(same_as_llvm(build(FOR_PROFILING "-g1 $IN/inline.c")) != 0);
    CHECK_EQ(same_as_llvm(build("-O2 -g $IN/inline.c")), 0);
    (void)same_as_llvm(build(FOR_PROFILING "-g $IN/names.cpp"));
}

TEST(units_tell_of_discriminators) /* catches: advice to who needs none */
{
    resolve(build(FOR_PROFILING "-g $IN/inline.c"));
    CHECK(dwarf_unit_about(dwarf, 0).discriminated);
    end();
    resolve(build("-O2 -g $IN/inline.c"));
    CHECK(!dwarf_unit_about(dwarf, 0).discriminated);
    end();
}
