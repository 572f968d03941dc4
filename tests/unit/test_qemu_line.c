/* SPDX-License-Identifier: BSD-2-Clause */
/* What `collector run` adds to QEMU's command line. */
#include "cmd/qemu_line.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

static struct err e;
static const char *kernel;
static bool takes_keys;

/* The words behind those of (line) that are added, with blanks between; or the
 * error. */
static const char *added(const char *line, bool vsock)
{
    static char copy[512], text[1024];
    char *argv[32], *rest;
    size_t argc = 0;
    struct qemu_line l;

    (void)snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok_r(copy, " ", &rest); w;
         w = strtok_r(NULL, " ", &rest))
        argv[argc++] = w;
    argv[argc] = NULL;
    text[0] = '\0';
    if (qemu_line_make(&l, argv, "/d", vsock, &e) != 0)
        (void)snprintf(text, sizeof text, "%s", e.text);
    for (size_t i = argc; text[0] == '\0' || i > argc; i++) {
        if (l.words[i] == NULL)
            break;
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                       i > argc ? " " : "", l.words[i]);
    }
    kernel = l.kernel;
    takes_keys = l.takes_keys;
    qemu_line_fini(&l);
    return text;
}

#define PORT                                                                   \
    "-chardev socket,id=tprof-run,path=/d/port,server=on,wait=on -device "     \
    "virtio-serial-%s,id=tprof-run-bus -device "                               \
    "virtserialport,bus=tprof-run-bus.0,chardev=tprof-run,name=tprof.0"

static const char *port(const char *bus)
{
    static char text[512];

    (void)snprintf(text, sizeof text, PORT, bus);
    return text;
}

TEST(port_is_added_for_the_machines_bus) /* catches: "No 'virtio-bus'" */
{
    CHECK_STR(added("qemu -kernel k.elf", false), port("pci"));
    CHECK_STR(kernel, "k.elf");
    CHECK_STR(added("qemu -M q35,accel=tcg", false), port("pci"));
    CHECK(kernel == NULL);
    CHECK_STR(added("qemu -M microvm,acpi=off --kernel k", false),
              port("device"));
    CHECK_STR(kernel, "k");
    CHECK_STR(added("qemu --machine type=microvm", false), port("device"));
    CHECK_STR(added("qemu -device virtserialport,name=tprof.0", false),
              "QEMU's line has a port tprof.0 already: start QEMU by itself, "
              "and attach by --serial to the path of that port's chardev");
}

TEST(keys_that_qemu_takes_are_known) /* catches: "(Ctrl-C ends)", which it does
                                        not */
{
    (void)added("qemu -serial stdio -append nographic", false);
    CHECK(!takes_keys);
    (void)added("qemu -nographic -kernel k", false);
    CHECK(takes_keys);
    (void)added("qemu -serial mon:stdio", false);
    CHECK(takes_keys);
}

#define VSOCK                                                                  \
    "-chardev socket,id=tprof-run,path=/d/vhost -device vhost-user-vsock-"
#define MEMORY(size)                                                           \
    "-object memory-backend-memfd,id=tprof-run-memory,size=" size              \
    ",share=on -machine memory-backend=tprof-run-memory "

TEST(vsock_shares_the_memory_that_the_line_asks_for)
{
    CHECK_STR(added("qemu -m 64", true),
              MEMORY("64M") VSOCK "pci,chardev=tprof-run");
    CHECK_STR(added("qemu -m size=2G,slots=2", true),
              MEMORY("2G") VSOCK "pci,chardev=tprof-run");
    CHECK_STR(added("qemu -M microvm", true),
              MEMORY("128M") "-global virtio-mmio.force-legacy=false " VSOCK
                             "device,chardev=tprof-run");
    CHECK_STR(added("qemu -object memory-backend-memfd,id=m,share=on -M "
                    "q35,memory-backend=m",
                    true),
              VSOCK "pci,chardev=tprof-run");
    CHECK_STR(
        added("qemu -object memory-backend-ram,id=m -M "
              "q35,memory-backend=m",
              true),
        "--vsock needs the guest's memory: add share=on to QEMU's -object "
        "memory-backend-...");
    CHECK_STR(added("qemu -device vhost-vsock-pci,guest-cid=3", true),
              "QEMU's line has a vsock device already: start QEMU by itself, "
              "and attach by --vsock or --vsock-uds");
}
