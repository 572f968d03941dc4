/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the active parts of the sandbox. */
#include "cli/confine/confine.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "guard/sandbox.h"

/* Print the kernel's view: lines of /proc/self/status, which was opened as (fd)
 * earlier. */
static void print_status(int fd)
{
    static const char *const lines[] = {"NoNewPrivs:", "Seccomp:", "CapEff:"};
    char text[4096];
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    text[n < 0 ? 0 : n] = '\0';
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *line = strstr(text, lines[i]);

        if (line != NULL)
            (void)printf("%.*s\n", (int)strcspn(line, "\n"), line);
    }
}

int confine_report(void)
{
    static const struct {
        long since;
        const char *refuses;
    } parts[] = {{1, "opening, making and removing files"},
                 {3, "cutting files"},
                 {4, "TCP"},
                 {5, "ioctl of devices"},
                 {6, "signals and abstract sockets of other processes"}};
    int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    long version = sandbox_landlock();
    struct err e;
    bool good = confine_prepare_check(SANDBOX_REQUIRED, NULL, &e) == 0 &&
                confine_reader(SANDBOX_REQUIRED, &e) == 0;

    (void)printf("Landlock: version %ld\n", version < 0 ? 0 : version);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        (void)printf("  %-8s %s\n",
                     version >= parts[i].since ? "refused" : "open",
                     parts[i].refuses);
    print_status(status);
    (void)printf("%s\n",
                 good ? "Every part of the sandbox is active." : e.text);
    return good ? EXIT_DONE : EXIT_FAILED;
}
