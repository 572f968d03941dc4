/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs compilers and binutils; files go to the current folder. */
#include "input.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define MAX_OUTPUT (64u << 20)

/* One path at a time, so that callers need not free it. */
static const char *path_for(const char *name)
{
    static char paths[16][256];
    static unsigned next;
    char *path = paths[next++ % 16];

    (void)snprintf(path, sizeof paths[0], "./input.%ld.%s", (long)getpid(),
                   name);
    return path;
}

/* The commands are the tests' own. */
static int run(const char *command)
{
    return system(command); // NOLINT(cert-env33-c)
}

void input_need(const char *tool)
{
    char command[256];

    (void)snprintf(command, sizeof command, "command -v %s >/dev/null", tool);
    if (run(command) != 0)
        SKIP("%s is not installed", tool);
}

const char *input_build(const char *tool, const char *name, const char *command)
{
    const char *path = path_for(name);

    input_need(tool);
    (void)setenv("IN", INPUT_DIR, 1);
    (void)setenv("HOST", HOST_DIR, 1);
    (void)setenv("OUT", path, 1);
    if (run(command) != 0)
        check_failed(__FILE__, __LINE__, "%s", command);
    return path;
}

/* All of (f), with a NUL behind. */
static char *slurp(FILE *f, size_t *size)
{
    size_t room = 1 << 16;
    char *text = malloc(room), *bigger;

    *size = 0;
    CHECK(f != NULL && text != NULL);
    while (!feof(f)) {
        *size += fread(text + *size, 1, room - *size - 1, f);
        CHECK(!ferror(f));
        if (*size + 1 == room) {
            room *= 2;
            CHECK(room <= MAX_OUTPUT);
            bigger = realloc(text, room);
            CHECK(bigger != NULL);
            text = bigger;
        }
    }
    text[*size] = '\0';
    return text;
}

char *input_run(const char *fmt, ...)
{
    char command[1024], *text;
    va_list args;
    size_t size;
    FILE *f;

    va_start(args, fmt);
    (void)vsnprintf(command, sizeof command, fmt, args);
    va_end(args);
    f = popen(command, "r"); // NOLINT(cert-env33-c): as above
    text = slurp(f, &size);
    CHECK_EQ(pclose(f), 0);
    return text;
}

uint8_t *input_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = slurp(f, size);

    (void)fclose(f);
    return (uint8_t *)text;
}

const char *input_write(const char *name, const uint8_t *data, size_t size)
{
    const char *path = path_for(name);
    FILE *f = fopen(path, "wb");

    CHECK(f != NULL);
    CHECK_EQ(fwrite(data, 1, size, f), size);
    CHECK_EQ(fclose(f), 0);
    return path;
}

/* Each case is a process; its files go with it, unless it fails. */
__attribute__((destructor)) static void remove_inputs(void)
{
    char command[64];

    (void)snprintf(command, sizeof command, "rm -f ./input.%ld.*",
                   (long)getpid());
    (void)run(command);
}
