/* SPDX-License-Identifier: BSD-2-Clause */
/* Booting and ending `busy`; see busy.h. */
#include "busy.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

void busy_boot(struct host *h, const char *machine, const char *cores,
               const char *append)
{
    char com1[160], line[128];
    bool legacy = strcmp(machine, BUSY_LEGACY) == 0;
    const char *options[] = {"--machine",
                             legacy ? "microvm" : machine,
                             "--cpus",
                             cores,
                             "--com1",
                             com1,
                             "--timeout",
                             "1500",
                             "--append",
                             line,
                             legacy ? "--virtio" : NULL,
                             "mmio-legacy",
                             NULL};

    unlink(bridge_path("com1"));
    snprintf(com1, sizeof com1, "unix:%s,server=on,wait=off",
             bridge_path("com1"));
    snprintf(line, sizeof line, "transport=vsock end=1 cpus=%s %s", cores,
             append);
    bridge_boot(h, SERIAL_BUSY, options);
}

void busy_end(struct host *h)
{
    int sock = bridge_dial(bridge_path("com1"));

    CHECK(sock >= 0);
    bridge_write(sock, "", 1);
    host_wait_end(h);
    close(sock);
}

uint64_t busy_count(const struct host *h, uint32_t core, const char *word)
{
    char start[16];

    snprintf(start, sizeof start, "core %u:", core);
    return host_console(h, start, word);
}
