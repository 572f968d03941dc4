/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads QEMU's command line as far as necessary, and adds words. */
#include "cmd/qemu_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ADDED_MAX 16u
#define ID        "tprof-run" /* prefix of our ids in QEMU */
#define MEMORY    "128M"      /* QEMU's default */

/* Is (word) the option (name), with one dash or two? */
static bool is_option(const char *word, const char *name)
{
    if (word[0] != '-')
        return false;
    return strcmp(word + 1 + (word[1] == '-'), name) == 0;
}

/* The argument of the last option called (name) or (other); NULL if there is
 * none. */
static const char *argument_of(char **argv, const char *name, const char *other)
{
    const char *found = NULL;

    for (; argv[0] != NULL && argv[1] != NULL; argv++)
        if (is_option(argv[0], name) || is_option(argv[0], other))
            found = argv[1];
    return found;
}

/* Does a word contain (text)? */
static bool has_text(char **argv, const char *text)
{
    bool found = false;

    for (; *argv != NULL; argv++)
        found |= strstr(*argv, text) != NULL;
    return found;
}

/* Append a word in the format of printf. */
static int add(struct qemu_line *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int add(struct qemu_line *l, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    char *word = arena_strndup(&l->arena, text, strlen(text));

    if (word == NULL)
        return -1;
    l->words[l->count++] = word;
    return 0;
}

/* Does the machine use virtio over MMIO? microvm does. All other known machines
 * use PCI. */
static bool is_mmio(char **argv)
{
    bool mmio = false;

    for (; argv[0] != NULL && argv[1] != NULL; argv++)
        if (is_option(argv[0], "M") || is_option(argv[0], "machine"))
            mmio |= strncmp(argv[1], "microvm", 7) == 0 ||
                    strstr(argv[1], "type=microvm") != NULL;
    return mmio;
}

static int add_port(struct qemu_line *l, char **argv, const char *folder,
                    struct err *e)
{
    if (has_text(argv, "name=tprof.0"))
        return err_set(e, "QEMU's line has a port tprof.0 already: start QEMU "
                          "by itself, and attach by --serial to the path of "
                          "that port's chardev");
    /* QEMU waits for this process, so no byte of the guest is lost */
    return add(l, "-chardev") |
           add(l,
               "socket,id=" ID ",path=%s/" QEMU_LINE_PORT ",server=on,wait=on",
               folder) |
           add(l, "-device") |
           add(l, "virtio-serial-%s,id=" ID "-bus",
               is_mmio(argv) ? "device" : "pci") |
           add(l, "-device") |
           add(l,
               "virtserialport,bus=" ID "-bus.0,chardev=" ID ",name=tprof.0");
}

/* Share the guest's memory, which the bridge reads and writes. */
static int share_memory(struct qemu_line *l, char **argv, struct err *e)
{
    const char *size = argument_of(argv, "m", "memory");

    if (has_text(argv, "memory-backend=") || has_text(argv, "memdev="))
        return has_text(argv, "share=on") || has_text(argv, "share=yes")
                   ? 0
                   : err_set(e,
                             "--vsock needs the guest's memory: add "
                             "share=on to QEMU's -object memory-backend-...");
    if (size == NULL)
        size = MEMORY;
    if (strncmp(size, "size=", 5) == 0)
        size += 5;
    size_t length = strcspn(size, ",");
    bool unit = length > 0 && strchr("0123456789", size[length - 1]) == NULL;

    return add(l, "-object") |
           add(l, "memory-backend-memfd,id=" ID "-memory,size=%.*s%s,share=on",
               (int)length, size, unit ? "" : "M") |
           add(l, "-machine") | add(l, "memory-backend=" ID "-memory");
}

static int add_vsock(struct qemu_line *l, char **argv, const char *folder,
                     struct err *e)
{
    if (has_text(argv, "vhost-vsock") || has_text(argv, "vhost-user-vsock"))
        return err_set(e, "QEMU's line has a vsock device already: start QEMU "
                          "by itself, and attach by --vsock or --vsock-uds");
    if (share_memory(l, argv, e) != 0)
        return -1;
    /* the first version of virtio has no vsock */
    if (is_mmio(argv) &&
        (add(l, "-global") != 0 || add(l, "virtio-mmio.force-legacy=false")))
        return -1;
    return add(l, "-chardev") |
           add(l, "socket,id=" ID ",path=%s/" QEMU_LINE_VHOST, folder) |
           add(l, "-device") |
           add(l, "vhost-user-vsock-%s,chardev=" ID,
               is_mmio(argv) ? "device" : "pci");
}

/* Does QEMU read the terminal's keys, such as Ctrl-C, instead of their being
 * signals? */
static bool takes_keys(char **argv)
{
    bool takes = has_text(argv, "mon:stdio");

    for (; *argv != NULL; argv++)
        takes |= is_option(*argv, "nographic");
    return takes;
}

int qemu_line_make(struct qemu_line *l, char **argv, const char *folder,
                   bool vsock, struct err *e)
{
    size_t given = 0;

    *l = (struct qemu_line){0};
    e->text[0] = '\0';
    while (argv[given] != NULL)
        given++;
    l->words = arena_alloc(&l->arena, (given + ADDED_MAX) * sizeof *l->words);
    if (l->words == NULL)
        return err_memory(e);
    memcpy(l->words, argv, given * sizeof *argv);
    l->count = given;
    l->kernel = argument_of(argv, "kernel", "kernel");
    l->takes_keys = takes_keys(argv);
    if ((vsock ? add_vsock : add_port)(l, argv, folder, e) != 0)
        return e->text[0] != '\0' ? -1 : err_memory(e);
    l->words[l->count] = NULL;
    return 0;
}

void qemu_line_fini(struct qemu_line *l)
{
    arena_fini(&l->arena);
}
