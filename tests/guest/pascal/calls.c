/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of libtprof that any process may make; calls.pas prints the same. */
#include <stdio.h>

#include <tprof/tprof.h>

int main(void)
{
    static struct tprof_config config;
    struct tprof_stats stats;

    printf("version %u\n", (unsigned)tprof_version());
    for (int error = TPROF_OK; error >= TPROF_ERR_CLOCK - 1; error--)
        printf("%d %s\n", error, tprof_strerror(error));
    printf("no version: %zu\n", tprof_mem_size(&config));
    config.version = TPROF_CONFIG_VERSION;
    printf("defaults: %zu\n", tprof_mem_size(&config));
    config.cpus = 7;
    config.ring_bytes = 16384;
    config.dict_slots = 256;
    printf("7 cores: %zu\n", tprof_mem_size(&config));
    config.cpu_source = TPROF_CPU_HOOK;
    printf("no hook: %zu\n", tprof_mem_size(&config));
    printf("before init: %d %d %d\n", tprof_start_cpu(), tprof_stop_cpu(),
           tprof_get_stats(0, &stats));
    return 0;
}
