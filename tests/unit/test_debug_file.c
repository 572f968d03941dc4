/* SPDX-License-Identifier: BSD-2-Clause */
/* image: debug information that was stripped into a file of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "image/file/image.h"
#include "input.h"
#include "util/err.h"

/* What is opened below /usr/lib/debug is below ./global.PID instead. */
static const char *moved(const char *path, char room[256])
{
    static const char global[] = "/usr/lib/debug/";

    if (strncmp(path, global, sizeof global - 1) != 0)
        return path;
    (void)snprintf(room, 256, "global.%d/%s", getpid(),
                   path + sizeof global - 1);
    return room;
}

int __real_opener_open(int how, const char *path);
int __wrap_opener_open(int how, const char *path);
int __real_stat(const char *path, struct stat *out);
int __wrap_stat(const char *path, struct stat *out);

int __wrap_opener_open(int how, const char *path)
{
    char room[256];

    return __real_opener_open(how, moved(path, room));
}

int __wrap_stat(const char *path, struct stat *out)
{
    char room[256];

    return __real_stat(moved(path, room), out);
}

static struct image *open_or_fail(const char *path)
{
    struct image *img;
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    return img;
}

/* Linked with (flags), and stripped of what goes into OUT.debug. */
static const char *stripped(const char *flags)
{
    char command[512];

    (void)snprintf(command, sizeof command,
                   "cc -O2 -g -nostdlib -static -no-pie -Wl,--build-id=sha1 "
                   "$IN/inline.c -o $OUT %s && "
                   "objcopy --only-keep-debug $OUT $OUT.debug && "
                   "objcopy --strip-all --add-gnu-debuglink=$OUT.debug $OUT",
                   flags);
    return input_build("cc", "image", command);
}

/* Is the DWARF of image (path) found in (place) only? It is moved there. */
static void finds_in(const char *path, const char *place)
{
    char debug[256];
    size_t len;
    uint64_t at;
    struct image *img = open_or_fail(path);

    CHECK(image_debug_path(img) == NULL);
    CHECK(image_flaws(img) & (IMAGE_NO_DEBUG_FILE | IMAGE_NO_DEBUG));
    image_close(img);
    (void)snprintf(debug, sizeof debug, "%s.debug.kept", path);
    CHECK_EQ(rename(debug, place), 0);
    img = open_or_fail(path);
    CHECK(image_debug_path(img) != NULL);
    CHECK(image_section(img, ".debug_info", &len) != NULL);
    CHECK(image_find_symbol(img, "_start", &at));
    CHECK_STR(image_find_function(img, at)->name, "_start");
    CHECK(image_code(img, at, &len) != NULL);
    CHECK_EQ(image_flaws(img) & ~(unsigned)IMAGE_NO_BUILD_ID, 0);
    image_close(img);
    CHECK_EQ(rename(place, debug), 0);
}

/* catches: "compile with -g" for what was stripped into a file of its own */
TEST(debug_file_is_found_by_its_name)
{
    static const char *const flags[] = {"", "-Wl,--build-id=none"};

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const char *path = stripped(flags[i]);
        char *here = realpath(".", NULL);
        char debug[256], kept[256], place[512];

        (void)snprintf(debug, sizeof debug, "%s.debug", path);
        (void)snprintf(kept, sizeof kept, "%s.debug.kept", path);
        CHECK_EQ(rename(debug, kept), 0);
        finds_in(path, debug);
        (void)mkdir(".debug", 0700);
        (void)snprintf(place, sizeof place, ".debug/%s", debug);
        finds_in(path, place);
        free(input_run("mkdir -p global.%d%s", getpid(), here));
        (void)snprintf(place, sizeof place, "global.%d%s/%s", getpid(), here,
                       debug);
        finds_in(path, place);
        free(input_run("rm -r global.%d .debug %s", getpid(), kept));
        free(here);
    }
}

TEST(debug_file_is_found_by_build_id) /* catches: a name without its file */
{
    const char *path = stripped("");
    struct image *img = open_or_fail(path);
    char debug[256], kept[256], place[256];
    size_t len;
    const uint8_t *id = image_build_id(img, &len);
    int n = snprintf(place, sizeof place, "global.%d/.build-id/%02x/", getpid(),
                     id[0]);

    (void)snprintf(debug, sizeof debug, "%s.debug", path);
    (void)snprintf(kept, sizeof kept, "%s.debug.kept", path);
    CHECK_EQ(rename(debug, kept), 0);
    free(input_run("mkdir -p %s", place));
    for (size_t i = 1; i < len; i++)
        n += snprintf(place + n, sizeof place - (size_t)n, "%02x", id[i]);
    (void)snprintf(place + n, sizeof place - (size_t)n, ".debug");
    image_close(img);
    free(input_run("objcopy -R .gnu_debuglink %s", path));
    finds_in(path, place);
    free(input_run("rm -r global.%d %s", getpid(), kept));
}

/* The 20 bytes of the build-id of the file (bytes). */
static uint8_t *find_id(uint8_t *bytes, size_t size)
{
    static const uint8_t head[16] = {4, 0, 0, 0, 20,  0,   0,   0,
                                     3, 0, 0, 0, 'G', 'N', 'U', 0};
    uint8_t *note = memmem(bytes, size, head, sizeof head);

    CHECK(note != NULL);
    return note + sizeof head;
}

/* catches: lines of another build; a folder that a file's author chose */
TEST(debug_file_of_another_build_is_not_taken)
{
    static const char *const flags[] = {"", "-Wl,--build-id=none"};

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const char *path = stripped(flags[i]);
        char debug[256];
        struct image *img;
        size_t size;
        uint8_t *bytes;

        (void)snprintf(debug, sizeof debug, "%s.debug", path);
        bytes = input_read(debug, &size);
        if (i == 0)
            *find_id(bytes, size) ^= 1;
        else
            bytes[size - 1] ^= 1;
        FILE *f = fopen(debug, "wb");
        CHECK(f != NULL && fwrite(bytes, size, 1, f) == 1 && fclose(f) == 0);
        img = open_or_fail(path);
        CHECK(image_debug_path(img) == NULL);
        CHECK_EQ(image_flaws(img) & ~(unsigned)IMAGE_NO_BUILD_ID,
                 IMAGE_NO_DEBUG_FILE | IMAGE_NO_SYMBOLS);
        CHECK(strstr(image_flaw_file(img, IMAGE_NO_DEBUG_FILE), ".debug") !=
              NULL);
        image_close(img);
        CHECK_EQ(remove(debug), 0);
        free(bytes);
    }
}
